"""Is the variance within the limit? Two tests by betting, with one wealth each (docs/bounds.md proves them).

Each test stakes, before a reward is seen, on how its squared surprise Z = (X - guess)^2 compares with the limit. If the
hypothesis staked against is true, the wealth is a supermartingale, and Ville's inequality bounds the chance that it ever
grows large. Once either test has decided, the verdict stays and betting ends.
"""

import math
from typing import NamedTuple, Protocol

from surefoot.core import shown_variance, statistics, verdicts
from surefoot.core.error_budget import LimitShare
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.shown_variance import Shown
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = True  # does it read what the mean bound keeps?
IN_INTERVAL = True  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = False  # does it go on after FEASIBLE, which what is certain may override?
STARTS = False  # can its evidence for FEASIBLE start anew when the arm leads?


class Parameters(NamedTuple):
    limit: float  # of the infeasible test
    wide_limit: float  # of the feasible test, wider by the slack
    tested: bool  # if not, every arm is feasible: a limit of 1/4 or more is no limit
    feasible_level: float  # ln(1 / the probability that the feasible test is ever wrong)
    infeasible_level: float


class Evidence(Protocol):
    scatter: float  # sum of (Z - limit)^2
    feasible_stake: float  # on the next reward
    infeasible_stake: float
    feasible_log_wealth: float  # A: of the feasible test
    # Log-wealth of the infeasible test, were the mean mu: infeasible - tilt (mu - centre) - bend (mu - centre)^2. The centre
    # moves with the guesses: about 0, say, large sums would cancel, and after 10^9 pulls leave nothing but rounding.
    centre: float
    infeasible_log_wealth: float
    tilt: float
    bend: float


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    return Parameters(
        limit=asked.limit.value,
        wide_limit=asked.limit.value + asked.limit.slack,
        tested=asked.tested,
        feasible_level=-math.log(share.feasible),
        infeasible_level=-math.log(share.infeasible),
    )


def weakened(parameters: Parameters) -> Parameters:
    """Tests that decide far too early: the negative control."""
    return parameters._replace(
        feasible_level=0.4 * parameters.feasible_level, infeasible_level=0.02 * parameters.infeasible_level
    )


def observe(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Settle the stakes on this reward and set those on the next."""
    if not parameters.tested:
        return
    limit, slack = parameters.limit, parameters.wide_limit - parameters.limit
    squared = (reward - guessed) * (reward - guessed)
    if own.feasible_stake > 0.0:
        settle_feasible(own, squared, parameters.wide_limit)
    if own.infeasible_stake > 0.0:
        settle_infeasible(own, reward, guessed, squared, limit)
    own.scatter += (squared - limit) * (squared - limit)
    room = metric.pulls * limit - metric.surprise
    wide_room = room + metric.pulls * slack
    wide_scatter = max(own.scatter + slack * (room + wide_room), 0.0)  # sum of (Z - limit - slack)^2
    own.feasible_stake = feasible_stake(wide_room, wide_scatter, parameters.wide_limit, statistics.guess(metric))
    own.infeasible_stake = infeasible_stake(room, own.scatter, limit)


def feasible_stake(room: float, scatter: float, limit: float, guess: float) -> float:
    """Stake so much that the variance is below the limit; capped so that no reward takes more than 9/10 of the wealth.

    The stake s = gap / (square + gap * worst) maximises s gap - square (-ln(1 - s worst) - s worst) / worst^2, which the
    growth of the log-wealth exceeds if no reward can lose more than `worst`: it grows whatever the distribution. Without
    `worst` the stake is too high where rare rewards lose much, and the wealth may dwindle for ever.
    """
    if room <= 0.0:
        return 0.0
    farthest = max(guess, 1.0 - guess)
    worst = max(farthest * farthest - limit, 1e-3)
    return min(room / (0.0625 + scatter + room * worst), 0.9 / worst)


def settle_feasible(own: Evidence, squared: float, limit: float) -> None:
    """If the variance is not below the limit, E[limit - Z] <= 0, because E[Z] = variance + (mean - guess)^2."""
    own.feasible_log_wealth += math.log(1.0 + own.feasible_stake * (limit - squared))


def infeasible_stake(room: float, scatter: float, limit: float) -> float:
    """Stake so much that the variance is above the limit; capped so that no reward takes more than half the wealth."""
    if room >= 0.0:
        return 0.0
    return min(-room / (0.0625 + scatter - room * limit), 0.5 / limit)


def settle_infeasible(own: Evidence, reward: float, guessed: float, squared: float, limit: float) -> None:
    """At the true mean mu, the product of 1 + stake ((X - mu)^2 - limit) is a supermartingale if the variance is within
    the limit. As a function of mu its logarithm lies above a parabola that touches it at the guess, because
    (ln(1 + r y^2))'' >= -r/4. The sum of all parabolas is written about this guess, and this one added to it.
    """
    stake = own.infeasible_stake
    factor = 1.0 + stake * (squared - limit)
    slope = 2.0 * stake * (reward - guessed) / factor
    curve = stake / (8.0 * (1.0 - stake * limit))
    moved = guessed - own.centre
    own.infeasible_log_wealth += math.log(factor) - moved * (own.tilt + moved * own.bend)
    own.tilt += slope + 2.0 * moved * own.bend
    own.bend += curve
    own.centre = guessed


def infeasible_wealth(own: Evidence, mean: float) -> float:
    """Log-wealth of the infeasible test, or less, if the arm's mean is `mean`; concave in it."""
    away = mean - own.centre
    return own.infeasible_log_wealth - away * (own.tilt + away * own.bend)


def start_anew(own: Evidence, log_wealth: float) -> None:
    """It cannot: every arm has the same share of delta."""


def verdict(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float) -> int:
    """The arm's verdict, given where its mean lies."""
    if not parameters.tested:
        return verdicts.FEASIBLE
    least = min(infeasible_wealth(own, max(mean.lower, 0.0)), infeasible_wealth(own, min(mean.upper, 1.0)))
    if least >= parameters.infeasible_level:
        return verdicts.INFEASIBLE
    if own.feasible_log_wealth >= parameters.feasible_level:
        return verdicts.FEASIBLE
    return verdicts.OPEN


def shares(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float
) -> tuple[float, float]:
    """Each test's log-wealth over its threshold, from 0 to 1."""
    if not parameters.tested:
        return 1.0, 0.0
    least = min(infeasible_wealth(own, max(mean.lower, 0.0)), infeasible_wealth(own, min(mean.upper, 1.0)))
    feasible, infeasible = own.feasible_log_wealth / parameters.feasible_level, least / parameters.infeasible_level
    return min(max(feasible, 0.0), 1.0), min(max(infeasible, 0.0), 1.0)


def sample_breaks(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> bool:
    """Are the rewards so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    return parameters.tested and metric.pulls > 1.0 and statistics.variance(metric) > parameters.wide_limit


class ShownEvidence(Shown, Protocol):
    """With an interval for people."""


def observe_for_display(
    shown: ShownEvidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float
) -> None:
    shown_variance.observe(shown, metric, reward, guessed)


def risk_interval(
    shown: ShownEvidence,
    own: Evidence,
    metric: Statistics,
    mean: Interval,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    return shown_variance.interval(shown, metric, mean, question)


def estimate(shown: ShownEvidence, own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> float:
    return shown_variance.estimate(metric)
