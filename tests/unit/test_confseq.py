"""Our mean bounds beside confseq's published code, on the same rewards at the same levels."""

import json
import math

import numpy as np
import pytest

from surefoot.core import records, statistics
from surefoot.core.answers import best
from surefoot.core.bounds import mixture, sharp, tight
from surefoot.core.question import Question
from surefoot.core.statistics import Statistics
from tests.flat import parameters as parameters_of
from tests.reference.record_confseq import FILE, LOOKS, MISSES, PRIOR, rewards

CONFSEQ = json.loads(FILE.read_text())
CASES = [(name, miss) for name in rewards() for miss in MISSES]
MEANS = {"coin": 0.3, "uniform": 0.5, "steady": 0.6, "rare": 0.882}


def ours(x, miss):
    """L and U of `sharp` when each may fail with probability `miss`, at the looks, the best so far."""
    question = asked(miss)
    budget = best.in_halves(question)
    assert (budget.lower, budget.upper) == (miss, miss)
    return followed(sharp, sharp.parameters(question, budget), x)


def tights(x, miss):
    """Those of `tight`, within the range. Its budget is not even, so that the levels are set."""
    level = -math.log(miss)
    parameters = parameters_of(tight, asked(miss))._replace(lower_level=level, upper_level=level)
    lower, upper = followed(tight, parameters, x)
    return np.maximum(lower, 0.0), np.minimum(upper, 1.0)


def asked(miss):
    return Question(1, 2 * miss, 0.0, (), 1.0, np.nan, 0.25)


def followed(bound, parameters, x):
    arm, ends = records.plain_record(Statistics, bound.Evidence)(), []
    for reward in x:
        statistics.observe(arm, reward, statistics.guess(arm))
        bound.observe(arm, arm, parameters, reward)
        ends.append(bound.interval(arm, arm, parameters, 1.0))
    lower, upper = np.array(ends).T
    at = np.array(LOOKS) - 1
    return np.maximum.accumulate(lower)[at], np.minimum.accumulate(upper)[at]


@pytest.mark.parametrize(("name", "miss"), CASES)
def test_sharp_is_the_best_of_confseqs_bounds_with_constant_slopes(name, miss):
    lower, upper = ours(rewards()[name], miss)
    found = CONFSEQ["mean"][f"{name} {miss}"]
    assert np.maximum(lower, 0.0) == pytest.approx(np.array(found["lower"]), abs=1e-12)
    assert np.minimum(upper, 1.0) == pytest.approx(np.array(found["upper"]), abs=1e-12)
    assert found["lower"][-1] > 0.0  # not all clipped
    assert found["upper"][-1] < 1.0


@pytest.mark.parametrize(("name", "miss"), CASES)
def test_sharp_agrees_with_published_intervals_and_is_about_as_wide(name, miss):
    lower, upper = ours(rewards()[name], miss)
    found = CONFSEQ["mean"][f"{name} {miss}"]
    for published in ("plug_in", "betting"):
        low, high = np.array(found[published])
        assert (np.maximum(lower, low) <= np.minimum(upper, high)).all()
    assert upper[-1] - lower[-1] < 1.6 * (found["plug_in"][1][-1] - found["plug_in"][0][-1])
    assert upper[-1] - lower[-1] > found["betting"][1][-1] - found["betting"][0][-1]  # theirs keeps every reward


@pytest.mark.parametrize(("name", "miss"), CASES)
def test_tight_is_about_as_wide_as_confseqs_betting(name, miss):
    """Both bet on the mean, with other stakes: theirs keeps every reward and takes the ends from a grid of 1/1000."""
    lower, upper = tights(rewards()[name], miss)
    found = CONFSEQ["mean"][f"{name} {miss}"]
    low, high = np.array(found["betting"])
    for left, right in ((lower, upper), (low, high)):
        assert (left <= MEANS[name]).all()
        assert (right >= MEANS[name]).all()
    ratio = (upper - lower) / (high - low)
    assert ratio.max() < 1.3
    assert ratio.min() > 0.6 > tight.CONTROL * ratio.max()  # what is broken on purpose is too narrow
    assert ratio[-1] < 0.95
    low, high = np.array(found["plug_in"])
    assert (upper - lower <= high - low).all()


@pytest.mark.parametrize("miss", MISSES)
def test_the_mixture_is_confseqs(miss):
    assert mixture.PRIOR == PRIOR
    sigma = 0.7
    radii = [mixture.radius(sigma, -2.0 * np.log(miss), n) for n in LOOKS]
    expected = [sigma * bound / n for n, bound in zip(LOOKS, CONFSEQ["mixture"][str(miss)], strict=True)]
    assert radii == pytest.approx(expected, rel=1e-9)
