"""Standings for bounds that follow a clock: every arm's bounds change at every step, so every step looks at every arm."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core import statistics, verdicts
from surefoot.core.mean_bounds import paper as mean_bound
from surefoot.core.risk_tests import paper_variance as risk_test
from surefoot.core.state import Ranking, State


class Board(NamedTuple):
    runner_up: NDArray[np.int64]  # one element, found along with the ranking


def board(arms: int) -> Board:
    return Board(np.array([-1]))


def observe(state: State, index: int, reward: float) -> None:
    """Fold one reward into an arm's evidence; its bounds wait for the next step."""
    arm = state.arms[index]
    guessed = statistics.guess(arm)
    statistics.observe(arm, reward, guessed)
    mean_bound.observe(arm, state.mean_parameters)
    risk_test.observe(arm, state.risk_parameters, reward, guessed)


def rank(state: State, t: int) -> Ranking:
    """Bounds and verdicts of every arm not yet infeasible at step t, and the arms that matter among them."""
    arms = state.arms
    tick = mean_bound.tick(state.mean_parameters, t)
    leader, optimist, second, incumbent = -1, -1, -1, -1
    for index in range(len(arms)):
        arm = arms[index]
        if arm.verdict == verdicts.INFEASIBLE:  # its bounds stay as they are, [HTZ] lines 4 and 5
            continue
        arm.lower, arm.upper = mean_bound.interval(arm, state.mean_parameters, tick)
        arm.verdict = risk_test.verdict(arm, state.risk_parameters, arm.lower, arm.upper, tick)
        if arm.verdict == verdicts.INFEASIBLE:
            continue
        if leader < 0 or arm.mean > arms[leader].mean:
            leader = index
        if optimist < 0 or arm.upper > arms[optimist].upper:
            optimist, second = index, optimist
        elif second < 0 or arm.upper > arms[second].upper:
            second = index
        if arm.verdict == verdicts.FEASIBLE and (incumbent < 0 or arm.lower > arms[incumbent].lower):
            incumbent = index
    state.board.runner_up[0] = second
    return Ranking(leader, optimist, incumbent)


def runner_up(state: State, optimist: int) -> int:
    """The arm with the largest U but for the optimist, -1 if there is none."""
    return state.board.runner_up[0]  # type: ignore[no-any-return]
