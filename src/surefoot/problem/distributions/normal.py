"""Normal distributions."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from surefoot.errors import number
from surefoot.problem.distributions.distribution import ArmDraws, Distribution, Inward, Row, Sampler, Tables, numbers

if TYPE_CHECKING:
    from statistics import NormalDist


@dataclass(frozen=True, slots=True, kw_only=True)
class Normal(Distribution):
    """A normal distribution. Its values have no range."""

    mean: float
    variance: float
    key: ClassVar[str] = "normal"
    form: ClassVar[str] = "{ mean = .., variance = .. }"
    guessed: ClassVar[bool] = True
    support: ClassVar[tuple[float, float]] = (-math.inf, math.inf)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", number("the mean of normal", self.mean))
        object.__setattr__(self, "variance", number("the variance of normal", self.variance, above=0))

    @property
    def standard(self) -> "NormalDist":
        from statistics import NormalDist

        return NormalDist(self.mean, math.sqrt(self.variance))

    def below(self, x: float) -> float:
        return self.standard.cdf(x)

    def above(self, x: float) -> float:
        return Normal(mean=-self.mean, variance=self.variance).below(-x)

    def quantile(self, share: float) -> float:
        return self.standard.inv_cdf(share)

    def shortfall(self, x: float) -> float:
        return (x - self.mean) * self.below(x) + self.variance * self.standard.pdf(x)

    @classmethod
    def read(cls, value: Any) -> "Normal":
        return cls(**numbers("normal", value, {"mean", "variance"}))

    def plain(self) -> dict[str, float]:
        return {"mean": self.mean, "variance": self.variance}

    def sampler(self) -> Sampler:
        mean, deviation = self.mean, math.sqrt(self.variance)
        return lambda generator: mean + deviation * generator.standard_normal()

    def row(self, inward: Inward) -> Row:
        return Row(self.mean, self.mean + self.variance**0.5)


def draw(arm: ArmDraws, tables: Tables, generator: np.random.Generator) -> float:
    return arm.offset + arm.factor * generator.standard_normal()
