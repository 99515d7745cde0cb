"""The `sharp` mean bound: empirical Bernstein, valid at all times at once (docs/bounds.md proves it).

For y >= -1 and 0 < slope < 1, exp(slope y - cost(slope) y^2) <= 1 + slope y. With y = X - guess this makes
exp(slope * sum(X - mu) - cost * V) a supermartingale; Ville's inequality and a union over SLOPES give both sides.
"""

import math
from typing import NamedTuple, Protocol

import numpy as np

from surefoot.core import warm_ups
from surefoot.core.error_budget import ErrorBudget
from surefoot.core.question import Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

WARM_UP = 1  # pulls of each arm before the first choice
CONTROL = 0.4  # radii shrunk by this factor fail too often: the tests' negative control
FOLLOWS_VARIANCE = True  # are radii smaller where the variance is?
PAIRS = False  # does it compare arms in pairs too?
STARTS = False  # can the evidence for an arm start anew when it leads?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
own_budget = None  # its levels are those of the answer's error budget
refuses = None  # it takes every question

SLOPES = 0.75 * 0.5 ** np.arange(14)
COSTS = np.array([-math.log1p(-slope) - slope for slope in SLOPES.tolist()])  # numpy's log1p depends on the processor
LOG_SLOPES = math.log(len(SLOPES))
INVERSE_SLOPES = 1.0 / SLOPES
COST_RATES = COSTS / SLOPES
# The k-th slope is the best one until V exceeds SWITCHES[k] times the level; the last one for good.
SWITCHES = np.append(np.diff(INVERSE_SLOPES) / -np.diff(COST_RATES), np.inf)


class Parameters(NamedTuple):
    lower_level: float  # ln(14 / the probability that L ever fails)
    upper_level: float


class Evidence(Interval, Protocol):
    lower_slope: int  # the best slope's index: it never decreases, because V never does
    upper_slope: int


def parameters(question: Question, error_budget: ErrorBudget) -> Parameters:
    return Parameters(math.log(len(SLOPES) / error_budget.lower), math.log(len(SLOPES) / error_budget.upper))


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.arm_by_arm(asked, arms, t, WARM_UP)


def observe(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    """Follow the best slopes, once the arm's statistics hold a reward."""
    while metric.surprise > parameters.lower_level * SWITCHES[own.lower_slope]:
        own.lower_slope += 1
    while metric.surprise > parameters.upper_level * SWITCHES[own.upper_slope]:
        own.upper_slope += 1


def deviation(surprise: float, level: float, slope: int) -> float:
    """B(V, level): how far n times the sample mean may be from n times the mean."""
    return level * float(INVERSE_SLOPES[slope]) + surprise * float(COST_RATES[slope])


def interval(own: Evidence, metric: Statistics, parameters: Parameters, clock: float) -> tuple[float, float]:
    """L and U from the rewards so far; the ranking keeps the largest L and the smallest U seen."""
    share = 1.0 / metric.pulls
    lower = metric.mean - share * deviation(metric.surprise, parameters.lower_level, own.lower_slope)
    upper = metric.mean + share * deviation(metric.surprise, parameters.upper_level, own.upper_slope)
    return lower, upper


def interval_at(own: Evidence, metric: Statistics, parameters: Parameters) -> tuple[float, float]:
    """L and U from the rewards so far, at levels that may be others than those of the study."""
    return interval(own, metric, parameters, 1.0)


def has_news(own: Evidence, metric: Statistics) -> bool:
    """Is there more evidence on the mean than before the last reward?"""
    return True


def log_evidence(own: Evidence, metric: Statistics, sigma: float, x: float) -> tuple[float, float]:
    """ln of the evidence that the mean is above x, and that it is below."""
    away = metric.pulls * (metric.mean - x)
    above = below = -math.inf
    for k in range(len(SLOPES)):
        gain, cost = SLOPES[k] * away, COSTS[k] * metric.surprise
        above, below = max(above, gain - cost), max(below, -gain - cost)
    return above - LOG_SLOPES, below - LOG_SLOPES


def anticipate(own: Evidence, metric: Statistics, parameters: Parameters, pending: float, clock: float) -> float:
    """U, were `pending` more rewards told that changed neither the mean nor V."""
    return metric.mean + deviation(metric.surprise, parameters.upper_level, own.upper_slope) / (metric.pulls + pending)
