"""The radii of RiskAverse-UCB-BAI, [HTZ] App. B: fixed by the accuracies asked for, they know no clock."""

import math
from typing import NamedTuple, Protocol

from surefoot.core import radii, warm_ups
from surefoot.core.error_budget import ErrorBudget, alike
from surefoot.core.question import Question
from surefoot.core.radii import Radii
from surefoot.core.statistics import Statistics

WARM_UP = 2  # [HTZ] Algorithm 2, line 3
CONTROL = 0.1  # radii shrunk by this factor fail too often: the tests' negative control
FOLLOWS_VARIANCE = False  # are radii smaller where the variance is?
PAIRS = False  # does it compare arms in pairs too?
STARTS = False  # can the evidence for an arm start anew when it leads?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot


class Parameters(NamedTuple):
    level: float  # ln(6HN/delta)


class Evidence(Radii, Protocol):
    """f_mu(T) = tick / sqrt(T), f_v(T) = 2 tick / sqrt(T)."""


def refuses(question: Question) -> str:
    """Why the bounds cannot be used, or nothing."""
    if question.tolerance > 0.0 and question.variance_limit.slack > 0.0:
        return ""
    return "they need a tolerance (eps_mu) and a risk_slack (eps_v) above 0, or an instance to compute them from"


def own_budget(question: Question) -> ErrorBudget:
    """Of an arm within H rounds: H times delta/6HN, for each side of mean and variance."""
    each = question.delta / (6.0 * question.arms)
    return alike(question, each, each)._replace(pulls=rounds(question))


def parameters(question: Question, error_budget: ErrorBudget) -> Parameters:
    return Parameters(math.log(6.0 * rounds(question) * question.arms / question.delta))


def rounds(question: Question) -> float:
    """H, [HTZ] Algorithm 2, line 1."""
    slack: float = question.variance_limit.slack
    arms, accuracies = question.arms, 1.0 / (2.0 * question.tolerance**2) + 4.0 / slack**2
    return 3.0 * arms * accuracies * math.log(6.0 * arms / question.delta * arms * accuracies)


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.arm_by_arm(asked, arms, t, WARM_UP)


def observe(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    reach = 1.0 / math.sqrt(metric.pulls)
    radii.observe(own, metric, reach, 2.0 * reach)


def tick(parameters: Parameters, t: int) -> float:
    """sqrt(ln(6HN/delta) / 2): this clock stands still."""
    return math.sqrt(0.5 * parameters.level)


def interval(own: Evidence, metric: Statistics, parameters: Parameters, clock: float) -> tuple[float, float]:
    """L and U of the mean with f_mu(T)."""
    radius = clock * own.reach
    return metric.mean - radius, metric.mean + radius


def owed(own: Evidence, parameters: Parameters, clock: float) -> bool:
    """Must the arm be pulled at this step, whatever the policy chose? Never here."""
    return False


def interval_at(own: Evidence, metric: Statistics, parameters: Parameters) -> tuple[float, float]:
    """Never asked for: its radii are fixed, and hold at no other level."""
    return -math.inf, math.inf


def anticipate(own: Evidence, metric: Statistics, parameters: Parameters, pending: float, clock: float) -> float:
    """U, were `pending` more rewards told that changed nothing but T."""
    return metric.mean + clock / math.sqrt(metric.pulls + pending)
