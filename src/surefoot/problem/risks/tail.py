"""What limits on bad rewards have in common: each speaks of one tail of the reward's own scale, the lower or the upper,
whatever the goal.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from surefoot.errors import number
from surefoot.problem.risks.risk import Risk

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

    def cuts(self, scale: "Scale", slack: float) -> tuple[float, ...]:
        return tuple(self.moved(threshold, scale) for threshold in self.thresholds(slack))

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
