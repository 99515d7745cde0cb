"""Our mean bounds beside confseq's published code, on the same rewards at the same levels."""

import json

import numpy as np
import pytest

from surefoot.core import records, statistics
from surefoot.core.mean_bounds import mixture, sharp
from surefoot.core.question import Question
from tests.reference.record_confseq import FILE, LOOKS, MISSES, PRIOR, rewards

CONFSEQ = json.loads(FILE.read_text())
CASES = [(name, miss) for name in rewards() for miss in MISSES]


def ours(x, miss):
    """L and U of `sharp` when each may fail with probability `miss`, at the looks, the best so far."""
    question = Question(1, 2 * miss, 0.0, None, 1.0, np.nan, 0.25, tested=False)
    budget = sharp.budget(question)
    assert (budget.lower, budget.upper) == (miss, miss)
    parameters, arm, ends = sharp.parameters(question), records.plain_record(sharp.Evidence)(), []
    for reward in x:
        statistics.observe(arm, reward, statistics.guess(arm))
        sharp.observe(arm, parameters, reward)
        ends.append(sharp.interval(arm, parameters))
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


@pytest.mark.parametrize("miss", MISSES)
def test_the_mixture_is_confseqs(miss):
    assert mixture.PRIOR == PRIOR
    sigma = 0.7
    radii = [mixture.radius(sigma, -2.0 * np.log(miss), n) for n in LOOKS]
    expected = [sigma * bound / n for n, bound in zip(LOOKS, CONFSEQ["mixture"][str(miss)], strict=True)]
    assert radii == pytest.approx(expected, rel=1e-9)
