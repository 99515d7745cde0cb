"""The loop that adds a log, row by row, to the evidence of its arms, and looks after each row whether it decides."""

from collections.abc import Sequence

from surefoot.core import folding, verdicts
from surefoot.core.policies import va_lucb as policy
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import State, Step
from surefoot.work import last_column as columns


def replay(state: State, arms: Sequence[int], results: Sequence[Sequence[float]], warm_pulls: int) -> Step:
    """Every result, in order, as a study records it; and the first decision of a look after each. `results` has a column for
    each metric.

    A study looks once every arm has had `warm_pulls`. If these are 0, nobody looks.
    """
    arms_not_warm = len(state.arms)
    step = Step(verdicts.UNDECIDED, -1, 0)
    for row in range(len(arms)):
        index = arms[row]
        if index < 0:  # never: it spares the compiler a check for a negative index at every use of `index`
            break
        arm = state.arms[index]
        folding.fold(state, index, columns.row(results, row))
        if arm.metric.pulls == warm_pulls:
            arms_not_warm -= 1
        if arms_not_warm == 0 and step.status == verdicts.UNDECIDED:
            step = policy.stop(state, ranker.rank(state), row + 2)
    return step
