"""False alarms are as rare as said; drift and dependence are found."""

import itertools
from math import comb

import numpy as np
import pytest

from surefoot.work import independence
from surefoot.work.independence import cusum, ranks, runs, suspicions
from surefoot.work.logs import Log
from tests.statistical.binomial import too_many

DRAWS = {
    "uniform": lambda generator, size: generator.random(size),
    "rare": lambda generator, size: (generator.random(size) < 0.02).astype(float),
    "coins": lambda generator, size: (generator.random(size) < 0.5).astype(float),
    "skewed": lambda generator, size: generator.beta(0.1, 2.0, size),
    "rounded": lambda generator, size: generator.random(size).round(1),
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("size", [30, 300])
def test_each_test_keeps_its_level_for_independent_draws(name, size):
    generator = np.random.default_rng(1)
    found = [independence.tests(DRAWS[name](generator, size)) for _ in range(1500)]
    for test, level in itertools.product(independence.TESTS, (0.05, 0.005)):
        assert not too_many(sum(p[test] < level for p in found), len(found), level), (test, level)


def test_the_level_would_be_missed_by_dependent_draws():
    generator = np.random.default_rng(1)
    found = [runs(np.repeat(generator.random(150) > 0.5, 2)) for _ in range(100)]
    assert too_many(sum(p < 0.005 for p in found), len(found), 0.005)


def log_of(rewards):
    """An arm with these rewards among nineteen with independent ones."""
    generator = np.random.default_rng(2)
    others = generator.random((19, len(rewards)))
    names = tuple(f"arm {index}" for index in range(20))
    return Log(names, np.tile(np.arange(20), len(rewards)), np.vstack([rewards, others]).T.ravel(), 0)


def correlated(generator, size):
    noise, found = generator.standard_normal(size), np.zeros(size)
    for index in range(1, size):
        found[index] = 0.4 * found[index - 1] + noise[index]
    return found


def test_an_arm_that_misbehaves_is_named_and_no_other():
    generator, size = np.random.default_rng(3), 1000
    time = np.arange(size) / size
    plain = generator.random(size)
    assert suspicions(log_of(plain)) == []
    found = suspicions(log_of(plain + 0.5 * time))
    assert {(one.arm, one.kind) for one in found} >= {("arm 0", "drift")}
    assert {one.arm for one in found} == {"arm 0"}
    found = suspicions(log_of(0.5 + (plain - 0.5) * (0.2 + time)))
    assert [(one.arm, one.kind) for one in found] == [("arm 0", "spread")]
    found = suspicions(log_of(correlated(generator, size)))
    assert ("arm 0", "dependence") in {(one.arm, one.kind) for one in found}
    found = suspicions(log_of(np.arange(size) % 2 + 0.0))  # too regular to be chance
    assert [(one.arm, one.kind) for one in found] == [("arm 0", "dependence")]
    assert "of arm 'arm 0' do not look like independent draws of one distribution: its rewards depend on" in str(
        found[0]
    )


def test_few_or_equal_rewards_say_nothing():
    assert suspicions(log_of(np.arange(29.0))) == []
    assert {one.arm for one in suspicions(log_of(np.arange(200.0)))} == {"arm 0"}
    assert suspicions(log_of(np.ones(200))) == []


def test_ranks_share_ties():
    assert ranks(np.array([0.3, 0.1, 0.3, 0.7])).tolist() == [2.5, 1.0, 2.5, 4.0]
    assert cusum(np.ones(9)) == 1.0


def test_the_distribution_of_runs_is_exact():
    high, low = 4, 6
    orders = [np.isin(np.arange(high + low), places) for places in itertools.combinations(range(high + low), high)]
    assert len(orders) == comb(high + low, high)
    counted = np.array([order[0] + (order[1:] & ~order[:-1]).sum() for order in orders])
    for order, count in zip(orders, counted, strict=True):
        few = count <= high * (low + 1) / (high + low)
        tail = np.mean(counted <= count) if few else np.mean(counted >= count)
        assert runs(order) == pytest.approx(min(2 * tail, 1.0))
