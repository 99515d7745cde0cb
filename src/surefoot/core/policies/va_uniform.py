"""VA-Uniform, [HTZ] Section V-C: VA-LUCB's bounds and stopping rule, two distinct arms of all N drawn at each step."""

from __future__ import annotations

import numpy as np

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
    """Write the arms to pull into `state.asked`; how many they are."""
    arms = len(state.arms)
    state.asked[0] = int(generator.random() * arms)
    if arms == 1:
        return 1
    other = int(generator.random() * (arms - 1))
    state.asked[1] = other + 1 if other >= state.asked[0] else other
    return 2
