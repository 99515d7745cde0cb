"""Two arms compared by the intervals of their means."""

from typing import Any

from surefoot.core.bounds import sharp as mean_bound
from surefoot.core.state import State


def surely_no_worse(state: State, first: Any, second: Any) -> bool:
    """Is the mean of `first` surely no worse than that of `second`, up to the tolerance? It may settle both in place."""
    if first.metric.pulls == 0.0 or second.metric.pulls == 0.0:
        return False
    lower, _ = mean_bound.interval_at(first.goal, first.metric, state.mean_parameters)
    _, upper = mean_bound.interval_at(second.goal, second.metric, state.mean_parameters)
    no_worse: bool = max(lower, first.goal.lower) > min(upper, second.goal.upper, state.highest) - state.tolerance
    return no_worse
