"""A mean bound for rewards on [0, 1]: say here in a line what it is, and where it is proved.

This one is Hoeffding's inequality with a union over the number of pulls. Register it as a `Family` in `registry`.
"""

import math
from typing import NamedTuple, Protocol

from surefoot.core import warm_ups
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
refuses = None  # or a function of the question that says why the bounds cannot be used


class Parameters(NamedTuple):
    """What is fixed before the first pull: numbers, and tuples of them."""

    lower_miss: float  # the probability that L ever fails
    upper_miss: float


class Evidence(Interval, Protocol):
    """What is kept of each arm besides the statistics, in fields that start at 0: nothing here."""


def parameters(question: Question, error_budget: ErrorBudget) -> Parameters:
    return Parameters(error_budget.lower, error_budget.upper)


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.arm_by_arm(asked, arms, t, WARM_UP)


def observe(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    """Bring `own` up to date, once `metric` holds the reward."""


def radius(pulls: float, miss: float) -> float:
    return math.sqrt(math.log(pulls * (pulls + 1.0) / miss) / (2.0 * pulls))


def interval(own: Evidence, metric: Statistics, parameters: Parameters, clock: float) -> tuple[float, float]:
    """L and U from the rewards so far; the ranking keeps the largest L and the smallest U seen."""
    lower, upper = radius(metric.pulls, parameters.lower_miss), radius(metric.pulls, parameters.upper_miss)
    return metric.mean - lower, metric.mean + upper


def interval_at(own: Evidence, metric: Statistics, parameters: Parameters) -> tuple[float, float]:
    """L and U from the rewards so far, at levels that may be others than those of the study."""
    return interval(own, metric, parameters, 1.0)


def anticipate(own: Evidence, metric: Statistics, parameters: Parameters, pending: float, clock: float) -> float:
    """About what U were after `pending` more rewards. It serves to choose, never to stop."""
    return metric.mean + radius(metric.pulls + pending, parameters.upper_miss)
