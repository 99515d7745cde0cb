"""The radii of RiskAverse-UCB-BAI, [HTZ] App. B: fixed by the accuracies asked for, they know no clock."""

import math
from typing import NamedTuple, Protocol

from surefoot.core import budget as budgets
from surefoot.core import radii, warm_ups
from surefoot.core.budget import Budget
from surefoot.core.question import Question
from surefoot.core.radii import Radii

WARM_UP = 2  # [HTZ] Algorithm 2, line 3
CONTROL = 0.1  # radii shrunk by this factor fail too often: the tests' negative control


class Parameters(NamedTuple):
    accuracy: float  # eps_mu
    horizon: float  # H
    level: float  # ln(6HN/delta)


class Evidence(Radii, Protocol):
    """f_mu(T) = tick / sqrt(T), f_v(T) = 2 tick / sqrt(T)."""


def refuses(question: Question) -> str:
    """Why the bounds cannot be used, or nothing."""
    if question.tolerance > 0.0 and question.limit.slack > 0.0:
        return ""
    return "they need a tolerance (eps_mu) and a risk_slack (eps_v) above 0, or an instance to compute them from"


def budget(question: Question) -> Budget:
    """Of an arm within H rounds: H times delta/6HN, for each side of mean and variance."""
    each = question.delta / (6.0 * question.arms)
    return budgets.alike(each, each)


def parameters(question: Question) -> Parameters:
    arms, accuracies = question.arms, 1.0 / (2.0 * question.tolerance**2) + 4.0 / question.limit.slack**2
    horizon = 3.0 * arms * accuracies * math.log(6.0 * arms / question.delta * arms * accuracies)
    return Parameters(question.tolerance, horizon, math.log(6.0 * horizon * arms / question.delta))


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.arm_by_arm(asked, arms, t, WARM_UP)


def observe(arm: Evidence, parameters: Parameters, reward: float) -> None:
    reach = 1.0 / math.sqrt(arm.pulls)
    radii.observe(arm, reach, 2.0 * reach)


def tick(parameters: Parameters, t: int) -> float:
    """sqrt(ln(6HN/delta) / 2): this clock stands still."""
    return math.sqrt(0.5 * parameters.level)


def interval(arm: Evidence, parameters: Parameters, tick: float) -> tuple[float, float]:
    """L and U of the mean with f_mu(T)."""
    radius = tick * arm.reach
    return arm.mean - radius, arm.mean + radius


def owed(arm: Evidence, parameters: Parameters, tick: float) -> bool:
    """Must the arm be pulled at this step, whatever the policy chose? Never here."""
    return False


def anticipate(arm: Evidence, parameters: Parameters, pending: float, tick: float) -> float:
    """U, were `pending` more rewards told that changed nothing but T."""
    return arm.mean + tick / math.sqrt(arm.pulls + pending)
