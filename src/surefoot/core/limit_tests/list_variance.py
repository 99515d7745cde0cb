"""Is the variance over a finite list within the limit? Two tests by betting, and what is certain (see docs/finite.md).

The feasible test bets that results are nearer to their guesses than a larger variance of the list would leave room for. The
infeasible test bets on squared differences of consecutive results: what has been seen of the variance is no longer to come.
"""

import math
from typing import Annotated, NamedTuple, Protocol

from surefoot.core import list_bets, list_verdicts, statistics, verdicts
from surefoot.core.bounds import on_list
from surefoot.core.error_budget import LimitShare
from surefoot.core.limit_tests import tight_variance
from surefoot.core.list_bets import COUNT, ROUNDING
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = True  # does it read what the mean bound keeps? People see an interval made of it
IN_INTERVAL = False  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = True  # does it go on after FEASIBLE, which what is certain may override?
STARTS = False  # can its evidence for FEASIBLE start anew when the arm leads?


class Parameters(NamedTuple):
    limit: float  # of the infeasible test
    wide_limit: float  # of the feasible test, wider by the slack
    tested: bool  # if not, every arm is feasible: a limit of 1/4 or more is no limit
    feasible_level: float  # ln(1 / the probability that the feasible test is ever wrong)
    infeasible_level: float
    items: float  # of the list


class Evidence(Protocol):
    spread: float  # sum of (X - their mean)^2, of the results before the next
    squares: float  # sum of (X - guess)^4
    feasible_log_wealth: float
    half: float  # the first of two results
    pair_spread: float  # what `spread` was before these two
    infeasible: Annotated[list[float], COUNT]  # for each bet its log-wealth against "the limit is kept"
    infeasible_log_wealth: float
    said: int  # the verdict that the tests have given


class ShownEvidence(Protocol):
    """Of the squares of results, of which the mean is the variance and the square of the mean."""

    metric: Statistics
    mean: on_list.Evidence


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    return Parameters(
        limit=asked.limit.value,
        wide_limit=asked.limit.value + asked.limit.slack,
        tested=asked.tested,
        feasible_level=-math.log(share.feasible),
        infeasible_level=-math.log(share.infeasible),
        items=asked.items,
    )


def weakened(parameters: Parameters) -> Parameters:
    """Tests that decide far too early: the negative control."""
    return parameters._replace(
        feasible_level=0.2 * parameters.feasible_level, infeasible_level=0.1 * parameters.infeasible_level
    )


def observe(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Settle the stakes of both tests on this result."""
    if not parameters.tested:
        return
    settle_feasible(own, metric, parameters, reward, guessed)
    if metric.pulls % 2.0 == 1.0:
        own.half = reward
    else:
        settle_infeasible(own, metric, parameters, reward)
        own.pair_spread = metric.spread
    own.spread = metric.spread


def settle_feasible(own: Evidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float) -> None:
    """If the variance is not below the limit, the list's squared distances from any guess add up to items * limit or more.
    So those to come have a mean of at least `limit` here, which stands for the limit of independent results.
    """
    seen, squared = metric.pulls - 1.0, (reward - guessed) * (reward - guessed)
    away = (metric.total - reward) - seen * guessed
    spent = own.spread + (away * away / seen if seen > 0.0 else 0.0)
    limit = (parameters.items * parameters.wide_limit - spent) / (parameters.items - seen)
    surprise = metric.surprise - squared
    scatter = max(own.squares + limit * (seen * limit - 2.0 * surprise), 0.0)  # sum of (squared distance - limit)^2
    stake = tight_variance.feasible_stake(seen * limit - surprise, scatter, limit, guessed)
    own.feasible_log_wealth += math.log(1.0 + stake * (limit - squared))
    own.squares += squared * squared


def settle_infeasible(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    """Of a list with so many items left, two at random have a squared difference with the mean 2 * spread/(left - 1)."""
    items, left = parameters.items, parameters.items - (metric.pulls - 2.0)
    value = (reward - own.half) * (reward - own.half)
    list_bets.settle(own.infeasible, value, 2.0 * own.pair_spread, 2.0 * items * parameters.limit, left - 1.0, items)
    own.infeasible_log_wealth = list_bets.log_wealth(own.infeasible, items)


def reach(metric: Statistics, items: float) -> tuple[float, float]:
    """The least and the most that the variance of the list can be: all items to come at the mean so far, or at the ends."""
    least, rest = metric.spread / items, items - metric.pulls
    if rest <= 0.0:
        return least, least
    ones = min(max(0.5 * items - metric.total, 0.0), rest)
    mean = (metric.total + ones) / items
    return least, (metric.spread + metric.total * metric.mean + ones) / items - mean * mean


def certain(metric: Statistics, parameters: Parameters) -> int:
    """The verdict that no result to come can change; OPEN if there is none."""
    least, most = reach(metric, parameters.items)
    if least > parameters.limit + ROUNDING:
        return verdicts.INFEASIBLE
    return verdicts.FEASIBLE if most <= parameters.wide_limit + ROUNDING else verdicts.OPEN


def start_anew(own: Evidence, log_wealth: float) -> None:
    """It cannot: every arm has the same share of delta."""


def verdict(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float) -> int:
    if not parameters.tested:
        return verdicts.FEASIBLE
    return list_verdicts.verdict(own, certain(metric, parameters), parameters)


def shares(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float
) -> tuple[float, float]:
    """Each test's log-wealth over its threshold, from 0 to 1; all or nothing where it is certain."""
    if not parameters.tested:
        return 1.0, 0.0
    return list_verdicts.shares(own, certain(metric, parameters), parameters)


def sample_breaks(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> bool:
    """Are the results so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    beyond = variance(metric, parameters.items) > parameters.wide_limit + ROUNDING
    return parameters.tested and metric.pulls > 1.0 and beyond


def variance(metric: Statistics, items: float) -> float:
    """About that of the list; with all items seen it is just that."""
    return statistics.variance(metric) * (items - 1.0) / items if metric.pulls > 1.0 else 0.0


def observe_for_display(
    shown: ShownEvidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Fold the square of one result in."""
    square = reward * reward
    statistics.observe(shown.metric, square, statistics.guess(shown.metric))
    on_list.observe(shown.mean, shown.metric, shown_parameters(parameters), square)


def shown_parameters(parameters: Parameters) -> on_list.Parameters:
    """Two bounds of the squares and two of the mean may fail as often as the feasible test, all together."""
    level = parameters.feasible_level + math.log(4.0)
    return on_list.Parameters(level, level, level, by_order=False, items=parameters.items)


def risk_interval(
    shown: ShownEvidence,
    own: Evidence,
    metric: Statistics,
    mean: Interval,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    """Between what the variance lies, by the bounds of the mean and of the mean square; for information."""
    if metric.pulls < 1.0:
        return 0.0, 0.25
    least, most = reach(metric, parameters.items)
    lower, upper = on_list.interval_at(shown.mean, shown.metric, shown_parameters(parameters))
    low, high = max(mean.lower, 0.0), min(mean.upper, 1.0)
    if metric.pulls >= parameters.items:
        return least, least
    return max(least, lower - high * high), min(most, upper - low * low)


def estimate(shown: ShownEvidence, own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> float:
    return variance(metric, parameters.items)
