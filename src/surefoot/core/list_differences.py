"""Evidence on the difference of two arms' means over a finite list: differences of results at common places of one random
order (docs/finite.md).

It is like `differences`, of which it has the record, but the next difference has another mean given those before it. The
margin is part of that mean. So there are sums for two margins: none, and the tolerance of the problem.
"""

import math
from typing import Annotated, Protocol

from surefoot.core import list_bets
from surefoot.core.list_bets import COUNT
from surefoot.core.statistics import Statistics

CALLED = ("log_evidence", "observe")  # functions to compile once and not into each caller: they are large
GROWTH = 1.0  # two arms are compared anew at each place: on a list every item counts


class Differences(Protocol):
    sums: Annotated[list[float], COUNT]  # for each bet its log-wealth against "the first arm is not above the second"
    wide_sums: Annotated[list[float], COUNT]  # the same against "not even with the tolerance"
    count: float  # differences
    total: float  # their sum
    squares: float  # the sum of their squares
    place: int  # the next place to fold; those where one of the two has no result are passed over
    due: float  # at which place to look again


def observe(own: Differences, difference: float, items: float, tolerance: float) -> None:
    """Settle all bets on a difference of two results. A place where one of them is missing stays among those to come."""
    value, total, left = 1.0 + difference, own.count + own.total, items - own.count
    list_bets.settle(own.sums, value, total, items, left, items)
    if tolerance > 0.0:
        list_bets.settle(own.wide_sums, value, total, items * max(1.0 - tolerance, 0.0), left, items)
    own.count += 1.0
    own.total += difference
    own.squares += difference * difference


def log_evidence(own: Differences, margin: float, items: float) -> float:
    """ln of the evidence that the mean difference is above -margin, which is 0 or the tolerance."""
    return list_bets.log_wealth(own.wide_sums if margin > 0.0 else own.sums, items)


def is_certain(first: Statistics, second: Statistics, items: float, margin: float) -> bool:
    """Is the first arm's mean over the list no more than the margin below the second's, whatever is still to come? Of the
    first it takes the results so far alone, and for the rest the worst that there can be.
    """
    best = list_bets.highest(second.total, second.pulls, items)
    return list_bets.surely_at_least(first.total, items, best - margin)


def mean(own: Differences) -> float:
    return own.total / own.count if own.count > 0.0 else 0.0


def rough_lead(own: Differences, margin: float, items: float) -> float:
    """About how much evidence there is that the mean difference is above -margin, in ln: the more, the less is left."""
    gap, left = mean(own) + margin, 1.0 - own.count / items
    if own.count == 0.0 or gap <= 0.0:
        return 0.0
    return 0.5 * own.count * gap * gap / (own.squares / own.count + 0.25 * gap) / left if left > 0.0 else math.inf
