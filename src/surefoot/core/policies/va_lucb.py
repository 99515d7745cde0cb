"""VA-LUCB, [HTZ] Algorithm 1: pull the leader and, while it may be better, its challenger."""

import numpy as np

from surefoot.core import rules, verdicts
from surefoot.core.standings import tournament as standings
from surefoot.core.state import State, Step


def step(state: State, t: int, generator: np.random.Generator) -> Step:
    """One time step: stop, or write the arms to pull into `state.asked`."""
    pulls = rules.warm_up(state, t)  # line 2
    if pulls > 0:
        return Step(verdicts.UNDECIDED, -1, pulls)
    ranking = standings.rank(state, t)  # lines 4 to 8
    stopped = rules.stop(state, ranking)  # lines 9 to 11
    if stopped.status != verdicts.UNDECIDED:
        return stopped
    leader, challenger = ranking.leader, ranking.optimist  # i_t, (15), and c_t, (16)
    if challenger == leader:
        challenger = standings.runner_up(state, leader)
    state.asked[0] = leader
    if challenger < 0 or state.arms[challenger].upper < state.arms[leader].lower:
        return Step(verdicts.UNDECIDED, -1, 1)  # lines 14 and 18
    state.asked[1] = challenger
    return Step(verdicts.UNDECIDED, -1, 2)  # line 17
