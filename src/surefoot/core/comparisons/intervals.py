"""Two arms compared by the intervals of their means."""

from typing import Any

from surefoot.core.bounds import sharp as mean_bound
from surefoot.core.parts import Nothing
from surefoot.core.state import Ranking, Results, State

Evidence = Nothing
ON_ITEMS = False  # are arms compared on the items that both were tried on, and by nothing else?


def keep(state: State, index: int, results: Results) -> None:
    """Keep a result for comparisons to come: the arm's own evidence is all they need."""


def gather(arm: Any) -> None:
    """Nothing: the arm's own evidence is all they need."""


def place(state: State, index: int) -> int:
    """Where the arm's next result belongs among those of others: they have nothing in common."""
    return 0


def has_room(state: State) -> bool:
    """Can a further result be kept?"""
    return True


def intervals_apart(state: State, first: int, second: int) -> bool:
    """Do the intervals show that the mean of `first` is no worse than that of `second`, up to the tolerance?"""
    arms = state.arms
    return arms[first].goal.lower > min(arms[second].goal.upper, state.highest) - state.tolerance  # type: ignore[no-any-return]


def surely_no_worse(state: State, compared: Any, first: int, second: int) -> bool:
    """Is the mean of `first` surely no worse than that of `second`, up to the tolerance? It may settle both in place."""
    one, other = compared[first], compared[second]
    if one.metric.pulls == 0.0 or other.metric.pulls == 0.0:
        return False
    lower, _ = mean_bound.interval_at(one.goal, one.metric, state.mean_parameters)
    _, upper = mean_bound.interval_at(other.goal, other.metric, state.mean_parameters)
    no_worse: bool = max(lower, one.goal.lower) > min(upper, other.goal.upper, state.highest) - state.tolerance
    return no_worse


def is_below(state: State, first: int, second: int) -> bool:
    """Do the intervals show that the mean of `first` is below that of `second`?"""
    return state.arms[first].goal.upper < state.arms[second].goal.lower  # type: ignore[no-any-return]


def is_ahead(state: State, first: int, second: int, margin: float) -> bool:
    """Are the results of `first` better by more than the margin, taken as they are?"""
    return state.arms[first].metric.mean > state.arms[second].metric.mean + margin  # type: ignore[no-any-return]


def ranked(state: State, ranking: Ranking) -> Ranking:
    """The ranking by means is that of the arms."""
    return ranking
