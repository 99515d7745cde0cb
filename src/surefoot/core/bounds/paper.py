"""The paper's bounds: Hoeffding radii that grow with the clock, [HTZ] (7) to (9)."""

import math
from typing import NamedTuple, Protocol

from surefoot.core import radii, warm_ups
from surefoot.core.error_budget import ErrorBudget, alike
from surefoot.core.question import Question
from surefoot.core.radii import Radii
from surefoot.core.statistics import Statistics

WARM_UP = 2  # [HTZ] Algorithm 1, line 2
CONTROL = 0.1  # radii shrunk by this factor fail too often: the tests' negative control
FOLLOWS_VARIANCE = False  # are radii smaller where the variance is?
PAIRS = False  # does it compare arms in pairs too?
STARTS = False  # can the evidence for an arm start anew when it leads?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
refuses = None  # it takes every question


class Parameters(NamedTuple):
    log_arms: float  # ln(2N/delta)


class Evidence(Radii, Protocol):
    """alpha(t, T) = beta(t, T) = tick / sqrt(T)."""


def own_budget(question: Question) -> ErrorBudget:
    """Of an arm: the sum of delta/2N t^-3 over t > N, at most, for each side of mean and variance."""
    each = question.delta / (4.0 * question.arms**3)
    return alike(question, each, each)


def parameters(question: Question, error_budget: ErrorBudget) -> Parameters:
    return Parameters(math.log(2.0 * question.arms / question.delta))


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.arm_by_arm(asked, arms, t, WARM_UP)


def observe(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    reach = 1.0 / math.sqrt(metric.pulls)
    radii.observe(own, metric, reach, reach)


def tick(parameters: Parameters, t: int) -> float:
    """sqrt(ln(2 N t^4 / delta) / 2), the clock's part of the radii, [HTZ] (7)."""
    return math.sqrt(0.5 * (parameters.log_arms + 4.0 * math.log(t)))


def interval(own: Evidence, metric: Statistics, parameters: Parameters, clock: float) -> tuple[float, float]:
    """L and U of the mean at the current step, [HTZ] (8)."""
    alpha = clock * own.reach
    return metric.mean - alpha, metric.mean + alpha


def owed(own: Evidence, parameters: Parameters, clock: float) -> bool:
    """Must the arm be pulled at this step, whatever the policy chose? Never here."""
    return False


def interval_at(own: Evidence, metric: Statistics, parameters: Parameters) -> tuple[float, float]:
    """Never asked for: its radii are fixed, and hold at no other level."""
    return -math.inf, math.inf


def anticipate(own: Evidence, metric: Statistics, parameters: Parameters, pending: float, clock: float) -> float:
    """U, were `pending` more rewards told that changed nothing but T."""
    return metric.mean + clock / math.sqrt(metric.pulls + pending)
