"""Is the variance within the limit? An estimate plus and minus the family's radius, [HTZ] (9) to (13)."""

from typing import NamedTuple, Protocol

from surefoot.core import verdicts
from surefoot.core.budget import Budget
from surefoot.core.question import Question
from surefoot.core.radii import Radii


class Parameters(NamedTuple):
    limit: float
    slack: float


class Evidence(Radii, Protocol):
    """Nothing beyond the family's radii."""


class Exhibit(Evidence, Protocol):
    """People see what decides."""


def parameters(question: Question, budget: Budget) -> Parameters:
    return Parameters(question.limit.value, question.limit.slack)


def observe(arm: Evidence, parameters: Parameters, reward: float, guessed: float) -> None:
    """The mean bound keeps the radii of both."""


def verdict(arm: Evidence, parameters: Parameters, lower: float, upper: float, tick: float = 1.0) -> int:
    radius = tick * arm.variance_reach  # beta
    if arm.variance - radius > parameters.limit:  # [HTZ] (13)
        return verdicts.INFEASIBLE
    if arm.variance + radius <= parameters.limit + parameters.slack:  # [HTZ] (10), with the slack of App. A
        return verdicts.FEASIBLE
    return verdicts.OPEN


def exhibit(arm: Exhibit, parameters: Parameters, reward: float, guessed: float) -> None:
    """Nothing beyond the evidence."""


def shares(arm: Evidence, parameters: Parameters, lower: float, upper: float, tick: float = 1.0) -> tuple[float, float]:
    """The distance to the limit over the radius, on each side."""
    radius = tick * arm.variance_reach
    within, above = parameters.limit + parameters.slack - arm.variance, arm.variance - parameters.limit
    return min(max(within / radius, 0.0), 1.0), min(max(above / radius, 0.0), 1.0)


def risk_interval(
    arm: Exhibit, parameters: Parameters, question: Question, lower: float, upper: float, tick: float = 1.0
) -> tuple[float, float]:
    """The interval that decides, [HTZ] (9)."""
    if arm.pulls < 1.0:
        return 0.0, question.largest_variance
    radius = tick * arm.variance_reach
    return max(arm.variance - radius, 0.0), min(arm.variance + radius, question.largest_variance)


def estimate(arm: Exhibit, parameters: Parameters) -> float:
    return arm.variance
