"""One time step of any policy: warm up, or look at the bounds, stop or choose."""

import numpy as np

from surefoot.core import verdicts
from surefoot.core.mean_bounds import sharp as mean_bound
from surefoot.core.policies import va_lucb as policy
from surefoot.core.standings import tournament as standings
from surefoot.core.state import State, Step


def step(state: State, t: int, generator: np.random.Generator) -> Step:
    """Step t: decide, or write the arms to pull into `state.asked`."""
    if t <= len(state.arms):
        return Step(verdicts.UNDECIDED, -1, warm_up(state, t - 1))
    return act(state, t, generator)


def warm_up(state: State, arm: int) -> int:
    """Ask for an arm as often as the bounds need before the first choice; how often that is."""
    for pull in range(mean_bound.WARM_UP):
        state.asked[pull] = arm
    return mean_bound.WARM_UP


def act(state: State, t: int, generator: np.random.Generator) -> Step:
    """A step after the warm-up."""
    standings.refresh(state, t)
    ranking = standings.rank(state)
    stopped = policy.stop(state, ranking)
    if stopped.status != verdicts.UNDECIDED:
        return stopped
    return Step(verdicts.UNDECIDED, -1, policy.choose(state, ranking, generator))
