"""Is the variance of sub-Gaussian rewards within the limit? Two tests by betting on pairs (docs/bounds.md).

Half the squared difference of two rewards of an arm, D^2, has the variance for its mean, whatever the mean of the rewards;
and D is sigma-sub-Gaussian itself. Cut at CUT sigma^2, it can be bet on: cutting takes at most LOST sigma^2 off its mean.
"""

import math
from typing import NamedTuple, Protocol

from surefoot.core import statistics, verdicts
from surefoot.core.error_budget import LimitShare
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = False  # does it read what the mean bound keeps?
IN_INTERVAL = False  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = False  # does it go on after FEASIBLE, which what is certain may override?
STARTS = False  # can its evidence for FEASIBLE start anew when the arm leads?
CUT = 14.0
LOST = 4.0 * math.exp(-CUT / 2.0)  # the integral of 2 exp(-z / 2) from CUT on


class Parameters(NamedTuple):
    limit: float  # of the infeasible test
    wide_limit: float  # of the feasible test: wider by the slack, narrower by what cutting may take off
    tested: bool
    square: float  # sigma^2
    feasible_level: float  # ln(1 / the probability that the feasible test is ever wrong)
    infeasible_level: float


class Evidence(Protocol):
    waiting: float  # the first reward of a pair
    pairs: float
    cut_sum: float  # of W = min(D^2, CUT sigma^2)
    cut_square: float
    feasible_log_wealth: float  # of the feasible test
    infeasible_log_wealth: float


class ShownEvidence(Protocol):
    """Nothing to keep: the interval shown comes from the same sums."""


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    square = asked.sigma * asked.sigma
    return Parameters(
        limit=asked.limit.value,
        wide_limit=asked.limit.value + asked.limit.slack - LOST * square,
        tested=asked.tested,
        square=square,
        feasible_level=-math.log(share.feasible),
        infeasible_level=-math.log(share.infeasible),
    )


def weakened(parameters: Parameters) -> Parameters:
    """Tests that decide far too early: the negative control."""
    return parameters._replace(
        feasible_level=0.2 * parameters.feasible_level, infeasible_level=0.1 * parameters.infeasible_level
    )


def observe(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Settle both tests' stakes when a pair is complete; what they stake comes from earlier pairs."""
    if not parameters.tested:
        return
    if metric.pulls % 2.0 == 1.0:
        own.waiting = reward
        return
    half = 0.5 * (reward - own.waiting) * (reward - own.waiting)
    cut = min(half, CUT * parameters.square)
    own.feasible_log_wealth += math.log(1.0 + feasible_stake(own, parameters) * (parameters.wide_limit - cut))
    own.infeasible_log_wealth += math.log(1.0 + infeasible_stake(own, parameters) * (cut - parameters.limit))
    own.pairs += 1.0
    own.cut_sum += cut
    own.cut_square += cut * cut


def stake(own: Evidence, room: float, limit: float, square: float, worst: float) -> float:
    """As `sharp_variance` stakes: nothing without room, and with it so much that the wealth grows."""
    scatter = max(own.cut_square - limit * (2.0 * own.cut_sum - own.pairs * limit), 0.0)
    return max(room, 0.0) / (0.25 * square * square + scatter + max(room, 0.0) * worst)


def feasible_stake(own: Evidence, parameters: Parameters) -> float:
    """Capped so that no pair takes more than 9/10 of the wealth."""
    limit, worst = parameters.wide_limit, CUT * parameters.square - parameters.wide_limit
    return min(stake(own, own.pairs * limit - own.cut_sum, limit, parameters.square, worst), 0.9 / worst)


def infeasible_stake(own: Evidence, parameters: Parameters) -> float:
    """Capped so that no pair takes more than half the wealth."""
    limit = parameters.limit
    return min(stake(own, own.cut_sum - own.pairs * limit, limit, parameters.square, limit), 0.5 / limit)


def start_anew(own: Evidence, log_wealth: float) -> None:
    """It cannot: every arm has the same share of delta."""


def verdict(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float) -> int:
    if not parameters.tested:
        return verdicts.FEASIBLE
    if own.infeasible_log_wealth >= parameters.infeasible_level:
        return verdicts.INFEASIBLE
    if own.feasible_log_wealth >= parameters.feasible_level:
        return verdicts.FEASIBLE
    return verdicts.OPEN


def observe_for_display(
    shown: ShownEvidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Nothing beyond the evidence."""


def shares(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float
) -> tuple[float, float]:
    """Each test's log-wealth over its threshold, from 0 to 1."""
    if not parameters.tested:
        return 1.0, 0.0
    feasible, infeasible = (
        own.feasible_log_wealth / parameters.feasible_level,
        own.infeasible_log_wealth / parameters.infeasible_level,
    )
    return min(max(feasible, 0.0), 1.0), min(max(infeasible, 0.0), 1.0)


def sample_breaks(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> bool:
    """Are the rewards so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    lost = LOST * parameters.square
    return parameters.tested and metric.pulls > 1.0 and statistics.variance(metric) > parameters.wide_limit + lost


def risk_interval(
    shown: ShownEvidence,
    own: Evidence,
    metric: Statistics,
    mean: Interval,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    """A Hoeffding interval for the mean of W at level delta/N, uniform over pairs by 1/(n (n + 1)); for information."""
    largest = parameters.square  # that sub-Gaussian results can have for a variance
    if own.pairs < 1.0:
        return 0.0, largest
    level = math.log(2.0 * question.arms * own.pairs * (own.pairs + 1.0) / question.delta)
    radius = CUT * parameters.square * math.sqrt(level / (2.0 * own.pairs))
    middle = own.cut_sum / own.pairs
    return max(middle - radius, 0.0), min(middle + radius + LOST * parameters.square, largest)


def estimate(shown: ShownEvidence, own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> float:
    """The sample variance."""
    return statistics.variance(metric) if metric.pulls > 1.0 else 0.0
