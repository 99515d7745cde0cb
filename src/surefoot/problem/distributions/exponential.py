"""Exponential distributions, such as times between events that come by chance."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surefoot.errors import number
from surefoot.problem.distributions.distribution import ArmDraws, Distribution, Inward, Row, Sampler, Tables, numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential(Distribution):
    """All values are above 0; the larger a value, the less likely, and this falls exponentially."""

    mean: float
    key: ClassVar[str] = "exponential"
    form: ClassVar[str] = "{ mean = .. }"
    guessed: ClassVar[bool] = True
    support: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", number("the mean of exponential", self.mean, above=0))

    @property
    def variance(self) -> float:
        return self.mean**2

    def below(self, x: float) -> float:
        return -math.expm1(-max(x, 0.0) / self.mean)

    def above(self, x: float) -> float:
        return math.exp(-max(x, 0.0) / self.mean)

    def quantile(self, share: float) -> float:
        return -self.mean * math.log1p(-share)

    def shortfall(self, x: float) -> float:
        return max(x - self.mean * self.below(x), 0.0) if x > 0.0 else 0.0

    @classmethod
    def read(cls, value: Any) -> "Exponential":
        return cls(**numbers("exponential", value, {"mean"}))

    def plain(self) -> dict[str, float]:
        return {"mean": self.mean}

    def sampler(self) -> Sampler:
        mean = self.mean
        return lambda generator: mean * generator.standard_exponential()

    def row(self, inward: Inward) -> Row:
        return Row(0.0, self.mean)


def draw(arm: ArmDraws, tables: Tables, generator: np.random.Generator) -> float:
    return arm.offset + arm.factor * generator.standard_exponential()
