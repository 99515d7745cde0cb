"""Evidence on the difference of two arms' means, from their results on common places: items of one order, or rounds.

D = X - Y is the difference of two results at one place, in [-1, 1]. If its mean is at most -margin, that of 1 + D is at most
x = 1 - margin, so that the product of (1 + b (1 + D))/(1 + b x) is a wealth as in `tight`: one number for each bet serves
every margin. The stake of a bet is b/(1 + b) of the wealth. Arms may depend on each other in any way (docs/items.md).

A record is about one ordered pair: that the first arm is above the second. The reverse has a record of its own. To look at
the evidence changes nothing of it: what a record holds depends on the differences alone, not on who looked and when.
"""

import math
from typing import Annotated, Protocol

from surefoot.core.bounds import tight as bets
from surefoot.core.bounds.tight import BETS, COUNT, HUGE
from surefoot.core.statistics import Statistics

LARGEST = 1.0  # that a difference can be
CALLED = ("log_evidence", "lower_end")  # functions to compile once and not into each caller: they are large
GROWTH = bets.GROWTH  # two arms are compared anew when they have 2 % more places in common


class Differences(Protocol):
    sums: Annotated[list[float], COUNT]  # for each bet b the sum of ln(1 + b (1 + D)), of the differences settled
    products: Annotated[list[float], COUNT]  # the product of 1 + b (1 + D), of the differences since
    looked: Annotated[list[float], COUNT]  # the sums of all differences, at the last look
    count: float  # differences
    total: float  # their sum
    squares: float  # the sum of their squares
    place: int  # the next place to fold; those where one of the two has no result are passed over
    due: float  # at which place to look again


def observe(own: Differences, difference: float, items: float = math.inf, tolerance: float = 0.0) -> None:
    """Settle all bets on a difference. How many items there are, and which tolerance, is for evidence on finite lists."""
    if own.count == 0.0:
        start_products(own)
    for k in range(COUNT):
        own.products[k] *= 1.0 + BETS[k] * (1.0 + difference)
    own.count += 1.0
    own.total += difference
    own.squares += difference * difference
    if own.products[0] > HUGE:
        settle(own)


def start_products(own: Differences) -> None:
    for k in range(COUNT):
        own.products[k] = 1.0


def settle(own: Differences) -> None:
    """Take the products into the sums."""
    for k in range(COUNT):
        own.sums[k] += math.log(own.products[k])
    start_products(own)


def look(own: Differences) -> None:
    """Bring the sums of all differences up to date."""
    for k in range(COUNT):
        own.looked[k] = own.sums[k] + math.log(own.products[k])


def log_evidence(own: Differences, margin: float, items: float = math.inf) -> float:
    """ln of the evidence that the mean difference is above -margin: that the first arm, and the margin, are above the
    second.
    """
    if margin > LARGEST:
        return math.inf
    if own.count == 0.0:
        return 0.0
    look(own)
    return bets.wealth(own.looked, own.count, 1.0 - max(margin, -LARGEST))[0]


def lower_end(own: Differences, level: float) -> float:
    """The largest x such that the mean difference is surely above it, at this level: ln(1 / the probability that it ever
    fails).
    """
    if own.count == 0.0:
        return -LARGEST
    look(own)
    end = bets.lower_end(own.looked, own.count, level, 0.0, 1.0 + mean(own))
    return max(end, 0.0) - 1.0


def interval(own: Differences, reverse: Differences, level: float) -> tuple[float, float]:
    """Between what the mean difference lies. Each end may fail at the level, both of them twice as often."""
    return lower_end(own, level), -lower_end(reverse, level)


def mean(own: Differences) -> float:
    return own.total / own.count if own.count > 0.0 else 0.0


def is_certain(first: Statistics, second: Statistics, items: float, margin: float) -> bool:
    """Is the first arm no more than the margin below the second, whatever is still to come? Of a sample that is never so."""
    return False


def rough_lead(own: Differences, margin: float, items: float = math.inf) -> float:
    """About how much evidence there is that the mean difference is above -margin, in ln.

    Of differences with hardly any variance a bet still gains no more than in proportion to the gap.
    """
    gap = mean(own) + margin
    if own.count == 0.0 or gap <= 0.0:
        return 0.0
    return 0.5 * own.count * gap * gap / (own.squares / own.count + 0.25 * gap)
