"""T* and w* against closed forms, against brute force, and by certificates of optimality."""

import json
import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from surefoot import Bernoulli, Beta, Discrete, Instance, Uniform
from surefoot.cli import main
from surefoot.paper.instances import paper_instance, random_instance
from surefoot.problem.distributions import Normal
from surefoot.problem.reward_models import SubGaussian
from surefoot.theory import quadrature
from surefoot.theory.divergence import BoundedLaws
from surefoot.theory.fewest_pulls import fewest_pulls
from surefoot.theory.quadrature import rules
from tests.cli.test_command_line import EXAMPLE


def gaussian(*arms, risk="none", **fields):
    named = {str(i): Normal(mean=mean, variance=variance) for i, (mean, variance) in enumerate(arms)}
    return Instance(named, risk=risk, rewards="gaussian", **fields)


# Closed forms


def test_two_gaussian_arms_of_one_variance():
    found = gaussian((1.0, 0.5), (0.4, 0.5)).limit
    assert found.T_star == pytest.approx(2 / math.log(1 + 0.6**2 / (4 * 0.5)), rel=1e-9)
    assert found.weights == pytest.approx((0.5, 0.5), abs=1e-7)
    assert found.meeting == (None, pytest.approx(0.7))


def test_one_arm_needs_only_its_risk_shown():
    ratio = 0.5 / 0.8
    assert gaussian((1.0, 0.5), risk="variance <= 0.8").limit.T_star == pytest.approx(2 / (ratio - 1 - math.log(ratio)))
    assert gaussian((1.0, 0.5)).limit.T_star == 0.0


def test_no_feasible_arm():
    ratios = [0.9 / 0.8, 2.0 / 0.8]
    needs = [2 / (ratio - 1 - math.log(ratio)) for ratio in ratios]
    found = gaussian((1.0, 0.9), (0.0, 2.0), risk="variance <= 0.8").limit
    assert found.T_star == pytest.approx(sum(needs))
    assert found.weights == pytest.approx([need / sum(needs) for need in needs])
    assert (found.leader, found.leader_binds) == (None, False)


def test_an_infeasible_arm_with_a_better_mean_has_only_to_become_feasible():
    infeasible, leader = 2.0 / 0.8, 0.5 / 0.8
    costs = [(ratio - 1 - math.log(ratio)) / 2 for ratio in (leader, infeasible)]
    found = gaussian((1.0, 0.5), (5.0, 2.0), risk="variance <= 0.8").limit
    assert found.T_star == pytest.approx(1 / costs[0] + 1 / costs[1])
    assert found.leader_binds


def test_two_bernoulli_arms_meet_where_both_are_as_far():
    def kl(p, x):
        return p * math.log(p / x) + (1 - p) * math.log((1 - p) / (1 - x))

    def negentropy(p):
        return p * math.log(p) + (1 - p) * math.log(1 - p)

    p, other = 0.6, 0.45
    meeting = 1 / (1 + math.exp(-(negentropy(p) - negentropy(other)) / (p - other)))
    assert kl(p, meeting) == pytest.approx(kl(other, meeting))
    found = Instance({"A": Bernoulli(other), "B": Bernoulli(p)}, rewards=(0, 1)).limit
    assert found.T_star == pytest.approx(1 / kl(p, meeting), rel=1e-9)
    assert found.meeting == (pytest.approx(meeting), None)


def test_bernoulli_variances_by_hand():
    alone = Instance({"A": Bernoulli(0.1)}, risk="variance <= 0.16", rewards=(0, 1)).limit
    assert alone.T_star == pytest.approx(1 / (0.1 * math.log(0.1 / 0.2) + 0.9 * math.log(0.9 / 0.8)), rel=1e-6)


@pytest.mark.parametrize("limit", [0.05, 0.01, 0.002, 1e-4, 1e-5])
def test_a_uniform_arm_in_closed_form(limit):
    """By symmetry l1 = 0, m = 1/2 and q = c ((x - 1/2)^2 + width^2): its logarithm has an integral."""

    def below(c):
        width = math.sqrt(1 / c - limit)
        return -(math.log(c * (0.25 + width**2)) - 2 + 4 * width * math.atan(0.5 / width))

    cost = -minimize_scalar(below, bounds=(1e-9, 1 / limit), method="bounded", options={"xatol": 1e-14 / limit}).fun
    found = Instance({"A": Uniform(0, 1)}, risk=f"variance <= {limit!r}", rewards=(0, 1)).limit
    assert found.T_star == pytest.approx(1 / cost, rel=1e-9)


