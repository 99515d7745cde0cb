"""lil'UCB, [HTZ] Remark 2: pull the arm with the largest optimistic mean; stop as VA-LUCB does.

The paper leaves the stopping rule open. Sampling by U itself and stopping by VA-LUCB's rule hardly ever stops, because
nothing but the optimist is pulled; sampling by the mean plus two radii pulls the others too (docs/guarantees.md).
"""

from __future__ import annotations

import math

import numpy as np

from surefoot.core import verdicts
from surefoot.core.answers import best as answer
from surefoot.core.parts import Nothing
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
    return answer.settled(state, ranking)


def choose(state: State, ranking: Ranking, generator: np.random.Generator) -> int:
    """The largest mean plus two radii, of the arms not found infeasible."""
    most = -math.inf
    for index in range(len(state.arms)):
        arm = state.arms[index]
        if arm.verdict != verdicts.INFEASIBLE:
            optimistic = 2.0 * arm.goal.upper - arm.metric.mean
            if optimistic > most:
                state.asked[0], most = index, optimistic
    return 1
