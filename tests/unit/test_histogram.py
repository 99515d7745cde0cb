"""Bins that follow the rewards: exact counts at their ends, and so brackets of every quantile and tail mean."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core import histogram, proportions, records
from surefoot.core.histogram import BINS, LEVELS, Focus

SHARES = st.sampled_from([0.01, 0.2, 0.5, 0.9])
FEW = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=BINS)
MANY = st.tuples(st.integers(0, 2**32), st.integers(BINS, 400), st.sampled_from(["beta", "sorted", "atoms", "falling"]))


def values_of(seed, size, kind):
    generator = np.random.default_rng(seed)
    values = generator.beta(0.5, 2.0, size)
    if kind == "atoms":
        values = np.where(generator.random(size) < 0.5, np.round(values, 1), values)
    if kind in ("sorted", "falling"):
        values = np.sort(values)[:: 1 if kind == "sorted" else -1]
    return values.tolist()


def focus(share, largest_worst=False, limit=math.inf, wide_limit=math.inf, whole_tail=False):
    return Focus(largest_worst, share, limit, wide_limit, whole_tail)


def binned(values, asked):
    arm = records.plain_record(histogram.Histogram)()
    for value in values:
        histogram.observe(arm, value, asked)
    return arm


def from_worst(values, asked):
    return sorted(values, reverse=asked.largest_worst)


def sample_quantile(values, asked):
    return from_worst(values, asked)[min(math.floor(asked.share * len(values)), len(values) - 1)]


def sample_tail_mean(values, asked):
    left, worth = asked.share * len(values), 0.0
    for value in from_worst(values, asked):
        worth += min(left, 1.0) * value
        left -= min(left, 1.0)
    return worth / (asked.share * len(values))


@given(MANY, SHARES, st.booleans(), st.booleans(), st.sampled_from([math.inf, 0.1, 0.4]))
def test_bins_lie_apart_and_know_what_is_in_them(how, share, largest_worst, whole_tail, limit):
    values = values_of(*how)
    arm = binned(values, focus(share, largest_worst, limit, limit, whole_tail))
    ordered, place = sorted(values), 0
    assert arm.bins <= BINS
    for k in range(arm.bins):
        inside = ordered[place : place + int(arm.counts[k])]
        assert (arm.starts[k], arm.ends[k]) == (inside[0], inside[-1])
        assert arm.totals[k] == pytest.approx(sum(inside))
        if largest_worst:
            assert (inside[0] > limit) == (inside[-1] > limit)
        else:
            assert (inside[0] < limit) == (inside[-1] < limit)
        assert k == 0 or arm.ends[k - 1] < arm.starts[k]
        place += len(inside)
    assert place == len(values)


@given(FEW, SHARES, st.booleans())
def test_a_few_different_rewards_are_all_kept(values, share, largest_worst):
    values = values * 3
    asked = focus(share, largest_worst)
    arm = binned(values, asked)
    assert histogram.quantile(arm, asked) == sample_quantile(values, asked)
    assert histogram.tail_mean(arm, asked) == pytest.approx(sample_tail_mean(values, asked), rel=1e-12, abs=1e-300)


@given(MANY, SHARES, st.booleans(), st.booleans(), st.sampled_from([0.5, 0.05, 1e-6]))
def test_intervals_hold_the_sample_and_the_estimate(how, share, largest_worst, whole_tail, miss):
    values = values_of(*how)
    asked = focus(share, largest_worst, whole_tail=whole_tail)
    arm = binned(values, asked)
    low, high = histogram.quantile_interval(arm, asked, miss)
    assert 0.0 <= low <= sample_quantile(values, asked) <= high <= 1.0
    assert low <= histogram.quantile(arm, asked) <= high
    low, high = histogram.tail_mean_interval(arm, asked, miss)
    assert 0.0 <= low <= sample_tail_mean(values, asked) + 1e-12
    assert sample_tail_mean(values, asked) - 1e-12 <= high <= 1.0 + 1e-12
    assert low - 1e-12 <= histogram.tail_mean(arm, asked) <= high + 1e-12


@pytest.mark.parametrize("share", [0.01, 0.05, 0.5, 0.95])
@pytest.mark.parametrize("largest_worst", [False, True])
def test_bins_are_fine_where_it_matters(share, largest_worst):
    """Of rewards in random order, whatever the range that they take up of [0, 1]."""
    generator = np.random.default_rng(8)
    for width in (1.0, 1e-3, 1e-12):
        values = (width * generator.beta(2, 5, 4000)).tolist()
        asked = focus(share, largest_worst)
        quantile = histogram.quantile(binned(values, asked), asked)
        rank = np.mean(np.array(values) > quantile if largest_worst else np.array(values) < quantile)
        assert rank == pytest.approx(share, abs=0.001)
        asked = asked._replace(whole_tail=True)
        mean = histogram.tail_mean(binned(values, asked), asked)
        assert mean == pytest.approx(sample_tail_mean(values, asked), rel=1e-3)


@given(FEW, SHARES, st.sampled_from([0.5, 0.05, 1e-6]))
def test_the_interval_of_a_quantile_is_made_of_ranks(values, share, miss):
    """All that is not refuted, when every reward is kept: from the first rank after the refuted ones to the last before."""
    arm, n, ordered = binned(values, focus(share)), len(values), sorted(values)

    def refuted(k):
        mixture = math.lgamma(k + 0.5) + math.lgamma(n - k + 0.5) - math.lgamma(n + 1) - math.log(math.pi)
        return k * math.log(share) + (n - k) * math.log(1 - share) <= mixture + math.log(miss / 2)

    few = [k for k in range(n + 1) if k <= share * n and refuted(k)]
    many = [k for k in range(n + 1) if k >= share * n and refuted(k)]
    low = ordered[min(max(few), n - 1)] if few else 0.0
    high = ordered[min(many) - 1] if many else 1.0
    assert histogram.quantile_interval(arm, focus(share), miss) == (low, high)
    mirrored = binned([1.0 - value for value in values], focus(share, True))
    found = histogram.quantile_interval(mirrored, focus(share, True), miss)
    assert found == pytest.approx((1.0 - high, 1.0 - low))


@given(FEW, SHARES, st.sampled_from([0.5, 0.05]))
def test_the_interval_of_a_tail_mean_is_made_of_quantiles(values, share, miss):
    arm = binned(values, focus(share))
    shares = [share * (level / LEVELS) ** 2 for level in range(1, LEVELS + 1)]
    lows, highs = zip(*[histogram.quantile_interval(arm, focus(u), miss / LEVELS) for u in shares], strict=True)
    widths = np.diff([0.0, *shares])
    low, high = np.dot(widths, [0.0, *lows[:-1]]) / share, np.dot(widths, highs) / share
    assert histogram.tail_mean_interval(arm, focus(share), miss) == pytest.approx((low, high))


def test_what_a_proportion_refutes():
    assert proportions.refuted(0.5, 0.0, 20.0, 0.05)
    assert not proportions.refuted(0.5, 9.0, 20.0, 0.05)
    low, high = proportions.interval(3.0, 100.0, 0.05)
    for p, inside in ((low, 1.001), (high, 0.999)):
        assert proportions.refuted(p, 3.0, 100.0, 0.05)
        assert not proportions.refuted(p * inside, 3.0, 100.0, 0.05)
