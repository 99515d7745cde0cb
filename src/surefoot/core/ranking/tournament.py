"""Ranks by per-arm bounds: two winner trees, so that a pull costs O(log N)."""

import math
from typing import Any, NamedTuple

import numpy as np

from surefoot.core import leaders, verdicts
from surefoot.core import tournament as trees
from surefoot.core.bounds import sharp as mean_bound
from surefoot.core.links import one as limit_test
from surefoot.core.state import Ranking, Results, State

INCUMBENT, RUNNER_UP = 0, 1
UNKNOWN = -2
CLOCKED = False  # do bounds change with time alone?
NO_CLOCK = 1.0  # what stands for the clock's part of the radii
CALLED = (
    "take_back",
    "mark_beaten",
    "mark_conceded",
    "drop",
)  # seldom: what is called at each pull has the registers


class Board(NamedTuple):
    mean: trees.Tree
    upper: trees.Tree
    # The incumbent, kept in O(1) because L only grows, and the runner-up if it is known.
    places: np.ndarray[Any, np.dtype[np.int64]]


def board(arms: int) -> Board:
    return Board(trees.tournament(arms, 0.0), trees.tournament(arms, math.inf), np.array([-1, UNKNOWN]))


def place(state: State, index: int, results: Results, guessed: float) -> None:
    """Bring an arm's bounds and verdict and the ranking up to date, once its evidence holds a reward."""
    arm = state.arms[index]
    metric, goal = arm.metric, arm.goal
    lower, upper = mean_bound.interval(goal, metric, state.mean_parameters, NO_CLOCK)
    if lower > goal.lower:
        goal.lower = lower
    lowered = upper < goal.upper
    if lowered:
        goal.upper = upper
    if verdicts.is_asked(arm.verdict, limit_test.REVISES):
        limit_test.observe(arm.limit, metric, goal, state.limit_parameters, results, guessed)
        if metric.pulls == arm.since:
            limit_test.start_anew(arm.limit, -leaders.cost(arm.order))
        was_feasible = arm.verdict == verdicts.FEASIBLE
        arm.verdict = limit_test.verdict(arm.limit, metric, goal, state.limit_parameters, NO_CLOCK)
        if arm.verdict == verdicts.INFEASIBLE:
            if was_feasible:
                leave_out(state, index)
            else:
                drop(state.board, index)
    if arm.verdict != verdicts.INFEASIBLE and arm.beaten_by <= 0:
        trees.place(state.board.mean, index, metric.mean)
        if lowered and arm.beaten_by == 0:
            rank_upper(state.board, index, upper)
    if arm.verdict == verdicts.FEASIBLE:
        rank_lower(state, index)


def revise_upper(state: State, index: int, upper: float) -> None:
    """Give one arm another U."""
    state.arms[index].goal.upper = upper
    if state.arms[index].beaten_by == 0:
        rank_upper(state.board, index, upper)


def revise_verdict(state: State, index: int, verdict: int) -> None:
    """Give an open arm a verdict that came of another arm's rewards too."""
    state.arms[index].verdict = verdict
    if verdict == verdicts.INFEASIBLE:
        drop(state.board, index)
    else:
        rank_lower(state, index)


def mark_beaten(state: State, index: int, winner: int) -> None:
    """Rank the others without an arm that is surely no better than the winner."""
    state.arms[index].beaten_by = winner + 1
    drop(state.board, index)


def mark_conceded(state: State, index: int, leader: int) -> None:
    """Take an arm for no rival of the leader, as long as that leads."""
    state.arms[index].beaten_by = -1 - leader
    rank_upper(state.board, index, -math.inf)


def take_back(state: State) -> None:
    """Rank the arms anew that were conceded to a leader."""
    for index in range(len(state.arms)):
        arm = state.arms[index]
        if arm.beaten_by < 0:
            arm.beaten_by = 0
            if arm.verdict != verdicts.INFEASIBLE:
                rank_upper(state.board, index, arm.goal.upper)


def leave_out(state: State, index: int) -> None:
    """Rank the others as if an arm were infeasible; it may have been the incumbent, or had others behind it."""
    state.arms[index].verdict = verdicts.INFEASIBLE
    drop(state.board, index)
    state.board.places[INCUMBENT] = -1
    for other in range(len(state.arms)):
        arm = state.arms[other]
        if arm.beaten_by == index + 1:
            arm.beaten_by = 0
            if arm.verdict != verdicts.INFEASIBLE:
                trees.place(state.board.mean, other, arm.metric.mean)
                rank_upper(state.board, other, arm.goal.upper)
        if arm.verdict == verdicts.FEASIBLE:
            rank_lower(state, other)


def drop(board: Board, index: int) -> None:
    trees.place(board.mean, index, -math.inf)
    rank_upper(board, index, -math.inf)


def rank_upper(board: Board, index: int, upper: float) -> None:
    trees.place(board.upper, index, upper)
    board.places[RUNNER_UP] = UNKNOWN


def rank_lower(state: State, index: int) -> None:
    incumbent = state.board.places[INCUMBENT]
    if incumbent < 0 or state.arms[index].goal.lower > state.arms[incumbent].goal.lower:
        state.board.places[INCUMBENT] = index


def add_owed(state: State, t: int, pulls: int) -> int:
    """No bounds without a clock force pulls."""
    return pulls


def clock(state: State, t: int) -> float:
    """The clock's part of the radii at step t."""
    return NO_CLOCK


def refresh(state: State, t: int) -> None:
    """Nothing to do at a step: bounds change only with their arm's rewards."""


def rank(state: State) -> Ranking:
    """The arms that matter now."""
    board = state.board
    return Ranking(trees.champion(board.mean), trees.champion(board.upper), board.places[INCUMBENT])


def runner_up(state: State, optimist: int) -> int:
    """The arm with the largest U but for the optimist, -1 if there is none; found only when somebody asks."""
    places = state.board.places
    if places[RUNNER_UP] == UNKNOWN:
        places[RUNNER_UP] = trees.runner_up(state.board.upper, optimist)
    return places[RUNNER_UP]  # type: ignore[no-any-return]
