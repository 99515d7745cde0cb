"""Distributions of an arm's rewards, on the reward's own scale. Plain data: drawing from them is `simulate`'s affair.

Each knows its mean and variance; P(X < x), `below`, and P(X > x), `above`; its `quantile`, sup{x : P(X <= x) <= share};
and its `shortfall` from x, E[max(x - X, 0)].
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar, TypeAlias

from surefoot.errors import InvalidValue, missing, number
from surefoot.problem.incomplete_beta import tails
from surefoot.problem.models import Bounded, RewardModel

SMALLEST = 1e-6  # a and b of a beta: with smaller ones it is a coin, and takes long to draw


@dataclass(frozen=True, slots=True)
class Bernoulli:
    """1 with probability p, else 0."""

    p: float
    key: ClassVar[str] = "bernoulli"
    support: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", number("bernoulli", self.p, at_least=0, at_most=1))

    @property
    def mean(self) -> float:
        return self.p

    @property
    def variance(self) -> float:
        return self.p * (1.0 - self.p)

    def below(self, x: float) -> float:
        return 0.0 if x <= 0.0 else 1.0 - self.p if x <= 1.0 else 1.0

    def above(self, x: float) -> float:
        return 1.0 if x < 0.0 else self.p if x < 1.0 else 0.0

    def quantile(self, share: float) -> float:
        return 1.0 if 1.0 - self.p <= share else 0.0

    def shortfall(self, x: float) -> float:
        return (1.0 - self.p) * max(x, 0.0) + self.p * max(x - 1.0, 0.0)

    def plain(self) -> float:
        return self.p


@dataclass(frozen=True, slots=True)
class Uniform:
    """Every value between low and high alike."""

    low: float
    high: float
    key: ClassVar[str] = "uniform"

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", number("the lower end of uniform", self.low))
        object.__setattr__(self, "high", number("the upper end of uniform", self.high, above=self.low))

    @property
    def mean(self) -> float:
        return (self.low + self.high) / 2.0

    @property
    def variance(self) -> float:
        return (self.high - self.low) ** 2 / 12.0

    @property
    def support(self) -> tuple[float, float]:
        return self.low, self.high

    def below(self, x: float) -> float:
        return min(max((x - self.low) / (self.high - self.low), 0.0), 1.0)

    def above(self, x: float) -> float:
        return 1.0 - self.below(x)

    def quantile(self, share: float) -> float:
        return self.low + share * (self.high - self.low)

    def shortfall(self, x: float) -> float:
        return self.below(x) * (x - (self.low + min(x, self.high)) / 2.0)

    def plain(self) -> list[float]:
        return [self.low, self.high]


@dataclass(frozen=True, slots=True, kw_only=True)
class Beta:
    """A beta distribution over the range of rewards, by its mean and variance or by its parameters a and b.

    >>> a, b = Beta(mean=0.55, variance=0.01).shape
    >>> round(a, 4), round(b, 4)
    (13.0625, 10.6875)
    """

    mean: float = math.nan
    variance: float = math.nan
    a: float = math.nan
    b: float = math.nan
    support: tuple[float, float] | None = None  # the range of rewards, once that is known
    key: ClassVar[str] = "beta"

    def __post_init__(self) -> None:
        low, high = self.support or (0.0, 1.0)
        for name in ("mean", "variance", "a", "b"):
            if not missing(getattr(self, name)):
                object.__setattr__(self, name, number(f"{name} of beta", getattr(self, name)))
        if math.isnan(self.a) and math.isnan(self.b):
            if self.support is None:  # nothing to check against yet
                number("the mean of beta", self.mean)
                number("the variance of beta", self.variance, above=0)
                return
            mean = number("the mean of beta", self.mean, above=low, below=high)
            most = (mean - low) * (high - mean)
            number(
                f"the variance of beta with mean {mean:g} on [{low:g}, {high:g}]", self.variance, above=0, below=most
            )
            if min(self.shape) < SMALLEST:
                raise InvalidValue(
                    f"the variance of beta with mean {mean:g} on [{low:g}, {high:g}] must be less close to {most:g}, "
                    f"got {self.variance!r}; with that it is a coin: take bernoulli or discrete"
                )
        else:
            if not (math.isnan(self.mean) and math.isnan(self.variance)):
                raise InvalidValue("beta takes mean and variance, or a and b, got some of each")
            a, b = (
                number(f"{name} of beta", value, at_least=SMALLEST) for name, value in (("a", self.a), ("b", self.b))
            )
            object.__setattr__(self, "mean", low + (high - low) * a / (a + b))
            object.__setattr__(self, "variance", (high - low) ** 2 * a * b / ((a + b) ** 2 * (a + b + 1.0)))

    @property
    def shape(self) -> tuple[float, float]:
        """a and b: those given, or those with this mean and variance, [HTZ] App. H."""
        if not math.isnan(self.a):
            return self.a, self.b
        low, high = self.support or (0.0, 1.0)
        mean, variance = (self.mean - low) / (high - low), self.variance / (high - low) ** 2
        total = mean * (1.0 - mean) / variance - 1.0
        return mean * total, (1.0 - mean) * total

    def below(self, x: float) -> float:
        return tails(*self.shape, self.to_unit(x)).below

    def above(self, x: float) -> float:
        return tails(*self.shape, self.to_unit(x)).above

    def quantile(self, share: float) -> float:
        low, high = self.support or (0.0, 1.0)
        while low < (middle := (low + high) / 2.0) < high:
            low, high = (middle, high) if self.below(middle) <= share else (low, middle)
        return low

    def shortfall(self, x: float) -> float:
        low, _ = self.support or (0.0, 1.0)
        a, b = self.shape
        within = (self.mean - low) * tails(a + 1.0, b, self.to_unit(x)).below  # E[X - low; X < x]
        return (x - low) * self.below(x) - within

    def to_unit(self, x: float) -> float:
        low, high = self.support or (0.0, 1.0)
        return (x - low) / (high - low)

    def plain(self) -> dict[str, float]:
        if math.isnan(self.a):
            return {"mean": self.mean, "variance": self.variance}
        return {"a": self.a, "b": self.b}


@dataclass(frozen=True, slots=True, kw_only=True)
class Normal:
    """A normal distribution: no range holds it."""

    mean: float
    variance: float
    key: ClassVar[str] = "normal"
    support: ClassVar[tuple[float, float]] = (-math.inf, math.inf)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", number("the mean of normal", self.mean))
        object.__setattr__(self, "variance", number("the variance of normal", self.variance, above=0))

    @property
    def standard(self) -> NormalDist:
        return NormalDist(self.mean, math.sqrt(self.variance))

    def below(self, x: float) -> float:
        return self.standard.cdf(x)

    def above(self, x: float) -> float:
        return NormalDist(-self.mean, math.sqrt(self.variance)).cdf(-x)

    def quantile(self, share: float) -> float:
        return self.standard.inv_cdf(share)

    def shortfall(self, x: float) -> float:
        return (x - self.mean) * self.below(x) + self.variance * self.standard.pdf(x)

    def plain(self) -> dict[str, float]:
        return {"mean": self.mean, "variance": self.variance}


@dataclass(frozen=True, slots=True)
class Discrete:
    """One of a few values, each with its weight; all alike when no weights are given."""

    values: tuple[float, ...]
    weights: tuple[float, ...] = ()
    key: ClassVar[str] = "discrete"

    def __post_init__(self) -> None:
        values = tuple(number("each value of discrete", value) for value in self.values)
        if not values:
            raise InvalidValue("discrete must have at least one value, got none")
        weights = tuple(number("each weight of discrete", weight, at_least=0) for weight in self.weights)
        weights = weights or (1.0,) * len(values)
        if len(weights) != len(values):
            raise InvalidValue(f"discrete must have a weight for each value, got {len(values)} and {len(weights)}")
        total = number("the sum of the weights of discrete", math.fsum(weights), above=0)
        if abs(total - 1.0) > 2.0**-52:  # but for rounding; to divide again would change a problem that is read back
            weights = tuple(weight / total for weight in weights)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "weights", weights)

    @property
    def mean(self) -> float:
        return math.fsum(value * weight for value, weight in zip(self.values, self.weights, strict=True))

    @property
    def variance(self) -> float:
        mean = self.mean
        return math.fsum((value - mean) ** 2 * weight for value, weight in zip(self.values, self.weights, strict=True))

    @property
    def support(self) -> tuple[float, float]:
        possible = [value for value, weight in zip(self.values, self.weights, strict=True) if weight > 0.0]
        return min(possible), max(possible)

    def below(self, x: float) -> float:
        return math.fsum(weight for value, weight in zip(self.values, self.weights, strict=True) if value < x)

    def above(self, x: float) -> float:
        return math.fsum(weight for value, weight in zip(self.values, self.weights, strict=True) if value > x)

    def quantile(self, share: float) -> float:
        """The smallest value with more than the share of the weight up to it."""
        weight = 0.0
        for value, more in sorted(zip(self.values, self.weights, strict=True)):
            weight += more
            if weight > share:
                return value
        return self.support[1]

    def shortfall(self, x: float) -> float:
        return math.fsum(
            (x - value) * weight for value, weight in zip(self.values, self.weights, strict=True) if value < x
        )

    def plain(self) -> dict[str, list[float]]:
        return {"values": list(self.values), "weights": list(self.weights)}


Distribution: TypeAlias = Bernoulli | Uniform | Beta | Normal | Discrete


def fitted(distribution: Distribution, rewards: RewardModel) -> Distribution:
    """The distribution under these rewards: a beta is stretched to their range, one that does not fit is refused."""
    if isinstance(distribution, Beta):
        within = (rewards.low, rewards.high) if isinstance(rewards, Bounded) else (0.0, 1.0)
        return distribution if distribution.support == within else Beta(**distribution.plain(), support=within)
    if not isinstance(rewards, Bounded):
        return distribution
    low, high = distribution.support
    if low < rewards.low or high > rewards.high:
        raise InvalidValue(f"{distribution.key} must fit into {rewards}, got values from {low:g} to {high:g}")
    return distribution
