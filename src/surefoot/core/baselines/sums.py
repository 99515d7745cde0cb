"""Means of numbers in [0, 1] beside those of the baseline: by the bets of `tight` on each (docs/baseline.md, Proposition 1).

Of several limits the sums lie one after the other.
"""

import math
from typing import Annotated, Any

from surefoot.core.bounds import tight as bets
from surefoot.core.bounds.tight import BETS, COUNT, HUGE, STEPS

CLOSE = 0.01  # to this the least evidence is found: what is returned is never above it
CALLED = ("least_evidence",)  # functions to compile once and not into each caller: they are large


def fields(limits: int) -> dict[str, Any]:
    """What is kept of an arm for so many limits."""
    bet, number = Annotated[list[float], COUNT * limits], Annotated[list[float], limits]
    rows = {"rises": bet, "falls": bet, "rise_products": bet, "fall_products": bet, "totals": number, "squares": number}
    return rows if limits else {}


def observe(own: Any, k: int, x: float) -> None:
    """Settle the bets of one limit on a number."""
    own.totals[k] += x
    own.squares[k] += x * x
    for bet in range(COUNT):
        own.rise_products[k * COUNT + bet] *= 1.0 + BETS[bet] * x
        own.fall_products[k * COUNT + bet] *= 1.0 + BETS[bet] * (1.0 - x)
    if max(own.rise_products[k * COUNT], own.fall_products[k * COUNT]) > HUGE:
        settle(own)


def start_products(own: Any) -> None:
    for k in range(len(own.rises)):
        own.rise_products[k] = 1.0
        own.fall_products[k] = 1.0


def settle(own: Any) -> None:
    """Take the products into the sums."""
    for k in range(len(own.rises)):
        own.rises[k] += math.log(own.rise_products[k])
        own.falls[k] += math.log(own.fall_products[k])
    start_products(own)


def above(own: Any, n: float, other: Any, m: float, k: int, factor: float, plus: float) -> float:
    """ln of the evidence that the mean of one arm is above `factor` times that of the other, and `plus`."""
    start, end = k * COUNT, (k + 1) * COUNT
    return least_evidence(own.rises[start:end], n, other.falls[start:end], m, factor, plus)


def least_evidence(high: Any, n: float, low: Any, m: float, factor: float, plus: float) -> float:
    """ln of the evidence that the mean of `high` is above `factor` times that of `low` and `plus`, or a little less.

    It is the least log-wealth against "high has a mean of at most factor x + plus, low one of at least x". It is convex in
    x, so that tangents bound it from below. Where factor x + plus is below 0, no mean is that small; where it is above 1,
    the log-wealth is no less than where it is 1.
    """
    left, right = max(0.0, -plus / factor), min(1.0, (1.0 - plus) / factor)
    if left > right:  # it is surely above, or surely not
        return math.inf if factor + plus < 0.0 else 0.0
    at_left, slope_left = meeting(high, n, low, m, left, factor, plus)
    if slope_left >= 0.0:
        return at_left
    at_right, slope_right = meeting(high, n, low, m, right, factor, plus)
    if slope_right <= 0.0:
        return at_right
    least = -math.inf
    for _ in range(STEPS):
        cross = (at_right - at_left - slope_right * (right - left)) / (slope_left - slope_right)
        least = at_left + slope_left * cross
        value, slope = meeting(high, n, low, m, left + cross, factor, plus)
        if value - least < CLOSE:
            return least
        if slope < 0.0:
            left, at_left, slope_left = left + cross, value, slope
        else:
            right, at_right, slope_right = left + cross, value, slope
    return least


def meeting(high: Any, n: float, low: Any, m: float, x: float, factor: float, plus: float) -> tuple[float, float]:
    """The log-wealth against "high has a mean of at most factor x + plus, low one of at least x", and its slope in x."""
    y, z = min(max(factor * x + plus, 0.0), 1.0), min(max(1.0 - x, 0.0), 1.0)
    value, falling, rising = bets.pair_wealth(high, n, y, low, m, z)
    return value, factor * falling - rising


def deviation(own: Any, k: int, pulls: float) -> float:
    """Of the limited number; of few results it is taken for larger than it seems."""
    n = max(pulls, 1.0)
    mean = own.totals[k] / n
    return math.sqrt(max(own.squares[k] / n - mean * mean, 0.0) + 0.25 / n)
