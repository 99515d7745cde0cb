"""What people see of a limit against the baseline: the difference to it, and between what that lies.

`mean` is the baseline's record beside the arm's (`Pair`). The interval is for information; `core/baselines` decides.
"""

import math
from typing import Any, NamedTuple

from surefoot.core.baselines import one_arm
from surefoot.core.bounds.tight import COUNT
from surefoot.core.links import against
from surefoot.core.links.against import Parameters, Stream
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = False  # does it read what the mean bound keeps?
IN_INTERVAL = False  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = False  # does it go on after FEASIBLE, which what is certain may override?
NARROW = 2.0**-30  # how exactly the ends of the interval are found


class Pair(NamedTuple):
    """An arm and the baseline, as far as they are compared: sums that hold all results, and how many there are."""

    arm: Any
    pulls: float
    other: Any
    other_pulls: float
    limit: int  # which of the limits against the baseline it is
    stream: Stream

    @property
    def known(self) -> bool:
        return self.pulls > 0.0 and self.other_pulls > 0.0

    def above(self, plus: float) -> float:
        """ln of the evidence that the difference is above `plus`."""
        first, last = self.limit * COUNT, (self.limit + 1) * COUNT
        rises, falls = self.arm.rises[first:last], self.other.falls[first:last]
        return one_arm.least_evidence(rises, self.pulls, falls, self.other_pulls, self.stream.factor, plus)

    def below(self, plus: float) -> float:
        """ln of the evidence that the difference is below `plus`."""
        first, last, factor = self.limit * COUNT, (self.limit + 1) * COUNT, self.stream.factor
        rises, falls = self.other.rises[first:last], self.arm.falls[first:last]
        return one_arm.least_evidence(rises, self.other_pulls, falls, self.pulls, 1.0 / factor, -plus / factor)


def shares(own: Any, metric: Statistics, mean: Pair, parameters: Parameters, clock: float) -> tuple[float, float]:
    return against.shares_of(own, parameters, mean.limit)


def estimate(shown: Any, own: Any, metric: Statistics, mean: Pair, parameters: Parameters) -> float:
    """The difference to the baseline, times its factor."""
    if own.exempt or not mean.known:
        return math.nan
    ours: float = mean.arm.totals[mean.limit] / mean.pulls
    return ours - mean.stream.factor * mean.other.totals[mean.limit] / mean.other_pulls  # type: ignore[no-any-return]


def risk_interval(
    shown: Any, own: Any, metric: Statistics, mean: Pair, parameters: Parameters, question: Any, clock: float
) -> tuple[float, float]:
    """Between what the difference lies; each end may fail as often as the test that the limit is kept."""
    least, most = -mean.stream.factor, 1.0
    if own.exempt or not mean.known:
        return least, most
    level, middle = mean.stream.feasible_level, estimate(shown, own, metric, mean, parameters)
    return end(mean.above, level, least, middle), end(mean.below, level, most, middle)


def end(evidence: Any, level: float, far: float, near: float) -> float:
    """The number nearest to `near`, coming from `far`, that there is evidence enough against."""
    while abs(near - far) > NARROW:
        middle = 0.5 * (near + far)
        if evidence(middle) >= level:
            far = middle
        else:
            near = middle
    return far
