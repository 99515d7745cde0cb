"""The loop that folds a log, row by row, into what is kept of its arms: for those who decide and those who look."""

from collections.abc import Sequence

from surefoot.core import statistics
from surefoot.core.risk_tests import sharp_variance as risk_test
from surefoot.core.standings import tournament as standings
from surefoot.core.state import State


def replay(state: State, arms: Sequence[int], rewards: Sequence[float]) -> None:
    """Every reward, in order, as a study records it."""
    for row in range(len(arms)):
        index, reward = arms[row], rewards[row]
        if index < 0:  # never: it spares the compiler a check for a negative index at every use of `index`
            break
        arm = state.arms[index]
        risk_test.exhibit(arm, state.risk_parameters, reward, statistics.guess(arm))
        standings.observe(state, index, reward)
