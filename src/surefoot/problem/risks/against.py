"""Limits against the baseline: a mean or a probability, at most or at least so many times that of one of the arms."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from surefoot.core.limits import BaselineLimit
from surefoot.errors import InvalidValue
from surefoot.problem.grammar import Bound, Quantity, written
from surefoot.problem.reward_models import Bounded
from surefoot.problem.risks.risk import Cut, Forms, Risk, reach, within_reach
from surefoot.problem.risks.tail import ABOVE, BELOW, moved, seen

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_models import RewardModel, Scale

COMPARED = ("mean", "probability")  # the quantities for which there is a proof (docs/baseline.md)


@dataclass(frozen=True, slots=True)
class AgainstBaseline(Risk):
    """A quantity of an arm, less `factor` times that of the baseline, must be at least, or at most, `plus`.

    >>> str(AgainstBaseline(Quantity("mean"), ">=", Bound(1.0, -0.01)))
    'mean >= baseline - 0.01'
    """

    limited: Quantity
    relation: str  # <= or >=
    to: Bound
    test: ClassVar[str] = "baseline"
    forms: ClassVar[Forms] = {}  # the grammar reads it beside every other form

    def __post_init__(self) -> None:
        if self.quantity.name not in COMPARED:
            raise InvalidValue(
                f"limit {str(self)!r} cannot be decided: mean and probability can be limited against the baseline"
            )
        if self.to.factor <= 0.0:
            raise InvalidValue(
                f"limit {str(self)!r} must have a factor above 0 before the baseline, got {written(self.to.factor)}"
            )

    @property
    def quantity(self) -> Quantity:
        return self.limited

    @property
    def name(self) -> str:
        return str(self.limited)

    @property
    def bound(self) -> float:
        """What the difference to `factor` times the baseline may be."""
        return self.to.plus

    @property
    def is_floor(self) -> bool:
        return self.relation == ">="

    @property
    def shown_bound(self) -> str:
        return str(self.to)

    @property
    def reference(self) -> str:
        """What the shown difference is to."""
        return str(self.to._replace(plus=0.0))

    @property
    def of_mean(self) -> bool:
        return self.quantity.name == "mean"

    @property
    def threshold(self) -> float:
        return self.quantity.threshold or 0.0

    @property
    def tail(self) -> float:
        return BELOW if self.quantity.side == "<" else ABOVE

    def check(self, rewards: "RewardModel") -> None:
        if not self.of_mean:
            within_reach("the threshold of the probability", self.threshold, rewards)
        elif not isinstance(rewards, Bounded):
            raise InvalidValue(
                f"limit {str(self)!r} cannot be decided for {rewards}: a mean that is compared with the baseline must have "
                f"a range, such as [0, 10]; probabilities can be compared without one"
            )
        elif self.to.factor != 1.0 and rewards.low < 0.0:
            raise InvalidValue(
                f"limit {str(self)!r} must have no factor, as {rewards.called} may be negative: a range from 0 on would "
                f"work, or a difference, such as baseline + 0.1"
            )

    def limit(self, scale: "Scale", slack: float) -> BaselineLimit:
        sign = 1.0 if self.is_floor else -1.0
        factor, plus, wide = self.to.factor, self.to.plus, self.widened(slack)
        if not self.of_mean:
            place = moved(self.tail, self.threshold, scale)
            return BaselineLimit(sign, factor, plus, wide, seen(self.tail, scale), place)
        # low + width u >= factor (low + width v) + plus, if u and v are on the kernels' scale
        shift = (factor - 1.0) * scale.outward(0.0)
        turn = 1.0 if scale.width > 0.0 else -1.0
        return BaselineLimit(turn * sign, factor, (plus + shift) / scale.width, (wide + shift) / scale.width)

    def cuts(self, scale: "Scale", slack: float) -> tuple[Cut, ...]:
        return () if self.of_mean else (Cut(self.tail, self.threshold, moved(self.tail, self.threshold, scale)),)

    def outward(self, value: float, scale: "Scale") -> float:
        return scale.width * value + (1.0 - self.to.factor) * scale.outward(0.0) if self.of_mean else value

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        low, high = reach(rewards) if self.of_mean else (0.0, 1.0)
        wide = self.widened(slack)
        return self.to.factor * high + wide > low if self.is_floor else self.to.factor * low + wide < high

    def span(self, rewards: "RewardModel") -> float:
        low, high = reach(rewards) if self.of_mean else (0.0, 1.0)
        return (1.0 + self.to.factor) * (high - low)

    def value(self, distribution: "Distribution") -> float:
        """The quantity itself."""
        if self.of_mean:
            return distribution.mean
        return distribution.below(self.threshold) if self.quantity.side == "<" else distribution.above(self.threshold)

    def keeps(self, distribution: "Distribution", baseline: "Distribution", slack: float = 0.0) -> bool:
        """Does an arm with this distribution keep the limit beside this baseline?"""
        value = self.value(distribution) - self.to.factor * self.value(baseline)
        return value >= self.widened(slack) if self.is_floor else value <= self.widened(slack)
