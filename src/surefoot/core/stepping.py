"""One time step of any policy: warm up, or look at the bounds, stop or choose."""

from __future__ import annotations

import numpy as np

from surefoot.core import folding, verdicts
from surefoot.core.bounds import sharp as mean_bound
from surefoot.core.policies import va_lucb as policy
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import Results, State, Step


def step(state: State, t: int, generator: np.random.Generator) -> Step:
    """Step t: decide, or write the arms to pull into `state.asked`."""
    pulls = warm_up(state, t)
    if pulls > 0:
        return Step(verdicts.UNDECIDED, -1, pulls)
    return act(state, t, generator)


def warm_up(state: State, t: int) -> int:
    """The pulls that the bounds need before the first choice, as far as they are due in step t; how many these are."""
    return mean_bound.warm_up(state.mean_parameters, state.asked, len(state.arms), t)


def act(state: State, t: int, generator: np.random.Generator) -> Step:
    """A step after the warm-up."""
    ranker.refresh(state, t)
    ranking = ranker.rank(state)
    stopped = policy.stop(state, ranking, t)
    if stopped.status != verdicts.UNDECIDED:
        return stopped
    pulls = policy.choose(state, ranking, generator)
    return Step(verdicts.UNDECIDED, -1, ranker.add_owed(state, t, pulls))


def fold(state: State, index: int, results: Results) -> None:
    """The results of a pull."""
    folding.fold(state, index, results)
