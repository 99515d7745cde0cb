"""The best shares of pulls against many challengers: T* = min over y of (1 + sum of w_j(y)) / y  (docs/limit.md).

w_j(y) = max over m of (y - K(m)) / G_j(m) is what arm j needs, per pull of the leader, so that no alternative in which both
means meet at m is cheaper than y. K is what it costs to bring the leader's mean down to m, G_j to bring arm j up to it.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Number = TypeVar("Number", np.float64, np.intp)

ROUNDS = 100  # of refinement, at most: 15 are common
CLOSE = 1e-14  # relative gain, to first order, that ends it: of T*, the gain is of second order
NEAR = 0.02  # how near the ends of its bracket, as a share of it, a new point may lie


class Costs(NamedTuple):
    """K, K', G and G' at each arm's points m."""

    K: Floats
    K_slope: Floats
    G: Floats
    G_slope: Floats


class Allocation(NamedTuple):
    time: float  # T*
    weights: Floats  # of the arms, per pull of the leader
    level: float  # y
    meeting: Floats  # the m at which each arm's cheapest alternative has both means


def allocate(
    costs: Callable[[NDArray[np.intp], Floats], Costs], points: Floats, counts: Floats, leader: float, highest: float
) -> Allocation:
    """The allocation, from a first grid of points for each arm (a row, ascending), which is then refined.

    `costs` prices points of some rows. `counts` says how many arms are like each row. `leader` is 1, or 0 if there is none;
    y is at most `highest`.
    """
    known = costs(np.arange(len(points)), points)
    closed = 0
    for turn in range(ROUNDS):
        levels = best_levels(known, counts, leader, highest)
        level = levels[turn % 2]  # an arm may have two best points, one just below the level and one just above
        ratios = needs(known, level)
        best = ratios.argmax(axis=1)[:, None]
        weights = at(ratios, best)[:, 0]
        total = leader + counts @ weights
        gains = promises(points, known, level, ratios)
        other = hopeful(ratios, gains, best)
        allocation = Allocation(float(total / level), weights, level, at(points, best)[:, 0])
        fresh = [between(points, known, level, peak, NEAR if turn & 2 else 0.5) for peak in (best, other)]
        hopes = [at(ratios + gains, peak)[:, 0] - weights for peak in (best, other)]
        rows = [np.flatnonzero(counts * hope > CLOSE * total) for hope in hopes]
        closed = closed + 1 if not any(len(some) for some in rows) else 0
        if closed == 2:
            break
        for some, new in zip(rows, fresh, strict=True):
            points, known = joined(points, known, some, new, costs(some, new[some]))
    return allocation


def at(part: NDArray[Number], index: NDArray[np.intp]) -> NDArray[Number]:
    return np.take_along_axis(part, index, axis=1)


def needs(known: Costs, level: float) -> Floats:
    """(y - K) / G, at least 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(level > known.K, (level - known.K) / known.G, 0.0)


def best_levels(known: Costs, counts: Floats, leader: float, highest: float) -> tuple[float, float]:
    """y at which the sum of K / G at the best points is 1, from below and from above: it increases with y, and may jump."""

    def excess(level: float) -> float:
        best = needs(known, level).argmax(axis=1)[:, None]
        K, G = (at(part, best)[:, 0] for part in (known.K, known.G))
        return float(counts @ (K / G)) - leader

    if excess(highest) <= 0.0:
        return highest, highest
    low, high = 0.0, highest
    for _ in range(200):
        middle = (low + high) / 2.0 if low > 0.0 else high / 16.0
        if excess(middle) <= 0.0:
            low = middle
        else:
            high = middle
        if high - low <= 1e-15 * high:
            break
    return low, high


def rise(known: Costs, level: float) -> Floats:
    """The derivative of (y - K) / G."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (-known.K_slope - (level - known.K) * known.G_slope / known.G) / known.G
    return np.where((level > known.K) & np.isfinite(slope), slope, 0.0)


def beside(known: Costs, level: float) -> NDArray[np.intp]:
    """The neighbour of each point on the side to which the ratio rises."""
    here = np.arange(known.K.shape[1])
    return np.clip(here + np.sign(rise(known, level)).astype(np.intp), 0, here[-1])


def promises(points: Floats, known: Costs, level: float, ratios: Floats) -> Floats:
    """What the ratio may gain, to first order, between each point and that neighbour; nothing where it has more already."""
    other = beside(known, level)
    gain = np.abs(rise(known, level) * (at(points, other) - points))
    return np.where(at(ratios, other) <= ratios, gain, 0.0)


def hopeful(ratios: Floats, gains: Floats, best: NDArray[np.intp]) -> NDArray[np.intp]:
    """The other point that promises most: the ratio may have several peaks, and the highest be between two points."""
    hopes = np.where(gains > 0.0, ratios + gains, 0.0)
    np.put_along_axis(hopes, best, 0.0, axis=1)
    chosen: NDArray[np.intp] = hopes.argmax(axis=1)[:, None]
    return chosen


def between(points: Floats, known: Costs, level: float, peak: NDArray[np.intp], near: float) -> Floats:
    """A further point for each arm, next to its peak on the side to which the ratio rises.

    Where its derivative vanishes, by the secant; but where that is all but an end of the bracket, the share `near` of the
    bracket away from that end.
    """
    slopes, other = rise(known, level), at(beside(known, level), peak)
    here, there = at(slopes, peak), at(slopes, other)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = here / (here - there)
    share = np.where((here * there < 0.0) & np.isfinite(share), share, 0.5)
    share = np.where(share < NEAR, near, np.where(share > 1.0 - NEAR, 1.0 - near, share))
    return at(points, peak) + share * (at(points, other) - at(points, peak))


def joined(points: Floats, known: Costs, rows: NDArray[np.intp], fresh: Floats, costs: Costs) -> tuple[Floats, Costs]:
    """The points with the new ones among them, ascending; rows that have none repeat their first."""

    def longer(part: Floats, new: Floats) -> Floats:
        extra = part[:, :1].copy()
        extra[rows] = new
        return np.concatenate([part, extra], axis=1)

    together = longer(points, fresh[rows])
    order = together.argsort(axis=1, kind="stable")
    parts = (longer(part, new) for part, new in zip(known, costs, strict=True))
    return at(together, order), Costs(*(at(part, order) for part in parts))
