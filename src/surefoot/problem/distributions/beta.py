"""Beta distributions, stretched to the range of rewards."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surefoot.errors import InvalidValue, missing, number
from surefoot.problem.distributions.distribution import (
    ArmDraws,
    BetaShape,
    Distribution,
    Inward,
    Row,
    Sampler,
    Tables,
    numbers,
)
from surefoot.problem.distributions.incomplete_beta import tails
from surefoot.problem.reward_models import Bounded, RewardModel

SMALLEST = 1e-6  # a and b of a beta: with smaller ones it is a coin, and takes long to draw


@dataclass(frozen=True, slots=True, kw_only=True)
class Beta(Distribution):
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
    form: ClassVar[str] = "{ mean = .., variance = .. } or { a = .., b = .. }"
    guessed: ClassVar[bool] = True

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

    @classmethod
    def read(cls, value: Any) -> "Beta":
        return cls(**numbers("beta", value, {"mean", "variance"}, {"a", "b"}))  # type: ignore[arg-type]

    def plain(self) -> dict[str, float]:
        if math.isnan(self.a):
            return {"mean": self.mean, "variance": self.variance}
        return {"a": self.a, "b": self.b}

    def sampler(self) -> Sampler:
        (a, b), (low, high) = self.shape, self.support or (0.0, 1.0)
        return lambda generator: min(max(low + (high - low) * generator.beta(a, b), low), high)

    def row(self, inward: Inward) -> Row:
        a, b = self.shape
        return Row(*(self.support or (0.0, 1.0)), a, b, *((spread(a), spread(b)) if min(a, b) > 1.0 else ()))

    def rule(self) -> BetaShape:
        return BetaShape(*self.shape, *(self.support or (0.0, 1.0)))

    def fitted(self, rewards: RewardModel) -> "Beta":
        within = (rewards.low, rewards.high) if isinstance(rewards, Bounded) else (0.0, 1.0)
        return self if self.support == within else Beta(**self.plain(), support=within)


def draw(arm: ArmDraws, tables: Tables, generator: np.random.Generator) -> float:
    """`first` and `second` are a and b; `third` and `fourth` their spreads if both exceed 1, else 0.

    What it draws then is what `generator.beta` does, bit for bit, in half of the time: that computes the spreads anew.
    """
    if arm.third == 0.0:
        return arm.offset + arm.factor * generator.beta(arm.first, arm.second)
    one = gamma(arm.first, arm.third, generator)
    other = gamma(arm.second, arm.fourth, generator)
    return arm.offset + arm.factor * (one / (one + other))


def spread(shape: float) -> float:
    """Of the normal number that `gamma` cubes."""
    return 1.0 / math.sqrt(9.0 * (shape - 1.0 / 3.0))


def gamma(shape: float, spread: float, generator: np.random.Generator) -> float:
    """Draw from the gamma distribution with a shape above 1, after Marsaglia and Tsang, as numpy does."""
    most = shape - 1.0 / 3.0
    while True:
        normal = generator.standard_normal()
        cube = 1.0 + spread * normal
        if cube <= 0.0:
            continue
        cube = cube * cube * cube
        uniform = generator.random()
        if uniform < 1.0 - 0.0331 * (normal * normal) * (normal * normal):
            return most * cube
        if math.log(uniform) < 0.5 * normal * normal + most * (1.0 - cube + math.log(cube)):
            return most * cube
