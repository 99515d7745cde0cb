"""Ranks by bounds that follow a clock: each step looks at every arm, because each arm's bounds have changed."""

import math
from typing import Any, NamedTuple

import numpy as np

from surefoot.core import verdicts
from surefoot.core.bounds import paper as mean_bound
from surefoot.core.links import one as limit_test
from surefoot.core.state import Ranking, Results, State

CLOCKED = True  # do bounds change with time alone?


class Board(NamedTuple):
    runner_up: np.ndarray[Any, np.dtype[np.int64]]  # one element, found along with the ranking


def board(arms: int) -> Board:
    return Board(np.array([-1]))


def place(state: State, index: int, results: Results, guessed: float) -> None:
    """Bring an arm's test up to date, once its evidence holds a reward; bounds and verdict wait for the next step."""
    arm = state.arms[index]
    limit_test.observe(arm.limit, arm.metric, arm.goal, state.limit_parameters, results, guessed)


def clock(state: State, t: int) -> float:
    """The clock's part of the radii at step t."""
    return mean_bound.tick(state.mean_parameters, t)


def refresh(state: State, t: int) -> None:
    """Bounds and verdicts at step t, of every arm not yet infeasible: those stay as they are, [HTZ] lines 4 and 5."""
    tick = clock(state, t)
    for index in range(len(state.arms)):
        arm = state.arms[index]
        if arm.verdict != verdicts.INFEASIBLE and arm.metric.pulls > 0.0:
            goal = arm.goal
            goal.lower, goal.upper = mean_bound.interval(goal, arm.metric, state.mean_parameters, tick)
            arm.verdict = limit_test.verdict(arm.limit, arm.metric, goal, state.limit_parameters, tick)


def rank(state: State) -> Ranking:
    """The arms that matter now."""
    leader, optimist, second, incumbent = -1, -1, -1, -1
    most_mean, most_upper, next_upper, most_lower = -math.inf, -math.inf, -math.inf, -math.inf
    for index in range(len(state.arms)):
        arm = state.arms[index]
        if arm.verdict == verdicts.INFEASIBLE:
            continue
        if arm.metric.mean > most_mean:
            leader, most_mean = index, arm.metric.mean
        if arm.goal.upper > most_upper:
            optimist, second, most_upper, next_upper = index, optimist, arm.goal.upper, most_upper
        elif arm.goal.upper > next_upper:
            second, next_upper = index, arm.goal.upper
        if arm.verdict == verdicts.FEASIBLE and arm.goal.lower > most_lower:
            incumbent, most_lower = index, arm.goal.lower
    state.board.runner_up[0] = second
    return Ranking(leader, optimist, incumbent)


def runner_up(state: State, optimist: int) -> int:
    """The arm with the largest U but for the optimist, -1 if there is none."""
    return state.board.runner_up[0]  # type: ignore[no-any-return]


def add_owed(state: State, t: int, pulls: int) -> int:
    """Add to the step's pulls the arms that the bounds force, [HTZ] Algorithm 3, lines 27 and 28; how many it is then."""
    tick = clock(state, t + 1)
    chosen = pulls
    for index in range(len(state.arms)):
        arm = state.arms[index]
        if arm.verdict != verdicts.INFEASIBLE and mean_bound.owed(arm.goal, state.mean_parameters, tick):
            already = False
            for position in range(chosen):
                already = already or state.asked[position] == index
            if not already and pulls < len(state.asked):  # a policy of the user's own may ask for an arm many times
                state.asked[pulls] = index
                pulls += 1
    return pulls


def leave_out(state: State, index: int) -> None:
    """Rank the others as if an arm were infeasible: each ranking looks at the verdicts."""
    state.arms[index].verdict = verdicts.INFEASIBLE


def revise_upper(state: State, index: int, upper: float) -> None:
    """Give one arm another U until the next refresh."""
    state.arms[index].goal.upper = upper
