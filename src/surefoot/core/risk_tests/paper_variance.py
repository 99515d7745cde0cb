"""The paper's test of the variance: the sample variance plus and minus a radius, [HTZ] (9) to (13)."""

from typing import NamedTuple, Protocol

from surefoot.core import statistics, verdicts
from surefoot.core.mean_bounds import paper
from surefoot.core.question import Question

LARGEST_VARIANCE = 0.25  # of any distribution on [0, 1]


class Parameters(NamedTuple):
    limit: float
    slack: float


class Evidence(paper.Evidence, Protocol):
    variance: float


def misses(question: Question) -> tuple[float, float]:
    """With what probability FEASIBLE, and INFEASIBLE, may ever be wrong of an arm."""
    return paper.misses(question)


def parameters(question: Question) -> Parameters:
    return Parameters(question.limit, question.slack)


def observe(arm: Evidence, parameters: Parameters, reward: float, guessed: float) -> None:
    if arm.pulls > 1.0:
        arm.variance = statistics.variance(arm)


class Exhibit(Evidence, Protocol):
    """People see what decides."""


def exhibit(arm: Exhibit, reward: float, guessed: float) -> None:
    """Nothing beyond the evidence."""


def shares(arm: Evidence, parameters: Parameters, lower: float, upper: float, tick: float) -> tuple[float, float]:
    """The distance to the limit over the radius."""
    if arm.pulls < 2.0:
        return 0.0, 0.0
    beta = tick * arm.reach
    within, above = parameters.limit + parameters.slack - arm.variance, arm.variance - parameters.limit
    return min(max(within / beta, 0.0), 1.0), min(max(above / beta, 0.0), 1.0)


def risk_interval(
    arm: Exhibit, parameters: Parameters, question: Question, lower: float, upper: float, tick: float
) -> tuple[float, float]:
    """The interval that decides, [HTZ] (9)."""
    if arm.pulls < 2.0:
        return 0.0, LARGEST_VARIANCE
    beta = tick * arm.reach
    return max(arm.variance - beta, 0.0), min(arm.variance + beta, LARGEST_VARIANCE)


def estimate(arm: Exhibit) -> float:
    return arm.variance


def verdict(arm: Evidence, parameters: Parameters, lower: float, upper: float, tick: float) -> int:
    if arm.pulls < 2.0:
        return verdicts.OPEN
    beta = tick * arm.reach  # [HTZ] (7)
    if arm.variance - beta > parameters.limit:  # [HTZ] (13)
        return verdicts.INFEASIBLE
    if arm.variance + beta <= parameters.limit + parameters.slack:  # [HTZ] (10), with the slack of App. A
        return verdicts.FEASIBLE
    return verdicts.OPEN
