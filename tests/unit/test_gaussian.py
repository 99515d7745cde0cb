"""What decides Gaussian rewards, piece by piece and against independent formulas."""

import math

import numpy as np
import pytest
from scipy import stats

from surefoot import Instance, Normal, simulate
from surefoot.core import normal_evidence, records, statistics, transport
from surefoot.core.policies import track_and_stop
from surefoot.core.statistics import Statistics
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from tests.statistical.binomial import too_many


def arm_with(rewards):
    arm = records.plain_record(Statistics, normal_evidence.NormalEvidence)()
    for reward in rewards:
        statistics.observe(arm, reward, statistics.guess(arm))
        normal_evidence.observe(arm, arm)
    return arm


def test_evidence_is_the_product_of_students_predictions():
    rewards = np.random.default_rng(1).normal(3.0, 2.0, 12)
    arm = arm_with(rewards)
    m, u = 2.5, 3.0
    product = 0.0
    for k in range(3, 12):
        seen = rewards[:k]
        scale = seen.std(ddof=1) * math.sqrt(1 + 1 / k)
        product += stats.t.logpdf(rewards[k], k - 1, seen.mean(), scale) - stats.norm.logpdf(
            rewards[k], m, math.sqrt(u)
        )
    away = (arm.later_mean - m) ** 2
    kl = (math.log(u / arm.later_variance) + (arm.later_variance + away) / u - 1) / 2
    assert arm.later * kl + arm.credit == pytest.approx(product, rel=1e-9)


def test_radius_and_variance_are_the_least_evidence():
    arm = arm_with(np.random.default_rng(2).normal(0.0, 1.0, 40))
    radius = normal_evidence.radius(arm, arm, 3.0, arm.later)

    def evidence(m, u):
        away = (arm.later_mean - m) ** 2
        kl = (np.log(u / arm.later_variance) + (arm.later_variance + away) / u - 1) / 2
        return arm.later * kl + arm.credit

    variances = np.geomspace(0.01, 100, 200_001)
    assert evidence(arm.later_mean + radius, variances).min() == pytest.approx(3.0, abs=1e-6)


def residuals(rewards):
    """Each reward less the mean of those before it, scaled so that all are independent draws from N(0, variance)."""
    return [(rewards[k] - np.mean(rewards[:k])) * math.sqrt(k / (k + 1)) for k in range(1, len(rewards))]


@pytest.mark.parametrize("variance", [0.5, 3.9, 20.0])
def test_evidence_against_variances_is_the_product_of_predictions_of_residuals(variance):
    """R of docs/gaussian.md: Student's t with the scale of the residuals so far, over the density of N(0, variance)."""
    rewards = np.random.default_rng(5).normal(3.0, 2.0, 15)
    arm, seen, product = arm_with(rewards), residuals(rewards), 0.0
    for k in range(2, 14):
        scale = math.sqrt(np.mean(np.square(seen[:k])))
        product += stats.t.logpdf(seen[k], k, 0.0, scale) - stats.norm.logpdf(seen[k], 0.0, math.sqrt(variance))
    assert normal_evidence.residual_variance(arm, arm) == pytest.approx(np.mean(np.square(seen[2:])))
    assert normal_evidence.against_variance(arm, arm, variance) == pytest.approx(product, rel=1e-9)


def test_evidence_against_variances_counts_on_one_side_only_and_does_not_depend_on_the_mean():
    rewards = np.random.default_rng(6).normal(0.0, 1.0, 60)
    arm, moved = arm_with(rewards), arm_with(rewards + 1000.0)
    own = normal_evidence.residual_variance(arm, arm)
    for limit in (0.5 * own, 2.0 * own):
        both = normal_evidence.against_larger(arm, arm, limit), normal_evidence.against_smaller(arm, arm, limit)
        assert max(both) == normal_evidence.against_variance(arm, arm, limit) > 0.0
        assert both.index(-math.inf) == (0 if limit < own else 1)
        assert normal_evidence.against_variance(moved, moved, limit) == pytest.approx(max(both), rel=1e-9)


