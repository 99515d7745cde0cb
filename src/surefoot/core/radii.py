"""What families that bound mean and variance by an estimate and a radius keep of each arm."""

import math
from typing import Protocol

from surefoot.core import statistics
from surefoot.core.statistics import Statistics


class Radii(Statistics, Protocol):
    """A radius is the arm's own part, kept here, times the clock's part, `tick` (1 where there is no clock)."""

    reach: float  # of the mean
    variance: float  # the family's estimate
    variance_reach: float  # infinite while there is no estimate


def observe(arm: Radii, reach: float, variance_reach: float) -> None:
    """Keep the unbiased variance and the arm's own parts of its radii."""
    arm.reach = reach
    if arm.pulls > 1.0:
        arm.variance = statistics.variance(arm)
        arm.variance_reach = variance_reach
    else:
        arm.variance_reach = math.inf
