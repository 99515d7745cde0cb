"""Rankers and policies, one step at a time, against a plain reading of what they should do."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core import verdicts, warm_ups
from surefoot.core.policies import (
    lil_ucb,
    risk_averse_ucb,
    successive_elimination,
    va_lucb,
    va_uniform,
)
from surefoot.core.ranking import scan, tournament
from surefoot.core.state import Ranking, State
from tests.flat import flat

OPEN, FEASIBLE, INFEASIBLE = verdicts.OPEN, verdicts.FEASIBLE, verdicts.INFEASIBLE
tenths = st.sampled_from([round(0.1 * k, 1) for k in range(11)])


rows = st.lists(
    st.tuples(tenths, tenths, tenths, st.sampled_from([OPEN, FEASIBLE, INFEASIBLE])), min_size=1, max_size=7
)


def record(mean=0.0, lower=-math.inf, upper=math.inf, verdict=OPEN, **fields):
    return flat(mean=mean, lower=lower, upper=upper, verdict=verdict, **fields)


def state_of(arms, board=None, policy_parameters=None, tolerance=0.0):
    return State(arms, board, None, None, None, policy_parameters, tolerance, 1.0, [0] * (len(arms) + 2), arms)


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


def test_warm_ups():
    asked = [9] * 6
    assert [warm_ups.arm_by_arm(asked, 3, t, 2) for t in (1, 2, 3, 4)] == [2, 2, 2, 0]
    assert asked == [2, 2, 9, 9, 9, 9]
    assert [warm_ups.all_at_once(asked, 4, t, 2) for t in (1, 2, 3)] == [4, 4, 0]
    assert asked == [0, 1, 2, 3, 9, 9]


def test_va_lucb_pulls_leader_and_challenger_while_it_may_be_better():
    arms = [record(0.5, 0.4, 0.6), record(0.3, 0.2, 0.7), record(0.2, 0.1, 0.3)]
    state = state_of(arms, tournament.board(3))
    assert va_lucb.choose(state, Ranking(0, 1, -1), None) == 2
    assert state.asked[:2] == [0, 1]
    for upper, pulls in ((0.41, 2), (0.4, 2), (0.39, 1)):
        arms[1].upper = upper
        assert va_lucb.choose(state, Ranking(0, 1, -1), None) == pulls


@pytest.mark.parametrize("arms", [1, 2, 5])
def test_va_uniform_draws_two_distinct_arms_alike(arms):
    generator, counts = np.random.default_rng(1), np.zeros((arms, arms))
    state = state_of([record()] * arms)
    for _ in range(4000):
        pulls = va_uniform.choose(state, None, generator)
        assert pulls == min(arms, 2)
        counts[state.asked[0], state.asked[1] if pulls == 2 else 0] += 1
    if arms > 1:
        assert np.all(np.diag(counts) == 0)
        others = counts[~np.eye(arms, dtype=bool)]
        assert np.all(np.abs(others - 4000 / others.size) < 6 * math.sqrt(4000 / others.size))


def test_lil_ucb_pulls_the_largest_mean_plus_two_radii():
    arms = [
        record(0.5, upper=0.6),
        record(0.3, upper=0.55),
        record(0.1, upper=0.9, verdict=INFEASIBLE),
        record(0.4, upper=0.59),
    ]
    for shift in (0.0, -7.0):  # rewards without a range may all be below 0
        for arm in arms:
            arm.mean, arm.upper = arm.mean + shift, arm.upper + shift
        state = state_of(arms)
        assert lil_ucb.choose(state, None, None) == 1
        assert state.asked[0] == 1


def test_successive_elimination_pulls_who_may_still_be_best():
    arms = [
        record(0.5, 0.45, 0.6, FEASIBLE),
        record(0.4, 0.3, 0.5, OPEN),
        record(0.4, 0.3, 0.44, OPEN),
        record(0.9, 0.8, 1.0, INFEASIBLE),
    ]
    state = state_of(arms)
    assert successive_elimination.choose(state, Ranking(0, 0, 0), None) == 2
    assert state.asked[:2] == [0, 1]
    assert successive_elimination.choose(state, Ranking(0, 0, -1), None) == 3
    assert state.asked[:3] == [0, 1, 2]


@pytest.mark.parametrize(
    ("upper", "verdict", "t", "status"),
    [
        (0.6, FEASIBLE, 9, verdicts.BEST),  # a radius of half the accuracy
        (0.61, FEASIBLE, 9, verdicts.UNDECIDED),
        (0.6, OPEN, 9, verdicts.UNDECIDED),
        (0.6, FEASIBLE, 4, verdicts.UNDECIDED),  # nothing but the warm-up
        (0.6, FEASIBLE, 5, verdicts.BEST),
        (0.9, OPEN, 97, verdicts.UNDECIDED),
        (0.9, OPEN, 98, verdicts.BEST),  # 2 N + (t - 1 - N) = 100 rounds are over
    ],
)
def test_risk_averse_ucb_judges_the_arm_pulled_last(upper, verdict, t, status):
    arms = [record(0.9, upper=0.95), record(0.5, upper=upper, verdict=verdict), record(0.1, upper=0.2)]
    state = state_of(arms, policy_parameters=SimpleNamespace(accuracy=0.2, horizon=100.0))
    state.asked[0] = 1
    step = risk_averse_ucb.stop(state, Ranking(0, 0, -1), t)
    assert step.status == status
    assert step.arm == (1 if status == verdicts.BEST else -1)
    assert risk_averse_ucb.stop(state, Ranking(-1, -1, -1), t).status == verdicts.NO_ARM
    assert risk_averse_ucb.choose(state, Ranking(0, 2, -1), None) == 1
    assert state.asked[0] == 2
