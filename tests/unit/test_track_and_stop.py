"""Track-and-Stop, one step at a time, and the costs of alternatives that it weighs."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from surefoot.core import normal_evidence, records, transport, verdicts
from surefoot.core.bounds import student
from surefoot.core.limits import VarianceLimit
from surefoot.core.policies import (
    track_and_stop,
)
from surefoot.core.state import Ranking
from surefoot.core.statistics import Statistics
from surefoot.problem import Problem, choice
from surefoot.problem.kernel_question import question_of


def gaussian_state(rows, risk="variance <= 1", tolerance=0.0):
    """Of Track-and-Stop, for each arm n, mean and variance of what came after the base."""
    problem = Problem(
        arms=[str(index) for index in range(len(rows))], risk=risk, rewards="gaussian", tolerance=tolerance
    )
    state = choice.program(problem, "track-and-stop").start(question_of(problem), packed=False)
    for arm, (later, mean, variance) in zip(state.arms, rows, strict=True):
        arm.goal.later, arm.goal.later_mean, arm.goal.later_variance = later, mean, variance
        arm.goal.base, arm.goal.base_spread = 3.0, 3.0 * variance
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


def test_levels_and_limits():
    question = question_of(Problem(arms=["A", "B", "C"], risk="variance <= 0.5", risk_slack=0.25, rewards="gaussian"))
    delta = question.delta
    found = track_and_stop.parameters(question)
    assert found == pytest.approx((0.5, 0.75, math.log(6 / delta), math.log(2 / delta)))
    unlimited = question._replace(limits=())
    assert track_and_stop.parameters(unlimited).best_level == pytest.approx(math.log(2 / delta))
    assert track_and_stop.parameters(unlimited._replace(arms=1)).best_level == pytest.approx(math.log(1 / delta))


def test_an_arm_is_ruled_out_by_its_variance_alone():
    state = gaussian_state([(40.0, 1.0, 2.5), (40.0, 0.0, 0.4)])
    level = state.policy_parameters.none_level
    assert normal_evidence.against_variance(state.arms[0].goal, state.arms[0].metric, 1.0) > level
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
    assert question.variance_limit == VarianceLimit(1.0, 0.0)
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
        normal_evidence.against_variance(
            SimpleNamespace(base_spread=0.0, later=3.0), SimpleNamespace(spread=1e308), 1e-300
        )
        == math.inf
    )
