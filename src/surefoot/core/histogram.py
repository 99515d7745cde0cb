"""Rewards in bins that follow them: for showing quantiles and tail means without keeping every reward.

Bins lie apart from each other, and each knows its smallest and largest reward. So the number of rewards up to the end of a
bin is exact, whatever was merged before; and while there are no more different rewards than BINS, everything is.
"""

import math
from typing import Annotated, NamedTuple, Protocol

from surefoot.core import proportions

BINS = 64
LEVELS = 16  # of quantiles, that bound the mean of a tail


class Histogram(Protocol):
    rewards: float
    bins: int  # in use, from the smallest rewards to the largest
    starts: Annotated[list[float], BINS]  # the smallest reward in each
    ends: Annotated[list[float], BINS]  # the largest
    counts: Annotated[list[float], BINS]
    totals: Annotated[list[float], BINS]  # sums of rewards


class Focus(NamedTuple):
    """What a histogram is asked, and so where bins are to be fine. Ranks and shares count from the worst reward on."""

    largest_worst: bool  # else the smallest are
    share: float  # of the worst rewards
    limit: float  # no bin has rewards on both sides of it; infinite where no reward is compared with it
    wide_limit: float
    whole_tail: bool  # are all of the worst share asked about, or only where it ends?
    low: float = 0.0  # between what rewards lie
    high: float = 1.0
    items: float = math.inf  # of a finite list


def observe(own: Histogram, reward: float, focus: Focus) -> None:
    """Count a reward in the bin that it lies in, or in one of its own."""
    place_reward(own, reward, focus)
    own.rewards += 1.0


def place_reward(own: Histogram, reward: float, focus: Focus) -> None:
    place, after = 0, own.bins
    while place < after:
        middle = (place + after) // 2
        if own.ends[middle] < reward:
            place = middle + 1
        else:
            after = middle
    if place < own.bins and own.starts[place] <= reward:
        own.counts[place] += 1.0
        own.totals[place] += reward
        return
    free = own.bins
    if free < len(own.starts):
        own.bins += 1
    else:
        free = merge(own, focus, place)
    while free > place:
        move(own, free - 1, free)
        free -= 1
    while free < place - 1:
        move(own, free + 1, free)
        free += 1
    own.starts[free] = reward
    own.ends[free] = reward
    own.counts[free] = 1.0
    own.totals[free] = reward


def move(own: Histogram, old: int, new: int) -> None:
    own.starts[new] = own.starts[old]
    own.ends[new] = own.ends[old]
    own.counts[new] = own.counts[old]
    own.totals[new] = own.totals[old]


def merge(own: Histogram, focus: Focus, place: int) -> int:
    """Make one of the two neighbours that matter least, but not of those around a reward at `place`: the bin set free.

    They matter the more, the more rewards they have and the fewer lie between them and the rank that is asked about.
    """
    rank = focus.share * own.rewards
    if focus.largest_worst:
        rank = own.rewards - rank
    first, least, below = 0, math.inf, 0.0
    for k in range(len(own.starts) - 1):
        both = own.counts[k] + own.counts[k + 1]
        away = max(below - rank, rank - below - both, 0.0)
        if focus.whole_tail:
            away = min(away, 0.5 * (own.rewards - below - both if focus.largest_worst else below))
        matter = both / (away + 1.0)
        if matter < least and k + 1 != place and not parted(own.ends[k], own.starts[k + 1], focus):
            first, least = k, matter
        below += own.counts[k]
    own.ends[first] = own.ends[first + 1]
    own.counts[first] += own.counts[first + 1]
    own.totals[first] += own.totals[first + 1]
    return first + 1


def parted(left: float, right: float, focus: Focus) -> bool:
    """Is one of two rewards worse than a limit and the other one not?"""
    if focus.largest_worst:
        return left <= focus.limit < right or left <= focus.wide_limit < right
    return left < focus.limit <= right or left < focus.wide_limit <= right


def nearer(own: Histogram, focus: Focus, k: int) -> float:
    """The worst reward of the k-th bin from the worst one; before all bins, the worst that a reward can be."""
    if k < 0:
        return focus.high if focus.largest_worst else focus.low
    return own.ends[own.bins - 1 - k] if focus.largest_worst else own.starts[k]


