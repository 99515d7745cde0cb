"""Rewards of simulated arms, drawn by the kernels."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BERNOULLI = 0
UNIFORM = 1
BETA = 2
NORMAL = 3
DISCRETE = 4


ARM = np.dtype(
    [
        ("kind", np.int64),
        ("offset", np.float64),  # a reward with a density is offset + factor * (a draw of the kind)
        ("factor", np.float64),
        ("first", np.float64),  # p of a Bernoulli, a of a beta
        ("second", np.float64),  # the reward 1 of a Bernoulli, whose reward 0 is the offset; b of a beta
        ("start", np.int64),  # of a discrete arm's rows in `values` and `cumulative`
        ("stop", np.int64),
    ]
)


class Draws(NamedTuple):
    arms: NDArray[np.void]
    values: NDArray[np.float64]
    cumulative: NDArray[np.float64]


def draw(draws: Draws, index: int, generator: np.random.Generator) -> float:
    """One reward of one arm."""
    arm = draws.arms[index]
    kind = arm.kind
    if kind == BERNOULLI:
        return arm.second if generator.random() < arm.first else arm.offset  # type: ignore[no-any-return]
    if kind == DISCRETE:
        return draw_discrete(draws, arm.start, arm.stop, generator)
    if kind == BETA:
        plain = generator.beta(arm.first, arm.second)
    elif kind == UNIFORM:
        plain = generator.random()
    else:
        plain = generator.standard_normal()
    return arm.offset + arm.factor * plain  # type: ignore[no-any-return]


def draw_discrete(draws: Draws, start: int, stop: int, generator: np.random.Generator) -> float:
    """One of the arm's values: the first whose cumulative weight exceeds a uniform draw."""
    uniform = generator.random()
    low, high = start, stop - 1
    while low < high:
        middle = (low + high) // 2
        if draws.cumulative[middle] > uniform:
            high = middle
        else:
            low = middle + 1
    return draws.values[low]  # type: ignore[no-any-return]
