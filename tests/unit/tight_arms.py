"""Arms that have seen rewards, as `tight` sees them, and its wealth straight from the definition."""

import numpy as np
from hypothesis import strategies as st
from scipy.special import logsumexp

from surefoot.core import statistics
from surefoot.core.bounds import tight
from surefoot.core.comparisons import pairs
from surefoot.core.limit_tests import tight_variance
from surefoot.problem import Problem
from surefoot.problem.kernel_question import question_of
from tests.flat import flat
from tests.flat import parameters as parameters_of

rewards = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=40)
QUESTION = question_of(Problem(arms=["A", "B", "C"], risk="variance <= 0.04"))
LEVELS = parameters_of(tight, QUESTION)
BETS = [32, 32 / 3, 32 / 9, 32 / 27, 32 / 81] + [32 / 3.0**k for k in range(5, 12)]
PRIOR = np.array([1 / 15 + 1 / 10, 1 / 10, 1 / 7, 1 / 6, 1 / 7, 1 / 10] + [1 / (6 + k**2) for k in range(3, 9)])


def fold(values, parameters=None, **fields):
    """An arm that has seen these rewards, and with parameters of a limit test was tested on them."""
    arm = flat(tight.Evidence, tight_variance.Evidence, pairs.Evidence, **fields)
    for value in values:
        guessed = statistics.guess(arm)
        statistics.observe(arm, value, guessed)
        tight.observe(arm, arm, LEVELS, value)
        if parameters:
            tight_variance.observe(arm, arm, arm, parameters, value, guessed)
    return arm


def wealth(values, x):
    """ln of the wealth against means of at most x, straight from its definition."""
    products = [np.sum(np.log((1 + b * np.array(values)) / (1 + b * x))) for b in BETS]
    return float(logsumexp(products + np.log(PRIOR / PRIOR.sum())))


def pair_weights():
    """What is staked on each pair of bets, as docs/tight.md has it: 0.7 on all pairs, 0.3 on those near each other."""
    weights = PRIOR / PRIOR.sum()
    near = np.diag(weights / 2)
    for k in range(11):
        near[k, k + 1] = near[k + 1, k] = (weights[k] + weights[k + 1]) / 8
    return 0.7 * np.outer(weights, weights) + 0.3 * near


def pair_wealth(one, two, x, y):
    """ln of the wealth against "the first mean is at most x and the second at least y", straight from its definition.

    Of arrays x and y, one for each place.
    """
    x, y = np.asarray(x)[..., np.newaxis], np.asarray(y)[..., np.newaxis]
    rises = np.stack([np.sum(np.log((1 + b * np.array(one)) / (1 + b * x)), axis=-1) for b in BETS], axis=-1)
    falls = np.stack(
        [np.sum(np.log((1 + b * (1 - np.array(two))) / (1 + b * (1 - y))), axis=-1) for b in BETS], axis=-1
    )
    return logsumexp(rises[..., :, np.newaxis] + falls[..., np.newaxis, :], b=pair_weights(), axis=(-2, -1))


def draws(seed, size, a=2.0, b=3.0):
    return np.random.default_rng(seed).beta(a, b, size).tolist()
