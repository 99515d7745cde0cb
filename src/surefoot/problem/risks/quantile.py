"""Limits on how bad a quantile is."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from surefoot.core.limits import TailLimit
from surefoot.errors import InvalidValue, number
from surefoot.problem.grammar import Quantity, written
from surefoot.problem.risks.risk import Forms, reach, within_reach
from surefoot.problem.risks.tail import ABOVE, BELOW, Tail, seen, share_of

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_models import RewardModel, Scale


@dataclass(frozen=True, slots=True)
class Quantile(Tail):
    """The quantile of the reward, sup{x : P(reward <= x) <= share}, must be at least, or at most, so much.

    At least q means that P(reward < q) <= share. At most q means that P(reward > q) <= 1 - share, except that with equality
    there the quantile is larger if no reward lies just above q.

    >>> str(Quantile(0.05, at_least=0.2))
    'quantile(0.05) >= 0.2'
    """

    share: float
    at_least: float | None = None
    at_most: float | None = None
    test: ClassVar[str] = "quantile"
    is_reward: ClassVar[bool] = True
    forms: ClassVar[Forms] = {
        "quantile(A) >= Q": lambda share, limit: Quantile(share, at_least=limit),
        "quantile(A) <= Q": lambda share, limit: Quantile(share, at_most=limit),
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", share_of("the share of a quantile", self.share))
        if (self.at_least is None) == (self.at_most is None):
            raise InvalidValue("a quantile must have one limit, at_least or at_most, got both or none")
        side = "at_least" if self.is_floor else "at_most"
        object.__setattr__(self, side, number("the limit of the quantile", self.bound))

    @property
    def name(self) -> str:
        return f"quantile({written(self.share)})"

    @property
    def quantity(self) -> Quantity:
        return Quantity("quantile", share=self.share)

    @property
    def is_floor(self) -> bool:
        return self.at_least is not None

    @property
    def bound(self) -> float:
        return self.at_least if self.at_least is not None else self.at_most  # type: ignore[return-value]

    @property
    def tail(self) -> float:
        return BELOW if self.is_floor else ABOVE

    def thresholds(self, slack: float) -> tuple[float, float]:
        return self.bound, self.widened(slack)

    def check(self, rewards: "RewardModel") -> None:
        within_reach(f"the limit of {self.name}", self.bound, rewards)

    def limit(self, scale: "Scale", slack: float) -> TailLimit:
        share = self.share if self.is_floor else 1.0 - self.share
        threshold, wide = (self.moved(threshold, scale) for threshold in self.thresholds(slack))
        return TailLimit(seen(self.tail, scale), threshold, wide, share, share)

    def outward(self, value: float, scale: "Scale") -> float:
        return scale.outward(value)

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        low, high = reach(rewards)
        return self.widened(slack) > low if self.is_floor else self.widened(slack) < high

    def value(self, distribution: "Distribution") -> float:
        return distribution.quantile(self.share)

    def allows(self, distribution: "Distribution", slack: float = 0.0) -> bool:
        limit = self.widened(slack)
        if not self.is_floor and self.value(distribution) == limit:  # as far as numbers go: it may lie above
            return distribution.above(limit) <= 1.0 - self.share
        return super(Quantile, self).allows(distribution, slack)
