"""Evidence on differences against its naive transcription, and how often it errs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core import differences, records
from surefoot.core.bounds import tight
from tests.statistical.binomial import too_many

WEIGHTS = [math.exp(weight) for weight in tight.LOG_WEIGHTS]
results = st.sampled_from([0.0, 1.0]) | st.floats(0, 1)
pairs = st.lists(st.tuples(results, results), min_size=1, max_size=60)


def record_of(values):
    record = records.plain_record(differences.Differences)()
    for value in values:
        differences.observe(record, value)
    return record


def naive(values, margin):
    """docs/items.md, W(margin): a weighted mean over bets of products of (1 + b (1 + D))/(1 + b (1 - margin))."""
    bets = zip(WEIGHTS, tight.BETS, strict=True)
    return sum(
        weight * math.prod((1 + b * (1 + value)) / (1 + b * (1 - margin)) for value in values) for weight, b in bets
    )


@given(pairs, st.floats(-1, 1))
def test_evidence_is_that_of_the_bets(values, margin):
    values = [first - second for first, second in values]
    record = record_of(values)
    expected = math.log(naive(values, margin))
    assert differences.log_evidence(record, margin) == pytest.approx(expected, abs=1e-8)


@given(pairs)
def test_a_look_changes_nothing_to_come(values):
    values = [first - second for first, second in values]
    record = records.plain_record(differences.Differences)()
    for value in values:
        differences.log_evidence(record, 0.0)
        differences.observe(record, value)
    assert differences.log_evidence(record, 0.0) == differences.log_evidence(record_of(values), 0.0)


@given(pairs, st.floats(0.5, 5))
def test_the_lower_end_is_where_the_evidence_reaches_the_level(values, level):
    values = [first - second for first, second in values]
    lower = differences.lower_end(record_of(values), level)
    assert -1 <= lower <= max(sum(values) / len(values), -1)
    if lower > -1:
        assert math.log(naive(values, -lower)) >= level - 1e-6
    reach = (sum(values) / len(values) - lower) * 0.01 + 1e-9
    assert math.log(naive(values, -(lower + reach))) < level + 1e-6 or lower + reach >= sum(values) / len(values)


def test_an_interval_has_the_mean_difference_in_it():
    generator = np.random.default_rng(1)
    values = (generator.random(400) < 0.6) * 1.0 - (generator.random(400) < 0.5) * 1.0
    lower, upper = differences.interval(record_of(values), record_of(-values), math.log(40))
    assert -1 < lower < values.mean() < upper < 1
    nothing = records.plain_record(differences.Differences)()
    assert differences.interval(nothing, nothing, 3.0) == (-1.0, 1.0)


def test_products_are_taken_into_the_sums_before_they_overflow():
    record = record_of([1.0] * 5_000)
    assert math.isfinite(differences.log_evidence(record, 0.0))
    assert differences.log_evidence(record, 0.0) > 5_000 * 0.6


def test_nothing_is_known_without_a_difference_and_no_margin_beyond_the_range_needs_any():
    nothing = records.plain_record(differences.Differences)()
    assert differences.log_evidence(nothing, 0.0) == 0.0
    assert differences.log_evidence(nothing, 1.5) == math.inf
    assert differences.rough_lead(nothing, 0.1) == 0.0


@pytest.mark.parametrize(("disagree", "gap"), [(0.2, 0.1), (1.0, 0.2), (0.05, 0.02)])
def test_the_rough_lead_is_about_the_evidence(disagree, gap):
    generator, n = np.random.default_rng(7), int(40 * disagree / gap**2)
    values = generator.choice([1.0, -1.0, 0.0], n, p=[(disagree + gap) / 2, (disagree - gap) / 2, 1 - disagree])
    record = record_of(values)
    assert 0.5 < differences.rough_lead(record, 0.0) / differences.log_evidence(record, 0.0) < 2


RUNS, ITEMS, LEVEL = 400, 300, 0.4


def crossings(draw, margin=0.0, factor=1.0):
    """In how many runs the evidence ever reaches `factor` times its level, whoever looks and whenever."""
    found = 0
    for run in range(RUNS):
        record = records.plain_record(differences.Differences)()
        for difference in draw(np.random.default_rng([3, run])):
            differences.observe(record, difference)
            if differences.log_evidence(record, margin) >= factor * math.log(1 / LEVEL):
                found += 1
                break
    return found


def independent(generator):
    return (generator.random(ITEMS) < 0.5) * 1.0 - (generator.random(ITEMS) < 0.5) * 1.0


def opposite(generator):
    heads = (generator.random(ITEMS) < 0.5) * 1.0
    return 2 * heads - 1


def nearly_equal(generator):
    return generator.choice([1.0, -1.0, 0.0], ITEMS, p=[0.05, 0.05, 0.9])


@pytest.mark.parametrize("draw", [independent, opposite, nearly_equal])
def test_arms_of_equal_means_are_hardly_ever_told_apart(draw):
    assert not too_many(crossings(draw), RUNS, LEVEL)


def test_a_level_that_is_too_low_is_noticed():
    assert too_many(crossings(opposite, factor=0.1), RUNS, LEVEL)


def test_a_margin_is_part_of_what_is_claimed():
    """The first arm is worse by just the margin; with a larger one the claim would be true."""
    behind = lambda generator: generator.choice([1.0, -1.0], ITEMS, p=[0.45, 0.55])  # noqa: E731
    assert not too_many(crossings(behind, margin=0.1), RUNS, LEVEL)
    assert crossings(behind, margin=0.4) > 0.9 * RUNS
