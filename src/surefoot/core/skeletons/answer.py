"""An answer: whose bounds must hold with what probability, and when it is settled.

This one is the answer `best` with nothing clever: every bound of every arm holds, and every pair is looked at. Enter it in
`ANSWERS` of `registry`.
"""

from surefoot.core import verdicts
from surefoot.core.error_budget import ErrorBudget, LimitShare
from surefoot.core.question import Question
from surefoot.core.state import Ranking, State, Step

PAIRS = False  # is an arm out as soon as another surely surpasses it? Then policies may compare arms in pairs


def error_budget(question: Question, pairs: bool, compared: bool, starts: bool) -> ErrorBudget:
    """Shares that add up to delta: of each arm L, U and both verdicts."""
    each = question.delta / (4.0 * question.arms)
    return ErrorBudget(each, each, (LimitShare(each, each),) * len(question.limits))


def settled(state: State, ranking: Ranking) -> Step:
    """A status of `verdicts`, and the arm if it is BEST. It must be right whenever all bounds of `error_budget` hold."""
    left = 0
    for index in range(len(state.arms)):
        if state.arms[index].verdict != verdicts.INFEASIBLE:
            left += 1
            if beats_all(state, index):
                return Step(verdicts.BEST, index, 0)
    return Step(verdicts.UNDECIDED if left else verdicts.NO_ARM, -1, 0)


def candidate(state: State, ranking: Ranking, index: int) -> bool:
    """May this arm still belong to the answer? Rather too many than too few."""
    return state.arms[index].verdict != verdicts.INFEASIBLE  # type: ignore[no-any-return]


def beats_all(state: State, index: int) -> bool:
    arm = state.arms[index]
    if arm.verdict != verdicts.FEASIBLE:
        return False
    for other in range(len(state.arms)):
        rival = state.arms[other]
        if other != index and rival.verdict != verdicts.INFEASIBLE:
            if arm.goal.lower <= min(rival.goal.upper, state.highest) - state.tolerance:
                return False
    return True
