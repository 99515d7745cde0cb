"""The answer one would give now, and what speaks against it at given levels (docs/recommendation.md has the proof).

A state with the parameters of another delta has other levels; what was settled at its own delta stays settled.
"""

from typing import Any

from surefoot.core import verdicts
from surefoot.core.baselines import absent as baseline
from surefoot.core.comparisons import intervals as comparison
from surefoot.core.links import one as limit_test
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import State

NO_ARM = -1  # that no arm keeps the limit
NOTHING_YET = -2
FEASIBLE, INFEASIBLE = 0, 1  # the sides of a limit test
NO_CLOCK = 1.0  # bounds that follow a clock have levels of their own: they are not asked at others


def guess(state: State) -> int:
    """The arm one would name now: the best mean of the candidates whose risk does not look too high.

    NO_ARM if every candidate looks infeasible, NOTHING_YET while too little was tried to say either.
    """
    incumbent = ranker.rank(state).incumbent
    best = NO_ARM
    tried = untried = False
    for index in range(len(state.arms)):
        arm = state.arms[index]
        tried = tried or arm.metric.pulls > 0.0
        if arm.verdict == verdicts.INFEASIBLE or arm.beaten_by > 0:
            continue
        if incumbent >= 0 and index != incumbent and comparison.is_below(state, index, incumbent):
            continue
        if arm.metric.pulls == 0.0:
            untried = True
        elif (best == NO_ARM or comparison.is_ahead(state, index, best, 0.0)) and not looks_infeasible(state, index):
            best = index
    return NOTHING_YET if best == NO_ARM and (untried or not tried) else best


def looks_infeasible(state: State, index: int) -> bool:
    """Do the rewards of an open arm break the limit, taken as they are?

    Evidence would say so too late: of few rewards it speaks for neither side (docs/recommendation.md has what that costs).
    """
    arm = state.arms[index]
    if arm.verdict == verdicts.FEASIBLE:
        return False
    if limit_test.sample_breaks(arm.limit, arm.metric, arm.goal, state.limit_parameters):
        return True
    return baseline.sample_breaks(state, index)


def doubt(state: State, compared: Any, arm: int, start: int) -> int:
    """The first arm from `start` on that speaks against `arm` (or against NO_ARM) at the levels of the state; the number of
    arms if none does.

    What decides for an arm is that it is feasible and no other one may be better; for NO_ARM, that all are infeasible.
    `compared` has the records whose evidence is compared, which may be settled in place.
    """
    for index in range(start, len(state.arms)):
        if index == arm:
            settled = state.arms[arm].verdict == verdicts.FEASIBLE or is_shown(state, compared, arm, FEASIBLE)
        else:
            settled = is_out(state, compared, arm, index)
        if not settled:
            return index
    return len(state.arms)


def is_out(state: State, compared: Any, arm: int, index: int) -> bool:
    """Is another arm infeasible, or surely no better than `arm`? What is settled is quick to see, and comes first."""
    rival = state.arms[index]
    if rival.verdict == verdicts.INFEASIBLE:
        return True
    if arm >= 0:
        if rival.beaten_by > 0 or rival.beaten_by == -1 - arm:  # conceded to this very arm
            return True
        if comparison.intervals_apart(state, arm, index):
            return True
    if is_shown(state, compared, index, INFEASIBLE):
        return True
    return arm >= 0 and comparison.surely_no_worse(state, compared, arm, index)


def is_shown(state: State, compared: Any, index: int, side: int) -> bool:
    """Do the levels of the state show that an open arm keeps every limit, or that it breaks one?"""
    arm = state.arms[index]
    if arm.verdict != verdicts.OPEN:
        return False
    own = arm.limit
    if baseline.COMPARES:
        baseline.refresh(state, compared, index)
        own = compared[index].limit
    return limit_test.shows(own, arm.metric, arm.goal, state.limit_parameters, NO_CLOCK)[side]
