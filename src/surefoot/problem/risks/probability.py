"""Limits on how frequent bad rewards are."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from surefoot.core.limits import TailLimit
from surefoot.errors import number, one_of
from surefoot.problem.grammar import Quantity, written
from surefoot.problem.metrics import REWARD
from surefoot.problem.risks.risk import Forms, reach, within_reach
from surefoot.problem.risks.tail import ABOVE, BELOW, Tail, seen, share_of

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_models import RewardModel, Scale


@dataclass(frozen=True, slots=True)
class Probability(Tail):
    """The probability of a reward below, or above, a threshold must not exceed `at_most`.

    >>> str(Probability("<", 0.2, at_most=0.05))
    'probability(reward < 0.2) <= 0.05'
    """

    side: str  # "<" or ">"
    threshold: float
    at_most: float
    test: ClassVar[str] = "probability"
    forms: ClassVar[Forms] = {
        "probability(reward < C) <= P": lambda threshold, limit: Probability("<", threshold, limit),
        "probability(reward > C) <= P": lambda threshold, limit: Probability(">", threshold, limit),
    }

    def __post_init__(self) -> None:
        one_of("the side of a probability", self.side, ("<", ">"))
        object.__setattr__(self, "threshold", number("the threshold of the probability", self.threshold))
        object.__setattr__(self, "at_most", share_of("the limit of the probability", self.at_most))

    @property
    def name(self) -> str:
        return f"probability(reward {self.side} {written(self.threshold)})"

    @property
    def quantity(self) -> Quantity:
        return Quantity("probability", REWARD, side=self.side, threshold=self.threshold)

    @property
    def bound(self) -> float:
        return self.at_most

    @property
    def tail(self) -> float:
        return BELOW if self.side == "<" else ABOVE

    def thresholds(self, slack: float) -> tuple[float, float]:
        return self.threshold, self.threshold

    def check(self, rewards: "RewardModel") -> None:
        within_reach("the threshold of the probability", self.threshold, rewards)

    def limit(self, scale: "Scale", slack: float) -> TailLimit:
        threshold = self.moved(self.threshold, scale)
        return TailLimit(seen(self.tail, scale), threshold, threshold, self.at_most, self.widened(slack))

    def outward(self, value: float, scale: "Scale") -> float:
        return value

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        low, high = reach(rewards)
        possible = self.threshold > low if self.side == "<" else self.threshold < high
        return possible and self.widened(slack) < 1.0

    def span(self, rewards: "RewardModel") -> float:
        return 1.0

    def value(self, distribution: "Distribution") -> float:
        return distribution.below(self.threshold) if self.side == "<" else distribution.above(self.threshold)
