"""A risk test around two functions of the user's, `observe` and `log_wealths`."""

import math
from typing import NamedTuple, Protocol

from surefoot.core import verdicts
from surefoot.core.budget import Budget
from surefoot.core.own import written
from surefoot.core.question import Question
from surefoot.core.statistics import Statistics


class Limit(NamedTuple):
    """On the reward's own scale, which is origin + width * (what the kernels see)."""

    value: float
    wide: float
    origin: float
    width: float


class Parameters(NamedTuple):
    limit: Limit
    feasible_level: float  # ln(1 / the probability that the feasible test is ever wrong)
    infeasible_level: float


class Evidence(Statistics, Protocol):
    """The fields that the user names; registering puts them here."""


class Exhibit(Evidence, Protocol):
    """People see what the user's `estimate` makes of the evidence."""


def parameters(question: Question, budget: Budget) -> Parameters:
    return Parameters(question.limit, -math.log(budget.feasible), -math.log(budget.infeasible))


def observe(arm: Evidence, parameters: Parameters, reward: float, guessed: float) -> None:
    limit = parameters.limit
    written.observe(arm, limit, limit.origin + limit.width * reward)


def verdict(arm: Evidence, parameters: Parameters, lower: float, upper: float) -> int:
    feasible, infeasible = written.log_wealths(arm, parameters.limit)
    if infeasible >= parameters.infeasible_level:
        return verdicts.INFEASIBLE
    if feasible >= parameters.feasible_level:
        return verdicts.FEASIBLE
    return verdicts.OPEN


def shares(arm: Evidence, parameters: Parameters, lower: float, upper: float) -> tuple[float, float]:
    """Each test's log-wealth over its threshold, from 0 to 1."""
    feasible, infeasible = written.log_wealths(arm, parameters.limit)
    feasible, infeasible = feasible / parameters.feasible_level, infeasible / parameters.infeasible_level
    return min(max(feasible, 0.0), 1.0), min(max(infeasible, 0.0), 1.0)


def exhibit(arm: Exhibit, parameters: Parameters, reward: float, guessed: float) -> None:
    """Nothing beyond the evidence."""


def risk_interval(
    arm: Exhibit, parameters: Parameters, question: Question, lower: float, upper: float
) -> tuple[float, float]:
    """Not known: what the tests establish cuts it at the limit."""
    return -math.inf, math.inf


def estimate(arm: Exhibit, parameters: Parameters) -> float:
    return written.estimate(arm, parameters.limit)
