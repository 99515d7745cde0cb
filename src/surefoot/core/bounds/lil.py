"""Bounds from a law of the iterated logarithm, [HTZ] Remark 1 and App. F: they know no clock.

The event on which they rest holds at all times at once, so the ranking may keep the best bounds seen, as for `sharp`.
"""

import math
from typing import NamedTuple, Protocol

from surefoot.core import warm_ups
from surefoot.core.error_budget import ErrorBudget, alike
from surefoot.core.question import Question
from surefoot.core.radii import Radii
from surefoot.core.statistics import Statistics

EPSILON = 0.9
WARM_UP = 1
CONTROL = 0.2  # radii shrunk by this factor fail too often: the tests' negative control
FOLLOWS_VARIANCE = False  # are radii smaller where the variance is?
PAIRS = False  # does it compare arms in pairs too?
STARTS = False  # can the evidence for an arm start anew when it leads?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
SPREAD = (1.0 + math.sqrt(EPSILON)) * math.sqrt((1.0 + EPSILON) / 2.0)


class Parameters(NamedTuple):
    four_arms: float  # 4N/delta


class Evidence(Radii, Protocol):
    """The variance is the biased one; beta~ = 3 alpha~."""


def refuses(question: Question) -> str:
    """Why the bounds cannot be used, or nothing."""
    if question.delta < 0.1:
        return ""
    return "delta must be below 0.1 for them: the paper proves a failure probability of at most delta only there (eps = 0.9)"


def own_budget(question: Question) -> ErrorBudget:
    """Of an arm: xi(delta/4N) for each bound, [HTZ] App. F. A verdict needs those of the mean and of the second moment."""
    share = question.delta / (4.0 * question.arms * math.log(1.0 + EPSILON))
    each = (2.0 + EPSILON) / EPSILON * share ** (1.0 + EPSILON)
    return alike(question, each, 4.0 * each)


def parameters(question: Question, error_budget: ErrorBudget) -> Parameters:
    return Parameters(4.0 * question.arms / question.delta)


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.arm_by_arm(asked, arms, t, WARM_UP)


def radius(parameters: Parameters, pulls: float) -> float:
    """alpha~(T), [HTZ] Remark 1."""
    return SPREAD * math.sqrt(math.log(parameters.four_arms * math.log((1.0 + EPSILON) * pulls)) / pulls)


def observe(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    own.reach = radius(parameters, metric.pulls)
    own.variance = metric.spread / metric.pulls
    own.variance_reach = 3.0 * own.reach


def interval(own: Evidence, metric: Statistics, parameters: Parameters, clock: float) -> tuple[float, float]:
    return metric.mean - own.reach, metric.mean + own.reach


def interval_at(own: Evidence, metric: Statistics, parameters: Parameters) -> tuple[float, float]:
    """Never asked for: its radii are fixed, and hold at no other level."""
    return -math.inf, math.inf


def anticipate(own: Evidence, metric: Statistics, parameters: Parameters, pending: float, clock: float) -> float:
    """U, were `pending` more rewards told that changed nothing but T."""
    return metric.mean + radius(parameters, metric.pulls + pending)
