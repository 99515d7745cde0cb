"""What people see of a limit against the baseline: the difference to it, and between what that lies.

`mean` is the baseline's record beside the arm's (`Pair`). The interval is for information; `core/baselines` decides.
"""

import math
from typing import Any, NamedTuple

from surefoot.core.links import against
from surefoot.core.links.against import Parameters, Stream
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = False  # does it read what the mean bound keeps?
IN_INTERVAL = False  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = False  # does it go on after FEASIBLE, which what is certain may override?
STARTS = False  # can its evidence for FEASIBLE start anew when the arm leads?
FIRST = 4.0  # times about its standard deviation: where an end of the interval is looked for first
DOUBLINGS = 60  # and how far beyond that
SMALLEST = 1e-9  # to begin with, where nothing varies
STEPS = 40
CLOSE = 0.002  # how exactly an end is found, as a part of its distance from the estimate
LEAST_PART = 0.05  # of what is left to search: no step is smaller


class Side(NamedTuple):
    """One of two arms, as far as they are compared: evidence that holds all its results, and how many there are."""

    evidence: Any
    pulls: float


class Pair(NamedTuple):
    """An arm and the baseline."""

    kernels: Any  # `one_arm` for the limits of the problem
    arm: Side
    other: Side
    limit: int  # which of the limits against the baseline it is
    stream: Stream
    beginning: Any = None  # with pulls in flight, the Pair of the results that may be compared; None: all may be

    @property
    def known(self) -> bool:
        return self.arm.pulls > 0.0 and self.other.pulls > 0.0

    @property
    def difference(self) -> float:
        """Of the results so far: the arm's quantity less `factor` times the other's."""
        ours, theirs = (self.kernels.estimate(*side, self.limit, self.stream) for side in (self.arm, self.other))
        return ours - self.stream.factor * theirs  # type: ignore[no-any-return]

    @property
    def unit(self) -> float:
        """About how badly the difference is known."""
        ours, theirs = (
            self.kernels.deviation(*side, self.limit, self.stream) / math.sqrt(side.pulls)
            for side in (self.arm, self.other)
        )
        return ours + theirs  # type: ignore[no-any-return]

    def evidence(self, plus: float, sign: float) -> float:
        """ln of the evidence that the difference is above `plus` (sign 1), or below."""
        side = self.kernels.above if sign > 0.0 else self.kernels.below
        found: float = side(*self.arm, *self.other, self.limit, self.stream, plus)
        return found


class ItemPair(NamedTuple):
    """An arm and the baseline on the same items: their differences, settled."""

    kernels: Any  # `same_items` for the limits of the problem
    own: Any
    limit: int
    stream: Stream
    beginning: Any = None

    @property
    def known(self) -> bool:
        return bool(self.own.count > 0.0)

    @property
    def difference(self) -> float:
        return self.own.totals[self.limit] / self.own.count  # type: ignore[no-any-return]

    @property
    def unit(self) -> float:
        return 0.5 * (1.0 + self.stream.factor) / math.sqrt(self.own.count)

    def evidence(self, plus: float, sign: float) -> float:
        if sign > 0.0:
            return self.kernels.above(self.own, self.limit, self.stream.factor, plus)  # type: ignore[no-any-return]
        return self.kernels.below(self.own, self.limit, plus)  # type: ignore[no-any-return]


def shares(own: Any, metric: Statistics, mean: Pair, parameters: Parameters, clock: float) -> tuple[float, float]:
    return against.shares_of(own, parameters, mean.limit)


def estimate(shown: Any, own: Any, metric: Statistics, mean: Pair, parameters: Parameters) -> float:
    """The difference to the baseline, times its factor."""
    return math.nan if own.exempt or not mean.known else mean.difference


def risk_interval(
    shown: Any, own: Any, metric: Statistics, mean: Pair, parameters: Parameters, question: Any, clock: float
) -> tuple[float, float]:
    """Between what the difference lies; each end may fail as often as the test on its side of the limit."""
    mean = mean.beginning or mean
    if own.exempt or not mean.known:
        return -math.inf, math.inf
    stream, middle, unit = mean.stream, mean.difference, mean.unit
    levels = stream.feasible_level, stream.infeasible_level
    below, above = levels if stream.sign > 0.0 else reversed(levels)
    lower = end(lambda plus: mean.evidence(plus, 1.0), below, middle, -FIRST * unit)
    upper = end(lambda plus: mean.evidence(plus, -1.0), above, middle, FIRST * unit)
    if mean.limit < mean.kernels.SUMS:  # of two numbers in [0, 1]
        return max(lower, -stream.factor), min(upper, 1.0)
    return lower, upper


def end(evidence: Any, level: float, start: float, step: float) -> float:
    """The number nearest to `start`, in the direction of the step, that there is evidence enough against, or one a little
    farther; infinite if there is none. The root of the evidence is about a line there.
    """
    wanted, step = math.sqrt(level), step or math.copysign(SMALLEST, step)

    def over(plus: float) -> float:
        return math.sqrt(max(evidence(plus), 0.0)) - wanted

    near, missing, far = start, -wanted, start + step
    for _ in range(DOUBLINGS):
        if (spare := over(far)) >= 0.0:
            break
        near, missing, step = far, spare, 2.0 * step
        far = start + step
    else:
        return math.copysign(math.inf, step)
    for _ in range(STEPS):
        if abs(far - near) <= CLOSE * abs(far - start):
            break
        part = 0.5 if math.isinf(spare) else min(max(missing / (missing - spare), LEAST_PART), 1.0 - LEAST_PART)
        middle = near + part * (far - near)
        found = over(middle)
        if found >= 0.0:  # halving the other side's number keeps that side from staying where it is
            far, spare, missing = middle, found, 0.5 * missing
        else:
            near, missing, spare = middle, found, 0.5 * spare
    return far
