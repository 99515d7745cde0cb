"""Two arms compared by their evidence together, or by their intervals."""

from typing import Any

from surefoot.core.bounds import tight as mean_bound
from surefoot.core.comparisons import intervals
from surefoot.core.state import State


def surely_no_worse(state: State, first: Any, second: Any) -> bool:
    """Is the mean of `first` surely no worse than that of `second`, up to the tolerance? It may settle both in place."""
    parameters = state.mean_parameters
    if mean_bound.pair_log_evidence(first, second, parameters, state.tolerance) >= parameters.pair_level:
        return True
    return intervals.surely_no_worse(state, first, second)
