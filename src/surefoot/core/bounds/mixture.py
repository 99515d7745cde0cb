"""The `sharp` mean bound for sub-Gaussian rewards: a normal mixture, valid at all times at once (docs/bounds.md).

exp(s sum(X - mu) - n s^2 sigma^2 / 2) is a supermartingale for every s; averaged over s ~ N(0, 1 / (sigma^2 PRIOR)) it is
one in closed form, and Ville's inequality bounds |sum(X - mu)|.
"""

import math
from typing import NamedTuple, Protocol

from surefoot.core import statistics, warm_ups
from surefoot.core.error_budget import ErrorBudget
from surefoot.core.question import Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

WARM_UP = 1  # pulls of each arm before the first choice
CONTROL = 0.4  # radii shrunk by this factor fail too often: the tests' negative control
FOLLOWS_VARIANCE = False  # are radii smaller where the variance is?
PAIRS = False  # does it compare arms in pairs too?
STARTS = False  # can the evidence for an arm start anew when it leads?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
own_budget = None  # its levels are those of the answer's error budget
refuses = None  # it takes every question
PRIOR = 10.0  # the radius is tightest, compared with a fixed n, around ten times as many pulls


class Parameters(NamedTuple):
    sigma: float
    lower_level: float  # 2 ln(1 / the probability that L ever fails)
    upper_level: float


class Evidence(Interval, Protocol):
    """Nothing beyond the statistics."""


def parameters(question: Question, error_budget: ErrorBudget) -> Parameters:
    return Parameters(question.sigma, -2.0 * math.log(error_budget.lower), -2.0 * math.log(error_budget.upper))


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.arm_by_arm(asked, arms, t, WARM_UP)


def observe(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    """The statistics are all the evidence."""


def radius(sigma: float, level: float, pulls: float) -> float:
    """sigma sqrt((n + prior) (ln((n + prior) / prior) + 2 ln(1 / miss))) / n."""
    grown = pulls + PRIOR
    return sigma * math.sqrt(grown * (math.log(grown / PRIOR) + level)) / pulls


def interval(own: Evidence, metric: Statistics, parameters: Parameters, clock: float) -> tuple[float, float]:
    """L and U from the rewards so far; the ranking keeps the largest L and the smallest U seen."""
    lower = radius(parameters.sigma, parameters.lower_level, metric.pulls) + statistics.rounding_error(metric)
    upper = radius(parameters.sigma, parameters.upper_level, metric.pulls) + statistics.rounding_error(metric)
    return metric.mean - lower, metric.mean + upper


def interval_at(own: Evidence, metric: Statistics, parameters: Parameters) -> tuple[float, float]:
    """L and U from the rewards so far, at levels that may be others than those of the study."""
    return interval(own, metric, parameters, 1.0)


def has_news(own: Evidence, metric: Statistics) -> bool:
    """Is there more evidence on the mean than before the last reward?"""
    return True


def log_evidence(own: Evidence, metric: Statistics, sigma: float, x: float) -> tuple[float, float]:
    """ln of the evidence that the mean is above x, and that it is below."""
    grown, away = metric.pulls + PRIOR, metric.mean - x
    sure = max(abs(away) - statistics.rounding_error(metric), 0.0) * metric.pulls
    found = 0.5 * (sure * sure / (sigma * sigma * grown) - math.log(grown / PRIOR))
    return (found, -math.inf) if away > 0.0 else (-math.inf, found)


def anticipate(own: Evidence, metric: Statistics, parameters: Parameters, pending: float, clock: float) -> float:
    """U, were `pending` more rewards told that changed nothing but n."""
    return metric.mean + radius(parameters.sigma, parameters.upper_level, metric.pulls + pending)
