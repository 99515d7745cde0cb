"""Limits on a mean: of another metric than the goal's, or the least that the goal's own must be."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from surefoot.core.limits import MeanLimit
from surefoot.errors import InvalidValue, number
from surefoot.problem.grammar import Quantity
from surefoot.problem.risks.risk import Forms, Risk, reach, within_reach

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_models import RewardModel, Scale


@dataclass(frozen=True, slots=True)
class Mean(Risk):
    """The mean of the reward must be at least, or at most, so much.

    >>> str(Mean(at_most=3))
    'mean <= 3'
    """

    at_least: float | None = None
    at_most: float | None = None
    test: ClassVar[str] = "mean"
    is_reward: ClassVar[bool] = True
    name: ClassVar[str] = "mean"
    quantity: ClassVar[Quantity] = Quantity("mean")
    forms: ClassVar[Forms] = {
        "mean >= M": lambda limit: Mean(at_least=limit),
        "mean <= M": lambda limit: Mean(at_most=limit),
    }

    def __post_init__(self) -> None:
        if (self.at_least is None) == (self.at_most is None):
            raise InvalidValue("a mean must have one limit, at_least or at_most, got both or none")
        side = "at_least" if self.is_floor else "at_most"
        object.__setattr__(self, side, number("the limit of the mean", self.bound))

    @property
    def is_floor(self) -> bool:
        return self.at_least is not None

    @property
    def bound(self) -> float:
        return self.at_least if self.at_least is not None else self.at_most  # type: ignore[return-value]

    def check(self, rewards: "RewardModel") -> None:
        within_reach("the limit of the mean", self.bound, rewards)

    def limit(self, scale: "Scale", slack: float) -> MeanLimit:
        sign = (1.0 if self.is_floor else -1.0) * (1.0 if scale.width > 0.0 else -1.0)
        return MeanLimit(sign, scale.inward(self.bound), scale.inward(self.widened(slack)))

    def outward(self, value: float, scale: "Scale") -> float:
        return scale.outward(value)

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        low, high = reach(rewards)
        return self.widened(slack) > low if self.is_floor else self.widened(slack) < high

    def value(self, distribution: "Distribution") -> float:
        return distribution.mean
