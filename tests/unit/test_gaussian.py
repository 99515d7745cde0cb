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
    assert evidence(arm.later_mean, 5.0) == pytest.approx(normal_evidence.against_variance(arm, 5.0))


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
