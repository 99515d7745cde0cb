"""A limit test around two functions of the user's, `observe` and `log_wealths`."""

import math
from typing import NamedTuple, Protocol

from surefoot.core import verdicts
from surefoot.core.error_budget import LimitShare
from surefoot.core.own import written
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = True  # does it read what the mean bound keeps?
IN_INTERVAL = True  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = False  # does it go on after FEASIBLE, which what is certain may override?
STARTS = False  # can its evidence for FEASIBLE start anew when the arm leads?
weakened = None  # it has no levels of its own


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


class Evidence(Statistics, Interval, Protocol):
    """The fields that the user names; registering puts them here. The user's functions also see the statistics and the
    bounds of the mean, as they were after the last reward that was tested: this is a copy.
    """


class ShownEvidence(Protocol):
    """Nothing to keep: people see what the user's `estimate` makes of the evidence."""


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    return Parameters(asked.limit, -math.log(share.feasible), -math.log(share.infeasible))


def observe(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, reward: float, guessed: float
) -> None:
    own.pulls, own.total, own.mean = metric.pulls, metric.total, metric.mean
    own.spread, own.surprise = metric.spread, metric.surprise
    own.lower, own.upper = mean.lower, mean.upper
    limit = parameters.limit
    written.observe(own, limit, limit.origin + limit.width * reward)


def start_anew(own: Evidence, log_wealth: float) -> None:
    """It cannot: every arm has the same share of delta."""


def verdict(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float) -> int:
    feasible, infeasible = written.log_wealths(own, parameters.limit)
    if infeasible >= parameters.infeasible_level:
        return verdicts.INFEASIBLE
    if feasible >= parameters.feasible_level:
        return verdicts.FEASIBLE
    return verdicts.OPEN


def shares(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float
) -> tuple[float, float]:
    """Each test's log-wealth over its threshold, from 0 to 1."""
    feasible, infeasible = written.log_wealths(own, parameters.limit)
    feasible, infeasible = feasible / parameters.feasible_level, infeasible / parameters.infeasible_level
    return min(max(feasible, 0.0), 1.0), min(max(infeasible, 0.0), 1.0)


def sample_breaks(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> bool:
    """Are the rewards so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    feasible, infeasible = written.log_wealths(own, parameters.limit)
    return infeasible > feasible


def observe_for_display(
    shown: ShownEvidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Nothing beyond the evidence."""


def risk_interval(
    shown: ShownEvidence,
    own: Evidence,
    metric: Statistics,
    mean: Interval,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    """Not known: what the tests establish cuts it at the limit."""
    return -math.inf, math.inf


def estimate(shown: ShownEvidence, own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> float:
    return written.estimate(own, parameters.limit)
