"""What the rewards of a normal arm say against every mean and variance that it might have (docs/gaussian.md).

An arm's first rewards, its base, tell roughly where it lies. From there on each reward is predicted from all before it, by
Student's t distribution; the product of these densities over those of N(m, u) is a martingale if the arm is N(m, u). Its
logarithm is  later * KL(N(later_mean, later_variance), N(m, u)) + credit,  of the rewards after the base.
"""

import math
from typing import Protocol

from surefoot.core import statistics
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

ROUNDS_APART = True  # compiled and interpreted: `math.lgamma`, by a unit in the last place
BASE = 3.0  # rewards, if not all of them are equal
LEAST = 2.0  # rewards after the base that allow a first look
ROUNDING = 2.0**-32  # a deviation so much smaller than the mean may be rounding alone


class NormalEvidence(Interval, Protocol):
    base: float  # how many rewards the base has, 0 while there is none
    base_mean: float
    base_spread: float
    later: float  # rewards after it
    later_mean: float
    later_variance: float  # of them, about their own mean
    credit: float  # below 0 by about ln n: the price of not knowing mean and variance


def observe(own: NormalEvidence, metric: Statistics) -> None:
    """Bring the base or what came later up to date, once the statistics hold a new reward."""
    if own.base == 0.0:
        if metric.pulls >= BASE and metric.spread > metric.pulls * square(ROUNDING * metric.mean):
            own.base, own.base_mean, own.base_spread = metric.pulls, metric.mean, metric.spread
        return
    own.later = metric.pulls - own.base
    own.later_mean = (metric.total - own.base * own.base_mean) / own.later
    away = own.later_mean - own.base_mean
    spread = metric.spread - own.base_spread - away * away * own.base * own.later / metric.pulls
    own.later_variance = max(spread, 0.0) / own.later
    if known(own, metric):
        fit = 0.5 * own.later * (math.log(2.0 * math.pi * own.later_variance) + 1.0)
        own.credit = fit + marginal(metric.pulls, metric.spread) - marginal(own.base, own.base_spread)


def known(own: NormalEvidence, metric: Statistics) -> bool:
    """Is there anything to judge by? A variance that may be what is left of large numbers by rounding is nothing."""
    if own.later < LEAST:
        return False
    return own.later_variance > max(square(ROUNDING * metric.mean), ROUNDING * metric.spread / own.later)


def square(value: float) -> float:
    return value * value


def marginal(pulls: float, spread: float) -> float:
    """ln of the density of n rewards, averaged over means and variances with weight 1/u, up to a constant."""
    free = 0.5 * (pulls - 1.0)
    return math.lgamma(free) - free * math.log(math.pi * spread) - 0.5 * math.log(pulls)


def residual_variance(own: NormalEvidence, metric: Statistics) -> float:
    """The mean square of the rewards after the base, each less the mean of all before it and scaled to the same variance."""
    return (metric.spread - own.base_spread) / own.later


def against_variance(own: NormalEvidence, metric: Statistics, limit: float) -> float:
    """ln of the evidence against variances beyond the limit, on the side where the arm's own is not (R in docs/gaussian.md).

    It is about residuals, which do not depend on the mean, so that not knowing the mean costs nothing. It belongs to one arm
    alone: a product with the evidence of another arm is no martingale.
    """
    residual = residual_variance(own, metric)
    ratio = residual / limit
    if ratio == math.inf:
        return ratio
    credit = own.credit + 0.5 * (
        math.log(metric.pulls / own.base) + own.later * math.log(residual / own.later_variance)
    )
    return 0.5 * own.later * (ratio - 1.0 - math.log(ratio)) + credit


def against_larger(own: NormalEvidence, metric: Statistics, limit: float) -> float:
    """ln of the evidence that the variance is below the limit."""
    return against_variance(own, metric, limit) if residual_variance(own, metric) < limit else -math.inf


def against_smaller(own: NormalEvidence, metric: Statistics, limit: float) -> float:
    """ln of the evidence that the variance is above the limit."""
    return against_variance(own, metric, limit) if residual_variance(own, metric) > limit else -math.inf


def radius(own: NormalEvidence, metric: Statistics, level: float, pulls: float) -> float:
    """How far from `later_mean` a mean must be for the evidence against it to reach a level; whatever the variance.

    A little farther, for what rounding does to `later_mean`.
    """
    if not known(own, metric):
        return math.inf
    needed = 2.0 * (level - own.credit) / pulls
    if needed >= 700.0:
        return math.inf
    return (
        math.sqrt(own.later_variance * math.expm1(needed))
        + statistics.rounding_error(metric) * metric.pulls / own.later
    )


def interval(own: NormalEvidence, metric: Statistics, lower_level: float, upper_level: float) -> tuple[float, float]:
    """The means below which, and above which, the evidence against each reaches its level."""
    lower, upper = radius(own, metric, lower_level, own.later), radius(own, metric, upper_level, own.later)
    return own.later_mean - lower, own.later_mean + upper


def log_evidence(own: NormalEvidence, metric: Statistics, x: float) -> tuple[float, float]:
    """ln of the evidence that the mean is above x, and that it is below; whatever the variance. `radius` inverted."""
    if not known(own, metric):
        return -math.inf, -math.inf
    away = own.later_mean - x
    sure = max(abs(away) - statistics.rounding_error(metric) * metric.pulls / own.later, 0.0)
    found = own.credit + 0.5 * own.later * math.log1p(sure * sure / own.later_variance)
    return (found, -math.inf) if away > 0.0 else (-math.inf, found)