def farther(own: Histogram, focus: Focus, k: int) -> float:
    """The best reward of the k-th bin from the worst one; behind all bins, the best that a reward can be."""
    if k >= own.bins:
        return focus.low if focus.largest_worst else focus.high
    return own.starts[own.bins - 1 - k] if focus.largest_worst else own.ends[k]


def count(own: Histogram, focus: Focus, k: int) -> float:
    return own.counts[own.bins - 1 - k] if focus.largest_worst else own.counts[k]


def total(own: Histogram, focus: Focus, k: int) -> float:
    place = own.bins - 1 - k if focus.largest_worst else k
    if own.starts[place] == own.ends[place]:
        return own.counts[place] * own.starts[place]  # without the rounding of many sums
    return own.totals[place]


def quantile(own: Histogram, focus: Focus) -> float:
    """The first reward with more than the share of rewards up to it; in a bin with others, as if they lay evenly."""
    rank, seen = min(math.floor(focus.share * own.rewards) + 1.0, own.rewards), 0.0
    for k in range(own.bins):
        here = count(own, focus, k)
        if seen + here >= rank:
            near, far = nearer(own, focus, k), farther(own, focus, k)
            part = (rank - seen - 1.0) / max(here - 1.0, 1.0)
            return min(max(near + part * (far - near), min(near, far)), max(near, far))
        seen += here
    return farther(own, focus, own.bins)


def tail_mean(own: Histogram, focus: Focus) -> float:
    """The mean of the worst share of rewards; of a bin that is cut, between the most and the least that it can be."""
    left = focus.share * own.rewards
    worth = 0.0
    for k in range(own.bins):
        here, value = count(own, focus, k), total(own, focus, k)
        if here >= left:
            near, far = nearer(own, focus, k), farther(own, focus, k)
            evenly, rest = left * (value / here), value - (here - left) * far
            worst = min(left * near, rest) if focus.largest_worst else max(left * near, rest)
            worth += 0.5 * (worst + evenly) if near != far else left * near
            break
        worth += value
        left -= here
    return worth / (focus.share * own.rewards)


def quantile_interval(own: Histogram, focus: Focus, miss: float) -> tuple[float, float]:
    """Between which rewards the quantile lies, at all times at once (docs/bounds.md proves it)."""
    near = nearer(own, focus, earliest(own, focus, focus.share, miss, -1))
    far = farther(own, focus, latest(own, focus, focus.share, miss, 0))
    return min(near, far), max(near, far)


def earliest(own: Histogram, focus: Focus, share: float, miss: float, start: int) -> int:
    """The first bin, from `start` on, that the quantile at this share may be in; -1 if it may lie before all of them."""
    if start < 0 and not proportions.refuted(share, 0.0, own.rewards, miss / 2.0, focus.items):
        return -1
    seen = 0.0
    for k in range(own.bins):
        seen += count(own, focus, k)
        if k < start:
            continue
        if seen > share * own.rewards or not proportions.refuted(share, seen, own.rewards, miss / 2.0, focus.items):
            return k
    return own.bins - 1


def latest(own: Histogram, focus: Focus, share: float, miss: float, start: int) -> int:
    """The last bin, from `start` on, that the quantile at this share may be in; `bins` if it may lie behind all of them."""
    seen = 0.0
    for k in range(own.bins):
        seen += count(own, focus, k)
        if k < start or seen < share * own.rewards:
            continue
        if proportions.refuted(share, seen, own.rewards, miss / 2.0, focus.items):
            return k
    return own.bins


def tail_mean_interval(own: Histogram, focus: Focus, miss: float) -> tuple[float, float]:
    """Between what the mean of the worst share lies: that of quantiles at LEVELS shares up to it, at all times at once."""
    worst, best, reached = 0.0, 0.0, 0.0
    first, last = -1, 0
    near = nearer(own, focus, first)
    for level in range(1, LEVELS + 1):
        share = focus.share * (level / LEVELS) ** 2  # closer where rewards are the worst
        last = latest(own, focus, share, miss / LEVELS, last)
        worst += (share - reached) * near
        best += (share - reached) * farther(own, focus, last)
        first, reached = earliest(own, focus, share, miss / LEVELS, first), share
        near = nearer(own, focus, first)
    return min(worst, best) / focus.share, max(worst, best) / focus.share
