"""Is the variance within the limit? Two tests by betting (docs/tight.md proves them).

The feasible test is that of `sharp_variance` with bolder stakes. The infeasible test has several stakes at once, some fixed
and one that follows the rewards, and keeps for each a parabola below its log-wealth as a function of the mean, which is not
known.
"""

import math
from typing import Annotated, NamedTuple, Protocol

from surefoot.core import shown_variance, statistics, verdicts
from surefoot.core.bounds import tight
from surefoot.core.error_budget import LimitShare
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.shown_variance import Shown
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = True  # does it read what the mean bound keeps?
IN_INTERVAL = True  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = False  # does it go on after FEASIBLE, which what is certain may override?
STARTS = True  # can its evidence for FEASIBLE start anew when the arm leads?
COUNT = 4
LOG_COUNT = math.log(COUNT)
PARTS = (0.12, 0.35, 0.7)  # of the wealth that a reward equal to the mean takes, by the fixed stakes
LOG_WEIGHTS = (math.log(1 / 6), math.log(1 / 6), math.log(1 / 6), math.log(1 / 2))  # of these, and of the other one
TINY = 1e-9  # a limit below this has the stakes of this one, or sums might overflow
CAUTION = 0.9  # how much of the worst loss a stake on "feasible" takes into account
BOLDEST = 0.95  # of the wealth may a reward take


class Parameters(NamedTuple):
    limit: float  # of the infeasible test
    wide_limit: float  # of the feasible test, wider by the slack
    tested: bool  # if not, every arm is feasible: a limit of 1/4 or more is no limit
    feasible_level: float  # ln(1 / the probability that the feasible test is ever wrong)
    infeasible_level: float
    floor_level: float


class Evidence(Protocol):
    scatter: float  # sum of (Z - limit)^2
    feasible_stake: float  # on the next reward
    infeasible_part: float  # of the wealth, at stake on the next reward by the stake that follows them
    feasible_log_wealth: float  # A: of the feasible test
    infeasible_log_wealth: float  # of the infeasible one, whatever the mean, or less
    floor: float  # the lower end of where the infeasible test takes the mean to be
    # Log-wealth of each stake, were the mean mu, or less: height + tilt (mu - centre) + bend (mu - centre)^2.
    centre: float
    height: Annotated[list[float], COUNT]
    tilt: Annotated[list[float], COUNT]
    bend: Annotated[list[float], COUNT]


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    return Parameters(
        limit=asked.limit.value,
        wide_limit=asked.limit.value + asked.limit.slack,
        tested=asked.tested,
        feasible_level=-math.log(share.feasible),
        infeasible_level=-math.log(share.infeasible),
        floor_level=-math.log(share.floor),
    )


def weakened(parameters: Parameters) -> Parameters:
    """Tests that decide far too early: the negative control."""
    return parameters._replace(
        feasible_level=0.4 * parameters.feasible_level, infeasible_level=0.02 * parameters.infeasible_level
    )


