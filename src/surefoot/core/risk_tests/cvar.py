"""Is the mean of the worst share of rewards within its limit? Tests by betting on shortfalls (docs/bounds.md proves them).

cvar is the largest E[Y(c)] over all c, with Y(c) = c - max(c - X, 0) / share (Rockafellar and Uryasev). So cvar is above
the limit if E[Y(c)] is for one c: the feasible test bets on that at the c which looked best so far. And cvar is below the
limit if E[Y(c)] is for every c: the infeasible test has a wealth for every c that is not yet refuted, in cells that split
at rewards which fall into them. Between a cell's ends its log-wealth lies above a straight line, so two numbers bound it.
"""

import math
from typing import Annotated, NamedTuple, Protocol

from surefoot.core import histogram, verdicts
from surefoot.core.budget import Budget
from surefoot.core.histogram import Focus, Histogram
from surefoot.core.limits import CvarLimit
from surefoot.core.question import Question
from surefoot.core.statistics import Statistics

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


class Evidence(Statistics, Protocol):
    feasible: float  # log-wealth of the feasible test
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


class Exhibit(Histogram, Evidence, Protocol):
    """Rewards in bins."""


def parameters(question: Question, budget: Budget) -> Parameters:
    limit: CvarLimit = question.limit
    return Parameters(
        sign=limit.sign,
        share=limit.share,
        limit=limit.value,
        wide_limit=limit.wide,
        tested=question.tested,
        feasible_level=-math.log(budget.feasible),
        infeasible_level=-math.log(budget.infeasible),
    )


def shrunk(parameters: Parameters) -> Parameters:
    """Tests that decide far too early: the negative control."""
    return parameters._replace(
        feasible_level=0.15 * parameters.feasible_level, infeasible_level=0.1 * parameters.infeasible_level
    )


def worth(c: float, reward: float, share: float) -> float:
    """Y(c)."""
    return c - max(c - reward, 0.0) / share


def observe(arm: Evidence, parameters: Parameters, reward: float, guessed: float) -> None:
    """Settle both tests' bets on this reward."""
    if not parameters.tested or arm.refuted > 0:
        return
    if parameters.sign < 0.0:
        reward = 1.0 - reward
    if arm.cells == 0:
        begin(arm, min(parameters.limit, 1.0))
    settle_feasible(arm, parameters, reward)
    for cell in range(arm.cells - 1, -1, -1):  # what is put at the end, or moved from there, is settled already
        settle_cell(arm, parameters, cell, reward)
        if min(arm.left_wealth[cell], arm.right_wealth[cell]) >= parameters.infeasible_level:
            drop(arm, cell)
        elif arm.left[cell] < reward < arm.right[cell] and arm.cells < CELLS:
            split(arm, cell, reward)
    if arm.cells == 0:
        arm.refuted = 1


def begin(arm: Evidence, limit: float) -> None:
    """Cells from the limit to 1: the quantile where E[Y] is largest is not below cvar, so no c below the limit need be
    refuted. They halve towards the limit, where less can be lost and more be staked.
    """
    arm.cells = 1
    arm.left[0], arm.right[0] = limit, 1.0
    for _ in range(HALVINGS):
        middle = (limit + arm.right[0]) / 2.0
        if limit < middle < arm.right[0]:
            split(arm, 0, middle)


def settle_feasible(arm: Evidence, parameters: Parameters, reward: float) -> None:
    """If cvar is not above the limit, E[Y(c)] <= limit for every c: for the one that earlier rewards make look best."""
    c, gap, square = arm.left[0], arm.left_gap[0], arm.left_square[0]
    for cell in range(arm.cells):
        if arm.left_gap[cell] < gap:
            c, gap, square = arm.left[cell], arm.left_gap[cell], arm.left_square[cell]
        if arm.right_gap[cell] < gap:
            c, gap, square = arm.right[cell], arm.right_gap[cell], arm.right_square[cell]
    limit, earlier = parameters.wide_limit, arm.pulls - 1.0
    slack = parameters.limit - limit
    room = earlier * slack - gap  # the sum of Y(c) - limit
    square = max(square - slack * (2.0 * gap - earlier * slack), 0.0)
    worst = max(limit - worth(c, 0.0, parameters.share), LEAST)
    arm.feasible += math.log(1.0 + stake(room, square, worst) * (worth(c, reward, parameters.share) - limit))


