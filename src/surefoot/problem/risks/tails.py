"""Limits on bad rewards: how bad a quantile is, how frequent they are, how bad they are on average.

Each speaks of one tail of the reward's own scale, the lower or the upper, whatever the goal.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from surefoot.core.limits import CvarLimit, TailLimit
from surefoot.errors import InvalidValue, number, one_of
from surefoot.problem.risks.risk import Risk, reach, within_reach, written

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.models import RewardModel, Scale

BELOW, ABOVE = -1.0, 1.0
SMALLEST_ABOVE_0, LARGEST_BELOW_1 = math.nextafter(0.0, 1.0), math.nextafter(1.0, 0.0)


def share_of(what: str, value: float) -> float:
    """A share, not so near to 0 or 1 that rounding makes it one of them."""
    return number(what, number(what, value, above=0, below=1), at_least=1e-9, at_most=0.999999)


def seen(tail: float, scale: "Scale") -> float:
    """The tail as the kernels see it: the other one where rewards are mirrored."""
    return tail if scale.width > 0.0 else -tail


class Tail(Risk):
    """A limit on rewards beyond a threshold: a reward is beyond it for the kernels if it is on its own scale.

    Moved to the kernels' scale, rewards and thresholds that are closer to each other than 2^-53 of the range may become
    the same number. Then one of them is the next number instead.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def tail(self) -> float:
        """Which rewards are beyond a threshold: those below or above."""

    @abstractmethod
    def thresholds(self, slack: float) -> tuple[float, float]:
        """That of the infeasible test, and that of the feasible one."""

    def moved(self, threshold: float, scale: "Scale") -> float:
        """With room for rewards beyond it."""
        found = scale.inward(threshold)
        return min(found, LARGEST_BELOW_1) if seen(self.tail, scale) > 0.0 else max(found, SMALLEST_ABOVE_0)

    def mover(self, scale: "Scale", slack: float) -> Callable[[float], float]:
        tail, sign = self.tail, seen(self.tail, scale)
        places = [(threshold, self.moved(threshold, scale)) for threshold in set(self.thresholds(slack))]

        def inward(reward: float) -> float:
            found = scale.inward(reward)
            for threshold, place in places:
                beyond = tail * (reward - threshold) > 0.0
                if beyond != (sign * (found - place) > 0.0):
                    found = math.nextafter(place, sign * math.inf) if beyond else place
            return found

        return inward


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
    least: ClassVar[float] = -math.inf

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

    def __post_init__(self) -> None:
        one_of("the side of a probability", self.side, ("<", ">"))
        object.__setattr__(self, "threshold", number("the threshold of the probability", self.threshold))
        object.__setattr__(self, "at_most", share_of("the limit of the probability", self.at_most))

    @property
    def name(self) -> str:
        return f"probability(reward {self.side} {written(self.threshold)})"

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


@dataclass(frozen=True, slots=True)
class Cvar(Risk):
    """The mean of the worst share of rewards, the worst being the smallest, must be at least so much.

    It is the largest value of c - E[max(c - reward, 0)] / share over all c.

    >>> str(Cvar(0.05, at_least=0.1))
    'cvar(0.05) >= 0.1'
    """

    share: float
    at_least: float
    test: ClassVar[str] = "cvar"
    least: ClassVar[float] = -math.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", share_of("the share of cvar", self.share))
        object.__setattr__(self, "at_least", number("the limit of cvar", self.at_least))

    @property
    def name(self) -> str:
        return f"cvar({written(self.share)})"

    @property
    def is_floor(self) -> bool:
        return True

    @property
    def bound(self) -> float:
        return self.at_least

    def check(self, rewards: "RewardModel") -> None:
        within_reach(f"the limit of {self.name}", self.bound, rewards)

    def limit(self, scale: "Scale", slack: float) -> CvarLimit:
        return cvar_limit(self, seen(ABOVE, scale), scale, slack)

    def outward(self, value: float, scale: "Scale") -> float:
        return scale.outward(value)

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        return self.widened(slack) > reach(rewards).low

    def value(self, distribution: "Distribution") -> float:
        quantile = distribution.quantile(self.share)
        return max(quantile - distribution.shortfall(quantile) / self.share, ends(distribution)[0])


@dataclass(frozen=True, slots=True)
class CvarUpper(Risk):
    """The mean of the worst share of rewards, the worst being the largest, must be at most so much.

    It is the smallest value of c + E[max(reward - c, 0)] / share over all c.

    >>> str(CvarUpper(0.05, at_most=0.9))
    'cvar_upper(0.05) <= 0.9'
    """

    share: float
    at_most: float
    test: ClassVar[str] = "cvar"
    least: ClassVar[float] = -math.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", share_of("the share of cvar_upper", self.share))
        object.__setattr__(self, "at_most", number("the limit of cvar_upper", self.at_most))

    @property
    def name(self) -> str:
        return f"cvar_upper({written(self.share)})"

    @property
    def bound(self) -> float:
        return self.at_most

    def check(self, rewards: "RewardModel") -> None:
        within_reach(f"the limit of {self.name}", self.bound, rewards)

    def limit(self, scale: "Scale", slack: float) -> CvarLimit:
        return cvar_limit(self, seen(BELOW, scale), scale, slack)

    def outward(self, value: float, scale: "Scale") -> float:
        return scale.outward(value)

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        return self.widened(slack) < reach(rewards).high

    def value(self, distribution: "Distribution") -> float:
        quantile = distribution.quantile(1.0 - self.share)
        beyond = distribution.mean - quantile + distribution.shortfall(quantile)
        return min(quantile + beyond / self.share, ends(distribution)[1])


def ends(distribution: "Distribution") -> tuple[float, float]:
    """Between what rewards lie: rounding may take their means a little further."""
    return distribution.support or (0.0, 1.0)


def cvar_limit(risk: Cvar | CvarUpper, sign: float, scale: "Scale", slack: float) -> CvarLimit:
    value, wide = scale.inward(risk.bound), scale.inward(risk.widened(slack))
    if sign < 0.0:
        value, wide = 1.0 - value, 1.0 - wide
    return CvarLimit(sign, risk.share, value, wide)
