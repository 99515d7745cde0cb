"""VA-Uniform, [HTZ] Section V-C: VA-LUCB's bounds and stopping rule, two distinct arms of all N drawn at each step."""

import numpy as np

from surefoot.core import rules, verdicts
from surefoot.core.standings import tournament as standings
from surefoot.core.state import State, Step


def step(state: State, t: int, generator: np.random.Generator) -> Step:
    """One time step: stop, or write the arms to pull into `state.asked`."""
    pulls = rules.warm_up(state, t)
    if pulls > 0:
        return Step(verdicts.UNDECIDED, -1, pulls)
    stopped = rules.stop(state, standings.rank(state, t))
    if stopped.status != verdicts.UNDECIDED:
        return stopped
    arms = len(state.arms)
    state.asked[0] = int(generator.random() * arms)
    if arms == 1:
        return Step(verdicts.UNDECIDED, -1, 1)
    other = int(generator.random() * (arms - 1))
    state.asked[1] = other + 1 if other >= state.asked[0] else other
    return Step(verdicts.UNDECIDED, -1, 2)
