"""Successive Elimination, [HTZ] Remark 2: pull every active arm once, drop those that cannot be the answer."""

import numpy as np

from surefoot.core import rules, verdicts
from surefoot.core.state import Ranking, State, Step


def stop(state: State, ranking: Ranking, t: int) -> Step:
    """Drop arms from A_t; stop when none is left, or only the best feasible one."""
    best = incumbent(state)
    active = 0
    for index in range(len(state.arms)):
        arm = state.arms[index]
        if arm.dropped == 0 and index != best:
            if arm.verdict == verdicts.INFEASIBLE or (best >= 0 and rules.surpasses(state, best, index)):
                arm.dropped = 1
        active += 1 - arm.dropped
    if active == 0:
        return Step(verdicts.NO_ARM, -1, 0)
    if active == 1 and best >= 0:
        return Step(verdicts.BEST, best, 0)
    return Step(verdicts.UNDECIDED, -1, 0)


def incumbent(state: State) -> int:
    """i*_t: of the active arms known feasible, the one with the largest mean; -1 if there is none."""
    best = -1
    for index in range(len(state.arms)):
        arm = state.arms[index]
        if arm.dropped == 0 and arm.verdict == verdicts.FEASIBLE:
            if best < 0 or arm.mean > state.arms[best].mean:
                best = index
    return best


def choose(state: State, ranking: Ranking, generator: np.random.Generator) -> int:
    """All of A_t."""
    pulls = 0
    for index in range(len(state.arms)):
        if state.arms[index].dropped == 0:
            state.asked[pulls] = index
            pulls += 1
    return pulls