def test_pulls_are_T_star_times_kl():
    found = gaussian((1.0, 0.5), (0.4, 0.5)).limit
    kl = 0.05 * math.log(0.05 / 0.95) + 0.95 * math.log(0.95 / 0.05)
    assert found.pulls(0.05) == pytest.approx(found.T_star * kl)


# Brute force


def kl_normal(mean, variance, other_mean, other_variance):
    away = (mean - other_mean) ** 2
    return (math.log(other_variance / variance) + (variance + away) / other_variance - 1) / 2


def cheapest_alternative(arms, limit, weights):
    """By the definition: every normal alternative with another answer, minimised by scipy over its free parameters."""
    best = max((arm for arm in range(len(arms)) if arms[arm][1] <= limit), key=lambda arm: arms[arm][0], default=None)

    def least(of, low, high):
        grid = np.linspace(low, high, 400)
        start = int(np.argmin([of(x) for x in grid]))
        bounds = grid[max(start - 1, 0)], grid[min(start + 1, 399)]
        return min(
            of(low), of(high), minimize_scalar(of, bounds=bounds, method="bounded", options={"xatol": 1e-13}).fun
        )

    def free(arm, x, most):
        mean, variance = arms[arm]
        return kl_normal(mean, variance, x, min(variance + (mean - x) ** 2, most))

    if best is None:
        return min(weights[arm] * kl_normal(*arms[arm], arms[arm][0], limit) for arm in range(len(arms)))
    costs = [weights[best] * kl_normal(*arms[best], arms[best][0], limit)] if math.isfinite(limit) else []
    for arm in range(len(arms)):
        if arm != best:
            low, high = sorted([arms[arm][0], arms[best][0]])

            def both(x, arm=arm):
                down = free(best, x, math.inf) if x < arms[best][0] else 0.0
                return weights[best] * down + weights[arm] * (free(arm, max(x, arms[arm][0]), limit))

            costs.append(least(both, low, high))
    return min(costs)


def gaussian_instances():
    generator = np.random.default_rng(3)
    for arms in (2, 3, 3, 4, 5, 5):
        means, variances = generator.normal(0, 1, arms), generator.uniform(0.2, 2.0, arms)
        for limit in (math.inf, 0.15, float(np.median(variances)) * 1.1):
            yield list(zip(means.tolist(), variances.tolist(), strict=True)), limit


@pytest.mark.parametrize(("arms", "limit"), list(gaussian_instances()))
def test_gaussian_limit_is_the_saddle_point(arms, limit):
    found = gaussian(*arms, risk="none" if limit == math.inf else f"variance <= {limit!r}").limit
    weights = np.array(found.weights)
    assert weights.sum() == pytest.approx(1.0)
    assert 1 / cheapest_alternative(arms, limit, weights) == pytest.approx(found.T_star, rel=1e-6)
    generator = np.random.default_rng(0)
    for scale in (0.3, 0.03, 0.003, 0.0003):  # a concave function: no better nearby is no better anywhere
        for _ in range(5):
            other = np.maximum(weights * (1 + scale * generator.normal(size=len(arms))), 1e-9)
            value = cheapest_alternative(arms, limit, other / other.sum())
            assert value <= (1 + 1e-7) / found.T_star
    skewed = weights * np.linspace(1.0, 0.7, len(arms))
    value = cheapest_alternative(arms, limit, skewed / skewed.sum())
    assert value < (1 - 1e-3) / found.T_star  # the negative control: other shares are worse


