"""Is the mean within its limit? By the evidence of the mean bound itself (docs/several-limits.md).

It keeps nothing else: a mean bound says how much evidence there is that the mean is above a number, and that it is below.
"""

import math
from typing import Any, NamedTuple, Protocol

from surefoot.core import verdicts
from surefoot.core.bounds import tight as bound
from surefoot.core.error_budget import LimitShare
from surefoot.core.limits import MeanLimit
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = True  # does it read what the mean bound keeps?
IN_INTERVAL = False  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = False  # does it go on after FEASIBLE, which what is certain may override?
STARTS = False  # can its evidence for FEASIBLE start anew when the arm leads?


class Parameters(NamedTuple):
    sign: float  # 1 if the limit is the least that the mean may be, -1 if it is the most
    limit: float  # of the infeasible test
    wide_limit: float  # of the feasible test, wider by the slack
    tested: bool
    sigma: float  # of sub-Gaussian results
    feasible_level: float  # ln(1 / the probability that the feasible test is ever wrong)
    infeasible_level: float


class Evidence(Protocol):
    feasible_log_wealth: float  # when it was last looked at
    infeasible_log_wealth: float


class ShownEvidence(Protocol):
    """Nothing to keep: people see the mean and its bounds."""


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    limit: MeanLimit = asked.limit
    return Parameters(
        sign=limit.sign,
        limit=limit.value,
        wide_limit=limit.wide,
        tested=asked.tested,
        sigma=asked.sigma,
        feasible_level=-math.log(share.feasible),
        infeasible_level=-math.log(share.infeasible),
    )


def weakened(parameters: Parameters) -> Parameters:
    """Tests that decide far too early: the negative control."""
    return parameters._replace(
        feasible_level=0.2 * parameters.feasible_level, infeasible_level=0.2 * parameters.infeasible_level
    )


def observe(
    own: Evidence, metric: Statistics, mean: Any, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Look at the evidence, once the mean bound has taken the reward into it."""
    if not parameters.tested or not bound.has_news(mean, metric):
        return
    above, below = bound.log_evidence(mean, metric, parameters.sigma, parameters.limit)
    wide_above, wide_below = above, below
    if parameters.wide_limit != parameters.limit:
        wide_above, wide_below = bound.log_evidence(mean, metric, parameters.sigma, parameters.wide_limit)
    if parameters.sign > 0.0:
        own.feasible_log_wealth, own.infeasible_log_wealth = wide_above, below
    else:
        own.feasible_log_wealth, own.infeasible_log_wealth = wide_below, above


def start_anew(own: Evidence, log_wealth: float) -> None:
    """It cannot: every arm has the same share of delta."""


def verdict(own: Evidence, metric: Statistics, mean: Any, parameters: Parameters, clock: float) -> int:
    if not parameters.tested:
        return verdicts.FEASIBLE
    if own.infeasible_log_wealth >= parameters.infeasible_level:
        return verdicts.INFEASIBLE
    return verdicts.FEASIBLE if own.feasible_log_wealth >= parameters.feasible_level else verdicts.OPEN


def shares(own: Evidence, metric: Statistics, mean: Any, parameters: Parameters, clock: float) -> tuple[float, float]:
    """Each side's log-wealth over its threshold, from 0 to 1."""
    if not parameters.tested:
        return 1.0, 0.0
    feasible, infeasible = (
        own.feasible_log_wealth / parameters.feasible_level,
        own.infeasible_log_wealth / parameters.infeasible_level,
    )
    return min(max(feasible, 0.0), 1.0), min(max(infeasible, 0.0), 1.0)


def sample_breaks(own: Evidence, metric: Statistics, mean: Any, parameters: Parameters) -> bool:
    """Are the rewards so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    beyond = parameters.sign * (parameters.wide_limit - metric.mean) > 0.0
    return parameters.tested and metric.pulls > 0.0 and beyond


def observe_for_display(
    shown: ShownEvidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Nothing beyond the evidence."""


def risk_interval(
    shown: ShownEvidence,
    own: Evidence,
    metric: Statistics,
    mean: Any,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    """The bounds of the mean."""
    return mean.lower, mean.upper


def estimate(shown: ShownEvidence, own: Evidence, metric: Statistics, mean: Any, parameters: Parameters) -> float:
    return metric.mean
