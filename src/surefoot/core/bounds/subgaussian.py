"""The paper's bounds for sigma-sub-Gaussian rewards, [HTZ] App. E, with its warm-up and its forced pulls."""

import math
from typing import NamedTuple, Protocol

from surefoot.core import radii, statistics, warm_ups
from surefoot.core.error_budget import ErrorBudget, alike
from surefoot.core.question import Question
from surefoot.core.radii import Radii
from surefoot.core.statistics import Statistics

K, C = 2.0, 64.0
CONTROL = 0.02  # radii shrunk by this factor fail too often: the tests' negative control
FOLLOWS_VARIANCE = False  # are radii smaller where the variance is?
PAIRS = False  # does it compare arms in pairs too?
STARTS = False  # can the evidence for an arm start anew when it leads?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
refuses = None  # it takes every question


class Parameters(NamedTuple):
    sigma: float
    log_arms: float  # ln(kN/delta)
    warm_steps: int  # T_0


class Evidence(Radii, Protocol):
    """alpha(t, T) = sigma tick / sqrt(T), beta(t, T) = sqrt(c) sigma^2 tick / sqrt(T)."""


def own_budget(question: Question) -> ErrorBudget:
    """Of an arm: the sum of delta/kN t^-3 over t > T_0, at most; twice that for a verdict (docs/bounds.md)."""
    each = question.delta / (2.0 * K * question.arms * warm_steps(question) ** 2)
    return alike(question, each, 2.0 * each)


def parameters(question: Question, error_budget: ErrorBudget) -> Parameters:
    return Parameters(question.sigma, log_arms(question), warm_steps(question))


def log_arms(question: Question) -> float:
    return math.log(K * question.arms / question.delta)


def warm_steps(question: Question) -> int:
    """T_0, [HTZ] App. E."""
    steps = 1
    while steps < 128.0 / C * (log_arms(question) + 4.0 * math.log(steps)):
        steps += 1
    return steps


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.all_at_once(asked, arms, t, parameters.warm_steps)


def observe(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    reach = parameters.sigma / math.sqrt(metric.pulls)
    radii.observe(own, metric, reach, math.sqrt(C) * parameters.sigma * reach)
    if metric.pulls < parameters.warm_steps:
        own.variance_reach = math.inf


def tick(parameters: Parameters, t: int) -> float:
    """sqrt(2 ln(k N t^4 / delta)), the clock's part of the radii."""
    return math.sqrt(2.0 * (parameters.log_arms + 4.0 * math.log(t)))


def interval(own: Evidence, metric: Statistics, parameters: Parameters, clock: float) -> tuple[float, float]:
    """L and U of the mean at the current step."""
    alpha = clock * own.reach + statistics.rounding_error(metric)
    return metric.mean - alpha, metric.mean + alpha


def owed(own: Evidence, parameters: Parameters, clock: float) -> bool:
    """Is the arm in M_t, line 27: would beta exceed c sigma^2 / 8 at the next step, whose clock this is?"""
    return clock * own.variance_reach > C * parameters.sigma * parameters.sigma / 8.0


def interval_at(own: Evidence, metric: Statistics, parameters: Parameters) -> tuple[float, float]:
    """Never asked for: its radii are fixed, and hold at no other level."""
    return -math.inf, math.inf


def anticipate(own: Evidence, metric: Statistics, parameters: Parameters, pending: float, clock: float) -> float:
    """U, were `pending` more rewards told that changed nothing but T."""
    return metric.mean + clock * parameters.sigma / math.sqrt(metric.pulls + pending)
