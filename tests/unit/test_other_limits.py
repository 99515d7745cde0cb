"""T* with limits on other metrics than the goal's, against what can be computed by hand."""

import math

import pytest

from surefoot import Bernoulli, Instance, LogNormal, Normal

METRICS = {"x": (0, 1), "y": "binary", "t": "any", "g": "gaussian"}
T, G = LogNormal(median=1.0, sigma=0.5), Normal(mean=0.0, variance=1.0)


def fewest(arms, *limits):
    """T* and the shares of arms by the chances that x and y are 1."""
    given = {
        name: {"x": Bernoulli(x), "y": Bernoulli(y), "t": T, "g": G} for name, (x, y) in zip("ABC", arms, strict=False)
    }
    found = Instance(given, goal="max mean(x)", metrics=METRICS, limits=limits).limit
    return None if found is None else (found.T_star, found.weights)


def entropy(p, q):
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


def test_a_limit_that_is_easily_kept_costs_nothing():
    plain = Instance({"A": Bernoulli(0.6), "B": Bernoulli(0.5)}).limit.T_star
    assert fewest([(0.6, 0.1), (0.5, 0.1)], "probability(y > 0) <= 0.5")[0] == pytest.approx(plain)


@pytest.mark.parametrize("limit", ["probability(y > 0) <= 0.3", "mean(y) <= 0.3"])
def test_the_leader_must_be_shown_to_keep_its_limit_and_a_better_arm_to_break_it(limit):
    kept, broken = 1 / entropy(0.1, 0.3), 1 / entropy(0.5, 0.3)
    time, shares = fewest([(0.5, 0.1), (0.9, 0.5)], limit)
    assert time == pytest.approx(kept + broken, rel=1e-6)
    assert shares == pytest.approx((kept / time, broken / time), rel=1e-6)
    assert fewest([(0.5, 0.5)], limit)[0] == pytest.approx(broken, rel=1e-6)
    assert fewest([(0.5, 0.1)], limit)[0] == pytest.approx(kept, rel=1e-6)


def test_limits_on_several_metrics_add_up_for_an_arm_that_breaks_both():
    beyond = T.above(1.2)
    cost = entropy(0.5, 0.3) + entropy(beyond, 0.1)
    assert beyond > 0.1
    assert fewest([(0.5, 0.5)], "probability(y > 0) <= 0.3", "quantile(0.9, t) <= 1.2")[0] == pytest.approx(
        1 / cost, rel=1e-6
    )


def test_of_gaussian_means():
    """To a mean of 1 from N(0, 1): ln(1 + 1) / 2."""
    assert fewest([(0.5, 0.1)], "mean(g) <= 1")[0] == pytest.approx(2 / math.log(2), rel=1e-6)


@pytest.mark.parametrize(
    "limits",
    [
        ["probability(y > 0) <= 0.1"],  # exactly on the limit: no number of pulls is enough
        ["probability(y > 0) <= 0.3", "mean(y) <= 0.4"],  # two limits on one metric
        ["variance(y) <= 0.2"],
        [{"limit": "probability(y > 0) <= 0.3", "slack": 0.1}],
        ["mean(x) >= 0.1"],
    ],
)
def test_what_is_not_known_is_none(limits):
    assert fewest([(0.5, 0.1)], *limits) is None