def settle_cell(arm: Evidence, parameters: Parameters, cell: int, reward: float) -> None:
    """If cvar is not below the limit, E[limit - Y(c)] <= 0 for the c where E[Y] is largest.

    A reward outside the cell makes Y linear in c within it, and the logarithm of 1 + stake (limit - Y) concave. For a reward
    inside, Y is at most the reward, anywhere in the cell: taken at both ends, it bounds what lies between.
    """
    left, right, limit = arm.left[cell], arm.right[cell], parameters.limit
    left_gap, right_gap = limit - worth(left, reward, parameters.share), limit - worth(right, reward, parameters.share)
    worst = max(right - limit, LEAST)
    staked = min(
        stake(arm.left_gap[cell], arm.left_square[cell], worst),
        stake(arm.right_gap[cell], arm.right_square[cell], worst),
    )
    inside = left < reward < right
    arm.left_wealth[cell] += math.log(1.0 + staked * (limit - reward if inside else left_gap))
    arm.right_wealth[cell] += math.log(1.0 + staked * (limit - reward if inside else right_gap))
    arm.left_gap[cell] += left_gap
    arm.left_square[cell] += left_gap * left_gap
    arm.right_gap[cell] += right_gap
    arm.right_square[cell] += right_gap * right_gap


def stake(room: float, square: float, worst: float) -> float:
    """As `sharp_variance` stakes: nothing without room, and with it so much that the wealth grows; never 9/10 of it."""
    return min(max(room, 0.0) / (PRIOR * worst * worst + square + max(room, 0.0) * worst), 0.9 / worst)


def split(arm: Evidence, cell: int, c: float) -> None:
    """Two cells for one, at whose common end everything is taken to be linear."""
    other, part = arm.cells, (c - arm.left[cell]) / (arm.right[cell] - arm.left[cell])
    arm.cells += 1
    arm.right[other], arm.right_wealth[other] = arm.right[cell], arm.right_wealth[cell]
    arm.right_gap[other], arm.right_square[other] = arm.right_gap[cell], arm.right_square[cell]
    wealth = arm.left_wealth[cell] + part * (arm.right_wealth[cell] - arm.left_wealth[cell])
    gap = arm.left_gap[cell] + part * (arm.right_gap[cell] - arm.left_gap[cell])
    square = arm.left_square[cell] + part * (arm.right_square[cell] - arm.left_square[cell])
    arm.right[cell], arm.right_wealth[cell], arm.right_gap[cell], arm.right_square[cell] = c, wealth, gap, square
    arm.left[other], arm.left_wealth[other], arm.left_gap[other], arm.left_square[other] = c, wealth, gap, square


def drop(arm: Evidence, cell: int) -> None:
    """A cell is refuted for good; the last one takes its place."""
    last = arm.cells - 1
    arm.cells = last
    arm.left[cell], arm.left_wealth[cell] = arm.left[last], arm.left_wealth[last]
    arm.left_gap[cell], arm.left_square[cell] = arm.left_gap[last], arm.left_square[last]
    arm.right[cell], arm.right_wealth[cell] = arm.right[last], arm.right_wealth[last]
    arm.right_gap[cell], arm.right_square[cell] = arm.right_gap[last], arm.right_square[last]


def verdict(arm: Evidence, parameters: Parameters, lower: float, upper: float) -> int:
    if not parameters.tested:
        return verdicts.FEASIBLE
    if arm.refuted > 0:
        return verdicts.INFEASIBLE
    if arm.feasible >= parameters.feasible_level:
        return verdicts.FEASIBLE
    return verdicts.OPEN


def shares(arm: Evidence, parameters: Parameters, lower: float, upper: float) -> tuple[float, float]:
    """Each test's log-wealth over its threshold, from 0 to 1; of the infeasible test, in the cell where it is least."""
    if not parameters.tested:
        return 1.0, 0.0
    least = 0.0 if arm.cells == 0 else math.inf
    for cell in range(arm.cells):
        least = min(least, arm.left_wealth[cell], arm.right_wealth[cell])
    feasible = arm.feasible / parameters.feasible_level
    infeasible = 1.0 if arm.refuted > 0 else least / parameters.infeasible_level
    return min(max(feasible, 0.0), 1.0), min(max(infeasible, 0.0), 1.0)


def focus(parameters: Parameters) -> Focus:
    return Focus(parameters.sign < 0.0, parameters.share, math.inf, math.inf, whole_tail=True)


def exhibit(arm: Exhibit, parameters: Parameters, reward: float, guessed: float) -> None:
    """Fold one reward into what people see, before the statistics do."""
    histogram.observe(arm, reward, focus(parameters))


def risk_interval(
    arm: Exhibit, parameters: Parameters, question: Question, lower: float, upper: float
) -> tuple[float, float]:
    """Between what cvar lies, at level delta/N for each arm; for information."""
    return histogram.tail_mean_interval(arm, focus(parameters), question.delta / question.arms)


def estimate(arm: Exhibit, parameters: Parameters) -> float:
    """The mean of the worst share of the rewards so far, to within the bin that the share ends in."""
    return histogram.tail_mean(arm, focus(parameters))
