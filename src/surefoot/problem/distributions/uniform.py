"""All values of an interval alike."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surefoot.errors import number
from surefoot.problem.distributions.distribution import ArmDraws, BetaShape, Distribution, Inward, Row, Sampler, Tables


@dataclass(frozen=True, slots=True)
class Uniform(Distribution):
    """All values between low and high are equally likely."""

    low: float
    high: float
    key: ClassVar[str] = "uniform"
    form: ClassVar[str] = "[low, high]"

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

    @classmethod
    def read(cls, value: Any) -> "Uniform":
        return cls(*value)

    def plain(self) -> list[float]:
        return [self.low, self.high]

    def sampler(self) -> Sampler:
        low, high = self.low, self.high
        return lambda generator: low + (high - low) * generator.random()

    def row(self, inward: Inward) -> Row:
        return Row(self.low, self.high)

    def rule(self) -> BetaShape:
        return BetaShape(1.0, 1.0, self.low, self.high)


def draw(arm: ArmDraws, tables: Tables, generator: np.random.Generator) -> float:
    return arm.offset + arm.factor * generator.random()
