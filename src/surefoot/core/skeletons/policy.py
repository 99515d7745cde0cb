"""A policy: say here in a line whom it pulls. This one takes turns. Enter it in `POLICIES` of `registry`."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from surefoot.core import verdicts
from surefoot.core.answers import best as answer
from surefoot.core.parts import Nothing
from surefoot.core.state import Ranking, State, Step

ONE_AT_A_TIME = False  # must every pull be told before the next one is chosen?
OWN_RULE = ""  # the answer that its own rule of stopping finds; empty: it asks the answer
ACCURACIES = False  # does it need a tolerance and a slack?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
PAIRS = False  # does it compare arms in pairs, by rewards in one order?
Evidence = Nothing  # what it keeps of each arm, in `arm.policy`
parameters = None  # or a function: what the question tells it, for `state.policy_parameters`
weakened = None  # or a function: the state with levels at which it stops too early, if its stopping rule has levels


class Memory(Protocol):
    """What it keeps besides, in `state.policy[0]`."""

    last: int  # the arm pulled last


def stop(state: State, ranking: Ranking, t: int) -> Step:
    """The answer's stopping rule keeps the guarantee, whatever `choose` does."""
    return answer.settled(state, ranking)


def choose(state: State, ranking: Ranking, generator: np.random.Generator) -> int:
    """Write the arms to pull into `state.asked`; how many they are."""
    memory, arms = state.policy[0], len(state.arms)
    for further in range(1, arms + 1):
        index = (memory.last + further) % arms
        if state.arms[index].verdict != verdicts.INFEASIBLE:
            memory.last = index
            state.asked[0] = index
            return 1
    return 0
