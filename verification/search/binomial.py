"""Counts of failures, and the exact interval of the rate behind them."""

import functools
from typing import NamedTuple

from scipy.stats import binomtest

CONFIDENCE = 0.99


class Interval(NamedTuple):
    low: float
    high: float


@functools.cache
def clopper_pearson(failures: int, runs: int) -> Interval:
    """All rates under which so few, and so many, failures are no rarer than 1 in 200.

    >>> low, high = clopper_pearson(0, 20_000)
    >>> low, round(high, 6)
    (0.0, 0.000265)
    """
    ends = binomtest(failures, runs).proportion_ci(CONFIDENCE, "exact")
    return Interval(float(ends.low), float(ends.high))


class Count(NamedTuple):
    """Runs that were wrong, right and undecided. The last are neither right nor wrong, but they are runs."""

    wrong: int = 0
    right: int = 0
    undecided: int = 0

    @property
    def runs(self) -> int:
        return sum(self)

    @property
    def rate(self) -> float:
        return self.wrong / self.runs

    @property
    def interval(self) -> Interval:
        return clopper_pearson(self.wrong, self.runs)

    def exceeds(self, allowed: float) -> bool:
        """Is the rate significantly above what is allowed?"""
        return self.interval.low > allowed

    def plus(self, other: "Count") -> "Count":
        return Count(self.wrong + other.wrong, self.right + other.right, self.undecided + other.undecided)