def test_bernoulli_limit_by_brute_force_over_weights_and_alternatives():
    """The definition itself: the best shares on a grid, against the cheapest instance on a grid with another answer."""
    means = [0.7, 0.5, 0.35]
    x = np.linspace(0.005, 0.995, 199)

    def kl(p):
        return p * np.log(p / x) + (1 - p) * np.log((1 - p) / (1 - x))

    best, *others = (kl(mean) for mean in means)
    shares = np.array([(a, b, 1 - a - b) for a in np.arange(0.02, 1, 0.01) for b in np.arange(0.02, 0.98 - a, 0.01)])
    cheapest = np.full(len(shares), np.inf)
    for column, other in enumerate(others, start=1):  # the rival's mean x[j] at least the leader's x[i]
        reach = np.minimum.accumulate(other[::-1])[::-1]
        costs = shares[:, :1] * best + shares[:, column : column + 1] * reach
        cheapest = np.minimum(cheapest, costs.min(axis=1))
    found = Instance({str(i): Bernoulli(mean) for i, mean in enumerate(means)}, rewards=(0, 1)).limit
    assert 1 / cheapest.max() == pytest.approx(found.T_star, rel=2e-3)
    assert shares[np.argmax(cheapest)] == pytest.approx(found.weights, abs=0.015)


def test_bounded_limit_is_the_saddle_point():
    arms = [Beta(mean=0.5, variance=0.02), Beta(mean=0.4, variance=0.1), Bernoulli(0.7), Uniform(0.1, 0.6)]
    instance = Instance({str(i): arm for i, arm in enumerate(arms)}, risk="variance <= 0.05", rewards=(0, 1))
    found = instance.limit
    laws = BoundedLaws(rules(instance.distributions, 0.0, 1.0))
    meeting = np.add.outer(found.meeting[1:], np.linspace(-1e-3, 1e-3, 21)).ravel()
    grid = np.concatenate([np.linspace(0.002, 0.998, 499), meeting])[None]

    def price(arm, m, limit):
        return laws.only(np.array([arm])).to_feasible(m, limit)[0]

    down = np.where(grid < 0.5, price(0, grid, math.inf), 0.0)
    up = np.concatenate([price(arm, grid, 0.05) for arm in (1, 2, 3)])
    own = laws.only(np.array([0])).to_infeasible(0.05)[0]

    def value(weights):
        return min(weights[0] * own, (weights[0] * down + np.array(weights[1:])[:, None] * up).min())

    assert 1 / value(found.weights) == pytest.approx(found.T_star, rel=1e-4)
    generator = np.random.default_rng(0)
    for _ in range(500):
        other = np.array(found.weights) * np.exp(generator.normal(size=4) * generator.choice([1.0, 0.1, 0.01]))
        assert value(other / other.sum()) <= (1 + 1e-4) / found.T_star
    assert value([0.25] * 4) < 0.99 / found.T_star


@pytest.mark.parametrize(
    ("case", "j", "pulls"),
    [
        ("1a", 0, 19_146.243),
        ("1c", 10, 169.10557),
        ("2", 0, 33_568.706),
        ("3", 0, 2_599.9867),
        ("4a", 0, 272.13843),
        ("4b", 0, 268.09618),
        ("4c", 10, 448.41610),
        ("4d", 0, 187.28939),
        ("cmp", 8, 4_691.1002),
    ],
)
def test_limits_of_the_papers_instances(case, j, pulls):
    assert paper_instance(case, j).hardness()["limit_pulls"] == pytest.approx(pulls, rel=1e-6)


def test_random_instances_have_limits_below_what_is_needed():
    generator = np.random.default_rng(8)
    for _ in range(8):
        instance = random_instance(generator)
        found = instance.limit
        assert 0 < found.T_star < instance.hardness()["H_VA"]
        assert sum(found.weights) == pytest.approx(1.0)
        assert min(found.weights) > 0


def bounded(*arms, limit):
    return Instance({str(i): arm for i, arm in enumerate(arms)}, risk=f"variance <= {limit!r}", rewards=(0, 1))


AWKWARD = {
    "tiny variances": bounded(*(Beta(mean=x, variance=1e-5) for x in (0.5, 0.499, 0.1)), Uniform(0, 1), limit=1e-4),
    "hardly any limit": bounded(Beta(mean=0.5, variance=0.2), Beta(mean=0.4, variance=0.1), limit=0.249999),
    "means at the ends": bounded(*(Beta(mean=x, variance=1e-7) for x in (0.9999, 0.999, 0.0005)), limit=0.01),
    "zeros and ones": bounded(Beta(a=0.01, b=0.04), Beta(a=1e-6, b=1e-5), Beta(a=0.2, b=1e-4), limit=0.1),
    "all at one end": bounded(Beta(a=0.5, b=1e5), Beta(a=0.001, b=1e3), Beta(a=1e-6, b=1e6), limit=1e-4),
    "one arm": bounded(Beta(mean=0.5, variance=0.03), limit=0.002),
    "none feasible": bounded(Beta(a=5, b=3), Beta(a=2.5, b=30), Uniform(0.2, 0.9), Bernoulli(0.5), limit=1e-4),
    "losers tied": bounded(Beta(mean=0.6, variance=0.01), *[Beta(mean=0.5, variance=0.02)] * 700, limit=0.05),
    "any": random_instance(np.random.default_rng(72)),
}


