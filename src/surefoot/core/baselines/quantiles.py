"""Quantiles beside that of the baseline: by how many results lie up to a common place (docs/baseline.md, Proposition 2).

At a fixed place, whether a result lies beyond it is a coin, and the bets of `tight` on coins need two numbers. So all that
is kept of the results is a histogram: its counts are bounds on how many results lie up to any place, exact ones while
there are no more different results than bins.
"""

import math
from typing import Annotated, Any

from surefoot.core import histogram as bins
from surefoot.core.bounds.tight import BETS, COUNT, LOG_WEIGHTS, NEGLIGIBLE
from surefoot.core.histogram import Focus
from surefoot.core.links.against import Stream

BINS = 256  # with 64 half of the evidence of ten thousand results is lost, with these a tenth
GAINS = tuple(math.log1p(bet) for bet in BETS)  # what a bet gains, in ln, from a coin that shows heads
ROUNDING = 2.0**-46  # of a number: more than it is off by after a sum and a product
BLOCK = 16  # bins
CALLED = ("above", "observe")  # functions to compile once and not into each caller: they are large


class Histogram(bins.Histogram):
    """With more bins."""

    starts: Annotated[list[float], BINS]
    ends: Annotated[list[float], BINS]
    counts: Annotated[list[float], BINS]
    totals: Annotated[list[float], BINS]


def fields(limits: int) -> dict[str, Any]:
    """What is kept of an arm for so many limits."""
    return {"histograms": Annotated[list[Histogram], limits]} if limits else {}


def observe(own: Any, value: float, share: float) -> None:
    bins.observe(own, value, focus(share))


def focus(share: float) -> Focus:
    return Focus(False, share, math.inf, math.inf, whole_tail=False, low=-math.inf, high=math.inf)


def above(own: Any, other: Any, stream: Stream, factor: float, plus: float) -> float:
    """ln of the evidence that the quantile of one arm is above `factor` times that of the other, and `plus`.

    If it is not, and the other's is x, at least the share of the one's results lie up to factor x + plus, and at most the
    share of the other's before x. The least over all x is at a result of the other, or behind them all: between two of
    them, what speaks against the other stays, and what speaks against the one falls.

    From left to right the one falls and the other rises, so that the ends of a block bound all that is in it. First the last
    place of each block is looked at, then the blocks that may have less; none if there is no evidence anyway.
    """
    least, rounding = math.inf, stream.rounding * factor
    for within in range(2):
        before, upto, place, start = 0.0, 0.0, 0, 0
        while start <= other.bins:
            end = min(start + BLOCK, other.bins + 1)
            low = math.inf
            if within:
                _, last = passed(own, place, upto, line(other, end - 1, factor, plus, rounding))
                low = both(own, last, other, before, stream)
            for k in range(start, end):
                if low < least or (not within and k == end - 1):
                    place, upto = passed(own, place, upto, line(other, k, factor, plus, rounding))
                    least = min(least, both(own, upto, other, before, stream))
                    if least <= 0.0:
                        return least
                if k < other.bins:
                    before += other.counts[k]
            start = end
    return least


def line(other: Any, k: int, factor: float, plus: float, rounding: float) -> float:
    """What the line makes of the largest result in a bin of the other, or a little more: what rounding may have made
    different is taken for the same. Behind all bins it is infinite.
    """
    if k >= other.bins:
        return math.inf
    x = factor * other.ends[k]
    return x + plus + rounding + ROUNDING * (abs(x) + abs(plus))  # type: ignore[no-any-return]


def passed(own: Any, place: int, upto: float, x: float) -> tuple[int, float]:
    """The first bin that begins above x, from this one on, and how many results lie before it."""
    while place < own.bins and own.starts[place] <= x:
        upto += own.counts[place]
        place += 1
    return place, upto


def both(own: Any, upto: float, other: Any, before: float, stream: Stream) -> float:
    """The log-wealth against "at least the share of the one's results lie up to here, and at most the share of the other's
    before there", if these are so many.
    """
    one = wealth(own.rewards - upto, own.rewards, stream.rest_costs)
    return one + wealth(before, other.rewards, stream.share_costs)


def wealth(heads: float, tosses: float, costs: tuple[float, ...]) -> float:
    """The log-wealth of the bets that pay so much for a toss."""
    top, total = -math.inf, 0.0
    for k in range(COUNT):
        term = LOG_WEIGHTS[k] + heads * GAINS[k] - tosses * costs[k]
        if term > top:
            top, total = term, total * math.exp(top - term) + 1.0
        elif top - term < NEGLIGIBLE:
            total += math.exp(term - top)
    return top + math.log(total)


def estimate(own: Any, share: float, mirrored: bool) -> float:
    """The quantile of the results so far, to within a bin: where they are mirrored, counted from the largest on."""
    asked = Focus(
        mirrored, 1.0 - share if mirrored else share, math.inf, math.inf, whole_tail=False, low=-math.inf, high=math.inf
    )
    return bins.quantile(own, asked)


def deviation(own: Any, share: float) -> float:
    """How badly the quantile is known, times the root of the number of results."""
    n = own.rewards
    around = math.sqrt(share * (1.0 - share) / n) + 1.0 / n
    high = bins.quantile(own, focus(min(share + around, 1.0)))
    return 0.5 * math.sqrt(n) * (high - bins.quantile(own, focus(max(share - around, 0.0))))
