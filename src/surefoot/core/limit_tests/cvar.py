"""Is the mean of the worst share of rewards within its limit? Tests by betting on shortfalls (docs/bounds.md proves them).

cvar is the largest E[Y(c)] over all c, with Y(c) = c - max(c - X, 0) / share (Rockafellar and Uryasev). So cvar is above
the limit if E[Y(c)] is for one c: the feasible test bets on that at the c which looked best so far. And cvar is below the
limit if E[Y(c)] is for every c: the infeasible test has a wealth for every c that is not yet refuted, in cells that split
at rewards which fall into them. Between a cell's ends its log-wealth lies above a straight line, so two numbers bound it.
"""

import math
from typing import Annotated, NamedTuple, Protocol

from surefoot.core import histogram, verdicts
from surefoot.core.error_budget import LimitShare
from surefoot.core.histogram import Focus, Histogram
from surefoot.core.limits import CvarLimit
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = False  # does it read what the mean bound keeps?
IN_INTERVAL = False  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = False  # does it go on after FEASIBLE, which what is certain may override?
STARTS = True  # can its evidence for FEASIBLE start anew when the arm leads?
CELLS = 16  # that an arm can have at a time
HALVINGS = 8  # of the first cell, towards the limit
PRIOR = 0.25  # rewards as bad as can be, for the stakes to start with
LEAST = 1e-6  # that a reward is taken to be able to lose


class Parameters(NamedTuple):
    sign: float  # 1 if the smallest rewards are the worst, -1 if the largest are: then all are mirrored
    share: float
    limit: float  # of the infeasible test
    wide_limit: float  # of the feasible test, lower by the slack
    tested: bool
    feasible_level: float  # ln(1 / the probability that the feasible test is ever wrong)
    infeasible_level: float


class Evidence(Protocol):
    feasible_log_wealth: float  # of the feasible test
    cells: int  # of the infeasible test
    refuted: int  # 1 once no c is left
    # Of each cell of c, at both its ends: c, the log-wealth, and the sums of limit - Y(c) and of its square.
    left: Annotated[list[float], CELLS]
    left_wealth: Annotated[list[float], CELLS]
    left_gap: Annotated[list[float], CELLS]
    left_square: Annotated[list[float], CELLS]
    right: Annotated[list[float], CELLS]
    right_wealth: Annotated[list[float], CELLS]
    right_gap: Annotated[list[float], CELLS]
    right_square: Annotated[list[float], CELLS]


class ShownEvidence(Histogram, Protocol):
    """Rewards in bins."""


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    limit: CvarLimit = asked.limit
    return Parameters(
        sign=limit.sign,
        share=limit.share,
        limit=limit.value,
        wide_limit=limit.wide,
        tested=asked.tested,
        feasible_level=-math.log(share.feasible),
        infeasible_level=-math.log(share.infeasible),
    )


def weakened(parameters: Parameters) -> Parameters:
    """Tests that decide far too early: the negative control."""
    return parameters._replace(
        feasible_level=0.15 * parameters.feasible_level, infeasible_level=0.1 * parameters.infeasible_level
    )


def worth(c: float, reward: float, share: float) -> float:
    """Y(c)."""
    return c - max(c - reward, 0.0) / share