@pytest.mark.parametrize("instance", AWKWARD.values(), ids=AWKWARD)
def test_twice_the_points_change_nothing(instance, monkeypatch):
    found = fewest_pulls(instance.problem, instance.distributions)
    monkeypatch.setattr(quadrature, "NODES", 2 * quadrature.NODES)
    assert found.T_star == pytest.approx(fewest_pulls(instance.problem, instance.distributions).T_star, rel=1e-6)
    assert sum(found.weights) == pytest.approx(1.0)
    assert min(found.weights) > 0
    if instance is AWKWARD["one arm"]:
        monkeypatch.setattr(quadrature, "NODES", 12)  # the negative control
        assert found.T_star != pytest.approx(fewest_pulls(instance.problem, instance.distributions).T_star, rel=1e-4)


@pytest.mark.parametrize("at_most", [0.2, 0.03, 1e-3, 1e-6])
def test_no_mean_is_cheaper_than_the_one_found(at_most):
    """A cost may have several valleys: at atoms, at the ends, and where m (1 - m) is the limit."""
    arms = [
        Beta(a=0.2, b=0.21),
        Beta(a=0.02, b=0.04),
        Bernoulli(0.45),
        Discrete((0.0, 0.07, 0.9, 1.0), (0.2, 0.2, 0.1, 0.5)),
    ]
    instance = bounded(*(arm for arm in arms if arm.variance > at_most), limit=at_most)
    found = instance.limit
    means = np.concatenate([1 / (1 + np.exp(np.linspace(20, -20, 151))), np.linspace(0.01, 0.99, 99)])
    laws = BoundedLaws(rules(instance.distributions, 0.0, 1.0))
    cost, _ = laws.to_feasible(np.tile(means, (len(laws.mean), 1)), at_most)
    assert (1 / (found.T_star * np.array(found.weights)) <= cost.min(axis=1) * (1 + 1e-6)).all()


def test_arms_alike_share_what_one_needs():
    arms = [Beta(mean=0.7, variance=0.2), Bernoulli(0.4)]
    each = [bounded(arm, limit=0.05).limit.T_star for arm in arms]
    found = bounded(*arms * 300, limit=0.05).limit
    assert found.T_star == pytest.approx(300 * sum(each))
    assert found.weights[:2] == pytest.approx([need / found.T_star for need in each])


def test_hundreds_of_different_bounded_arms():
    """Whichever arm one looks at, its cheapest alternative costs 1 / T*."""
    generator = np.random.default_rng(2)
    means, shares = generator.uniform(0.05, 0.7, 299), generator.uniform(0.02, 0.98, 299)
    others = [Beta(mean=m, variance=m * (1 - m) * s) for m, s in zip(means.tolist(), shares.tolist(), strict=True)]
    best = Beta(mean=0.8, variance=0.01)
    found = bounded(best, *others, limit=0.05).limit
    assert sum(found.weights) == pytest.approx(1.0)
    for arm in (1, 17, 150, 299):
        m = np.concatenate([np.linspace(0.01, 0.99, 200), found.meeting[arm] + np.linspace(-1e-3, 1e-3, 41)])[None]
        down = np.where(m < 0.8, BoundedLaws(rules([best], 0.0, 1.0)).to_mean(m)[0], 0.0)
        up, _ = BoundedLaws(rules(others[arm - 1 : arm], 0.0, 1.0)).to_feasible(m, 0.05)
        cheapest = (found.weights[0] * down + found.weights[arm] * up).min()
        assert cheapest == pytest.approx(1 / found.T_star, rel=1e-6)


