"""Limits on how widely rewards spread: the variance, and its root."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from surefoot.core.limits import VarianceLimit
from surefoot.errors import InvalidValue, number
from surefoot.problem.grammar import Quantity, written
from surefoot.problem.risks.risk import Forms, Risk

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_models import RewardModel, Scale


SMALLEST = 1e-300  # limit of the variance on the kernels' scale: smaller ones are hardly numbers any more


def not_too_small(risk: "Variance | Deviation", rewards: "RewardModel") -> None:
    if risk.limit(rewards.scale("max"), 0.0).value < SMALLEST:
        raise InvalidValue(
            f"the limit of the {risk.name} must be a number that can be told from 0 beside {rewards}, "
            f"got {written(risk.at_most)}"
        )


@dataclass(frozen=True, slots=True)
class Variance(Risk):
    """The variance of the reward must not exceed `at_most`.

    >>> str(Variance(at_most=0.04))
    'variance <= 0.04'
    """

    at_most: float
    test: ClassVar[str] = "variance"
    of_variance: ClassVar[bool] = True
    name: ClassVar[str] = "variance"
    quantity: ClassVar[Quantity] = Quantity("variance")
    forms: ClassVar[Forms] = {"variance <= V": lambda limit: Variance(limit)}

    def __post_init__(self) -> None:
        object.__setattr__(self, "at_most", number("the limit of the variance", self.at_most, above=0))

    @property
    def bound(self) -> float:
        return self.at_most

    def check(self, rewards: "RewardModel") -> None:
        not_too_small(self, rewards)

    def limit(self, scale: "Scale", slack: float) -> VarianceLimit:
        return VarianceLimit(self.at_most / scale.width**2, slack / scale.width**2)

    def outward(self, value: float, scale: "Scale") -> float:
        return value * scale.width**2

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        return self.at_most + slack < rewards.largest_variance

    def span(self, rewards: "RewardModel") -> float:
        return rewards.largest_variance

    def value(self, distribution: "Distribution") -> float:
        return distribution.variance


@dataclass(frozen=True, slots=True)
class Deviation(Risk):
    """The standard deviation of the reward must not exceed `at_most`: a limit on the variance in other words.

    >>> str(Deviation(at_most=0.2))
    'std <= 0.2'
    """

    at_most: float
    test: ClassVar[str] = "variance"
    of_variance: ClassVar[bool] = True
    name: ClassVar[str] = "standard deviation"
    quantity: ClassVar[Quantity] = Quantity("std")
    forms: ClassVar[Forms] = {"std <= S": lambda limit: Deviation(limit)}

    def __post_init__(self) -> None:
        object.__setattr__(self, "at_most", number("the limit of the standard deviation", self.at_most, above=0))

    def __str__(self) -> str:
        return f"std <= {written(self.at_most)}"

    @property
    def bound(self) -> float:
        return self.at_most

    def check(self, rewards: "RewardModel") -> None:
        not_too_small(self, rewards)

    def limit(self, scale: "Scale", slack: float) -> VarianceLimit:
        limit = (self.at_most / scale.width) ** 2
        return VarianceLimit(limit, ((self.at_most + slack) / scale.width) ** 2 - limit)

    def outward(self, value: float, scale: "Scale") -> float:
        return math.sqrt(value) * abs(scale.width)

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        return (self.at_most + slack) ** 2 < rewards.largest_variance

    def span(self, rewards: "RewardModel") -> float:
        return math.sqrt(rewards.largest_variance)

    def value(self, distribution: "Distribution") -> float:
        return math.sqrt(distribution.variance)

    def allows(self, distribution: "Distribution", slack: float = 0.0) -> bool:
        return distribution.variance <= (self.at_most + slack) ** 2
