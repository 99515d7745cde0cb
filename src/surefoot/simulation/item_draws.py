"""Results of simulated arms that are tried on the same items.

What the arms have in common on an item is drawn when the first of them comes to it. From a table it is a row, drawn with
replacement; of a finite list each row comes once, in random order. Of arms with distributions it is a standard normal number
z (a Gaussian copula): an arm's result is the quantile of its distribution at the normal probability of sqrt(c) z +
sqrt(1 - c) e, where c is the correlation and e a normal number of the arm's own. Each metric has a z of its own. Quantiles
of a distribution without atoms are those at 193 normal numbers from -6 to 6, joined by straight lines.
"""

import math
from collections.abc import Sequence
from functools import cache
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.problem.distributions import Distribution
from surefoot.problem.distributions.distribution import Atoms, Inward

ENDS, PER_UNIT = 6.0, 16.0  # of the normal numbers at which quantiles are known
POINTS = int(2 * ENDS * PER_UNIT) + 1
SWING = math.sqrt(2.0)  # of a season: its numbers have the variance 1 too
ROOM = 1_000  # items, at first
ARM = np.dtype([("start", np.int64), ("stop", np.int64), ("smooth", np.int64)])


class ItemDraws(NamedTuple):
    """Of one metric."""

    arms: NDArray[np.void]
    values: NDArray[np.float64]  # on the kernels' scale: quantiles, atoms, or a column of the table
    ends: NDArray[np.float64]  # of atoms: the normal number up to which each value is the result
    shared: float  # sqrt(c)
    own: float  # sqrt(1 - c)
    rows: int  # of the table; 0 if there is none
    season: float  # in how many places z goes up and down once; 0 if it is drawn anew at each
    once: bool  # does each of them come once?
    common: NDArray[np.float64]  # by place: z, or the row
    drawn: NDArray[np.int64]  # [how many of them]


def draw_or_take(draws: ItemDraws, index: int, place: int, generator: np.random.Generator) -> float:
    """The result of an arm on the item at a place."""
    if place == draws.drawn[0]:
        if draws.season > 0.0:
            draws.common[place] = SWING * math.sin(2.0 * math.pi * place / draws.season)
        else:
            draws.common[place] = (
                int(generator.random() * draws.rows) if draws.rows > 0 else generator.standard_normal()
            )
        draws.drawn[0] += 1
    arm = draws.arms[index]
    if draws.rows > 0:
        return draws.values[arm.start + int(draws.common[place])]  # type: ignore[no-any-return]
    normal = draws.shared * draws.common[place] + draws.own * generator.standard_normal()
    if arm.smooth == 1:
        position = min(max((normal + ENDS) * PER_UNIT, 0.0), POINTS - 1.001)
        below = int(position)
        low, high = draws.values[arm.start + below], draws.values[arm.start + below + 1]
        return low + (position - below) * (high - low)  # type: ignore[no-any-return]
    low, high = arm.start, arm.stop - 1
    while low < high:
        middle = (low + high) // 2
        if draws.ends[middle] > normal:
            high = middle
        else:
            low = middle + 1
    return draws.values[low]  # type: ignore[no-any-return]


def of_distributions(
    distributions: Sequence[Distribution], inward: Inward, correlation: float, season: float = 0.0
) -> ItemDraws:
    arms: Any = np.zeros(len(distributions), dtype=ARM).view(np.recarray)
    values: list[float] = []
    ends: list[float] = []
    for arm, distribution in zip(arms, distributions, strict=True):
        rule, start = distribution.rule(), len(values)
        if isinstance(rule, Atoms):
            known = sorted(zip(rule.values, rule.weights, strict=True))
            values += [inward(value) for value, _ in known]
            ends += [normal_end(share) for share in np.cumsum([weight for _, weight in known])]
        else:
            values += [inward(value) for value in quantiles(distribution)]
            ends += [0.0] * POINTS
        arm["start"], arm["stop"], arm["smooth"] = start, len(values), int(not isinstance(rule, Atoms))
    shared, own = math.sqrt(correlation), math.sqrt(1.0 - correlation)
    return ItemDraws(
        arms, np.array(values), np.array(ends), shared, own, 0, season, False, np.zeros(ROOM), np.array([0])
    )


def of_columns(columns: Sequence[Sequence[float]], inward: Inward, once: bool) -> ItemDraws:
    """Of a table: a column for each arm. Its rows are drawn with replacement, or come once each."""
    arms: Any = np.zeros(len(columns), dtype=ARM).view(np.recarray)
    rows = len(columns[0])
    for index, arm in enumerate(arms):
        arm["start"], arm["stop"] = index * rows, (index + 1) * rows
    values = np.array([inward(value) for column in columns for value in column])
    return ItemDraws(arms, values, np.zeros(1), 0.0, 1.0, rows, 0.0, once, np.zeros(ROOM), np.array([0]))


def normal_end(share: float) -> float:
    return NormalDist().inv_cdf(share) if 0.0 < share < 1.0 - 1e-12 else math.copysign(math.inf, share - 0.5)


@cache
def quantiles(distribution: Distribution) -> tuple[float, ...]:
    """At the normal numbers from -ENDS to ENDS."""
    normals = (k / PER_UNIT - ENDS for k in range(POINTS))
    return tuple(distribution.quantile(NormalDist().cdf(normal)) for normal in normals)


def begun(draws: tuple[ItemDraws, ...], generator: np.random.Generator) -> tuple[ItemDraws, ...]:
    """For a run of its own: nothing is drawn yet, but for the order of a finite list."""
    if not draws[0].once:
        return fresh(draws)
    order = generator.permutation(draws[0].rows).astype(float)
    return tuple(one._replace(common=order, drawn=np.array([one.rows])) for one in draws)


def fresh(draws: tuple[ItemDraws, ...], rooms: int = ROOM) -> tuple[ItemDraws, ...]:
    """Nothing is drawn yet. Metrics of a table have their rows in common."""
    buffers = [(np.zeros(rooms), np.array([0])) for _ in draws]
    return tuple(
        one._replace(common=buffers[0 if one.rows else k][0], drawn=buffers[0 if one.rows else k][1])
        for k, one in enumerate(draws)
    )


def enlarged(draws: tuple[ItemDraws, ...], room: int) -> tuple[ItemDraws, ...]:
    """With room for so many items."""
    larger = fresh(draws, room)
    for new, old in zip(larger, draws, strict=True):
        new.common[: len(old.common)], new.drawn[0] = old.common, old.drawn[0]
    return larger
