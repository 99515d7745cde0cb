"""The formulas of bounds.md, against direct computation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core import records, statistics, verdicts
from surefoot.core.answers.best import in_halves
from surefoot.core.bounds import sharp
from surefoot.core.limit_tests import sharp_variance
from surefoot.core.limits import VarianceLimit
from surefoot.core.statistics import Statistics
from surefoot.problem import Problem
from surefoot.problem.kernel_question import question_of
from tests.flat import limit_parameters, limited

rewards = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=2, max_size=60)
QUESTION = question_of(Problem(arms=["A", "B", "C"], risk="variance <= 0.04"))


def fold(values, *declarations):
    arm = records.plain_record(Statistics, *declarations)()
    guesses = []
    for value in values:
        guesses.append(statistics.guess(arm))
        statistics.observe(arm, value, guesses[-1])
    return arm, np.array(guesses)


@given(rewards)
def test_statistics(values):
    arm, guesses = fold(values)
    before = np.concatenate([[0.0], np.cumsum(values)[:-1]])
    assert np.allclose(guesses, (0.5 + before) / (np.arange(len(values)) + 1))
    assert arm.mean == pytest.approx(np.mean(values))
    assert statistics.variance(arm) == pytest.approx(np.var(values, ddof=1), abs=1e-12)
    assert arm.surprise == pytest.approx(np.sum((np.array(values) - guesses) ** 2))


def test_variance_does_not_cancel():
    arm, _ = fold([1e9 + x for x in (0.1, 0.2, 0.3)])
    assert statistics.variance(arm) == pytest.approx(0.01, rel=1e-5)


@given(st.floats(0, 1e7), st.floats(0.1, 40))
def test_the_best_slope_is_the_best(surprise, level):
    slope = 0
    while surprise > level * sharp.SWITCHES[slope]:
        slope += 1
    candidates = [sharp.deviation(surprise, level, k) for k in range(len(sharp.SLOPES))]
    assert candidates[slope] == pytest.approx(min(candidates), rel=1e-9)


def test_slopes_are_those_of_the_construction():
    assert np.allclose(sharp.SLOPES, [0.75 * 2.0**-k for k in range(14)])
    assert np.allclose(sharp.COSTS, [-math.log(1 - s) - s for s in sharp.SLOPES])


def test_the_supermartingale_inequality():
    """exp(slope y - cost y^2) <= 1 + slope y for y >= -1; and not with a smaller cost."""
    y = np.linspace(-1, 1, 20_001)
    for slope, cost in zip(sharp.SLOPES, sharp.COSTS, strict=True):
        assert np.all(np.exp(slope * y - cost * y**2) <= 1 + slope * y + 1e-14)
        assert np.any(np.exp(slope * y - 0.5 * cost * y**2) > 1 + slope * y)


def naive_tests(values, limit, slack):
    """A, and I with its correction as a function of the mean, straight from docs/bounds.md."""
    A, terms = 0.0, []
    X, Z = [], []
    for x in values:
        n = len(X)
        m = (0.5 + sum(X)) / (n + 1)
        z = (x - m) ** 2
        wide = limit + slack
        gap, worst = n * wide - sum(Z), max(max(m, 1 - m) ** 2 - wide, 1e-3)
        if gap > 0:
            stake = gap / (1 / 16 + sum((w - wide) ** 2 for w in Z) + gap * worst)
            A += math.log(1 + min(stake, 0.9 / worst) * (wide - z))
        gap = sum(Z) - n * limit
        if gap > 0:
            stake = gap / (1 / 16 + sum((w - limit) ** 2 for w in Z) + gap * limit)
            terms.append((min(stake, 0.5 / limit), x, m))
        X.append(x)
        Z.append(z)
    return A, terms


@given(rewards, st.sampled_from([0.001, 0.04, 0.2]), st.sampled_from([0.0, 0.02]), st.floats(0, 1))
def test_bets_are_those_of_the_construction(values, limit, slack, mean):
    question = limited(QUESTION, limit=VarianceLimit(limit, slack))
    parameters = limit_parameters(sharp_variance, question, in_halves(question))
    arm = records.plain_record(Statistics, sharp_variance.Evidence)()
    for value in values:
        guessed = statistics.guess(arm)
        statistics.observe(arm, value, guessed)
        sharp_variance.observe(arm, arm, arm, parameters, value, guessed)
    A, terms = naive_tests(values, limit, slack)
    assert arm.feasible_log_wealth == pytest.approx(A, abs=1e-6)
    exact = sum(math.log(1 + stake * ((x - mean) ** 2 - limit)) for stake, x, _ in terms)
    minorant = sum(
        math.log(1 + stake * ((x - m) ** 2 - limit))
        - 2 * stake * (x - m) / (1 + stake * ((x - m) ** 2 - limit)) * (mean - m)
        - stake / (8 * (1 - stake * limit)) * (mean - m) ** 2
        for stake, x, m in terms
    )
    assert sharp_variance.infeasible_wealth(arm, mean) == pytest.approx(minorant, abs=1e-6)
    assert minorant <= exact + 1e-9


@given(st.floats(0, 1), st.floats(0, 1), st.floats(1e-4, 0.24), st.floats(0, 1e6))
def test_no_bet_can_ruin(guess, reward, limit, growth):
    squared = (reward - guess) ** 2
    stake = sharp_variance.feasible_stake(growth, 0.0, limit, guess)
    assert 1 + stake * (limit - squared) >= 0.1 - 1e-9
    stake = sharp_variance.infeasible_stake(-growth, 0.0, limit)
    assert 1 + stake * (squared - limit) >= 0.5 - 1e-9


def test_above_a_quarter_every_arm_is_feasible():
    for limit, slack, tested in ((0.25, 0.0, False), (0.3, 0.0, False), (0.2, 0.06, False), (0.24, 0.0, True)):
        question = question_of(Problem(arms=["x"], risk=f"variance <= {limit}", risk_slack=slack))
        assert question.tested is tested
        if not tested:
            parameters = limit_parameters(sharp_variance, question, in_halves(question))
            assert sharp_variance.verdict(None, None, None, parameters, 1.0) == verdicts.FEASIBLE
    assert not question_of(Problem(arms=["x"], risk="std <= 5", rewards=(0, 10))).tested
    assert question_of(Problem(arms=["x"], risk="std <= 4.9", rewards=(0, 10))).tested


def test_the_stake_makes_a_feasible_arm_grow_whatever_its_distribution():
    """Even where rare rewards lose much, on which the simpler stake gap / square loses: the negative control."""
    n, guess, loses = 1e9, 0.965, 0
    for share in np.geomspace(1e-4, 0.2, 25):  # of rewards at 0, the others near the guess
        small, large = 1e-4, guess**2
        mean = (1 - share) * small + share * large
        for limit in mean * np.array([1.05, 1.5, 3.0]):
            gap, square = limit - mean, (1 - share) * (limit - small) ** 2 + share * (limit - large) ** 2

            def growth(stake, share=share, small=small, large=large, limit=limit):
                return (1 - share) * math.log(1 + stake * (limit - small)) + share * math.log(
                    1 + stake * (limit - large)
                )

            assert growth(sharp_variance.feasible_stake(n * gap, n * square, limit, guess)) > 0
            loses += growth(min(gap / square, 0.9 / max(large - limit, 1e-3))) <= 0
    assert loses > 0
