"""What people see of an arm's risk, and how far each test has come, against direct computation."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core import normal_evidence, proportions, records, shown_variance, statistics, verdicts
from surefoot.core.bounds import sharp
from surefoot.core.limit_tests import (
    cvar,
    none,
    paired_variance,
    probability,
    quantile,
    radius_variance,
    sharp_variance,
    student_variance,
    tight_variance,
)
from surefoot.core.limits import VarianceLimit
from surefoot.core.statistics import Statistics
from surefoot.problem import Problem
from surefoot.problem.kernel_question import question_of
from tests.flat import between

QUESTION = question_of(Problem(arms=["A", "B", "C"], risk="variance <= 0.04"))
rewards = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=40)


def shown(values):
    arm = records.plain_record(Statistics, shown_variance.Shown)()
    for value in values:
        guessed = statistics.guess(arm)
        shown_variance.observe(arm, arm, value, guessed)
        statistics.observe(arm, value, guessed)
    return arm


@given(rewards)
def test_the_sums_behind_the_interval_of_a_variance(values):
    arm = shown(values)
    n = np.arange(len(values))
    guesses = (0.5 + np.concatenate([[0.0], np.cumsum(values)[:-1]])) / (n + 1)
    Z = (np.array(values) - guesses) ** 2
    expected = np.minimum((0.125 + np.concatenate([[0.0], np.cumsum(Z)[:-1]])) / (n + 1), 0.25)
    assert arm.wobble == pytest.approx(np.sum((Z - expected) ** 2))
    assert arm.guess_mean == pytest.approx(np.mean(guesses))
    assert arm.guess_spread == pytest.approx(np.sum((guesses - np.mean(guesses)) ** 2), abs=1e-9)


@pytest.mark.parametrize(("low", "high"), [(0.3, 0.45), (-1.0, 2.0), (0.6, 0.9)])
def test_the_interval_of_a_variance(low, high):
    arm = shown(np.random.default_rng(1).beta(2, 3, 3000))
    level = math.log(2 * 3 * 14 / QUESTION.delta)

    def deviation(V):
        return min(level / s + (-math.log(1 - s) - s) / s * V for s in sharp.SLOPES)

    Z = arm.surprise / 3000
    ends = max(low, 0.0), min(high, 1.0)
    offset = max((end - arm.guess_mean) ** 2 for end in ends) + arm.guess_spread / 3000
    lower, upper = shown_variance.interval(arm, arm, between(low, high), QUESTION)
    assert lower == pytest.approx(max(Z - deviation(16 * arm.wobble) / 4 / 3000 - offset, 0.0))
    assert upper == pytest.approx(min(Z + deviation(arm.wobble) / 3000, 0.25))
    assert 0.0 < upper < 0.25
    assert (lower > 0.0) == (low == 0.3)


def test_a_variance_before_there_is_one():
    assert shown_variance.interval(shown([]), shown([]), between(-math.inf, math.inf), QUESTION) == (0.0, 0.25)
    assert shown_variance.estimate(shown([0.4])) == 0.0
    assert shown_variance.estimate(shown([0.4, 0.6])) == pytest.approx(0.02)
    arm = shown([0.4, 0.6])
    assert shown_variance.interval(arm, arm, between(0.0, 1.0), QUESTION) == (0.0, 0.25)


def test_the_share_of_bad_rewards():
    arm = SimpleNamespace(bad_of_all=0.0, pulls=0.0)
    parameters = SimpleNamespace(sign=1.0, threshold=0.5)
    assert probability.estimate(arm, arm, arm, arm, parameters) == 0.0
    for arm.pulls, value in enumerate((0.4, 0.5, 0.6, 0.9), 1):
        probability.observe_for_display(arm, arm, parameters, value, 0.0)
    assert probability.estimate(arm, arm, arm, arm, parameters) == 0.5
    assert probability.risk_interval(arm, arm, arm, arm, parameters, QUESTION, 1.0) == proportions.interval(
        2.0, 4, QUESTION.delta / 3
    )


def test_one_reward_says_something_about_a_probability():
    """The mixture gives what happened 1/2, and so beats all p that give it less than 1/4 by 2."""
    assert proportions.interval(0.0, 0.0, 0.5) == (0.0, 1.0)
    assert proportions.interval(0.0, 1.0, 0.5) == pytest.approx((0.0, 0.75))
    assert proportions.interval(1.0, 1.0, 0.5) == pytest.approx((0.25, 1.0))


LEVELS = {"feasible_level": 4.0, "infeasible_level": 8.0, "tested": True}


@pytest.mark.parametrize("test", [sharp_variance, paired_variance, probability, quantile])
def test_wealth_over_level(test):
    arm = SimpleNamespace(centre=0.0, tilt=0.0, bend=0.0, lower=0.2, upper=0.8)
    parameters = SimpleNamespace(**LEVELS)
    for arm.feasible_log_wealth, arm.infeasible_log_wealth, verdict, shares in (
        (1.0, 2.0, verdicts.OPEN, (0.25, 0.25)),
        (3.9, 7.9, verdicts.OPEN, (0.975, 0.9875)),
        (-1.0, -2.0, verdicts.OPEN, (0.0, 0.0)),
        (4.0, 0.0, verdicts.FEASIBLE, (1.0, 0.0)),
        (9.0, 9.0, verdicts.INFEASIBLE, (1.0, 1.0)),
        (0.0, 8.0, verdicts.INFEASIBLE, (0.0, 1.0)),
    ):
        assert test.verdict(arm, arm, arm, parameters, 1.0) == verdict
        assert test.shares(arm, arm, arm, parameters, 1.0) == pytest.approx(shares)
    parameters.tested = False
    assert test.verdict(arm, arm, arm, parameters, 1.0) == verdicts.FEASIBLE
    assert test.shares(arm, arm, arm, parameters, 1.0) == (1.0, 0.0)


def test_wealth_over_level_at_the_mean_where_it_is_least():
    parameters = SimpleNamespace(**LEVELS)
    arm = SimpleNamespace(centre=0.5, tilt=10.0, bend=0.0, infeasible_log_wealth=8.0, feasible_log_wealth=0.0)
    assert sharp_variance.shares(arm, arm, between(0.2, 0.8), parameters, 1.0)[1] == pytest.approx(5 / 8)
    assert sharp_variance.shares(arm, arm, between(-1.0, 2.0), parameters, 1.0)[1] == pytest.approx(3 / 8)
    assert sharp_variance.verdict(arm, arm, between(0.2, 0.8), parameters, 1.0) == verdicts.OPEN
    assert sharp_variance.verdict(arm, arm, between(0.2, 0.5), parameters, 1.0) == verdicts.INFEASIBLE
    arm.tilt = -10.0
    assert sharp_variance.shares(arm, arm, between(0.2, 0.8), parameters, 1.0)[1] == pytest.approx(5 / 8)
    assert sharp_variance.shares(arm, arm, between(-1.0, 2.0), parameters, 1.0)[1] == pytest.approx(3 / 8)


def test_wealth_over_level_of_the_cells():
    parameters = SimpleNamespace(**LEVELS)
    arm = SimpleNamespace(
        feasible_log_wealth=1.0, refuted=0, cells=2, left_wealth=[4.0, 6.0, 0.0], right_wealth=[5.0, 3.0, 0.0]
    )
    assert cvar.shares(arm, arm, arm, parameters, 1.0) == pytest.approx((0.25, 3 / 8))
    arm.feasible_log_wealth, arm.left_wealth = 5.0, [-1.0, 6.0]
    assert cvar.shares(arm, arm, arm, parameters, 1.0) == pytest.approx((1.0, 0.0))
    arm.feasible_log_wealth, arm.cells = -1.0, 0
    assert cvar.shares(arm, arm, arm, parameters, 1.0) == (0.0, 0.0)
    arm.refuted = 1
    assert cvar.shares(arm, arm, arm, parameters, 1.0) == (0.0, 1.0)
    parameters.tested = False
    assert cvar.shares(arm, arm, arm, parameters, 1.0) == (1.0, 0.0)


def test_radius_of_a_variance():
    parameters = radius_variance.Parameters(limit=0.1, slack=0.02)
    arm = SimpleNamespace(variance=0.06, variance_reach=0.05, pulls=9.0)
    for tick, verdict in ((1.0, verdicts.FEASIBLE), (1.3, verdicts.OPEN)):
        assert radius_variance.verdict(arm, arm, arm, parameters, tick) == verdict
    assert radius_variance.verdict(arm, arm, arm, parameters, 1.0) == verdicts.FEASIBLE
    arm.variance = 0.2
    for tick, verdict in ((1.9, verdicts.INFEASIBLE), (2.1, verdicts.OPEN)):
        assert radius_variance.verdict(arm, arm, arm, parameters, tick) == verdict
    assert radius_variance.shares(arm, arm, arm, parameters, 4.0) == pytest.approx((0.0, 0.5))
    assert radius_variance.shares(arm, arm, arm, parameters, 1.0) == pytest.approx((0.0, 1.0))
    arm.variance = 0.11
    assert radius_variance.shares(arm, arm, arm, parameters, 2.0) == pytest.approx((0.1, 0.1))
    assert radius_variance.risk_interval(arm, arm, arm, arm, parameters, QUESTION, 2.0) == pytest.approx((0.01, 0.21))
    assert radius_variance.risk_interval(arm, arm, arm, arm, parameters, QUESTION, 4.0) == pytest.approx((0.0, 0.25))
    assert radius_variance.risk_interval(arm, arm, arm, arm, parameters, QUESTION, 1.0) == pytest.approx((0.06, 0.16))
    arm.pulls = 0.0
    assert radius_variance.risk_interval(arm, arm, arm, arm, parameters, QUESTION, 1.0) == (0.0, 0.25)


def gaussian(values):
    arm = records.plain_record(Statistics, normal_evidence.NormalEvidence)()
    for value in values:
        statistics.observe(arm, value, 0.0)
        normal_evidence.observe(arm, arm)
    return arm


def test_evidence_on_a_gaussian_variance():
    arm = gaussian(np.random.default_rng(3).normal(1.0, 1.0, 60))
    tight = student_variance.Parameters(4.0, 4.0, 4.0, 8.0)
    above = normal_evidence.against_variance(arm, arm, 4.0)
    assert 0.0 < above < 20.0
    assert student_variance.evidence(arm, arm, tight) == (above, -math.inf)
    assert student_variance.shares(arm, arm, arm, tight, 1.0) == (min(above / 4.0, 1.0), 0.0)
    assert student_variance.shares(arm, arm, arm, tight._replace(feasible_level=20.0), 1.0)[0] == pytest.approx(
        above / 20.0
    )
    assert student_variance.verdict(arm, arm, arm, tight._replace(feasible_level=above), 1.0) == verdicts.FEASIBLE
    assert student_variance.verdict(arm, arm, arm, tight._replace(feasible_level=above + 0.1), 1.0) == verdicts.OPEN
    wide = student_variance.Parameters(0.3, 4.0, 4.0, 90.0)
    below = normal_evidence.against_variance(arm, arm, 0.3)
    assert student_variance.evidence(arm, arm, wide) == (above, below)
    assert student_variance.shares(arm, arm, arm, wide, 1.0)[1] == pytest.approx(below / 90.0)
    assert 0.0 < below < 90.0
    assert student_variance.verdict(arm, arm, arm, wide._replace(infeasible_level=below), 1.0) == verdicts.INFEASIBLE
    unknown = gaussian([0.5] * 9)
    assert student_variance.evidence(unknown, unknown, wide) == (-math.inf, -math.inf)
    assert student_variance.shares(unknown, unknown, unknown, wide, 1.0) == (0.0, 0.0)
    assert student_variance.risk_interval(unknown, unknown, unknown, unknown, wide, QUESTION, 1.0) == (0.0, math.inf)


def test_the_interval_of_a_gaussian_variance_ends_where_the_evidence_reaches_the_level():
    arm = gaussian(np.random.default_rng(3).normal(1.0, 1.0, 60))
    low, high = student_variance.risk_interval(arm, arm, arm, arm, None, QUESTION, 1.0)
    level = math.log(3 / QUESTION.delta)
    assert low < arm.later_variance < high
    for end in (low, high):
        assert normal_evidence.against_variance(arm, arm, end) == pytest.approx(level, abs=1e-6)
    small = gaussian(np.random.default_rng(3).normal(1e-3, 1e-3, 60))
    assert student_variance.risk_interval(small, small, small, small, None, QUESTION, 1.0) == pytest.approx(
        (1e-6 * low, 1e-6 * high)
    )
    few = gaussian([0.0, 1.0, 0.5, 0.5, 0.500001])
    assert student_variance.risk_interval(few, few, few, few, None, QUESTION, 1.0)[1] == math.inf
    assert student_variance.estimate(None, None, gaussian([0.4]), None, None) == 0.0
    assert student_variance.estimate(None, None, gaussian([0.4, 0.6]), None, None) == pytest.approx(0.02)


def test_levels_of_a_gaussian_variance():
    budget = SimpleNamespace(feasible=0.01, infeasible=0.001)
    found = student_variance.parameters(QUESTION.limits[0]._replace(limit=VarianceLimit(0.5, 0.25)), budget)
    assert found == pytest.approx((0.5, 0.75, math.log(100), math.log(1000)))


def naive_pairs(values, limit, slack, sigma):
    """Both log-wealths of docs/bounds.md, bet on pairs of sub-Gaussian rewards."""
    cut, lost = 14 * sigma**2, 4 * math.exp(-7) * sigma**2
    W = [min((b - a) ** 2 / 2, cut) for a, b in zip(values[::2], values[1::2], strict=False)]
    feasible = infeasible = 0.0
    wide = limit + slack - lost
    for n, w in enumerate(W):
        room, scatter = n * wide - sum(W[:n]), sum((v - wide) ** 2 for v in W[:n])
        if room > 0:
            stake = min(room / (sigma**4 / 4 + scatter + room * (cut - wide)), 0.9 / (cut - wide))
            feasible += math.log(1 + stake * (wide - w))
        room, scatter = sum(W[:n]) - n * limit, sum((v - limit) ** 2 for v in W[:n])
        if room > 0:
            stake = min(room / (sigma**4 / 4 + scatter + room * limit), 0.5 / limit)
            infeasible += math.log(1 + stake * (w - limit))
    return feasible, infeasible, W


@given(
    st.lists(st.floats(-9, 9, allow_subnormal=False), max_size=41),
    st.sampled_from([0.05, 0.4, 0.9]),
    st.sampled_from([0.0, 0.1]),
    st.sampled_from([1.0, 1.5]),
)
def test_bets_on_pairs(values, limit, slack, sigma):
    question = QUESTION
    asked = QUESTION.limits[0]._replace(limit=VarianceLimit(limit, slack), sigma=sigma)
    parameters = paired_variance.parameters(asked, SimpleNamespace(feasible=0.01, infeasible=0.001))
    assert (parameters.feasible_level, parameters.infeasible_level) == pytest.approx((math.log(100), math.log(1000)))
    arm = records.plain_record(Statistics, paired_variance.Evidence)()
    for value in values:
        statistics.observe(arm, value, 0.0)
        paired_variance.observe(arm, arm, arm, parameters, value, 0.0)
    feasible, infeasible, W = naive_pairs(values, limit, slack, sigma)
    assert arm.feasible_log_wealth == pytest.approx(feasible, abs=1e-6)
    assert arm.infeasible_log_wealth == pytest.approx(infeasible, abs=1e-6)
    assert arm.pairs == len(W)
    low, high = paired_variance.risk_interval(arm, arm, arm, arm, parameters, question, 1.0)
    if not W:
        assert (low, high) == (0.0, sigma**2)
        return
    radius = 14 * sigma**2 * math.sqrt(math.log(2 * 3 * len(W) * (len(W) + 1) / question.delta) / (2 * len(W)))
    assert low == pytest.approx(max(np.mean(W) - radius, 0.0))
    assert high == pytest.approx(min(np.mean(W) + radius + 4 * math.exp(-7) * sigma**2, sigma**2))


def test_the_interval_of_a_variance_of_pairs_when_it_is_narrow():
    question, asked = QUESTION, QUESTION.limits[0]._replace(sigma=1.0)
    parameters = paired_variance.parameters(asked, SimpleNamespace(feasible=0.01, infeasible=0.001))
    arm = SimpleNamespace(pairs=1e6, cut_sum=5e5)
    radius = 14 * math.sqrt(math.log(6e6 * (1e6 + 1) / question.delta) / 2e6)
    low, high = paired_variance.risk_interval(arm, arm, arm, arm, parameters, question, 1.0)
    assert (low, high) == pytest.approx((0.5 - radius, 0.5 + radius + 4 * math.exp(-7)))
    assert paired_variance.estimate(None, None, SimpleNamespace(pulls=1.0, spread=0.0), None, parameters) == 0.0
    assert paired_variance.estimate(None, None, SimpleNamespace(pulls=2.0, spread=0.3), None, parameters) == 0.3


def test_no_risk():
    assert none.verdict(None, None, None, None, 1.0) == verdicts.FEASIBLE
    assert none.shares(None, None, None, None, 1.0) == (1.0, 0.0)
    assert none.risk_interval(None, None, None, None, None, QUESTION, 1.0) == (0.0, 0.0)
    assert none.estimate(None, None, None, None, None) == 0.0


@pytest.mark.parametrize(
    "test", [sharp_variance, tight_variance, paired_variance, probability, quantile, cvar, student_variance]
)
def test_a_negative_control_decides_earlier(test):
    fields = dict.fromkeys(test.Parameters._fields, 0.0) | {"feasible_level": 7.0, "infeasible_level": 7.0}
    early = test.weakened(test.Parameters(**fields))
    assert early.feasible_level < 7.0
    assert early.infeasible_level < 7.0
