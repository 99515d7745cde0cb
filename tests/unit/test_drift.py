"""The evidence of a change is what its proof says: at most 1 on average, whatever the coins and whoever chooses the arms."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from surefoot.core import drift

ONE_CODING, NO_URN = np.ones(1), np.zeros((1, 2))


def tallied(tosses, arms):
    """Tosses (arm, outcome), a block for each: the ones, and the zeros."""
    counts = np.zeros((2, drift.BLOCKS, 1, arms))
    for block, (arm, outcome) in enumerate(tosses):
        counts[1 - outcome, block, 0, arm] = 1.0
    return counts


def evidence(tosses, arms):
    return math.exp(drift.log_evidence(*tallied(tosses, arms), 1, ONE_CODING, NO_URN, arms))


def played(outcomes, arms):
    """Whoever wins stays: which arm is tossed depends on what was seen."""
    tosses, arm = [], 0
    for outcome in outcomes:
        tosses.append((arm, outcome))
        arm = arm if outcome else (arm + 1) % arms
    return tosses


def expected(coins, length=10):
    """The mean evidence over all that these coins can show."""
    total = 0.0
    for outcomes in itertools.product((0, 1), repeat=length):
        tosses = played(outcomes, len(coins))
        chance = math.prod(coins[arm] if outcome else 1.0 - coins[arm] for arm, outcome in tosses)
        total += chance * evidence(tosses, len(coins))
    return total


@pytest.mark.parametrize("coins", [(0.5,), (0.1,), (0.5, 0.5), (0.2, 0.7)], ids=str)
def test_the_mean_evidence_is_at_most_one_whatever_the_coins_and_the_policy(coins):
    assert 0.0 < expected(coins) <= 1.0


def summed(arms, length=10):
    """By each model, the probabilities of all that can be seen, summed: arm by arm, and of all arms as one coin."""
    models, every, alike = drift.Models.of(1), 0.0, 0.0
    for outcomes in itertools.product((0, 1), repeat=length):
        ones, zeros = (drift.with_all_arms(kept) for kept in tallied(played(outcomes, arms), arms))
        predicted = drift.log_predicted(ones, zeros, models)[:, 0]
        every, alike = every + np.exp(predicted[:, :-1].sum(axis=1)), alike + np.exp(predicted[:, -1])
    return every, alike


@pytest.mark.parametrize("arms", [1, 2])
def test_what_each_model_predicts_are_probabilities_whatever_the_policy(arms):
    for sums in summed(arms):
        np.testing.assert_allclose(sums, 1.0, rtol=1e-5)


def test_they_would_be_more_if_coins_were_fitted_to_what_they_predict(monkeypatch):
    monkeypatch.setattr(drift, "log_mixture", drift.log_coin)
    every, alike = summed(2)
    assert every.max() > 2.0
    assert alike.max() > 2.0


def test_weights_add_up_to_one_at_most_over_all_times_and_do_not_change():
    """Blocks that become longer lose moments; those that are left keep their weights."""
    steps, forgetting = {}, {}
    for size in (2**k for k in range(20)):
        models = drift.Models.of(size)
        weights = np.exp(models.log_weights).tolist()
        moments = (models.borders * size).tolist()
        lengths = [(size * length, kept) for length in models.lengths for kept in drift.MEMORIES]
        for kept, keys, values in (
            (steps, moments, weights[: len(moments)]),
            (forgetting, lengths, weights[len(moments) :]),
        ):
            for key, value in zip(keys, values, strict=True):
                assert kept.setdefault(key, value) == pytest.approx(value)
    assert sum(steps.values()) == pytest.approx(drift.STEPS, rel=0.1)
    assert sum(steps.values()) <= drift.STEPS
    assert sum(forgetting.values()) <= 1.0 - drift.STEPS
    assert pytest.approx(1.0) == drift.ALIKE + drift.EVERY + drift.SOME


def test_two_blocks_that_become_one_change_no_prediction_of_what_is_left():
    generator = np.random.default_rng(1)
    counts = np.zeros((2, drift.BLOCKS, 1, 2))
    fine = generator.integers(0, 9, counts.shape).astype(float)
    counts[:, : drift.BLOCKS // 2] = fine[:, ::2] + fine[:, 1::2]
    before, after = drift.Models.of(8), drift.Models.of(16)
    fine_steps, steps = drift.log_steps(*fine, before), drift.log_steps(*counts, after)
    np.testing.assert_allclose(steps[: drift.BLOCKS // 2 - 1], fine_steps[1::2])
    np.testing.assert_allclose(drift.log_forgetting(*counts, 2), drift.log_forgetting(*fine, 4))


@pytest.mark.parametrize("a", [0.5, 1.0, 3.7, 250.5, 1e7])
@pytest.mark.parametrize("b", [0.5, 12.25, 1e6])
def test_the_beta_function(a, b):
    exact = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    assert float(drift.log_beta(np.array(a), np.array(b))) == pytest.approx(exact, abs=1e-7, rel=1e-9)


def test_results_that_are_all_the_same_show_nothing():
    counts = np.zeros((2, drift.BLOCKS, 1, 2))
    counts[0] = 4.0
    assert drift.log_evidence(*counts, 8, ONE_CODING, NO_URN, 2) < 0.0


def test_results_that_are_all_above_earlier_ones_show_a_change():
    counts = np.zeros((2, drift.BLOCKS, 1, 1))
    counts[0] = 4.0
    assert drift.log_evidence(*counts, 4, ONE_CODING, np.array([[1.0, 15.0]]), 1) > 20.0


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_an_urn_is_what_the_order_of_results_shows_if_nothing_changes(rank):
    """Of all orders of seven different results: which of the last four are above one of the first three."""
    orders = list(itertools.permutations(range(7)))
    seen = Counter(tuple(later > sorted(order[:3])[rank - 1] for later in order[3:]) for order in orders)
    for above, count in seen.items():
        urn = drift.log_urn(
            np.array(float(sum(above))), np.array(4.0 - sum(above)), np.array(4.0 - rank), np.array(float(rank))
        )
        assert math.exp(float(urn)) == pytest.approx(count / len(orders), rel=1e-6)
    assert len(seen) == 16
