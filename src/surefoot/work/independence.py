"""Do an arm's rewards, as a whole log has them, look like independent draws of one distribution? The guarantee needs it.

Three tests of each arm, whatever the distribution: under independent draws every order of the rewards is as likely.

- Drift of the level: CUSUM of ranks. The partial sums of the centred ranks, over their deviation, are a Brownian bridge in
  the limit, whose largest value exceeds x with probability at most 2 exp(-2 x^2).
- Drift of the spread: the same of the distances from the median.
- Serial dependence: the runs test of Wald and Wolfowitz, above and below the mean, with its exact distribution.

By Bonferroni, the probability of any false alarm in a log is at most LEVEL, if its length was not chosen by its rewards.
"""

import math
from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from surefoot.study.views.notices import Notice
from surefoot.work.logs import Log

Number = TypeVar("Number", np.float64, np.intp)

LEVEL = 0.001
ENOUGH = 30  # rewards of an arm, to say anything

TESTS = {
    "drift": "its rewards drift over time (CUSUM test of ranks)",
    "spread": "the spread of its rewards changes over time (CUSUM test of the ranks of distances from the median)",
    "dependence": "its rewards depend on the ones before them (Wald-Wolfowitz runs test)",
}


def by_arm(log: Log, rewards: NDArray[Number]) -> Iterator[tuple[int, NDArray[Number]]]:
    """Each arm that has rewards, and these in order, or what else there is of each row."""
    order = np.argsort(log.arms.astype(np.min_scalar_type(len(log.names))), kind="stable")  # short numbers sort fast
    ends = np.cumsum(np.bincount(log.arms, minlength=len(log.names)))
    for arm, (start, end) in enumerate(zip(np.append(0, ends[:-1]).tolist(), ends.tolist(), strict=True)):
        if end > start:
            yield arm, rewards[order[start:end]]


def suspicions(log: Log) -> list[Notice]:
    """What speaks against independent draws, the strongest first."""
    tested = [(arm, rewards) for arm, rewards in by_arm(log, log.rewards) if len(rewards) >= ENOUGH]
    suspected = []
    for arm, rewards in tested:
        for test, p in tests(rewards).items():
            corrected = p * len(TESTS) * len(tested)  # how probable a sign as strong is among all tests, at most
            if corrected < LEVEL:
                suspected.append((corrected, Notice(test, log.names[arm], sentence(log.names[arm], test, corrected))))
    return [notice for _, notice in sorted(suspected)]


def sentence(arm: str, test: str, p: float) -> str:
    return (
        f"The results of arm {arm!r} do not look like independent draws of one distribution: {TESTS[test]}, "
        f"p = {p:.2g} for all tests together. The decision assumes that they are."
    )


def tests(rewards: NDArray[np.float64]) -> dict[str, float]:
    """The p-value of each test."""
    return {
        "drift": cusum(rewards),
        "spread": cusum(np.abs(rewards - np.median(rewards))),
        "dependence": runs(rewards > rewards.mean()),
    }


def cusum(values: NDArray[np.float64]) -> float:
    """The probability that partial sums of the centred ranks stray as far as this, if every order is as likely."""
    centred = ranks(values)
    centred -= centred.mean()
    deviation = math.sqrt(float(centred @ centred))
    if deviation == 0.0:
        return 1.0
    farthest = float(np.abs(np.cumsum(centred)).max()) / deviation
    return min(2.0 * math.exp(-2.0 * farthest * farthest), 1.0)


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """From 1; equal values share the mean of their ranks."""
    order = np.argsort(values)
    ordered = values[order]
    firsts = np.append(True, ordered[1:] != ordered[:-1])
    edges = np.append(np.flatnonzero(firsts), len(values))
    positions = np.empty(len(values))
    positions[order] = (0.5 * (edges[:-1] + edges[1:] + 1.0))[np.cumsum(firsts) - 1]
    return positions


def runs(high: NDArray[np.bool_]) -> float:
    """Twice the probability of so few, or so many, runs of high rewards, if every order is as likely.

    Of n high and m low rewards, P(k runs of high ones) = C(n - 1, k - 1) C(m + 1, k) / C(n + m, n).
    """
    n = int(high.sum())
    m = len(high) - n
    if n == 0 or m == 0:
        return 1.0
    k = int(high[0]) + int((high[1:] & ~high[:-1]).sum())
    few = k <= n * (m + 1) / (n + m)
    chance = math.exp(log_choose(n - 1, k - 1) + log_choose(m + 1, k) - log_choose(n + m, n))
    tail = 0.0
    while 1 <= k <= min(n, m + 1) and chance > 1e-17 * tail:  # outwards, where chances fall
        tail += chance
        if few:
            chance *= k * (k - 1) / ((n - k + 1) * (m - k + 2))
            k -= 1
        else:
            chance *= (n - k) * (m + 1 - k) / (k * (k + 1))
            k += 1
    return min(2.0 * tail, 1.0)


def log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