def observe(
    own: Evidence, metric: Statistics, mean: tight.Evidence, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Settle the stakes on this reward and set those on the next."""
    if not parameters.tested:
        return
    limit, wide = parameters.limit, parameters.wide_limit
    squared = (reward - guessed) * (reward - guessed)
    own.feasible_log_wealth += math.log(1.0 + own.feasible_stake * (wide - squared))
    if metric.pulls == mean.settled:
        own.floor = tight.lower_end(mean.rises, mean.settled, parameters.floor_level, own.floor, metric.mean)
    settle_infeasible(own, mean, reward, guessed, limit)
    own.infeasible_log_wealth = infeasible_wealth(own, *means(own, mean))
    own.scatter += (squared - limit) * (squared - limit)
    room = metric.pulls * limit - metric.surprise
    wide_room = room + metric.pulls * (wide - limit)
    wide_scatter = max(own.scatter + (wide - limit) * (room + wide_room), 0.0)  # sum of (Z - wide limit)^2
    own.feasible_stake = feasible_stake(wide_room, wide_scatter, wide, statistics.guess(metric))
    own.infeasible_part = infeasible_part(room, own.scatter, limit)


def feasible_stake(room: float, scatter: float, limit: float, guess: float) -> float:
    """Stake so much that the variance is below the limit: as in `sharp_variance`, but for CAUTION and BOLDEST."""
    if room <= 0.0:
        return 0.0
    farthest = max(guess, 1.0 - guess)
    worst = max(farthest * farthest - limit, 1e-3)
    return min(room / (limit * limit + scatter + CAUTION * room * worst), BOLDEST / worst)


def infeasible_part(room: float, scatter: float, limit: float) -> float:
    """How much of the wealth to stake on a variance above the limit: cautiously, as in `sharp_variance`."""
    if room >= 0.0:
        return 0.0
    return min(-room * limit / (0.0625 + scatter - room * limit), 0.5)


def means(own: Evidence, mean: tight.Evidence) -> tuple[float, float]:
    """The interval in which the infeasible test takes the mean to be."""
    return max(own.floor, 0.0), min(1.0 - mean.headroom, 1.0)


def settle_infeasible(own: Evidence, mean: tight.Evidence, reward: float, guessed: float, limit: float) -> None:
    """At the true mean mu, the product of 1 + stake ((X - mu)^2 - limit) is a supermartingale if the variance is within
    the limit. As a function of mu its logarithm lies above a parabola that touches it at the guess, of the least
    curvature that it has between `floor` and U. The sums of parabolas are written about this guess, and these added.
    """
    low, high = means(own, mean)
    touching = min(max(guessed, low), high)
    away, moved = reward - touching, touching - own.centre
    near, far = distances(reward - high, reward - low)
    height, tilt, bend, unit = own.height, own.tilt, own.bend, max(limit, TINY)
    for k in range(COUNT):
        part = PARTS[k] if k < COUNT - 1 else own.infeasible_part
        stake = part / unit
        factor = 1.0 + stake * (away * away - limit)
        slope, curve = tilt[k], bend[k]
        height[k] += math.log(factor) + moved * (slope + moved * curve)
        tilt[k] = slope + (2.0 * moved * curve - 2.0 * stake * away / factor)
        bend[k] = curve + 0.5 * least_curvature(stake / (1.0 - stake * limit), near, far)
    own.centre = touching


def distances(left: float, right: float) -> tuple[float, float]:
    """How near 0 a number between left and right may be, and how far from it."""
    near, far = abs(left), abs(right)
    if near > far:
        near, far = far, near
    return (0.0 if left <= 0.0 <= right else near), far


def least_curvature(scale: float, near: float, far: float) -> float:
    """The least second derivative of ln(1 + scale y^2) for |y| between near and far.

    It is 2 scale (1 - u)/(1 + u)^2 with u = scale y^2, which falls until u = 3 and rises from there.
    """
    u = scale * far * far
    if u > 3.0:
        u = max(scale * near * near, 3.0)
    return 2.0 * (scale / (1.0 + u)) * ((1.0 - u) / (1.0 + u))


def infeasible_wealth(own: Evidence, lower: float, upper: float) -> float:
    """Log-wealth of all stakes together, or less, whatever the mean between lower and upper.

    Below 0, nowhere near a verdict, it may be more than that, though not above 0: the exponentials take time.
    """
    left, right = lower - own.centre, upper - own.centre
    first, second = least_wealth(own, 0, left, right), least_wealth(own, 1, left, right)
    third, last = least_wealth(own, 2, left, right), least_wealth(own, 3, left, right)
    top = max(first, second, third, last)
    if top < -LOG_COUNT:
        return top + LOG_COUNT
    return top + math.log(math.exp(first - top) + math.exp(second - top) + math.exp(third - top) + math.exp(last - top))


def least_wealth(own: Evidence, k: int, left: float, right: float) -> float:
    """The weighted log-wealth of one stake where it is least, `left` to `right` of the centre."""
    tilt, bend = own.tilt[k], own.bend[k]
    least, other = left * (tilt + left * bend), right * (tilt + right * bend)
    if other < least:
        least = other
    if bend > 0.0 and left < -0.5 * tilt / bend < right:
        least = -0.25 * tilt * tilt / bend
    return least + (own.height[k] + LOG_WEIGHTS[k])


def start_anew(own: Evidence, log_wealth: float) -> None:
    own.feasible_log_wealth = log_wealth


def verdict(own: Evidence, metric: Statistics, mean: tight.Evidence, parameters: Parameters, clock: float) -> int:
    if not parameters.tested:
        return verdicts.FEASIBLE
    if own.infeasible_log_wealth >= parameters.infeasible_level:
        return verdicts.INFEASIBLE
    return verdicts.FEASIBLE if own.feasible_log_wealth >= parameters.feasible_level else verdicts.OPEN


def shares(
    own: Evidence, metric: Statistics, mean: tight.Evidence, parameters: Parameters, clock: float
) -> tuple[float, float]:
    """Each test's log-wealth over its threshold, from 0 to 1."""
    if not parameters.tested:
        return 1.0, 0.0
    feasible, infeasible = (
        own.feasible_log_wealth / parameters.feasible_level,
        own.infeasible_log_wealth / parameters.infeasible_level,
    )
    return min(max(feasible, 0.0), 1.0), min(max(infeasible, 0.0), 1.0)


def sample_breaks(own: Evidence, metric: Statistics, mean: tight.Evidence, parameters: Parameters) -> bool:
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
    mean: tight.Evidence,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    return shown_variance.interval(shown, metric, mean, question)


def estimate(
    shown: ShownEvidence, own: Evidence, metric: Statistics, mean: tight.Evidence, parameters: Parameters
) -> float:
    return shown_variance.estimate(metric)
