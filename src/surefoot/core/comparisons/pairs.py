"""Two arms compared by their evidence together; and by their intervals, where there is a tolerance or a slack."""

import math
from typing import Any

from surefoot.core.bounds import tight as mean_bound
from surefoot.core.comparisons import intervals
from surefoot.core.state import State


def surely_no_worse(state: State, first: Any, second: Any) -> bool:
    """Is the mean of `first` surely no worse than that of `second`, up to the tolerance? It may settle both in place."""
    level = state.mean_parameters.pair_level
    if level < math.inf and mean_bound.pair_log_evidence(first, second, state.mean_parameters) >= level:
        return True
    return intervals.surely_no_worse(state, first, second)
