"""A risk that a user has registered (`surefoot.own`)."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from surefoot.core.own.limit_test import Limit
from surefoot.errors import number
from surefoot.problem.grammar import Quantity
from surefoot.problem.risks.risk import Risk

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_models import RewardModel, Scale


@dataclass(frozen=True, slots=True)
class OwnRisk(Risk):
    """The risk of this name must not exceed `at_most`."""

    called: str
    of: "Callable[[Distribution], float]" = field(repr=False, compare=False)
    at_most: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "at_most", number(f"the limit of {self.called}", self.at_most))

    @property
    def test(self) -> str:  # type: ignore[override]
        return self.called

    @property
    def name(self) -> str:
        return self.called

    @property
    def quantity(self) -> Quantity:
        return Quantity(self.called)

    @property
    def bound(self) -> float:
        return self.at_most

    def limit(self, scale: "Scale", slack: float) -> Limit:
        return Limit(self.at_most, self.widened(slack), scale.origin, scale.width)

    def outward(self, value: float, scale: "Scale") -> float:
        return value

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        return True

    def span(self, rewards: "RewardModel") -> float:
        return math.inf  # not known

    def value(self, distribution: "Distribution") -> float:
        return self.of(distribution)
