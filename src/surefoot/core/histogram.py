"""Rewards on [0, 1] in equal bins: for showing quantiles and tail means without keeping every reward."""

import math
from typing import Annotated, Protocol

from surefoot.core import proportions
from surefoot.core.statistics import Statistics

BINS = 64


class Histogram(Statistics, Protocol):
    counts: Annotated[list[float], BINS]
    totals: Annotated[list[float], BINS]  # sums of the rewards in each bin


def observe(arm: Histogram, reward: float) -> None:
    place = min(int(reward * BINS), BINS - 1)
    arm.counts[place] += 1.0
    arm.totals[place] += reward


def quantile(arm: Histogram, share: float) -> float:
    """The mean of the first bin with more than the share of rewards up to its end."""
    seen = 0.0
    for count, total in zip(arm.counts, arm.totals, strict=True):
        seen += count
        if seen > share * arm.pulls:
            return total / count
    return 1.0


def tail_mean(arm: Histogram, share: float) -> float:
    """The mean of the smallest share of rewards; of the bin that is cut, a part."""
    left, worth = share * arm.pulls, 0.0
    for count, total in zip(arm.counts, arm.totals, strict=True):
        if count > 0.0:
            taken = min(count, left)
            worth += total * taken / count
            left -= taken
    return worth / (share * arm.pulls)


def quantile_interval(arm: Histogram, share: float, miss: float) -> tuple[float, float]:
    """Between which bins' ends the quantile lies, at all times at once: from bounds of P(X < end) at every end."""
    low, high, below = 0.0, 1.0, 0.0
    for place in range(1, BINS):
        below += arm.counts[place - 1]
        least = proportions.log_mixture(below, arm.pulls) + math.log(miss / (BINS - 1))
        if proportions.log_likelihood(below, arm.pulls, share) <= least:
            if below > share * arm.pulls:
                return low, place / BINS
            low = place / BINS
    return low, high


def tail_mean_interval(arm: Histogram, share: float, miss: float) -> tuple[float, float]:
    """Between what the mean of the smallest share lies: that of the largest and the smallest P(X < end) at every end."""
    low = high = 0.0
    reached = surely_reached = below = (
        0.0  # the most and the least probability up to this bin's start, cut at the share
    )
    for place in range(1, BINS):
        below += arm.counts[place - 1]
        least, most = proportions.interval(below, arm.pulls, miss / (BINS - 1))
        least, most = max(min(least, share), surely_reached), max(min(most, share), reached)
        low += (most - reached) * (place - 1) / BINS
        high += (least - surely_reached) * place / BINS
        reached, surely_reached = most, least
        if surely_reached >= share:
            break
    low += (share - reached) * (BINS - 1) / BINS if reached < share else 0.0
    high += share - surely_reached
    return low / share, high / share
