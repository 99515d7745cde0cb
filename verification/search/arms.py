"""Distributions of arms from numbers in [0, 1]: of every kind that the rewards allow, chosen to be hard."""

import math
from collections.abc import Callable
from typing import NamedTuple

from surefoot.problem.distributions import Bernoulli, Beta, Discrete, Distribution, Normal, Uniform


class Shape(NamedTuple):
    """Numbers in [0, 1], whatever they mean to a distribution."""

    kind: float
    spread: float
    skew: float


def between(number: float, low: float, high: float) -> float:
    """From [0, 1] to [low, high]."""
    return low + number * (high - low)


def power(number: float, low: float, high: float) -> float:
    """From [0, 1] to powers of ten, whose exponents are low to high."""
    return float(10.0 ** between(number, low, high))


def wide(number: float, least: float) -> float:
    """From [0, 1] to powers of ten from `least` to 1, wide ones more often: wide bounds see nothing else."""
    return float(10.0 ** (least * (1.0 - number) ** 2))


def beta(mean: float, shape: Shape) -> Distribution:
    steepest = 0.5 / min(mean, 1.0 - mean)  # beyond that, a share of the rewards that matters rounds to an end
    return Beta(mean=mean, variance=mean * (1.0 - mean) / (1.0 + steepest) * wide(shape.spread, -4.0))


def coin(mean: float, shape: Shape) -> Distribution:
    return Bernoulli(mean)


def uniform(mean: float, shape: Shape) -> Distribution:
    half = min(mean, 1.0 - mean) * wide(shape.spread, -3.0)
    return Uniform(mean - half, mean + half)


def two_points(mean: float, shape: Shape) -> Distribution:
    low = mean * (1.0 - between(shape.spread, 0.01, 1.0))
    high = between(between(shape.skew, 0.01, 1.0), mean, 1.0)
    return Discrete((low, high), ((high - mean) / (high - low), (mean - low) / (high - low)))


def rare_event(mean: float, shape: Shape) -> Distribution:
    """A steady reward, but for a catastrophe or a jackpot once in 10 to 1000 pulls."""
    event, share = (0.0 if shape.skew < 0.5 else 1.0), power(shape.spread, -3.0, -1.0)
    steady = min(max((mean - share * event) / (1.0 - share), 0.0), 1.0)
    return Discrete((event, steady), (share, 1.0 - share))


def normal(mean: float, shape: Shape) -> Distribution:
    return Normal(mean=mean, variance=wide(shape.spread, -2.0))


def wide_normal(mean: float, shape: Shape) -> Distribution:
    return Normal(mean=mean, variance=power(shape.spread, -2.0, 1.0))


def wide_uniform(mean: float, shape: Shape) -> Distribution:
    """Its variance, which is its sub-Gaussian parameter squared, is at most 1."""
    half = math.sqrt(3.0) * wide(shape.spread, -2.0)
    return Uniform(mean - half, mean + half)


def wide_points(mean: float, shape: Shape) -> Distribution:
    """Two values within 2 of each other, and so 1-sub-Gaussian; one of them as rare as 1 in 100."""
    width, rare = 2.0 * wide(shape.spread, -1.0), power(shape.skew, -2.0, -0.3)
    return Discrete((mean - rare * width, mean + (1.0 - rare) * width), (1.0 - rare, rare))


Make = Callable[[float, Shape], Distribution]
KINDS: dict[str, tuple[Make, ...]] = {
    "bounded": (beta, coin, uniform, two_points, rare_event),
    "subgaussian": (normal, wide_uniform, wide_points),
    "gaussian": (wide_normal,),
}
MEANS = {"bounded": (0.02, 0.98), "subgaussian": (-2.0, 2.0), "gaussian": (-3.0, 3.0)}


def distribution(rewards: str, mean: float, shape: Shape) -> Distribution:
    """An arm of one of the kinds that such rewards allow."""
    low, high = MEANS[rewards]
    kinds = KINDS[rewards]
    make = kinds[min(int(shape.kind * len(kinds)), len(kinds) - 1)]
    return make(min(max(mean, low), high), shape)
