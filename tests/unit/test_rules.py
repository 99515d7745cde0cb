"""Stopping with a tolerance returns an arm that is surely good enough."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from surefoot.core import verdicts
from surefoot.core.answers import best
from surefoot.core.assembly import assemble
from surefoot.problem import Problem, choice
from surefoot.problem.kernel_question import question_of

arms = st.lists(
    st.tuples(
        st.floats(0, 1), st.floats(0, 0.3), st.sampled_from([verdicts.OPEN, verdicts.FEASIBLE, verdicts.INFEASIBLE])
    ),
    min_size=1,
    max_size=6,
)


def standing(rows, tolerance):
    problem = Problem(arms=[str(index) for index in range(len(rows))], risk="variance <= 0.1", tolerance=tolerance)
    program = choice.program(problem, "va-lucb", "sharp")
    kernels = assemble(best, program.parts)
    state = program.start(question_of(problem), packed=False)
    for index, (middle, radius, verdict) in enumerate(rows):
        arm = state.arms[index]
        arm.metric.mean, arm.verdict = middle, verdict
        arm.goal.lower, arm.goal.upper = middle - radius, middle + radius
        out = verdict == verdicts.INFEASIBLE
        kernels.ranker.trees.place(state.board.mean, index, -np.inf if out else middle)
        kernels.ranker.rank_upper(state.board, index, -np.inf if out else middle + radius)
        if verdict == verdicts.FEASIBLE:
            kernels.ranker.rank_lower(state, index)
    return kernels, state


@given(arms, st.sampled_from([0.0, 0.05, 0.3]))
@example([(0.50, 0.01, verdicts.FEASIBLE), (0.52, 0.02, verdicts.OPEN)], 0.3)  # the incumbent, before the optimist
@example([(0.52, 0.02, verdicts.OPEN), (0.50, 0.01, verdicts.FEASIBLE)], 0.3)
def test_stops_exactly_when_some_feasible_arm_surpasses_all_others(rows, tolerance):
    kernels, state = standing(rows, tolerance)
    step = kernels.settled(state, kernels.ranker.rank(state))
    possible = [index for index, row in enumerate(rows) if row[2] != verdicts.INFEASIBLE]
    lower = [middle - radius for middle, radius, _ in rows]
    upper = [middle + radius for middle, radius, _ in rows]
    winners = [
        i
        for i in possible
        if rows[i][2] == verdicts.FEASIBLE
        and all(lower[i] > min(upper[j], 1.0) - tolerance for j in possible if j != i)
    ]
    if not possible:
        assert step.status == verdicts.NO_ARM
    elif winners:
        assert step.status == verdicts.BEST
        assert step.arm in winners
    else:
        assert step.status == verdicts.UNDECIDED
