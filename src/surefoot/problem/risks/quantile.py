"""Limits on how bad a quantile is."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from surefoot.core.limits import TailLimit
from surefoot.problem.grammar import Quantity, written
from surefoot.problem.risks.risk import EitherWay, Forms, within_reach
from surefoot.problem.risks.tail import ABOVE, BELOW, Tail, seen, share_of

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_models import RewardModel, Scale


@dataclass(frozen=True, slots=True)
class Quantile(EitherWay, Tail):
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
    forms: ClassVar[Forms] = {
        "quantile(A) >= Q": lambda share, limit: Quantile(share, at_least=limit),
        "quantile(A) <= Q": lambda share, limit: Quantile(share, at_most=limit),
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", share_of("the share of a quantile", self.share))
        self.settle("quantile")

    @property
    def name(self) -> str:
        return f"quantile({written(self.share)})"

    @property
    def quantity(self) -> Quantity:
        return Quantity("quantile", share=self.share)

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
        return TailLimit(seen(self.tail, scale), threshold, wide, share, share, strict=not self.is_floor)

    def value(self, distribution: "Distribution") -> float:
        return distribution.quantile(self.share)

    def allows(self, distribution: "Distribution", slack: float = 0.0) -> bool:
        limit = self.widened(slack)
        if not self.is_floor and self.value(distribution) == limit:  # as far as numbers go: it may lie above
            return distribution.above(limit) <= 1.0 - self.share
        return super(Quantile, self).allows(distribution, slack)
