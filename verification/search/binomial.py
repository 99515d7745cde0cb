"""Counts of failures, and the exact interval of the rate behind them."""

import functools
from typing import NamedTuple

from surefoot.problem.distributions import Beta

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
    tail = (1.0 - CONFIDENCE) / 2.0
    low = 0.0 if failures == 0 else Beta(a=failures, b=runs - failures + 1).quantile(tail)
    high = 1.0 if failures == runs else Beta(a=failures + 1, b=runs - failures).quantile(1.0 - tail)
    return Interval(low, high)


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