def test_scale_goal_and_order_change_nothing():
    unit = Instance(
        {"A": Beta(mean=0.5, variance=0.02), "B": Bernoulli(0.6), "C": Uniform(0, 0.8)}, risk="variance <= 0.06"
    ).limit
    wide = Instance(
        {"C": Uniform(2, 10), "A": Beta(mean=5, variance=2), "B": Discrete((0, 10), (0.6, 0.4))},
        risk="variance <= 6",
        rewards=(0, 10),
        goal="min",
    ).limit
    assert wide.T_star == pytest.approx(unit.T_star, rel=1e-8)
    assert (wide.weights[1], wide.weights[2], wide.weights[0]) == pytest.approx(unit.weights, rel=1e-5)
    assert wide.meeting[2] == pytest.approx(10 - 10 * unit.meeting[1], rel=1e-5)


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_units_change_nothing(unit):
    arms = [(1.0, 0.5), (0.7, 0.6), (0.2, 2.0), (1.3, 1.0)]
    scaled = [(unit * mean, unit**2 * variance) for mean, variance in arms]
    expected = gaussian(*arms, risk="variance <= 0.7").limit
    found = gaussian(*scaled, risk=f"variance <= {0.7 * unit**2!r}").limit
    assert found.T_star == pytest.approx(expected.T_star, rel=1e-9)
    assert found.weights == pytest.approx(expected.weights, rel=1e-6)


def test_many_arms_and_arms_alike():
    one = gaussian((1.0, 0.5), *[(0.2, 0.5)] * 1, *[(0.1, 0.9)] * 3, risk="variance <= 0.7").limit
    assert one.weights[2] == one.weights[3] == one.weights[4]
    generator = np.random.default_rng(1)
    arms = [
        (1.0, 0.5),
        *zip(generator.uniform(-1, 0.8, 999).tolist(), generator.uniform(0.1, 3, 999).tolist(), strict=True),
    ]
    found = gaussian(*arms, risk="variance <= 0.7").limit
    assert 1 / cheapest_alternative(arms[:40], 0.7, found.weights[:40]) <= found.T_star * (1 + 1e-6)
    assert sum(found.weights) == pytest.approx(1.0)


def test_a_wider_range_changes_nothing_where_the_limit_counts_or_there_is_none_that_we_know():
    arms = {"A": Bernoulli(0.3), "B": Bernoulli(0.6)}
    expected = Instance(arms, risk="variance <= 0.1", rewards=(0, 10)).limit.T_star
    for width in (1e3, 1e6, 1e7, 1e9, 1e12, 1e100):
        found = Instance(arms, risk="variance <= 0.1", rewards=(0, width)).limit
        assert (found is None) == (width > 1e6)
        assert found is None or found.T_star == pytest.approx(expected, rel=1e-6)
    assert Instance({"A": Bernoulli(0.0), "B": Bernoulli(0.6)}, rewards=(0, 1)).limit  # it is at the end


@pytest.mark.parametrize(
    "instance",
    [
        gaussian((1.0, 0.5), (1.0, 0.6)),
        gaussian((1.0, 0.5), (1.0, 0.5)),
        gaussian((1.0, 0.5), (0.0, 0.6), risk="variance <= 0.5"),
        Instance({"A": Beta(mean=0.37, variance=0.013)}, risk="variance <= 0.013", rewards=(0, 1)),
        gaussian((1.0, 0.5), (0.0, 0.6), tolerance=0.1),
        gaussian((1.0, 0.5), (0.0, 0.6), risk="variance <= 0.7", risk_slack=0.1),
        Instance({"A": Beta(mean=0.5, variance=0.01)}, rewards="gaussian"),
        Instance({"A": Normal(mean=0, variance=0.5)}, rewards=SubGaussian(1.0)),
        Instance({"A": Bernoulli(0.3), "B": Bernoulli(0.6)}, risk="variance <= 0.1", rewards=(0, 1e9)),
        Instance({"A": Bernoulli(0.3), "B": Bernoulli(0.6)}, rewards=(-1e100, 1), goal="min"),
    ],
)
def test_no_limit(instance):
    assert instance.limit is None
    assert instance.hardness()["T_star"] is None
    assert instance.hardness()["limit_pulls"] is None


def test_command_gives_the_shares(capsys):
    assert main(["hardness", EXAMPLE, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert sum(found["w_star"].values()) == pytest.approx(1.0)
    assert found["limit_pulls"] == pytest.approx(found["T_star"] * 0.9 * math.log(19))
    assert main(["hardness", EXAMPLE]) == 0
    assert "gives each arm this share of them" in capsys.readouterr().out
