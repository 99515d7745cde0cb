"""VA-LUCB, [HTZ] Algorithm 1: pull the leader and, while it may be better, its challenger."""

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
    """Lines 9 to 11."""
    while baseline.COMPARES and ranking.leader >= 0:
        if not baseline.look_at_both(state, ranking.leader, challenger_of(state, ranking)):
            break
        ranking = ranker.rank(state)
    return answer.settled(state, ranking)


def challenger_of(state: State, ranking: Ranking) -> int:
    """c_t, (16); -1 if there is no other arm."""
    return ranking.optimist if ranking.optimist != ranking.leader else ranker.runner_up(state, ranking.leader)


def choose(state: State, ranking: Ranking, generator: np.random.Generator) -> int:
    """Lines 13 to 19: write the arms to pull into `state.asked`; how many they are."""
    leader, challenger = ranking.leader, challenger_of(state, ranking)  # i_t, (15), and c_t
    state.asked[0], state.asked[1] = leader, challenger
    if challenger < 0 or state.arms[challenger].goal.upper < state.arms[leader].goal.lower:
        return baseline.add_wanted(state, 1)  # lines 14 and 18
    return baseline.add_wanted(state, 2)  # line 17
