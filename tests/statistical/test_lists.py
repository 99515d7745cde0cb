"""Error rates of evidence on finite lists at lists too long for all orders, and what is known to fail (docs/finite.md)."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from surefoot.core import list_differences, records
from surefoot.core.list_differences import Differences
from tests.statistical.binomial import too_many

RUNS = 400
LEVEL = 0.4
ITEMS = 60


def shows(differences, items=ITEMS, level=LEVEL):
    """Does the evidence ever reach its level that the first arm is above the second?"""
    own = records.plain_record(Differences)()
    for difference in differences:
        list_differences.observe(own, difference, float(items), 0.0)
        if list_differences.log_evidence(own, 0.0, float(items)) >= -math.log(level):
            return True
    return False


def rate(happens, seed=1):
    generator = np.random.default_rng(seed)
    return sum(happens(generator) for _ in range(RUNS))


def tie(generator, share=0.4):
    """The differences of two arms that are equally good on the list."""
    wins = np.ones(int(share * ITEMS / 2))
    return np.concatenate([wins, -wins, np.zeros(ITEMS - 2 * len(wins))])


def test_two_arms_that_tie_on_the_list_are_told_apart_as_rarely_as_promised():
    found = rate(lambda generator: shows(generator.permutation(tie(generator))))
    assert not too_many(found, RUNS, LEVEL)
    assert found > 0.05 * RUNS  # it does happen


def test_items_chosen_by_results_are_a_negative_control():
    found = rate(lambda generator: shows(-np.sort(-tie(generator))))
    assert found == RUNS


def contrarian(differences):
    """Independent factors 1 + stake * D, with the stake that the *rest of the list* makes best: after bad luck it must be
    better than a fair coin. It is unsound, as these factors have a mean above 1.
    """
    wealth, total = 1.0, 0.0
    for t, difference in enumerate(differences):
        stake = min(max(-total / (ITEMS - t), 0.0), 0.99)
        wealth *= 1.0 + stake * difference
        total += difference
        if wealth >= 1 / 0.3:
            return True
    return False


def test_contrarian_stakes_on_independent_factors_are_a_negative_control():
    everyone = np.concatenate([np.ones(ITEMS // 2), -np.ones(ITEMS // 2)])
    found = rate(lambda generator: contrarian(generator.permutation(everyone)))
    assert too_many(found, RUNS, 0.3)
    ours = rate(lambda generator: shows(generator.permutation(everyone), level=0.3))
    assert not too_many(ours, RUNS, 0.3)


@pytest.mark.parametrize("items", [20, 100])
def test_noise_with_certainty_is_a_negative_control(items):
    """Two coins of which the second is hardly better, tossed once per item: what the tosses add up to is not what the
    coins are. Such a question needs a list that is drawn with replacement.
    """

    def wrong(generator):
        first, second = generator.random(items) < 0.5, generator.random(items) < 0.501
        differences = first.astype(float) - second.astype(float)
        one, other = (SimpleNamespace(total=float(arm.sum()), pulls=items) for arm in (first, second))
        certain = list_differences.is_certain(one, other, float(items), 0.0)
        return certain or shows(differences, items, 0.1)

    assert too_many(rate(wrong), RUNS, 0.1)
