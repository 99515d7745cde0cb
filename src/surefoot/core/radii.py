"""What families that bound mean and variance by an estimate and a radius keep of each arm."""

import math
from typing import Protocol

from surefoot.core import statistics
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics


class Radii(Interval, Protocol):
    """A radius is the arm's own part, kept here, times the clock's part, `tick` (1 where there is no clock)."""

    reach: float  # of the mean
    variance: float  # the family's estimate
    variance_reach: float  # infinite while there is no estimate


def observe(own: Radii, metric: Statistics, reach: float, variance_reach: float) -> None:
    """Keep the unbiased variance and the arm's own parts of its radii."""
    own.reach = reach
    if metric.pulls > 1.0:
        own.variance = statistics.variance(metric)
        own.variance_reach = variance_reach
    else:
        own.variance_reach = math.inf
