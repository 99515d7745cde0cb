"""Rankers, one step at a time, against a plain reading of what they should do."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.ranking import scan, tournament
from tests.unit.test_policies import FEASIBLE, INFEASIBLE, OPEN, record, state_of

tenths = st.sampled_from([round(0.1 * k, 1) for k in range(11)])
rows = st.lists(
    st.tuples(tenths, tenths, tenths, st.sampled_from([OPEN, FEASIBLE, INFEASIBLE])), min_size=1, max_size=7
)


def first_largest(values):
    """The index of the largest, the smallest such index; -1 if there is none."""
    return max(values, key=lambda index: (values[index], -index)) if values else -1


def expected(arms):
    left = [index for index, arm in enumerate(arms) if arm.verdict != INFEASIBLE]
    leader = first_largest({index: arms[index].mean for index in left})
    optimist = first_largest({index: arms[index].upper for index in left})
    second = first_largest({index: arms[index].upper for index in left if index != optimist})
    return leader, optimist, second


@given(rows)
def test_a_scan_ranks_the_arms(rows):
    arms = [record(*row) for row in rows]
    state = state_of(arms, scan.board(len(arms)))
    assert scan.runner_up(state, 0) == -1  # nobody, before the first ranking
    ranking = scan.rank(state)
    leader, optimist, second = expected(arms)
    assert ranking[:2] == (leader, optimist)
    assert scan.runner_up(state, optimist) == second
    known = {index: arm.lower for index, arm in enumerate(arms) if arm.verdict == FEASIBLE}
    assert ranking.incumbent == first_largest(known)


@given(rows, st.lists(st.integers(0, 6), max_size=8))
def test_a_tournament_ranks_the_arms_also_without_some(rows, out):
    arms = [record(*row) for row in rows]
    state = state_of(arms, tournament.board(len(arms)))
    for index, arm in enumerate(arms):
        tournament.trees.place(state.board.mean, index, arm.mean)
        tournament.rank_upper(state.board, index, arm.upper)
        if arm.verdict == INFEASIBLE:
            tournament.drop(state.board, index)
        if arm.verdict == FEASIBLE:
            tournament.rank_lower(state, index)
    for index in out:
        if index < len(arms):
            tournament.leave_out(state, index)
            assert arms[index].verdict == INFEASIBLE
        leader, optimist, second = expected(arms)
        ranking = tournament.rank(state)
        assert ranking[:2] == (leader, optimist)
        if optimist >= 0:
            assert tournament.runner_up(state, optimist) == second
        known = {index: arm.lower for index, arm in enumerate(arms) if arm.verdict == FEASIBLE}
        if ranking.incumbent < 0:
            assert not known
        elif index < len(arms):
            assert ranking.incumbent == first_largest(known)


def test_a_scan_ranks_the_others_without_an_arm_that_is_left_out():
    arms = [record(0.5, 0.4, 0.8, FEASIBLE), record(0.6, 0.5, 0.7, FEASIBLE)]
    state = state_of(arms, scan.board(2))
    assert scan.rank(state).leader == 1
    scan.leave_out(state, 1)
    assert arms[1].verdict == INFEASIBLE
    assert scan.rank(state) == (0, 0, 0)


def test_arms_behind_another_come_back_when_it_is_left_out():
    arms = [record(0.5, 0.4, 0.8, FEASIBLE), record(0.6, 0.5, 0.7, FEASIBLE), record(0.2, 0.1, 0.3, OPEN)]
    state = state_of(arms, tournament.board(3))
    for index, arm in enumerate(arms):
        tournament.trees.place(state.board.mean, index, arm.mean)
        tournament.rank_upper(state.board, index, arm.upper)
    tournament.rank_lower(state, 1)
    tournament.mark_beaten(state, 0, 1)
    tournament.mark_beaten(state, 2, 1)
    assert [arm.beaten_by for arm in arms] == [2, 0, 2]
    assert tournament.rank(state) == (1, 1, 1)
    assert tournament.runner_up(state, 1) == -1
    tournament.revise_upper(state, 0, 0.75)
    assert arms[0].upper == 0.75
    assert tournament.rank(state).optimist == 1
    arms[2].verdict = INFEASIBLE
    tournament.leave_out(state, 1)
    assert arms[1].verdict == INFEASIBLE
    assert [arm.beaten_by for arm in arms] == [0, 0, 0]
    assert tournament.rank(state) == (0, 0, 0)
    assert tournament.runner_up(state, 0) == -1
    tournament.revise_upper(state, 0, 0.6)
    assert state.board.upper[2 * (4 + 0)] == 0.6


def test_arms_owed_a_pull_are_added_once():
    owed = SimpleNamespace(
        tick=lambda parameters, t: float(t), owed=lambda arm, parameters, tick: arm.mean > 0.5 and tick == 8.0
    )
    arms = [record(0.9), record(0.2), record(0.8, verdict=INFEASIBLE), record(0.7), record(0.6)]
    state = state_of(arms, scan.board(5))
    state.asked[:2] = [1, 3]
    original, scan.mean_bound = scan.mean_bound, owed
    try:
        assert scan.add_owed(state, 7, 2) == 4
    finally:
        scan.mean_bound = original
    assert state.asked[:4] == [1, 3, 0, 4]
