"""What the rewards of a normal arm say against every mean and variance that it might have (docs/gaussian.md).

An arm's first rewards, its base, tell roughly where it lies. From there on each reward is predicted from all before it, by
Student's t distribution; the product of these densities over those of N(m, u) is a martingale if the arm is N(m, u). Its
logarithm is  later * KL(N(later_mean, later_variance), N(m, u)) + credit,  of the rewards after the base.
"""

import math
from typing import Protocol

from surefoot.core import statistics
from surefoot.core.statistics import Statistics

BASE = 3.0  # rewards, if not all of them are equal
LEAST = 2.0  # rewards after the base that allow a first look
ROUNDING = 2.0**-32  # a deviation so much smaller than the mean may be rounding alone


class Normal(Statistics, Protocol):
    base: float  # how many rewards the base has, 0 while there is none
    base_mean: float
    base_spread: float
    later: float  # rewards after it
    later_mean: float
    later_variance: float  # of them, about their own mean
    credit: float  # below 0 by about ln n: the price of not knowing mean and variance


def observe(arm: Normal) -> None:
    """Bring the base or what came later up to date, once the statistics hold a new reward."""
    if arm.base == 0.0:
        if arm.pulls >= BASE and arm.spread > arm.pulls * square(ROUNDING * arm.mean):
            arm.base, arm.base_mean, arm.base_spread = arm.pulls, arm.mean, arm.spread
        return
    arm.later = arm.pulls - arm.base
    arm.later_mean = (arm.total - arm.base * arm.base_mean) / arm.later
    away = arm.later_mean - arm.base_mean
    spread = arm.spread - arm.base_spread - away * away * arm.base * arm.later / arm.pulls
    arm.later_variance = max(spread, 0.0) / arm.later
    if known(arm):
        fit = 0.5 * arm.later * (math.log(2.0 * math.pi * arm.later_variance) + 1.0)
        arm.credit = fit + marginal(arm.pulls, arm.spread) - marginal(arm.base, arm.base_spread)


def known(arm: Normal) -> bool:
    """Is there anything to judge by? A variance that may be what is left of large numbers by rounding is nothing."""
    if arm.later < LEAST:
        return False
    return arm.later_variance > max(square(ROUNDING * arm.mean), ROUNDING * arm.spread / arm.later)


def square(value: float) -> float:
    return value * value


def marginal(pulls: float, spread: float) -> float:
    """ln of the density of n rewards, averaged over means and variances with weight 1/u, up to a constant."""
    free = 0.5 * (pulls - 1.0)
    return math.lgamma(free) - free * math.log(math.pi * spread) - 0.5 * math.log(pulls)


def against_variance(arm: Normal, limit: float) -> float:
    """ln of the evidence against variances beyond the limit, on the side where the arm's own is not; whatever the mean."""
    ratio = arm.later_variance / limit
    if ratio == math.inf:
        return ratio
    return 0.5 * arm.later * (ratio - 1.0 - math.log(ratio)) + arm.credit


def radius(arm: Normal, level: float, pulls: float) -> float:
    """How far from `later_mean` a mean must be for the evidence against it to reach a level; whatever the variance.

    A little farther, for what rounding does to `later_mean`.
    """
    if not known(arm):
        return math.inf
    needed = 2.0 * (level - arm.credit) / pulls
    if needed >= 700.0:
        return math.inf
    return math.sqrt(arm.later_variance * math.expm1(needed)) + statistics.blur(arm) * arm.pulls / arm.later


def interval(arm: Normal, lower_level: float, upper_level: float) -> tuple[float, float]:
    """The means below which, and above which, the evidence against each reaches its level."""
    lower, upper = radius(arm, lower_level, arm.later), radius(arm, upper_level, arm.later)
    return arm.later_mean - lower, arm.later_mean + upper
