"""Is the mean over a finite list within its limit? Two tests by the bets of `list_bets`, and what is certain
(docs/finite.md).
"""

import math
from typing import Annotated, NamedTuple, Protocol

from surefoot.core import list_bets, list_verdicts, verdicts
from surefoot.core.error_budget import LimitShare
from surefoot.core.limits import MeanLimit
from surefoot.core.list_bets import COUNT
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = True  # does it read what the mean bound keeps? People see its bounds
IN_INTERVAL = False  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = True  # does it go on after FEASIBLE, which what is certain may override?
STARTS = False  # can its evidence for FEASIBLE start anew when the arm leads?


class Parameters(NamedTuple):
    sign: float  # 1 if the limit is the least that the mean may be, -1 if it is the most
    limit: float  # of the infeasible test
    wide_limit: float  # of the feasible test, wider by the slack
    tested: bool
    feasible_level: float  # ln(1 / the probability that the feasible test is ever wrong)
    infeasible_level: float
    items: float  # of the list


class Evidence(Protocol):
    feasible: Annotated[list[float], COUNT]  # for each bet, its log-wealth against "the limit is broken"
    infeasible: Annotated[list[float], COUNT]  # and against "the limit is kept"
    feasible_log_wealth: float  # of all bets together
    infeasible_log_wealth: float
    said: int  # the verdict that the tests have given


class ShownEvidence(Protocol):
    """Nothing to keep: people see the mean and its bounds."""


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    limit: MeanLimit = asked.limit
    return Parameters(
        sign=limit.sign,
        limit=limit.value,
        wide_limit=limit.wide,
        tested=asked.tested,
        feasible_level=-math.log(share.feasible),
        infeasible_level=-math.log(share.infeasible),
        items=asked.items,
    )


def weakened(parameters: Parameters) -> Parameters:
    """Tests that decide far too early: the negative control."""
    return parameters._replace(
        feasible_level=0.2 * parameters.feasible_level, infeasible_level=0.2 * parameters.infeasible_level
    )


def observe(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Settle both tests' bets on this result: that good ones add up to more than the limit, or bad ones do."""
    if not parameters.tested:
        return
    items, seen = parameters.items, metric.pulls - 1.0
    good, total = facing(parameters.sign, reward, metric.total - reward, seen)
    least, wide = facing(parameters.sign, parameters.limit, parameters.wide_limit, 1.0)
    list_bets.settle(own.feasible, good, total, items * wide, items - seen, items)
    list_bets.settle(own.infeasible, 1.0 - good, seen - total, items * (1.0 - least), items - seen, items)
    own.feasible_log_wealth = list_bets.log_wealth(own.feasible, items)
    own.infeasible_log_wealth = list_bets.log_wealth(own.infeasible, items)


def facing(sign: float, value: float, other: float, most: float) -> tuple[float, float]:
    """A value from 0 to 1 and one from 0 to `most`, mirrored if the limit is the most that a mean may be."""
    return (value, other) if sign > 0.0 else (1.0 - value, most - other)


def certain(metric: Statistics, parameters: Parameters) -> int:
    """The verdict that no result to come can change; OPEN if there is none."""
    _, total = facing(parameters.sign, 0.0, metric.total, metric.pulls)
    least, wide = facing(parameters.sign, parameters.limit, parameters.wide_limit, 1.0)
    if list_bets.surely_below(total, metric.pulls, parameters.items, least):
        return verdicts.INFEASIBLE
    return verdicts.FEASIBLE if list_bets.surely_at_least(total, parameters.items, wide) else verdicts.OPEN


def start_anew(own: Evidence, log_wealth: float) -> None:
    """It cannot: every arm has the same share of delta."""


def verdict(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float) -> int:
    if not parameters.tested:
        return verdicts.FEASIBLE
    return list_verdicts.verdict(own, certain(metric, parameters), parameters)


def shares(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float
) -> tuple[float, float]:
    """Each side's log-wealth over its threshold, from 0 to 1; all or nothing where it is certain."""
    if not parameters.tested:
        return 1.0, 0.0
    return list_verdicts.shares(own, certain(metric, parameters), parameters)


def sample_breaks(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> bool:
    """Are the results so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    beyond = parameters.sign * (parameters.wide_limit - metric.mean) > list_bets.ROUNDING
    return parameters.tested and metric.pulls > 0.0 and beyond


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
    """The bounds of the mean."""
    return max(mean.lower, 0.0), min(mean.upper, 1.0)


def estimate(shown: ShownEvidence, own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> float:
    """The mean of the results so far."""
    return metric.mean
