"""A policy around a function of the user's, `choose`. It stops as the others do."""

from __future__ import annotations

import numpy as np

from surefoot.core.answers import best as answer
from surefoot.core.own import written
from surefoot.core.parts import Nothing
from surefoot.core.state import Ranking, State, Step
from surefoot.errors import InvalidValue

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
    """What the user's function chooses, if it can be: a wrong index would be a wrong place in memory once compiled."""
    known = State(
        arms=state.seen,
        board=state.board,
        policy=state.policy,
        mean_parameters=state.mean_parameters,
        limit_parameters=state.limit_parameters,
        policy_parameters=state.policy_parameters,
        tolerance=state.tolerance,
        highest=state.highest,
        asked=state.asked,
        seen=state.seen,
    )
    pulls = written.choose(known, ranking, generator)
    if not 1 <= pulls <= len(state.asked):
        raise InvalidValue("must return how many arms it wrote into state.asked, from 1 to len(state.asked)")
    for position in range(pulls):
        arm = state.asked[position]
        if not 0 <= arm < len(state.arms) or arm != int(arm):
            raise InvalidValue("must write indices of arms into state.asked, from 0 to len(state.arms) - 1")
        state.asked[position] = int(arm)
    return pulls
