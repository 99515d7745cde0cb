"""No limit."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from surefoot.core.limits import VarianceLimit
from surefoot.problem.grammar import Quantity
from surefoot.problem.risks.risk import Forms, Risk

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_models import RewardModel, Scale


@dataclass(frozen=True, slots=True)
class NoRisk(Risk):
    """No limit: plain best-arm identification."""

    test: ClassVar[str] = "none"
    of_variance: ClassVar[bool] = True
    name: ClassVar[str] = "risk"
    quantity: ClassVar[Quantity] = Quantity("none")
    bound: ClassVar[float] = math.inf
    forms: ClassVar[Forms] = {"none": lambda: NoRisk()}

    def __str__(self) -> str:
        return "none"

    def limit(self, scale: "Scale", slack: float) -> VarianceLimit:
        return VarianceLimit(math.inf, 0.0)

    def outward(self, value: float, scale: "Scale") -> float:
        return 0.0

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        return False

    def span(self, rewards: "RewardModel") -> float:
        return math.inf  # there is no slack that could be too large

    def value(self, distribution: "Distribution") -> float:
        return 0.0
