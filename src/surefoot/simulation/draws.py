"""Rewards of simulated arms, drawn by the kernels."""

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core.assembly import filled
from surefoot.problem.distributions import DISTRIBUTIONS, Distribution
from surefoot.problem.distributions.distribution import Inward
from surefoot.simulation import either

KINDS = list(DISTRIBUTIONS)  # an arm's kind is the index of its distribution,
ROWS = len(KINDS)  # or this one: its values are those of rows of data, which all metrics have in common

ARM = np.dtype(
    [
        ("kind", np.int64),
        ("offset", np.float64),  # the rest as `ArmDraws` has it
        ("factor", np.float64),
        ("first", np.float64),
        ("second", np.float64),
        ("third", np.float64),
        ("fourth", np.float64),
        ("start", np.int64),
        ("stop", np.int64),
    ]
)


class Draws(NamedTuple):
    arms: NDArray[np.void]
    values: NDArray[np.float64]
    cumulative: NDArray[np.float64]


def chained() -> ModuleType:
    """A module whose `draw` is that of the arm's distribution. Compiled, it is a switch: a table of functions could not be
    inlined.
    """
    *others, rest = (sys.modules[distribution.__module__] for distribution in DISTRIBUTIONS.values())
    for kind, sampler in reversed(list(enumerate(others))):
        rest = filled(either, f"{either.__name__}.{KINDS[kind]}", sampler=sampler, rest=rest)
        vars(rest).update(KIND=kind, __file__=either.__file__)  # what is compiled is kept only if it has a file,
        sys.modules[rest.__name__] = rest  # and is found again by the name of its module
    return rest


samplers = chained()


def draw(draws: Draws, index: int, generator: np.random.Generator) -> float:
    """One reward of one arm."""
    return samplers.draw(draws.arms[index], draws, generator)  # type: ignore[no-any-return]


def draw_or_take(draws: Draws, index: int, row: int, generator: np.random.Generator) -> float:
    """One value of one arm: that of a row, or drawn if the row is -1."""
    if row >= 0:
        return draws.values[draws.arms[index].start + row]  # type: ignore[no-any-return]
    return draw(draws, index, generator)


def table(distributions: Sequence[Distribution], inward: Inward, width: float, rows: Sequence[bool] = ()) -> Draws:
    """Distributions as the kernels draw from them, on their scale.

    :param rows: of each arm, are its values those of rows of data? Left out: of none.
    """
    arms: Any = np.zeros(len(distributions), dtype=ARM).view(np.recarray)
    values: list[float] = []
    cumulative: list[float] = []
    in_rows = rows or [False] * len(distributions)
    for arm, distribution, of_rows in zip(arms, distributions, in_rows, strict=True):
        row = distribution.row(inward)
        arm["kind"] = ROWS if of_rows else KINDS.index(distribution.key)
        arm["offset"], arm["factor"] = inward(row.low), (row.high - row.low) / width
        arm["first"], arm["second"], arm["third"], arm["fourth"] = row.first, row.second, row.third, row.fourth
        arm["start"], arm["stop"] = len(values), len(values) + len(row.values)
        values.extend(row.values)
        cumulative.extend(np.cumsum(row.weights).tolist())
    return Draws(arms, np.array(values or [0.0]), np.array(cumulative or [1.0]))
