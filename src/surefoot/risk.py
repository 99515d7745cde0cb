"""Risk limits: what may be asked of an arm beside a good mean, on the reward's own scale."""

import math
import re
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias

from surefoot.errors import InvalidValue, number


class Spread(Protocol):
    """A distribution, as far as these risks look at it."""

    @property
    def variance(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Variance:
    """The variance of the reward must not exceed `at_most`.

    >>> str(Variance(at_most=0.04))
    'variance <= 0.04'
    """

    at_most: float
    test: ClassVar[str] = "variance"  # the kind of risk test that decides it
    name: ClassVar[str] = "variance"

    def __post_init__(self) -> None:
        object.__setattr__(self, "at_most", number("the limit of the variance", self.at_most, above=0))

    def __str__(self) -> str:
        return f"variance <= {self.at_most!r}"

    def on_unit_scale(self, width: float, slack: float) -> tuple[float, float]:
        """Limit and slack for rewards divided by `width`."""
        return self.at_most / width**2, slack / width**2

    def off_unit_scale(self, value: float, width: float) -> float:
        """What the kernels call the risk, on the reward's own scale."""
        return value * width**2

    def can_fail(self, largest_variance: float, slack: float) -> bool:
        """Could an arm be infeasible, if no variance is larger than that?"""
        return self.at_most + slack < largest_variance

    def value(self, distribution: Spread) -> float:
        return distribution.variance

    def allows(self, distribution: Spread, slack: float = 0.0) -> bool:
        return self.value(distribution) <= self.at_most + slack


@dataclass(frozen=True, slots=True)
class Deviation:
    """The standard deviation of the reward must not exceed `at_most`: a limit on the variance in other words.

    >>> str(Deviation(at_most=0.2))
    'std <= 0.2'
    """

    at_most: float
    test: ClassVar[str] = "variance"
    name: ClassVar[str] = "standard deviation"

    def __post_init__(self) -> None:
        object.__setattr__(self, "at_most", number("the limit of the standard deviation", self.at_most, above=0))

    def __str__(self) -> str:
        return f"std <= {self.at_most!r}"

    def on_unit_scale(self, width: float, slack: float) -> tuple[float, float]:
        limit = (self.at_most / width) ** 2
        return limit, ((self.at_most + slack) / width) ** 2 - limit

    def off_unit_scale(self, value: float, width: float) -> float:
        return math.sqrt(value) * width

    def can_fail(self, largest_variance: float, slack: float) -> bool:
        return (self.at_most + slack) ** 2 < largest_variance

    def value(self, distribution: Spread) -> float:
        return math.sqrt(distribution.variance)

    def allows(self, distribution: Spread, slack: float = 0.0) -> bool:
        return distribution.variance <= (self.at_most + slack) ** 2


@dataclass(frozen=True, slots=True)
class NoRisk:
    """No limit: plain best-arm identification."""

    test: ClassVar[str] = "none"
    name: ClassVar[str] = "risk"
    at_most: ClassVar[float] = math.inf

    def __str__(self) -> str:
        return "none"

    def on_unit_scale(self, width: float, slack: float) -> tuple[float, float]:
        return math.inf, 0.0

    def off_unit_scale(self, value: float, width: float) -> float:
        return 0.0

    def can_fail(self, largest_variance: float, slack: float) -> bool:
        return False

    def value(self, distribution: Spread) -> float:
        return 0.0

    def allows(self, distribution: Spread, slack: float = 0.0) -> bool:
        return True


Risk: TypeAlias = Variance | Deviation | NoRisk

NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
EXPRESSIONS = {  # what a file or the command line may say, and what it means
    rf"variance\s*<=\s*{NUMBER}": Variance,
    rf"std\s*<=\s*{NUMBER}": Deviation,
    r"none": NoRisk,
}


def parse(expression: object) -> Risk:
    """The risk that an expression of a problem file or of the command line means.

    >>> parse("variance <= 0.04")
    Variance(at_most=0.04)
    """
    for pattern, risk in EXPRESSIONS.items():
        found = re.fullmatch(pattern, expression.strip()) if isinstance(expression, str) else None
        if found:
            return risk(*map(float, found.groups()))  # type: ignore[no-any-return]
    raise InvalidValue(f"risk must be 'variance <= NUMBER', 'std <= NUMBER' or 'none', got {expression!r}")
