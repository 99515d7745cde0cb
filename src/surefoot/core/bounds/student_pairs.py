"""The `tight` mean bound for Gaussian rewards: that of `sharp`, and arms compared in pairs (docs/gaussian.md)."""

import math
from typing import NamedTuple, Protocol

from surefoot.core import normal_evidence, statistics, transport, warm_ups
from surefoot.core.bounds import student
from surefoot.core.error_budget import ErrorBudget, pair_levels
from surefoot.core.normal_evidence import NormalEvidence
from surefoot.core.question import Question
from surefoot.core.statistics import Statistics

WARM_UP = student.WARM_UP
CONTROL = student.CONTROL
FOLLOWS_VARIANCE = False  # are radii smaller where the variance is?
PAIRS = True  # does it compare arms in pairs too?
STARTS = False  # can the evidence for an arm start anew when it leads?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
own_budget = None  # its levels are those of the answer's error budget
refuses = None  # it takes every question


class Parameters(NamedTuple):
    lower_level: float  # ln(1 / the probability that L ever fails)
    upper_level: float
    pair_level: float  # ln(1 / the probability that a pair is ever told apart wrongly)
    by_order: bool  # is this the level of the first leader? No: its evidence cannot start anew
    limit: float


class Evidence(NormalEvidence, Protocol):
    """What the rewards say against means and variances."""


class Compared(Protocol):
    """What is needed of each of two arms."""

    metric: Statistics
    goal: Evidence


def parameters(question: Question, error_budget: ErrorBudget) -> Parameters:
    return Parameters(*pair_levels(error_budget), error_budget.by_order, question.variance_limit.value)


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.all_at_once(asked, arms, t, WARM_UP)


def observe(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    normal_evidence.observe(own, metric)


def interval(own: Evidence, metric: Statistics, parameters: Parameters, clock: float) -> tuple[float, float]:
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
    return own.later_mean + normal_evidence.radius(own, metric, parameters.upper_level, own.later + pending)


def start_anew(own: Evidence, metric: Statistics) -> None:
    """It cannot: every arm has the same share of delta."""


def renewal(arm: Compared) -> float:
    """Every reward is news."""
    return arm.metric.pulls


def variances_of_means(first: Compared, second: Compared, margin: float = 0.0) -> tuple[float, float]:
    """How badly the means of two arms are known, for telling which is larger: about the variances of the sample means.

    The cheapest alternative has a common mean about halfway between. Where that is several deviations of an arm away, the
    evidence grows with the logarithm of the distance only, because the variance is not known either.
    """
    away = 0.5 * max(first.metric.mean - second.metric.mean + margin, 0.0)
    return variance_of_mean(first, away), variance_of_mean(second, away)


def variance_of_mean(arm: Compared, away: float) -> float:
    """From all rewards, those of the base too: two rewards after it that are alike by luck would starve an arm."""
    if not normal_evidence.known(arm.goal, arm.metric):
        return 1e300
    variance = statistics.variance(arm.metric)
    far = away * away / variance
    return variance / arm.goal.later * (far / math.log1p(far) if far > 0.0 else 1.0)


def pair_log_evidence(first: Compared, second: Compared, parameters: Parameters, margin: float = 0.0) -> float:
    """ln of the evidence against all laws in which the second arm is within the limit, and its mean no less than the mean of
    the first and the margin.
    """
    if not (normal_evidence.known(first.goal, first.metric) and normal_evidence.known(second.goal, second.metric)):
        return -math.inf
    return transport.against_rival(first.goal, second.goal, margin, parameters.limit)
