"""Successive Elimination, [HTZ] Remark 2: pull every active arm once.

The active arms are found anew at each step, from the bounds of that step: those neither infeasible nor surpassed by the
best arm known feasible. Remark 2 drops an arm for good, which a tolerance would make unsound: drops would add up.
"""

from __future__ import annotations

import numpy as np

from surefoot.core.answers import best as answer
from surefoot.core.baselines import absent as baseline
from surefoot.core.parts import Nothing
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import Ranking, State, Step

Evidence = Nothing
Memory = Nothing
ONE_AT_A_TIME = False
OWN_RULE = ""  # the answer that its own rule of stopping finds; empty: it asks the answer
ACCURACIES = False  # does it need a tolerance and a slack?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
PAIRS = False
parameters = None  # it has none of its own
weakened = None  # it relies on the bounds alone


def stop(state: State, ranking: Ranking, t: int) -> Step:
    """When no arm is active, or only the best feasible one."""
    if baseline.COMPARES:
        for index in range(len(state.arms)):
            if answer.candidate(state, ranking, index):
                baseline.look(state, index)
        ranking = ranker.rank(state)
    return answer.settled(state, ranking)


def choose(state: State, ranking: Ranking, generator: np.random.Generator) -> int:
    """All of A_t."""
    pulls = 0
    for index in range(len(state.arms)):
        if answer.candidate(state, ranking, index):
            state.asked[pulls] = index
            pulls += 1
    return baseline.add_wanted(state, pulls)
