"""The paper's test of the variance: the sample variance plus and minus a radius, [HTZ] (9) to (13)."""

from typing import NamedTuple, Protocol

from surefoot.core import statistics, verdicts
from surefoot.core.mean_bounds import paper
from surefoot.core.question import Question


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


def verdict(arm: Evidence, parameters: Parameters, lower: float, upper: float, tick: float) -> int:
    if arm.pulls < 2.0:
        return verdicts.OPEN
    beta = tick * arm.reach  # [HTZ] (7)
    if arm.variance - beta > parameters.limit:  # [HTZ] (13)
        return verdicts.INFEASIBLE
    if arm.variance + beta <= parameters.limit + parameters.slack:  # [HTZ] (10), with the slack of App. A
        return verdicts.FEASIBLE
    return verdicts.OPEN
