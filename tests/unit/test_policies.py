"""Rankers and policies, one step at a time, against a plain reading of what they should do."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core import normal_evidence, records, transport, verdicts, warm_ups
from surefoot.core.bounds import student
from surefoot.core.limits import VarianceLimit
from surefoot.core.policies import (
    lil_ucb,
    risk_averse_ucb,
    successive_elimination,
    track_and_stop,
    va_lucb,
    va_uniform,
)
from surefoot.core.ranking import scan, tournament
from surefoot.core.state import Ranking, State
from surefoot.core.statistics import Statistics
from surefoot.problem import Problem, choice
from surefoot.problem.kernel_question import question_of
from tests.flat import flat

OPEN, FEASIBLE, INFEASIBLE = verdicts.OPEN, verdicts.FEASIBLE, verdicts.INFEASIBLE
tenths = st.sampled_from([round(0.1 * k, 1) for k in range(11)])
rows = st.lists(
    st.tuples(tenths, tenths, tenths, st.sampled_from([OPEN, FEASIBLE, INFEASIBLE])), min_size=1, max_size=7
)


def record(mean=0.0, lower=-math.inf, upper=math.inf, verdict=OPEN, **fields):
    return flat(mean=mean, lower=lower, upper=upper, verdict=verdict, **fields)


def state_of(arms, board=None, mean_parameters=None, tolerance=0.0):
    return State(arms, board, None, mean_parameters, None, tolerance, 1.0, [0] * (len(arms) + 2), arms)


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
    state = state_of(arms, mean_parameters=SimpleNamespace(accuracy=0.2, horizon=100.0))
    state.asked[0] = 1
    step = risk_averse_ucb.stop(state, Ranking(0, 0, -1), t)
    assert step.status == status
    assert step.arm == (1 if status == verdicts.BEST else -1)
    assert risk_averse_ucb.stop(state, Ranking(-1, -1, -1), t).status == verdicts.NO_ARM
    assert risk_averse_ucb.choose(state, Ranking(0, 2, -1), None) == 1
    assert state.asked[0] == 2


def gaussian_state(rows, risk="variance <= 1", tolerance=0.0):
    """Of Track-and-Stop, for each arm n, mean and variance of what came after the base."""
    problem = Problem(
        arms=[str(index) for index in range(len(rows))], risk=risk, rewards="gaussian", tolerance=tolerance
    )
    state = choice.program(problem, "track-and-stop").start(question_of(problem), packed=False)
    for arm, (later, mean, variance) in zip(state.arms, rows, strict=True):
        arm.goal.later, arm.goal.later_mean, arm.goal.later_variance = later, mean, variance
        arm.metric.pulls, arm.metric.mean, arm.metric.spread = later + 3.0, mean, (later + 3.0) * variance
    return state


def cheapest(first, second, limit, tolerance=0.0):
    """The least cost of a common mean, over a grid of means."""
    n, x, s = first
    m, y, u = second
    means = np.linspace(y - tolerance, x, 20_001)
    down = n / 2 * np.log1p((x - means) ** 2 / s)
    far = u + (means - y + tolerance) ** 2
    target = np.minimum(far, limit)
    return (down + m / 2 * (np.log(target / u) + far / target - 1)).min()


@pytest.mark.parametrize("tolerance", [0.0, 0.2])
def test_evidence_against_a_rival_is_the_cheapest_alternative(tolerance):
    rows = [(30.0, 1.5, 0.6), (50.0, 0.4, 0.9), (9.0, 0.1, 0.2)]
    state = gaussian_state(rows, tolerance=tolerance)
    state.arms[0].goal.credit, state.arms[1].goal.credit, state.arms[2].goal.credit = -2.0, -3.0, -5.0
    for rival, credit in ((1, -5.0), (2, -7.0)):
        found = track_and_stop.evidence_against(state, 0, rival)
        assert found == pytest.approx(cheapest(rows[0], rows[rival], 1.0, tolerance) + credit, rel=1e-6)


def test_an_arm_is_ruled_out_by_its_variance_alone():
    state = gaussian_state([(40.0, 1.0, 2.5), (40.0, 0.0, 0.4)])
    level = state.mean_parameters.none_level
    assert normal_evidence.against_variance(state.arms[0].goal, 1.0) > level
    assert track_and_stop.ruled_out(state, 0)
    assert not track_and_stop.ruled_out(state, 1)
    state.arms[0].goal.credit = -20.0
    assert not track_and_stop.ruled_out(state, 0)


def test_track_and_stop_stops_when_no_alternative_is_left():
    best, rival, risky = (400.0, 1.5, 0.4), (400.0, 0.2, 0.4), (400.0, 5.0, 2.5)
    ranking = Ranking(0, 0, 0)

    def answer(*rows, risk="variance <= 1", credits=()):
        state = gaussian_state(rows, risk)
        for arm, credit in zip(state.arms, credits, strict=False):
            arm.goal.credit = credit
        return track_and_stop.stop(state, ranking, 9)

    assert answer(best, rival, risky) == (verdicts.BEST, 0, 0)
    assert answer(rival, best) == (verdicts.BEST, 1, 0)
    assert answer(risky, risky) == (verdicts.NO_ARM, -1, 0)
    assert answer(best, rival, (1.0, 0.0, 0.4)) == (verdicts.UNDECIDED, -1, 0)  # nothing is known of the last
    assert answer(best, (400.0, 1.45, 0.4)) == (verdicts.UNDECIDED, -1, 0)  # too close
    assert answer((400.0, 1.5, 0.95), rival) == (verdicts.UNDECIDED, -1, 0)  # too close to the limit
    assert answer((400.0, 1.5, 0.95), rival, risk="none") == (verdicts.BEST, 0, 0)
    assert answer(best, rival, (400.0, 5.0, 1.05)) == (verdicts.UNDECIDED, -1, 0)  # the risky one may be feasible
    assert answer(risky, (400.0, 5.0, 1.05)) == (verdicts.UNDECIDED, -1, 0)
    assert answer(best, rival, risky, credits=(-300.0,)) == (verdicts.UNDECIDED, -1, 0)


def test_the_front_runner_has_the_best_mean_of_those_that_look_feasible():
    rows = [(9.0, 0.5, 0.9), (9.0, 0.9, 1.1), (9.0, 0.7, 1.0), (9.0, 0.6, 0.1)]
    assert track_and_stop.front_runner(gaussian_state(rows)) == 2
    assert track_and_stop.front_runner(gaussian_state([rows[1]])) == -1


def test_track_and_stop_pulls_who_is_farthest_behind_its_share():
    state = gaussian_state([(100.0, 1.0, 0.4), (100.0, 0.0, 0.4), (97.0, 0.1, 0.4)])
    state.policy[0].due = 1e9
    state.arms[0].policy.target, state.arms[1].policy.target, state.arms[2].policy.target = 0.35, 0.36, 0.29
    assert track_and_stop.choose(state, None, None) == 1
    assert state.asked[0] == 1
    state.policy[0].due = 0.0
    track_and_stop.choose(state, None, None)
    pulls = sum(arm.metric.pulls for arm in state.arms)
    assert state.policy[0].due == pytest.approx(1.05 * pulls)
    assert sum(arm.policy.target for arm in state.arms) == pytest.approx(1.0)


def test_track_and_stop_pulls_rare_and_unknown_arms_first():
    state = gaussian_state([(100.0, 1.0, 0.4), (100.0, 0.0, 0.4), (9.0, 0.1, 0.4)])
    state.policy[0].due = 1e9
    state.arms[0].policy.target = 1.0
    track_and_stop.choose(state, None, None)
    assert state.asked[0] == 2  # 12 pulls are fewer than sqrt(218) - 1.5
    state.arms[2].metric.pulls = 14.0
    track_and_stop.choose(state, None, None)
    assert state.asked[0] == 0
    state.arms[1].metric.pulls, state.arms[2].metric.pulls = 5.0, 6.0
    track_and_stop.choose(state, None, None)
    assert state.asked[0] == 1
    state.arms[1].metric.pulls, state.arms[2].metric.pulls = 103.0, 14.0
    state.arms[1].goal.later_variance = 0.0
    track_and_stop.choose(state, None, None)
    assert state.asked[0] == 1
    state.arms[0].goal.later_variance = 0.0
    state.arms[0].metric.pulls = 90.0
    track_and_stop.choose(state, None, None)
    assert state.asked[0] == 0


@pytest.mark.parametrize("seed", range(150))
def test_meeting_is_the_cheapest_of_all_means_where_there_are_several_minima(seed):
    generator = np.random.default_rng(seed)
    weights, spreads = 10.0 ** generator.uniform(-1, 1, 2), 10.0 ** generator.uniform(-4, 0, 2)
    high, limit = 10.0 ** generator.uniform(-1, 1), float(generator.choice([0.05, 0.5, 20.0]))
    m = transport.meeting(weights[0], high, spreads[0], weights[1], 0.0, spreads[1], limit)

    def cost(x):
        return weights[0] * transport.lowering(high, spreads[0], x) + weights[1] * transport.raising(
            0.0, spreads[1], x, limit
        )

    grid = np.concatenate([np.linspace(0, high, 400), np.geomspace(1e-6, 1, 100) * high])
    assert cost(m) <= min(map(cost, grid)) * (1 + 1e-12)


def test_costs_of_alternatives():
    assert transport.lowering(1.0, 0.5, 0.4) == pytest.approx(0.5 * math.log(1 + 0.36 / 0.5))
    assert transport.lowering(1.0, 0.5, 1.0) == transport.lowering(1.0, 0.5, 1.4) == 0.0
    assert transport.crossing(0.5, 2.0) == pytest.approx(0.5 * (0.25 - 1 + math.log(4)))
    assert transport.raising(0.0, 0.5, 0.4, 9.0) == pytest.approx(0.5 * math.log(0.66 / 0.5))
    assert transport.raising(0.0, 0.5, 0.4, 0.6) == pytest.approx(0.5 * (math.log(1.2) + 1.1 - 1))
    assert transport.meeting(1.0, 0.3, 0.5, 1.0, 0.3, 0.5, 9.0) == 0.3
    assert transport.meeting(1.0, 0.2, 0.5, 1.0, 0.3, 0.5, 9.0) == 0.3


def test_where_a_cubic_rises_through_zero():
    cubic = (1.0, -6.0, 11.0, -6.0)  # (x - 1)(x - 2)(x - 3)
    assert transport.rising_root(*cubic, 0.0, 1.4) == pytest.approx(1.0)
    assert transport.rising_root(*cubic, 2.6, 9.0) == pytest.approx(3.0)
    assert transport.rising_root(*cubic, 1.4, 2.6) == 1.4  # falls
    assert transport.rising_root(*cubic, 3.0, 4.0) == 3.0
    assert transport.rising_root(*cubic, 0.0, 0.5) == 0.0
    assert transport.rising_root(*cubic, 0.0, 1.0) == 0.0


def test_rounding_is_no_variance():
    question = question_of(Problem(arms=["A"], rewards="gaussian", risk="variance <= 1"))
    assert question.limit == VarianceLimit(1.0, 0.0)
    arm = records.plain_record(Statistics, student.Evidence)()
    arm.later, arm.mean, arm.spread, arm.later_variance = 2.0, 2.0**33, 0.0, 3.9
    assert not normal_evidence.known(arm, arm)  # a deviation of 2 is what a mean of 2^33 may leave of none
    arm.later_variance = 4.1
    assert normal_evidence.known(arm, arm)
    arm.spread = 2.0**32 * 9.0  # 4.5 of a spread so large may be rounding
    assert not normal_evidence.known(arm, arm)
    arm.later_variance = 4.6
    assert normal_evidence.known(arm, arm)
    arm.later = 1.0
    assert not normal_evidence.known(arm, arm)
    assert normal_evidence.radius(arm, arm, 3.0, 9.0) == math.inf


def test_the_base_waits_for_rewards_that_differ():
    arm = records.plain_record(Statistics, student.Evidence)()
    arm.pulls, arm.mean, arm.spread = 4.0, 2.0**33, 15.9
    normal_evidence.observe(arm, arm)
    assert arm.base == 0.0
    arm.spread = 16.0
    normal_evidence.observe(arm, arm)
    assert arm.base == 0.0
    arm.spread = 16.1
    normal_evidence.observe(arm, arm)
    assert (arm.base, arm.base_mean, arm.base_spread) == (4.0, 2.0**33, 16.1)
    arm = records.plain_record(Statistics, student.Evidence)()
    arm.pulls, arm.spread = 2.0, 1.0
    normal_evidence.observe(arm, arm)
    assert arm.base == 0.0


def test_radii_that_are_too_large_to_compute():
    arm = records.plain_record(Statistics, student.Evidence)()
    arm.later, arm.later_variance, arm.credit, arm.pulls = 4.0, 1.0, -1.0, 7.0
    assert normal_evidence.radius(arm, arm, 1399.0, 4.0) == math.inf
    assert normal_evidence.radius(arm, arm, 1398.0, 4.0) == pytest.approx(math.exp(1399.0 / 4.0))
    assert normal_evidence.radius(arm, arm, 3.0, 4.0) == pytest.approx(math.sqrt(math.exp(2.0) - 1.0))
    arm.mean = 1e9
    assert normal_evidence.radius(arm, arm, 3.0, 4.0) - math.sqrt(math.exp(2.0) - 1.0) == pytest.approx(
        1e9 / 2**50 * 7 / 4
    )
    assert (
        normal_evidence.against_variance(SimpleNamespace(later_variance=1e300, later=3.0, credit=0.0), 1e-300)
        == math.inf
    )
