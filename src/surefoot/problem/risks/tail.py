"""What limits on bad rewards have in common: each speaks of one tail of the reward's own scale, the lower or the upper,
whatever the goal.
"""

import math
from abc import abstractmethod
from typing import TYPE_CHECKING

from surefoot.errors import number
from surefoot.problem.risks.risk import Cut, Risk

if TYPE_CHECKING:
    from surefoot.problem.reward_models import Scale

BELOW, ABOVE = -1.0, 1.0
SMALLEST_ABOVE_0, LARGEST_BELOW_1 = math.nextafter(0.0, 1.0), math.nextafter(1.0, 0.0)


def share_of(what: str, value: float) -> float:
    """A share, not so near to 0 or 1 that rounding makes it one of them."""
    return number(what, number(what, value, above=0, below=1), at_least=1e-9, at_most=0.999999)


def seen(tail: float, scale: "Scale") -> float:
    """The tail as the kernels see it: the other one where rewards are mirrored."""
    return tail if scale.width > 0.0 else -tail


def moved(tail: float, threshold: float, scale: "Scale") -> float:
    """A threshold on the kernels' scale, with room for rewards beyond it, where they have a range."""
    found = scale.inward(threshold)
    if not scale.has_ends:
        return found
    return min(found, LARGEST_BELOW_1) if seen(tail, scale) > 0.0 else max(found, SMALLEST_ABOVE_0)


class Tail(Risk):
    """A limit on rewards beyond a threshold: a reward is beyond it for the kernels if it is on its own scale."""

    __slots__ = ()

    @property
    @abstractmethod
    def tail(self) -> float:
        """Which rewards are beyond a threshold: those below or above."""

    @abstractmethod
    def thresholds(self, slack: float) -> tuple[float, float]:
        """That of the infeasible test, and that of the feasible one."""

    def moved(self, threshold: float, scale: "Scale") -> float:
        return moved(self.tail, threshold, scale)

    def cuts(self, scale: "Scale", slack: float) -> tuple[Cut, ...]:
        return tuple(
            Cut(self.tail, threshold, self.moved(threshold, scale))
            for threshold in dict.fromkeys(self.thresholds(slack))
        )
