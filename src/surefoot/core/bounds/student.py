"""The `sharp` mean bound for Gaussian rewards: Student's t, valid at all times at once (docs/gaussian.md)."""

import math
from typing import NamedTuple, Protocol

from surefoot.core import normal_evidence, warm_ups
from surefoot.core.error_budget import ErrorBudget
from surefoot.core.normal_evidence import NormalEvidence
from surefoot.core.question import Question
from surefoot.core.statistics import Statistics

WARM_UP = int(normal_evidence.BASE + normal_evidence.LEAST)  # pulls of each arm before the first choice
CONTROL = 0.4  # radii shrunk by this factor fail too often: the tests' negative control
FOLLOWS_VARIANCE = False  # are radii smaller where the variance is?
PAIRS = False  # does it compare arms in pairs too?
STARTS = False  # can the evidence for an arm start anew when it leads?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
own_budget = None  # its levels are those of the answer's error budget
refuses = None  # it takes every question


class Parameters(NamedTuple):
    lower_level: float  # ln(1 / the probability that L ever fails)
    upper_level: float


class Evidence(NormalEvidence, Protocol):
    """What the rewards say against means and variances."""


def parameters(question: Question, error_budget: ErrorBudget) -> Parameters:
    return Parameters(-math.log(error_budget.lower), -math.log(error_budget.upper))


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.all_at_once(asked, arms, t, WARM_UP)


def observe(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    normal_evidence.observe(own, metric)


def interval(own: Evidence, metric: Statistics, parameters: Parameters, clock: float) -> tuple[float, float]:
    """L and U from the rewards so far; the ranking keeps the largest L and the smallest U seen."""
    return normal_evidence.interval(own, metric, parameters.lower_level, parameters.upper_level)


def interval_at(own: Evidence, metric: Statistics, parameters: Parameters) -> tuple[float, float]:
    """L and U from the rewards so far, at levels that may be others than those of the study."""
    return interval(own, metric, parameters, 1.0)


def has_news(own: Evidence, metric: Statistics) -> bool:
    """Is there more evidence on the mean than before the last reward?"""
    return True


def log_evidence(own: Evidence, metric: Statistics, sigma: float, x: float) -> tuple[float, float]:
    """ln of the evidence that the mean is above x, and that it is below."""
    return normal_evidence.log_evidence(own, metric, x)


def anticipate(own: Evidence, metric: Statistics, parameters: Parameters, pending: float, clock: float) -> float:
    """U, were `pending` more rewards told that changed nothing but n."""
    return own.later_mean + normal_evidence.radius(own, metric, parameters.upper_level, own.later + pending)
