"""Log-normal distributions, such as times: many are short and a few are very long."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from surefoot.errors import number
from surefoot.problem.distributions.distribution import ArmDraws, Distribution, Inward, Row, Sampler, Tables, numbers

if TYPE_CHECKING:
    from statistics import NormalDist


@dataclass(frozen=True, slots=True, kw_only=True)
class LogNormal(Distribution):
    """The logarithm of a value is normal and has the standard deviation sigma. Half of the values are below the median."""

    median: float
    sigma: float
    key: ClassVar[str] = "lognormal"
    form: ClassVar[str] = "{ median = .., sigma = .. }"
    guessed: ClassVar[bool] = True
    support: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def __post_init__(self) -> None:
        object.__setattr__(self, "median", number("the median of lognormal", self.median, above=0))
        object.__setattr__(self, "sigma", number("the sigma of lognormal", self.sigma, above=0, at_most=10))

    @property
    def mean(self) -> float:
        return self.median * math.exp(self.sigma**2 / 2.0)

    @property
    def variance(self) -> float:
        return self.mean**2 * math.expm1(self.sigma**2)

    def place(self, x: float) -> float:
        """The value of the standard normal that becomes x."""
        return math.log(x / self.median) / self.sigma if x > 0.0 else -math.inf

    def below(self, x: float) -> float:
        return standard().cdf(self.place(x))

    def above(self, x: float) -> float:
        return standard().cdf(-self.place(x))

    def quantile(self, share: float) -> float:
        return self.median * math.exp(self.sigma * standard().inv_cdf(share))

    def shortfall(self, x: float) -> float:
        place = self.place(x)
        return max(x * standard().cdf(place) - self.mean * standard().cdf(place - self.sigma), 0.0)

    @classmethod
    def read(cls, value: Any) -> "LogNormal":
        return cls(**numbers("lognormal", value, {"median", "sigma"}))

    def plain(self) -> dict[str, float]:
        return {"median": self.median, "sigma": self.sigma}

    def sampler(self) -> Sampler:
        median, sigma = self.median, self.sigma
        return lambda generator: median * math.exp(sigma * generator.standard_normal())

    def row(self, inward: Inward) -> Row:
        return Row(0.0, self.median, first=self.sigma)


def standard() -> "NormalDist":
    from statistics import NormalDist  # takes a while to import

    return NormalDist()


def draw(arm: ArmDraws, tables: Tables, generator: np.random.Generator) -> float:
    return arm.offset + arm.factor * math.exp(arm.first * generator.standard_normal())
