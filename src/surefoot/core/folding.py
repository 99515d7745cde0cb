"""One result into all that is kept of its arm: the same for live studies, replays of logs and simulations."""

from typing import Any

from surefoot.core import statistics
from surefoot.core.baselines import absent as baseline
from surefoot.core.bounds import sharp as mean_bound
from surefoot.core.comparisons import intervals as comparison
from surefoot.core.links import one as display
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import Results, State


def fold(state: State, index: int, results: Results) -> None:
    """Fold the results of one pull into what people see of an arm, its evidence, its bounds and verdict, and the ranking.

    The first of them is that of the goal's metric; the others are of further metrics that have limits.
    """
    arm = state.arms[index]
    guessed = statistics.guess(arm.metric)
    display.observe_for_display(arm.shown, arm.metric, state.limit_parameters, results, guessed)
    gather(arm, state, results, guessed)
    if baseline.COMPARES:
        baseline.keep(state, index, results)
    if comparison.ON_ITEMS:
        comparison.keep(state, index, results)
    ranker.place(state, index, results, guessed)


def leave_out(state: State, index: int) -> None:
    """An item that the arm is never tried on."""
    baseline.leave_out(state, index)
    comparison.leave_out(state, index)  # type: ignore[attr-defined]


def gather(arm: Any, state: State, results: Results, guessed: float) -> None:
    """Fold the results of one pull into the evidence by which arms are compared, alone; `guessed` is what was expected of
    the goal's metric before it.
    """
    statistics.observe(arm.metric, results[0], guessed)
    mean_bound.observe(arm.goal, arm.metric, state.mean_parameters, results[0])
    comparison.gather(arm)
    if baseline.COMPARES:
        baseline.gather(arm, state.limit_parameters, results)
