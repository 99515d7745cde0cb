"""Is the variance of sub-Gaussian rewards within the limit? Two tests by betting on pairs (docs/bounds.md).

Half the squared difference of two rewards of an arm, D^2, has the variance for its mean, whatever the mean of the rewards;
and D is sigma-sub-Gaussian itself. Cut at CUT sigma^2, it can be bet on: cutting takes at most LOST sigma^2 off its mean.
"""

import math
from typing import NamedTuple, Protocol

from surefoot.core import statistics, verdicts
from surefoot.core.budget import Budget
from surefoot.core.question import Question
from surefoot.core.statistics import Statistics

CUT = 14.0
LOST = 4.0 * math.exp(-CUT / 2.0)  # the integral of 2 exp(-z / 2) from CUT on


class Parameters(NamedTuple):
    limit: float  # of the infeasible test
    wide_limit: float  # of the feasible test: wider by the slack, narrower by what cutting may take off
    tested: bool
    square: float  # sigma^2
    feasible_level: float  # ln(1 / the probability that the feasible test is ever wrong)
    infeasible_level: float


class Evidence(Statistics, Protocol):
    waiting: float  # the first reward of a pair
    pairs: float
    cut_sum: float  # of W = min(D^2, CUT sigma^2)
    cut_square: float
    feasible: float  # log-wealth of the feasible test
    infeasible: float


class Exhibit(Evidence, Protocol):
    """The interval shown comes from the same sums."""


def parameters(question: Question, budget: Budget) -> Parameters:
    square = question.sigma * question.sigma
    return Parameters(
        limit=question.limit.value,
        wide_limit=question.limit.value + question.limit.slack - LOST * square,
        tested=question.tested,
        square=square,
        feasible_level=-math.log(budget.feasible),
        infeasible_level=-math.log(budget.infeasible),
    )


def shrunk(parameters: Parameters) -> Parameters:
    """Tests that decide far too early: the negative control."""
    return parameters._replace(
        feasible_level=0.2 * parameters.feasible_level, infeasible_level=0.1 * parameters.infeasible_level
    )


def observe(arm: Evidence, parameters: Parameters, reward: float, guessed: float) -> None:
    """Settle both tests' stakes when a pair is complete; what they stake comes from earlier pairs."""
    if not parameters.tested:
        return
    if arm.pulls % 2.0 == 1.0:
        arm.waiting = reward
        return
    half = 0.5 * (reward - arm.waiting) * (reward - arm.waiting)
    cut = min(half, CUT * parameters.square)
    arm.feasible += math.log(1.0 + feasible_stake(arm, parameters) * (parameters.wide_limit - cut))
    arm.infeasible += math.log(1.0 + infeasible_stake(arm, parameters) * (cut - parameters.limit))
    arm.pairs += 1.0
    arm.cut_sum += cut
    arm.cut_square += cut * cut


def stake(arm: Evidence, room: float, limit: float, square: float, worst: float) -> float:
    """As `sharp_variance` stakes: nothing without room, and with it so much that the wealth grows."""
    scatter = max(arm.cut_square - limit * (2.0 * arm.cut_sum - arm.pairs * limit), 0.0)
    return max(room, 0.0) / (0.25 * square * square + scatter + max(room, 0.0) * worst)


def feasible_stake(arm: Evidence, parameters: Parameters) -> float:
    """Capped so that no pair takes more than 9/10 of the wealth."""
    limit, worst = parameters.wide_limit, CUT * parameters.square - parameters.wide_limit
    return min(stake(arm, arm.pairs * limit - arm.cut_sum, limit, parameters.square, worst), 0.9 / worst)


def infeasible_stake(arm: Evidence, parameters: Parameters) -> float:
    """Capped so that no pair takes more than half the wealth."""
    limit = parameters.limit
    return min(stake(arm, arm.cut_sum - arm.pairs * limit, limit, parameters.square, limit), 0.5 / limit)


def verdict(arm: Evidence, parameters: Parameters, lower: float, upper: float) -> int:
    if not parameters.tested:
        return verdicts.FEASIBLE
    if arm.infeasible >= parameters.infeasible_level:
        return verdicts.INFEASIBLE
    if arm.feasible >= parameters.feasible_level:
        return verdicts.FEASIBLE
    return verdicts.OPEN


def exhibit(arm: Exhibit, parameters: Parameters, reward: float, guessed: float) -> None:
    """Nothing beyond the evidence."""


def shares(arm: Evidence, parameters: Parameters, lower: float, upper: float) -> tuple[float, float]:
    """Each test's log-wealth over its threshold, from 0 to 1."""
    if not parameters.tested:
        return 1.0, 0.0
    feasible, infeasible = arm.feasible / parameters.feasible_level, arm.infeasible / parameters.infeasible_level
    return min(max(feasible, 0.0), 1.0), min(max(infeasible, 0.0), 1.0)


def risk_interval(
    arm: Exhibit, parameters: Parameters, question: Question, lower: float, upper: float
) -> tuple[float, float]:
    """A Hoeffding interval for the mean of W at level delta/N, uniform over pairs by 1/(n (n + 1)); for information."""
    largest = question.largest_variance
    if arm.pairs < 1.0:
        return 0.0, largest
    level = math.log(2.0 * question.arms * arm.pairs * (arm.pairs + 1.0) / question.delta)
    radius = CUT * parameters.square * math.sqrt(level / (2.0 * arm.pairs))
    middle = arm.cut_sum / arm.pairs
    return max(middle - radius, 0.0), min(middle + radius + LOST * parameters.square, largest)


def estimate(arm: Exhibit, parameters: Parameters) -> float:
    """The sample variance."""
    return statistics.variance(arm) if arm.pulls > 1.0 else 0.0
