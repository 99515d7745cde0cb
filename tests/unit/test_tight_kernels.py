"""The kernels of the bounds `tight`, against direct computation."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from surefoot.core import statistics
from surefoot.core.bounds import tight
from tests.unit.tight_arms import BETS, LEVELS, PRIOR, draws, fold, pair_wealth, pair_weights, rewards, wealth


def test_levels_are_those_of_the_budget():
    assert LEVELS.lower_level == pytest.approx(math.log(40 / 0.5 / 0.05))
    assert LEVELS.upper_level == pytest.approx(math.log(40 / 2 / 0.05))
    assert LEVELS.pair_level == pytest.approx(math.log(40 / 13 / 0.05))


def test_bets_and_weights_are_those_of_the_construction():
    assert pytest.approx(BETS) == tight.BETS
    assert np.exp(tight.LOG_WEIGHTS) == pytest.approx(PRIOR / PRIOR.sum())


@given(rewards)
def test_bets_are_settled_on_every_reward(values):
    arm = fold(values)
    for k, b in enumerate(BETS):
        rise, fall = sum(math.log1p(b * x) for x in values), sum(math.log1p(b * (1 - x)) for x in values)
        assert arm.rises[k] + math.log(arm.rise_products[k]) == pytest.approx(rise, abs=1e-9)
        assert arm.falls[k] + math.log(arm.fall_products[k]) == pytest.approx(fall, abs=1e-9)


@pytest.mark.parametrize("reward", [0.0, 1.0])
def test_products_are_settled_before_they_overflow(reward):
    arm = fold([reward] * 400, due=math.inf)
    assert 0 < arm.settled < 400
    sums, products = (arm.rises, arm.rise_products) if reward else (arm.falls, arm.fall_products)
    assert sums[0] + math.log(products[0]) == pytest.approx(400 * math.log(33.0))


def test_bounds_are_renewed_when_an_arm_has_two_percent_more_pulls():
    arm, due = fold([0.5]), 2.0
    for n in range(2, 400):
        statistics.observe(arm, 0.5, 0.5)
        tight.observe(arm, arm, LEVELS, 0.5)
        if n >= due:
            due = max(n + 1.0, 1.02 * n)
            assert arm.settled == n
        assert arm.settled <= n
        assert arm.due == due


@given(rewards, st.floats(0, 1))
def test_wealth_is_the_mean_of_the_bets(values, x):
    arm = fold(values)
    tight.settle(arm, arm)
    found, slope = tight.wealth(arm.rises, arm.settled, x)
    assert found == pytest.approx(wealth(values, x), abs=1e-9)
    step = 1e-6
    rise = (wealth(values, x + step) - wealth(values, x - step)) / (2 * step)
    assert slope == pytest.approx(rise, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("start", [0.0, 0.05])
def test_the_lower_end_is_where_the_wealth_reaches_the_level_or_a_little_less(seed, start):
    values = draws(seed, 60 + 100 * seed)
    arm = fold(values)
    tight.settle(arm, arm)
    found = tight.lower_end(arm.rises, arm.settled, 4.0, start, arm.mean)
    root = brentq(lambda x: wealth(values, x) - 4.0, 1e-9, arm.mean)
    assert start <= found <= root + 1e-12
    assert root - found <= 2e-3 * (arm.mean - root)


def test_the_lower_end_of_what_is_not_refuted():
    arm = fold([0.5, 0.3])
    gain = wealth([0.5, 0.3], 0.0)
    assert 0 < gain < 4
    assert tight.lower_end(arm.rises, 2.0, 4.0, 0.0, 0.4) == pytest.approx((gain - 4.0) / 2.0)
    assert tight.lower_end(arm.rises, 2.0, 4.0, -0.3, 0.4) == pytest.approx((gain - 4.0) / 2.0)
    assert tight.lower_end(arm.rises, 2.0, 4.0, 0.2, 0.4) == 0.2  # what was refuted before stays refuted
    assert tight.lower_end([0.0] * 12, 2.0, 4.0, 0.0, 0.0) == pytest.approx(-2.0)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_what_the_bets_do_not_refute(seed):
    values = draws(seed, 150)
    arm = fold(values, due=150.0)
    lower, upper = tight.interval(arm, arm, LEVELS, 1.0)
    low = brentq(lambda x: wealth(values, x) - LEVELS.lower_level, 1e-9, arm.mean)
    high = 1 - brentq(lambda x: wealth([1 - v for v in values], x) - LEVELS.upper_level, 1e-9, 1 - arm.mean)
    assert low - 2e-3 * (arm.mean - low) <= lower <= low + 1e-12
    assert high - 1e-12 <= upper <= high + 2e-3 * (high - arm.mean)


def test_anticipated_bounds_shrink_with_the_root_of_the_pulls_or_with_the_pulls():
    arm = SimpleNamespace(pulls=30.0, mean=0.4, headroom=0.2)
    assert tight.anticipate(arm, arm, LEVELS, 10.0, 1.0) == pytest.approx(0.4 + 0.4 * math.sqrt(0.75))
    arm.headroom = -0.4
    assert tight.anticipate(arm, arm, LEVELS, 10.0, 1.0) == pytest.approx(0.4 + 1.0 * 0.75)
    arm.headroom = 0.0
    assert tight.anticipate(arm, arm, LEVELS, 10.0, 1.0) == pytest.approx(0.4 + 0.6 * math.sqrt(0.75))


@pytest.mark.parametrize("seed", range(8))
def test_evidence_that_two_arms_are_apart_is_the_least_over_what_lies_between(seed):
    one, other = draws(seed, 40 + 20 * seed, 4, 2), draws(seed + 100, 200 - 20 * seed, 2, 3)
    first, second = fold(one), fold(other)
    tight.settle(first, first)
    tight.settle(second, second)
    first.lower, second.upper = 0.2, 0.8
    grid = np.linspace(0.2, 0.8, 501)
    least = pair_wealth(one, other, grid, grid).min()
    for level in (least - 0.01, least + 0.01, 0.5 * least, 2.0 * least):
        found = tight.pair_log_evidence(first, second, LEVELS._replace(pair_level=level))
        assert found <= least + 1e-9
        assert (found >= level) == (least >= level)


def test_arms_are_apart_by_their_own_bounds_at_the_ends_of_what_is_left():
    one, other = draws(1, 50, 4, 2), draws(2, 70, 2, 3)
    first, second = fold(one), fold(other)
    tight.settle(first, first)
    tight.settle(second, second)

    def both(x):
        return pair_wealth(one, other, x, x)

    for first.lower, second.upper, where in ((0.6, 0.9, 0.6), (0.1, 0.4, 0.4), (0.5, 0.5, 0.5)):
        assert tight.pair_log_evidence(first, second, LEVELS._replace(pair_level=5.0)) == pytest.approx(both(where))
    first.lower, second.upper = 0.5, 0.4
    assert tight.pair_log_evidence(first, second, LEVELS._replace(pair_level=5.0)) == math.inf
    first.lower, second.upper = -3.0, 7.0
    least = min(map(both, np.linspace(0, 1, 501)))
    assert tight.pair_log_evidence(first, second, LEVELS._replace(pair_level=least - 0.01)) == pytest.approx(
        least, abs=0.01
    )
    assert (
        tight.pair_log_evidence(first, fold([]), LEVELS)
        == tight.pair_log_evidence(fold([]), second, LEVELS)
        == -math.inf
    )


def test_wealth_that_meets_is_that_of_both():
    one, other = draws(3, 20), draws(4, 30)
    first, second = fold(one), fold(other)
    tight.settle(first, first)
    tight.settle(second, second)

    def both(x):
        return pair_wealth(one, other, x, x)

    found, slope = tight.meeting(first, second, 0.3)
    assert found == pytest.approx(both(0.3))
    assert slope == pytest.approx((both(0.3 + 1e-6) - both(0.3 - 1e-6)) / 2e-6, rel=1e-4)


def test_what_is_staked_on_pairs_of_bets_is_at_most_one():
    weights = PRIOR / PRIOR.sum()
    assert 0.98 < pair_weights().sum() <= 1.0
    assert (pair_weights() >= 0.7 * np.outer(weights, weights)).all()
    near = np.diag(np.array(tight.EQUAL) * weights**2)
    for k in range(1, 12):
        near[k, k - 1] = near[k - 1, k] = tight.NEXT[k] * weights[k] * weights[k - 1]
    assert tight.ALL_PAIRS * np.outer(weights, weights) + near == pytest.approx(pair_weights())


@given(rewards, rewards, st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_the_wealth_of_a_pair_is_that_of_its_definition(one, other, x, y):
    first, second, step = fold(one), fold(other), 1e-6
    tight.settle(first, first)
    tight.settle(second, second)
    found, slope, other_slope = tight.pair_wealth(first.rises, len(one), x, second.falls, len(other), 1 - y)
    assert found == pytest.approx(pair_wealth(one, other, x, y), abs=1e-9)
    change = pair_wealth(one, other, x + step, y) - pair_wealth(one, other, x - step, y)
    assert slope == pytest.approx(change / (2 * step), rel=1e-3, abs=1e-3)
    change = pair_wealth(one, other, x, y - step) - pair_wealth(one, other, x, y + step)
    assert other_slope == pytest.approx(change / (2 * step), rel=1e-3, abs=1e-3)


@pytest.mark.parametrize(("low", "high"), [(1e-12, 1.0), (0.5, 0.500001)])
def test_the_wealth_of_pairs_of_bets_that_are_far_from_each_other(low, high):
    """The best bet on the one is the largest and on the other the smallest, or one wealth is far beyond the other."""
    first, second = fold([high] * 2000), fold([low] * 9)
    tight.settle(first, first)
    tight.settle(second, second)
    for x in (0.01, 0.3, 0.9):
        found = tight.meeting(first, second, x)[0]
        assert found == pytest.approx(pair_wealth([high] * 2000, [low] * 9, x, x), rel=1e-12)
