"""Limits against the baseline: a mean, a quantile or a probability, at most or at least so many times that of one arm."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from surefoot.core.limits import BaselineLimit
from surefoot.errors import InvalidValue
from surefoot.problem.grammar import Bound, Quantity, written
from surefoot.problem.reward_models import Unbounded
from surefoot.problem.risks.risk import Cut, Forms, Risk, reach, within_reach
from surefoot.problem.risks.tail import ABOVE, BELOW, moved, seen, share_of

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_models import RewardModel, Scale

COMPARED = ("mean", "quantile", "probability")  # the quantities for which there is a proof (docs/baseline.md)
ROUNDING = 2.0**-50  # of a number: what the way to the kernels' scale may move it by


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
                f"limit {str(self)!r} cannot be decided: mean, quantile and probability can be limited against the baseline"
            )
        if self.quantity.share is not None:
            share_of("the share of a quantile", self.quantity.share)
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
    def of_values(self) -> bool:
        """Is the quantity on the scale of the metric?"""
        return self.quantity.name != "probability"

    @property
    def threshold(self) -> float:
        return self.quantity.threshold or 0.0

    @property
    def tail(self) -> float:
        return BELOW if self.quantity.side == "<" else ABOVE

    def check(self, rewards: "RewardModel") -> None:
        if not self.of_values:
            within_reach("the threshold of the probability", self.threshold, rewards)
        elif self.of_mean and isinstance(rewards, Unbounded):
            raise InvalidValue(
                f"limit {str(self)!r} cannot be decided for {rewards}: a mean that is compared with the baseline must have "
                f"a range, such as [0, 10]; quantiles and probabilities can be compared without one"
            )
        elif self.to.factor != 1.0 and rewards.low < 0.0 and not isinstance(rewards, Unbounded):
            raise InvalidValue(
                f"limit {str(self)!r} must have no factor, as {rewards.called} may be negative: a range from 0 on would "
                f"work, or a difference, such as baseline + 0.1"
            )

    def limit(self, scale: "Scale", slack: float) -> BaselineLimit:
        sign = 1.0 if self.is_floor else -1.0
        factor, plus, wide = self.to.factor, self.to.plus, self.widened(slack)
        if not self.of_values:
            place = moved(self.tail, self.threshold, scale)
            return BaselineLimit(sign, factor, plus, wide, seen(self.tail, scale), place)
        # low + width u >= factor (low + width v) + plus, if u and v are on the kernels' scale
        shift = (factor - 1.0) * scale.outward(0.0)
        mirrored = scale.width < 0.0
        sign, plus, wide = -sign if mirrored else sign, (plus + shift) / scale.width, (wide + shift) / scale.width
        if self.quantity.share is None:
            return BaselineLimit(sign, factor, plus, wide)
        share = 1.0 - self.quantity.share if mirrored else self.quantity.share
        rounding = ROUNDING * (1.0 + factor) * (1.0 + abs(scale.origin / scale.width)) if scale.has_ends else 0.0
        return BaselineLimit(sign, factor, plus, wide, share=share, mirrored=mirrored, rounding=rounding)

    def cuts(self, scale: "Scale", slack: float) -> tuple[Cut, ...]:
        return () if self.of_values else (Cut(self.tail, self.threshold, moved(self.tail, self.threshold, scale)),)

    def outward(self, value: float, scale: "Scale") -> float:
        return scale.width * value + (1.0 - self.to.factor) * scale.outward(0.0) if self.of_values else value

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        low, high = reach(rewards) if self.of_values else (0.0, 1.0)
        wide = self.widened(slack)
        return self.to.factor * high + wide > low if self.is_floor else self.to.factor * low + wide < high

    def span(self, rewards: "RewardModel") -> float:
        low, high = reach(rewards) if self.of_values else (0.0, 1.0)
        return (1.0 + self.to.factor) * (high - low)

    def value(self, distribution: "Distribution") -> float:
        """The quantity itself."""
        if self.quantity.share is not None:
            return distribution.quantile(self.quantity.share)
        if self.of_mean:
            return distribution.mean
        return distribution.below(self.threshold) if self.quantity.side == "<" else distribution.above(self.threshold)

    def stricter(self, part: float) -> "AgainstBaseline | None":
        """The same with a smaller distance to the baseline, by this part of it; None if there is none.

        >>> str(AgainstBaseline(Quantity("mean"), "<=", Bound(1.02, 0.0)).stricter(0.1))
        'mean <= 1.018 * baseline'
        """
        factor, plus = self.to
        sign = part if self.is_floor else -part
        if plus:
            return replace(self, to=Bound(factor, float(f"{plus + sign * abs(plus):.12g}")))
        return (
            replace(self, to=Bound(float(f"{factor + sign * abs(factor - 1.0):.12g}"), 0.0)) if factor != 1.0 else None
        )

    def keeps(self, distribution: "Distribution", baseline: "Distribution", slack: float = 0.0) -> bool:
        """Does an arm with this distribution keep the limit beside this baseline?"""
        value = self.value(distribution) - self.to.factor * self.value(baseline)
        return value >= self.widened(slack) if self.is_floor else value <= self.widened(slack)
