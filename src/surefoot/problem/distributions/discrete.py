"""A few values, or the rows of a column of data."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surefoot.errors import InvalidValue, number
from surefoot.problem.distributions.distribution import ArmDraws, Atoms, Distribution, Inward, Row, Sampler, Tables


@dataclass(frozen=True, slots=True)
class Discrete(Distribution):
    """One of a few values. Each has its weight; without weights all values are equally likely."""

    values: tuple[float, ...]
    weights: tuple[float, ...] = ()
    key: ClassVar[str] = "discrete"
    form: ClassVar[str] = "{ values = [..], weights = [..] }"

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

    @classmethod
    def read(cls, value: Any) -> "Discrete":
        if not isinstance(value, dict) or not set(value) <= {"values", "weights"}:
            raise TypeError
        return cls(tuple(value["values"]), tuple(value.get("weights", ())))

    def plain(self) -> dict[str, list[float]]:
        return {"values": list(self.values), "weights": list(self.weights)}

    def sampler(self) -> Sampler:
        values, cumulative = self.values, np.cumsum(self.weights)
        cumulative[-1] = 1.0  # rounding must not leave a gap above it
        return lambda generator: values[int(np.searchsorted(cumulative, generator.random(), side="right"))]

    def row(self, inward: Inward) -> Row:
        return Row(values=list(map(inward, self.values)), weights=self.weights)

    def rule(self) -> Atoms:
        return Atoms(self.values, self.weights)


def draw(arm: ArmDraws, tables: Tables, generator: np.random.Generator) -> float:
    """The first of the arm's values whose cumulative weight exceeds a uniform draw."""
    uniform = generator.random()
    low, high = arm.start, arm.stop - 1
    while low < high:
        middle = (low + high) // 2
        if tables.cumulative[middle] > uniform:
            high = middle
        else:
            low = middle + 1
    return tables.values[low]  # type: ignore[no-any-return]
