"""A limit test: say here in a line what it tests, and where it is proved.

This one has fixed bets on how often a reward is below 1/2. Enter it in the tests of a `Family` in `registry`.
"""

import math
from typing import NamedTuple, Protocol

from surefoot.core import verdicts
from surefoot.core.error_budget import LimitShare
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = False  # does it read what the mean bound keeps?
IN_INTERVAL = False  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = False  # does it go on after FEASIBLE, which what is certain may override?
STARTS = True  # can its evidence for FEASIBLE start anew when the arm leads?
SHARE = 0.2  # of rewards may be below 1/2
STAKE = 0.5  # of the most that can be staked


class Parameters(NamedTuple):
    feasible_level: float  # ln(1 / the probability that FEASIBLE is ever wrong)
    infeasible_level: float


class Evidence(Protocol):
    """What is kept of each arm: fields that start at 0."""

    feasible_log_wealth: float  # of who bets that the arm is within the limit
    infeasible_log_wealth: float  # of who bets that it is beyond


class ShownEvidence(Protocol):
    """What is kept for people to see, and decides nothing."""

    low: float  # rewards below 1/2


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    return Parameters(-math.log(share.feasible), -math.log(share.infeasible))


def weakened(parameters: Parameters) -> Parameters:
    """Tests that decide far too early: the negative control."""
    return Parameters(0.2 * parameters.feasible_level, 0.2 * parameters.infeasible_level)


def observe(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Settle the bets on this reward. What is staked must not depend on it. A test that needs more of the mean than L and
    U says so by the type of `mean`.
    """
    low = 1.0 if reward < 0.5 else 0.0
    own.feasible_log_wealth += math.log(1.0 + STAKE / (1.0 - SHARE) * (SHARE - low))
    own.infeasible_log_wealth += math.log(1.0 + STAKE / SHARE * (low - SHARE))


def start_anew(own: Evidence, log_wealth: float) -> None:
    own.feasible_log_wealth = log_wealth


def verdict(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float) -> int:
    if own.infeasible_log_wealth >= parameters.infeasible_level:
        return verdicts.INFEASIBLE
    return verdicts.FEASIBLE if own.feasible_log_wealth >= parameters.feasible_level else verdicts.OPEN


def shares(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float
) -> tuple[float, float]:
    """Each test's log-wealth over its threshold, from 0 to 1."""
    feasible, infeasible = (
        own.feasible_log_wealth / parameters.feasible_level,
        own.infeasible_log_wealth / parameters.infeasible_level,
    )
    return min(max(feasible, 0.0), 1.0), min(max(infeasible, 0.0), 1.0)


def sample_breaks(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> bool:
    """Are the rewards so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    return own.infeasible_log_wealth > own.feasible_log_wealth


def observe_for_display(
    shown: ShownEvidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Fold one reward into what people see, before the statistics do."""
    if reward < 0.5:
        shown.low += 1.0


def risk_interval(
    shown: ShownEvidence,
    own: Evidence,
    metric: Statistics,
    mean: Interval,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    """Between what the risk lies, for information."""
    return 0.0, 1.0


def estimate(shown: ShownEvidence, own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> float:
    return shown.low / metric.pulls if metric.pulls > 0.0 else 0.0