def observe(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Settle both tests' bets on this reward."""
    if not parameters.tested or own.refuted > 0:
        return
    if parameters.sign < 0.0:
        reward = 1.0 - reward
    if own.cells == 0:
        begin(own, min(parameters.limit, 1.0))
    settle_feasible(own, metric, parameters, reward)
    for cell in range(own.cells - 1, -1, -1):  # what is put at the end, or moved from there, is settled already
        settle_cell(own, parameters, cell, reward)
        if min(own.left_wealth[cell], own.right_wealth[cell]) >= parameters.infeasible_level:
            drop(own, cell)
        elif own.left[cell] < reward < own.right[cell] and own.cells < CELLS:
            split(own, cell, reward)
    if own.cells == 0:
        own.refuted = 1


def begin(own: Evidence, limit: float) -> None:
    """Cells from the limit to 1: the quantile where E[Y] is largest is not below cvar, so no c below the limit need be
    refuted. They halve towards the limit, where less can be lost and more be staked.
    """
    own.cells = 1
    own.left[0], own.right[0] = limit, 1.0
    for _ in range(HALVINGS):
        middle = (limit + own.right[0]) / 2.0
        if limit < middle < own.right[0]:
            split(own, 0, middle)


def settle_feasible(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    """If cvar is not above the limit, E[Y(c)] <= limit for every c: for the one that earlier rewards make look best."""
    c, gap, square = own.left[0], own.left_gap[0], own.left_square[0]
    for cell in range(own.cells):
        if own.left_gap[cell] < gap:
            c, gap, square = own.left[cell], own.left_gap[cell], own.left_square[cell]
        if own.right_gap[cell] < gap:
            c, gap, square = own.right[cell], own.right_gap[cell], own.right_square[cell]
    limit, earlier = parameters.wide_limit, metric.pulls - 1.0
    slack = parameters.limit - limit
    room = earlier * slack - gap  # the sum of Y(c) - limit
    square = max(square - slack * (2.0 * gap - earlier * slack), 0.0)
    worst = max(limit - worth(c, 0.0, parameters.share), LEAST)
    own.feasible_log_wealth += math.log(1.0 + stake(room, square, worst) * (worth(c, reward, parameters.share) - limit))


def settle_cell(own: Evidence, parameters: Parameters, cell: int, reward: float) -> None:
    """If cvar is not below the limit, E[limit - Y(c)] <= 0 for the c where E[Y] is largest.

    A reward outside the cell makes Y linear in c within it, and the logarithm of 1 + stake (limit - Y) concave. For a reward
    inside, Y is at most the reward, anywhere in the cell: taken at both ends, it bounds what lies between.
    """
    left, right, limit = own.left[cell], own.right[cell], parameters.limit
    left_gap, right_gap = limit - worth(left, reward, parameters.share), limit - worth(right, reward, parameters.share)
    worst = max(right - limit, LEAST)
    staked = min(
        stake(own.left_gap[cell], own.left_square[cell], worst),
        stake(own.right_gap[cell], own.right_square[cell], worst),
    )
    inside = left < reward < right
    own.left_wealth[cell] += math.log(1.0 + staked * (limit - reward if inside else left_gap))
    own.right_wealth[cell] += math.log(1.0 + staked * (limit - reward if inside else right_gap))
    own.left_gap[cell] += left_gap
    own.left_square[cell] += left_gap * left_gap
    own.right_gap[cell] += right_gap
    own.right_square[cell] += right_gap * right_gap


def stake(room: float, square: float, worst: float) -> float:
    """As `sharp_variance` stakes: nothing without room, and with it so much that the wealth grows; never 9/10 of it."""
    return min(max(room, 0.0) / (PRIOR * worst * worst + square + max(room, 0.0) * worst), 0.9 / worst)


def split(own: Evidence, cell: int, c: float) -> None:
    """Two cells for one, at whose common end everything is taken to be linear."""
    other, part = own.cells, (c - own.left[cell]) / (own.right[cell] - own.left[cell])
    own.cells += 1
    own.right[other], own.right_wealth[other] = own.right[cell], own.right_wealth[cell]
    own.right_gap[other], own.right_square[other] = own.right_gap[cell], own.right_square[cell]
    wealth = own.left_wealth[cell] + part * (own.right_wealth[cell] - own.left_wealth[cell])
    gap = own.left_gap[cell] + part * (own.right_gap[cell] - own.left_gap[cell])
    square = own.left_square[cell] + part * (own.right_square[cell] - own.left_square[cell])
    own.right[cell], own.right_wealth[cell], own.right_gap[cell], own.right_square[cell] = c, wealth, gap, square
    own.left[other], own.left_wealth[other], own.left_gap[other], own.left_square[other] = c, wealth, gap, square


def drop(own: Evidence, cell: int) -> None:
    """A cell is refuted for good; the last one takes its place."""
    last = own.cells - 1
    own.cells = last
    own.left[cell], own.left_wealth[cell] = own.left[last], own.left_wealth[last]
    own.left_gap[cell], own.left_square[cell] = own.left_gap[last], own.left_square[last]
    own.right[cell], own.right_wealth[cell] = own.right[last], own.right_wealth[last]
    own.right_gap[cell], own.right_square[cell] = own.right_gap[last], own.right_square[last]


def start_anew(own: Evidence, log_wealth: float) -> None:
    own.feasible_log_wealth = log_wealth


def verdict(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float) -> int:
    if not parameters.tested:
        return verdicts.FEASIBLE
    if own.refuted > 0:
        return verdicts.INFEASIBLE
    if own.feasible_log_wealth >= parameters.feasible_level:
        return verdicts.FEASIBLE
    return verdicts.OPEN


def shares(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float
) -> tuple[float, float]:
    """Each test's log-wealth over its threshold, from 0 to 1; of the infeasible test, in the cell where it is least."""
    if not parameters.tested:
        return 1.0, 0.0
    least = 0.0 if own.cells == 0 else math.inf
    for cell in range(own.cells):
        least = min(least, own.left_wealth[cell], own.right_wealth[cell])
    feasible = own.feasible_log_wealth / parameters.feasible_level
    infeasible = 1.0 if own.refuted > 0 else least / parameters.infeasible_level
    return min(max(feasible, 0.0), 1.0), min(max(infeasible, 0.0), 1.0)


def sample_breaks(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> bool:
    """Are the rewards so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    gap = math.inf  # of the limit to the mean of Y(c), times the pulls, where it is least
    for cell in range(own.cells):
        gap = min(gap, own.left_gap[cell], own.right_gap[cell])
    return own.cells > 0 and gap > metric.pulls * (parameters.limit - parameters.wide_limit)


def focus(parameters: Parameters) -> Focus:
    return Focus(parameters.sign < 0.0, parameters.share, math.inf, math.inf, whole_tail=True)


def observe_for_display(
    shown: ShownEvidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Fold one reward into what people see, before the statistics do."""
    histogram.observe(shown, reward, focus(parameters))


def risk_interval(
    shown: ShownEvidence,
    own: Evidence,
    metric: Statistics,
    mean: Interval,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    """Between what cvar lies, at level delta/N for each arm; for information."""
    return histogram.tail_mean_interval(shown, focus(parameters), question.delta / question.arms)


def estimate(shown: ShownEvidence, own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> float:
    """The mean of the worst share of the rewards so far, to within the bin that the share ends in."""
    return histogram.tail_mean(shown, focus(parameters))
