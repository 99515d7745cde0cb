"""The kernels of the limit test `tight_variance`, against direct computation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from surefoot.core import verdicts
from surefoot.core.answers import best
from surefoot.core.limit_tests import tight_variance
from surefoot.core.limits import VarianceLimit
from tests.flat import limit_parameters, limited
from tests.unit.tight_arms import QUESTION, draws, fold, rewards, wealth


def variance_parameters(limit, slack=0.0):
    question = limited(QUESTION, limit=VarianceLimit(limit, slack))
    return limit_parameters(tight_variance, question, best.in_fortieths(question))


def test_levels_of_the_variance_are_those_of_the_budget():
    found = variance_parameters(0.04, 0.01)
    assert found[:3] == pytest.approx((0.04, 0.05, 1))
    assert found[3:] == pytest.approx([math.log(40 / part / 0.05) for part in (7, 10, 2)])


@given(rewards, st.sampled_from([0.001, 0.04, 0.2]), st.sampled_from([0.0, 0.02]))
def test_the_feasible_bets_are_those_of_the_construction(values, limit, slack):
    wealth, X, Z, wide = 0.0, [], [], limit + slack
    for x in values:
        n, m = len(X), (0.5 + sum(X)) / (len(X) + 1)
        z, room = (x - m) ** 2, n * wide - sum(Z)
        worst = max(max(m, 1 - m) ** 2 - wide, 1e-3)
        if room > 0:
            stake = room / (wide**2 + sum((w - wide) ** 2 for w in Z) + 0.9 * room * worst)
            wealth += math.log(1 + min(stake, 0.95 / worst) * (wide - z))
        X.append(x)
        Z.append(z)
    assert fold(values, variance_parameters(limit, slack)).feasible_log_wealth == pytest.approx(wealth, abs=1e-6)


def parts_of(values, limit):
    """Of the wealth, what each stake takes at each reward that equals the mean."""
    following, X, Z = [], [], []
    for x in values:
        room = sum(Z) - len(Z) * limit
        scatter = 1 / 16 + sum((z - limit) ** 2 for z in Z)
        following.append(min(room * limit / (scatter + room * limit), 0.5) if room > 0 else 0.0)
        Z.append((x - (0.5 + sum(X)) / (len(X) + 1)) ** 2)
        X.append(x)
    return [[part] * len(values) for part in (0.12, 0.35, 0.7)] + [following]


@given(rewards, st.sampled_from([0.001, 0.04, 0.2]), st.floats(0, 1))
def test_a_parabola_lies_below_the_wealth_of_each_stake(values, limit, part):
    arm = fold(values, variance_parameters(limit))
    low, high = max(arm.floor, 0.0), min(1.0 - arm.headroom, 1.0)
    mean = low + part * (high - low)
    for k, parts in enumerate(parts_of(values, limit)):
        exact = sum(math.log(1 + p / limit * ((x - mean) ** 2 - limit)) for p, x in zip(parts, values, strict=True))
        assert parabola(arm, k, mean) <= exact + 1e-6 * (1 + abs(exact))


def parabola(arm, k, mean):
    away = mean - arm.centre
    return arm.height[k] + away * (arm.tilt[k] + away * arm.bend[k])


@given(rewards, st.sampled_from([1e-12, 0.001, 0.04, 0.2]))
def test_the_stake_that_follows_the_rewards(values, limit):
    arm = fold(values, variance_parameters(limit))
    assert arm.infeasible_part == pytest.approx(parts_of([*values, 0.5], limit)[3][-1], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("limit", [0.04, 1e-12])
@pytest.mark.parametrize("reward", [0.0, 0.3, 0.9])
@pytest.mark.parametrize(("floor", "headroom", "touching"), [(0.1, 0.2, 0.5), (0.6, 0.2, 0.6), (0.1, 0.7, 0.3)])
def test_a_parabola_touches_at_the_guess_with_the_least_curvature_there_is(reward, floor, headroom, touching, limit):
    arm = fold([], floor=floor, headroom=headroom, infeasible_part=0.2)
    tight_variance.settle_infeasible(arm, arm, reward, 0.5, limit)
    means = np.append(np.linspace(floor, 1 - headroom, 20_001), reward + np.linspace(-4e-4, 4e-4, 40_001))
    means = means[(means >= floor) & (means <= 1 - headroom)]
    assert arm.centre == pytest.approx(touching)
    for k, part in enumerate((0.12, 0.35, 0.7, 0.2)):
        stake = part / max(limit, 1e-9)
        factor = 1 + stake * ((reward - touching) ** 2 - limit)
        assert arm.height[k] == pytest.approx(math.log(factor))
        assert arm.tilt[k] == pytest.approx(-2 * stake * (reward - touching) / factor, abs=1e-6)
        w = stake / (1 - stake * limit) * (reward - means) ** 2
        curves = 2 * stake / (1 - stake * limit) * (1 - w) / (1 + w) ** 2
        assert 2 * arm.bend[k] == pytest.approx(curves.min(), rel=1e-3)


def test_parabolas_add_up_wherever_they_are_written_about():
    arm, alone = fold([], floor=0.1, headroom=0.2, infeasible_part=0.2), []
    for reward, guessed in ((0.2, 0.5), (0.9, 0.35), (0.4, 0.65)):
        tight_variance.settle_infeasible(arm, arm, reward, guessed, 0.04)
        single = fold([], floor=0.1, headroom=0.2, centre=guessed, infeasible_part=0.2)
        tight_variance.settle_infeasible(single, single, reward, guessed, 0.04)
        alone.append(single)
    for k in range(4):
        for mean in (0.15, 0.5, 0.8):
            assert parabola(arm, k, mean) == pytest.approx(sum(parabola(one, k, mean) for one in alone))


@pytest.mark.parametrize("scale", [0.3, 2.0, 40.0])
@pytest.mark.parametrize(
    ("left", "right"), [(-0.9, 0.1), (-0.2, 0.7), (0.1, 0.15), (0.3, 0.9), (-0.9, -0.6), (0.0, 0.2)]
)
def test_the_least_curvature(scale, left, right):
    u = scale * np.linspace(left, right, 50_001) ** 2
    found = tight_variance.least_curvature(scale, *tight_variance.distances(left, right))
    assert found == pytest.approx((2 * scale * (1 - u) / (1 + u) ** 2).min(), rel=1e-6)


@pytest.mark.parametrize("higher", [9.0, -9.0])
@pytest.mark.parametrize("seed", range(10))
def test_infeasible_wealth_is_the_mean_of_the_least_of_each_stake(seed, higher):
    generator = np.random.default_rng(seed)
    arm = fold([], centre=0.45, height=generator.normal(higher, 2, 4).tolist())
    arm.tilt, arm.bend = generator.normal(0, 3, 4).tolist(), generator.normal(0, 9, 4).tolist()
    away = np.linspace(0.2, 0.9, 100_001) - 0.45
    least = [(arm.height[k] + away * (arm.tilt[k] + away * arm.bend[k])).min() for k in range(4)]
    expected = math.log(sum(np.exp(least[:3])) / 6 + math.exp(least[3]) / 2)
    found = tight_variance.infeasible_wealth(arm, 0.2, 0.9)
    if higher > 0.0:
        assert found == pytest.approx(expected, abs=1e-6)
    else:  # roughly will do
        assert expected <= found < min(expected + math.log(4) + 1e-6, 0.0)


def test_verdicts_and_shares_follow_both_wealths():
    parameters = variance_parameters(0.04)
    arm = fold([])
    assert tight_variance.verdict(arm, arm, arm, parameters, 1.0) == verdicts.OPEN
    assert tight_variance.shares(arm, arm, arm, parameters, 1.0) == (0.0, 0.0)
    feasible, infeasible = parameters.feasible_level, parameters.infeasible_level
    for arm.feasible_log_wealth, arm.infeasible_log_wealth, verdict, shares in (
        (0.5 * feasible, 0.25 * infeasible, verdicts.OPEN, (0.5, 0.25)),
        (feasible, 0.0, verdicts.FEASIBLE, (1.0, 0.0)),
        (3.0 * feasible, -1.0, verdicts.FEASIBLE, (1.0, 0.0)),
        (-1.0, infeasible, verdicts.INFEASIBLE, (0.0, 1.0)),
        (feasible, 2.0 * infeasible, verdicts.INFEASIBLE, (1.0, 1.0)),
    ):
        assert tight_variance.verdict(arm, arm, arm, parameters, 1.0) == verdict
        assert tight_variance.shares(arm, arm, arm, parameters, 1.0) == pytest.approx(shares)
    untested = parameters._replace(tested=False)
    assert tight_variance.verdict(arm, arm, arm, untested, 1.0) == verdicts.FEASIBLE
    assert tight_variance.shares(arm, arm, arm, untested, 1.0) == (1.0, 0.0)


def test_the_mean_is_taken_between_floor_and_upper_end():
    for floor, headroom, expected in ((0.2, 0.3, (0.2, 0.7)), (-0.5, -0.5, (0.0, 1.0))):
        arm = fold([], floor=floor, headroom=headroom)
        assert tight_variance.means(arm, arm) == expected


@given(rewards, st.sampled_from([1e-12, 0.001, 0.04, 0.2]))
def test_the_infeasible_wealth_is_that_after_the_last_reward(values, limit):
    arm = fold(values, variance_parameters(limit))
    assert arm.infeasible_log_wealth == tight_variance.infeasible_wealth(arm, *tight_variance.means(arm, arm))


def test_the_floor_is_the_lower_end_at_its_own_level():
    values = draws(5, 120)
    arm = fold(values, variance_parameters(0.04), due=120.0)
    low = brentq(lambda x: wealth(values, x) - variance_parameters(0.04).floor_level, 1e-9, arm.mean)
    assert low > arm.low  # which may fail less often
    assert low - 2e-3 * (arm.mean - low) <= arm.floor <= low + 1e-12
