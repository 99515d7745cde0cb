"""RiskAverse-UCB-BAI, [HTZ] Algorithm 2: pull the largest U until that arm is known well enough."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefoot.core import verdicts
from surefoot.core.bounds import risk_averse
from surefoot.core.parts import Nothing
from surefoot.core.question import Question
from surefoot.core.state import Ranking, State, Step

Evidence = Nothing
Memory = Nothing
PAIRS = False
weakened = None  # it relies on the bounds alone
ONE_AT_A_TIME = True  # it judges the arm pulled last, which must have been the optimist when it was chosen
OWN_RULE = "best"  # the answer that its own rule of stopping finds; empty: it asks the answer
ACCURACIES = True  # eps_mu and eps_v
OWN = ""  # the name that its user gave it; empty: it came with Surefoot


class Parameters(NamedTuple):
    accuracy: float  # eps_mu
    horizon: float  # H


def parameters(question: Question) -> Parameters:
    return Parameters(question.tolerance, risk_averse.rounds(question))


def stop(state: State, ranking: Ranking, t: int) -> Step:
    """Line 12, for the arm pulled last: f_mu <= eps_mu / 2 and U_v - eps_v <= limit, or H rounds are over.

    The printed line tests the sample variance without its radius, which guarantees nothing; see the reading notes.
    """
    if ranking.optimist < 0:
        return Step(verdicts.NO_ARM, -1, 0)
    arms = len(state.arms)
    if t == arms + 1:  # nothing but the warm-up yet
        return Step(verdicts.UNDECIDED, -1, 0)
    last = state.asked[0]
    arm = state.arms[last]
    rounds = 2 * arms + t - 1 - arms
    near = arm.goal.upper - arm.metric.mean <= state.policy_parameters.accuracy / 2.0
    if (near and arm.verdict == verdicts.FEASIBLE) or rounds >= state.policy_parameters.horizon:
        return Step(verdicts.BEST, last, 0)
    return Step(verdicts.UNDECIDED, -1, 0)


def choose(state: State, ranking: Ranking, generator: np.random.Generator) -> int:
    """Line 8: the optimistic arm."""
    state.asked[0] = ranking.optimist
    return 1