def most_against_the_true_variance(runs, pulls):
    """Of each of so many arms, the most evidence that there ever is against the variance that it has."""
    generator, most = np.random.default_rng(8), np.full(runs, -np.inf)
    for run in range(runs):
        arm = arm_with(generator.normal(5.0, 2.0, 4))
        for reward in generator.normal(5.0, 2.0, pulls - 4):
            statistics.observe(arm, reward, statistics.guess(arm))
            normal_evidence.observe(arm, arm)
            most[run] = max(most[run], normal_evidence.against_variance(arm, arm, 4.0))
    return most


def test_the_true_variance_is_seldom_refuted():
    most = most_against_the_true_variance(1500, 120)
    for delta in (0.5, 0.2, 0.05):
        assert not too_many((most >= -math.log(delta)).sum(), 1500, delta)
        for forgotten in (2.0, 3.0):  # the negative control: the price of not knowing the variance
            assert too_many((most >= -math.log(delta) - forgotten).sum(), 1500, delta)


def test_equal_rewards_say_nothing():
    arm = arm_with([0.5] * 30)
    assert not normal_evidence.known(arm, arm)
    assert normal_evidence.radius(arm, arm, 3.0, 10.0) == math.inf


@pytest.mark.parametrize("seed", range(40))
def test_meeting_is_the_cheapest_of_all_means(seed):
    generator = np.random.default_rng(seed)
    weights, spreads = 10.0 ** generator.uniform(-2, 2, 2), 10.0 ** generator.uniform(-2, 1, 2)
    high, low, limit = 10.0 ** generator.uniform(-1, 1), 0.0, float(generator.choice([0.05, 0.5, 20.0, math.inf]))
    m = transport.meeting(weights[0], high, spreads[0], weights[1], low, spreads[1], limit)

    def cost(x):
        return weights[0] * transport.lowering(high, spreads[0], x) + weights[1] * transport.raising(
            low, spreads[1], x, limit
        )

    grid = np.concatenate([np.linspace(low, high, 3000), np.geomspace(1e-6, 1, 500) * high])
    assert cost(m) <= min(map(cost, grid)) * (1 + 1e-12)


@pytest.mark.parametrize("risk", ["none", "variance <= 0.7", "variance <= 0.25"])
def test_targets_are_the_best_shares(risk):
    means, variances = [0.0, 0.3, 0.9, 1.4], [0.5, 0.3, 0.4, 0.9]
    arms = {
        str(i): Normal(mean=mean, variance=spread)
        for i, (mean, spread) in enumerate(zip(means, variances, strict=True))
    }
    instance = Instance(arms, risk=risk, rewards="gaussian")
    program = choice.program(instance.problem, "track-and-stop")
    state = program.start(question_of(instance.problem), packed=False)
    for arm, mean, spread in zip(state.arms, means, variances, strict=True):
        arm.goal.later_mean, arm.goal.later_variance = mean, spread
    track_and_stop.find_targets(state)
    assert [arm.policy.target for arm in state.arms] == pytest.approx(instance.limit.weights, abs=1e-4)


@pytest.mark.long
def test_track_and_stop_comes_closer_to_the_limit_as_delta_falls():
    arms = {"A": Normal(mean=0, variance=1), "B": Normal(mean=0.8, variance=0.5), "C": Normal(mean=1.5, variance=2)}
    instance = Instance(arms, risk="variance <= 1.2", rewards="gaussian")
    ratios = []
    for delta in (1e-2, 1e-6, 1e-12, 1e-24):
        found = simulate(instance, "track-and-stop", trials=40, delta=delta, seed=2).summary()
        assert found["correct"] == 40
        ratios.append(found["pulls"]["mean"] / (instance.limit.T_star * math.log(1 / delta)))
    assert ratios == sorted(ratios, reverse=True)
    assert 1.0 < ratios[-1] < 1.5
