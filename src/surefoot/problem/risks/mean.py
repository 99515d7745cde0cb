"""Limits on a mean: of another metric than the goal's, or the least that the goal's own must be."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from surefoot.core.limits import MeanLimit
from surefoot.problem.grammar import Quantity
from surefoot.problem.risks.risk import EitherWay, Forms, within_reach

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_models import RewardModel, Scale


@dataclass(frozen=True, slots=True)
class Mean(EitherWay):
    """The mean of the reward must be at least, or at most, so much.

    >>> str(Mean(at_most=3))
    'mean <= 3'
    """

    at_least: float | None = None
    at_most: float | None = None
    test: ClassVar[str] = "mean"
    name: ClassVar[str] = "mean"
    quantity: ClassVar[Quantity] = Quantity("mean")
    forms: ClassVar[Forms] = {
        "mean >= M": lambda limit: Mean(at_least=limit),
        "mean <= M": lambda limit: Mean(at_most=limit),
    }

    def __post_init__(self) -> None:
        self.settle("mean")

    def check(self, rewards: "RewardModel") -> None:
        within_reach("the limit of the mean", self.bound, rewards)

    def limit(self, scale: "Scale", slack: float) -> MeanLimit:
        sign = (1.0 if self.is_floor else -1.0) * (1.0 if scale.width > 0.0 else -1.0)
        return MeanLimit(sign, scale.inward(self.bound), scale.inward(self.widened(slack)))

    def value(self, distribution: "Distribution") -> float:
        return distribution.mean
