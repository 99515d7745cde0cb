"""A mean bound around a function of the user's, `interval`, in place of the `sharp` one."""

import math
from typing import NamedTuple, Protocol

from surefoot.core import warm_ups
from surefoot.core.error_budget import ErrorBudget
from surefoot.core.own import written
from surefoot.core.question import Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

WARM_UP = 1  # pulls of each arm before the first choice
CONTROL = 0.1  # shrunk by this factor, any sound radii fail too often
FOLLOWS_VARIANCE = False  # are radii smaller where the variance is?
PAIRS = False  # does it compare arms in pairs too?
STARTS = False  # can the evidence for an arm start anew when it leads?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
own_budget = None  # its levels are those of the answer's error budget
refuses = None  # it takes every question


class Parameters(NamedTuple):
    lower_miss: float  # the probability that L ever fails
    upper_miss: float


class Evidence(Interval, Protocol):
    """Nothing beyond the statistics."""


def parameters(question: Question, error_budget: ErrorBudget) -> Parameters:
    return Parameters(error_budget.lower, error_budget.upper)


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.arm_by_arm(asked, arms, t, WARM_UP)


def observe(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    """Nothing to keep beyond the statistics."""


def interval(own: Evidence, metric: Statistics, parameters: Parameters, clock: float) -> tuple[float, float]:
    """L and U from the rewards so far; the ranking keeps the largest L and the smallest U seen."""
    return written.interval(metric, parameters.lower_miss, parameters.upper_miss)


def interval_at(own: Evidence, metric: Statistics, parameters: Parameters) -> tuple[float, float]:
    """L and U from the rewards so far, at levels that may be others than those of the study."""
    return interval(own, metric, parameters, 1.0)


def anticipate(own: Evidence, metric: Statistics, parameters: Parameters, pending: float, clock: float) -> float:
    """About what U were after `pending` more rewards: radii shrink like the root of the number of pulls."""
    _, upper = interval(own, metric, parameters, clock)
    return metric.mean + (upper - metric.mean) * math.sqrt(metric.pulls / (metric.pulls + pending))
