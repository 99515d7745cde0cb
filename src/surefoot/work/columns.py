"""A table with a column for each arm: do the columns depend on each other? Bounds that compare arms in pairs may not.

From one row to the next, two columns that do not depend on each other are as likely to move the same way as opposite ways.
The evidence against that is a martingale, so that the length of a table does not matter (docs/warnings.md has the proof).
"""

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.core.registry import POLICIES, decides
from surefoot.errors import Unsupported
from surefoot.problem import Problem, choice
from surefoot.study.views.notices import Notice
from surefoot.work.logs import Log

LEVEL = 0.01  # the probability of a false alarm
MOST = 200  # columns that are compared, each with each
CHECKS = 8  # of the evidence, while rows double


def bounds_of(log: Log, problem: Problem, policy: str | None) -> str | None:
    """The bounds for a log if none are named: rewards of one row may depend on each other, and `sharp` allows that."""
    if log.rows is None or problem.items:
        return None
    sharp = [name for name in POLICIES if goes_with(name, "sharp", problem)]
    if policy in POLICIES and policy not in sharp:
        asserted = ". If you know that the columns are independent of each other, choose --bounds tight"
        raise Unsupported(
            f"the columns of this table may depend on each other. Only the bounds 'sharp' allow this, and {policy} does not "
            f"work with them: leave out --policy, or choose {' or '.join(sharp)}"
            + (asserted if goes_with(policy, "tight", problem) else "")
        )
    return "sharp"


def goes_with(policy: str, bounds: str, problem: Problem) -> bool:
    return decides(policy, bounds, problem.rewards.kind, choice.limits_of(problem), problem.answer)


def dependent(log: Log, bounds: str, pairwise: bool) -> list[Notice]:
    """That two columns of a table depend on each other, the two of which it is clearest.

    :param pairwise: do the bounds that decide compare arms in pairs? Then they assume that columns are independent.
    """
    if log.rows is None or len(log.names) < 2:
        return []
    columns = np.unique(np.linspace(0, len(log.names) - 1, MOST).round().astype(int))
    alike, opposite = moves(steps(log, columns))
    if not len(alike):
        return []
    pairs = np.triu_indices(len(columns), 1)
    evidence = mixed(alike, opposite)[:, *pairs]
    if (np.logaddexp.reduce(evidence, axis=1) - math.log(len(pairs[0]))).max() < -math.log(LEVEL):
        return []
    clearest = evidence[-1].argmax()
    first, second = (pairs[side][clearest] for side in (0, 1))
    names = [log.names[columns[one]] for one in (first, second)]
    same, all_moves = int(alike[-1, first, second]), int((alike + opposite)[-1, first, second])
    seen = f"of {all_moves:,} times that both changed from one row to the next, they went the same way {same:,} times"
    meaning = (
        f"The bounds {bounds!r} may be wrong more often than delta says: choose --bounds sharp, which allow this."
        if pairwise
        else f"The guarantee holds: the bounds {bounds!r} allow it."
    )
    return [
        Notice("columns", None, f"The columns {names[0]!r} and {names[1]!r} depend on each other: {seen}. {meaning}")
    ]


def steps(log: Log, columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """From the first row of each two to the second: does each column go up (1), down (-1), or neither (0)?"""
    assert log.rows is not None
    place = np.full(len(log.names), -1)
    place[columns] = np.arange(len(columns))
    kept = place[log.arms] >= 0
    cells = np.full((int(log.rows[-1]) // 2 * 2 + 2, len(columns)), np.nan)
    cells[log.rows[kept], place[log.arms[kept]]] = log.rewards[kept]
    signs: NDArray[np.float64] = np.nan_to_num(np.sign(cells[1::2] - cells[::2]))
    return signs


def moves(steps: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of each two columns, how often they went the same way and opposite ways; at some rows, the last among them."""
    ends = np.unique(np.geomspace(1, len(steps), CHECKS * len(steps).bit_length()).round().astype(int))
    blocks = np.split(steps, ends[:-1])
    total = np.cumsum([block.T @ block for block in blocks], axis=0)
    both = np.cumsum([np.abs(block).T @ np.abs(block) for block in blocks], axis=0)
    return (both + total) / 2.0, (both - total) / 2.0


def mixed(alike: NDArray[np.float64], opposite: NDArray[np.float64]) -> NDArray[np.float64]:
    """ln of the mean of (1 + x)^alike (1 - x)^opposite over x from -1 to 1: 2^n / ((n + 1) C(n, alike))."""
    moves = alike + opposite
    factorials = np.append(0.0, np.cumsum(np.log(np.arange(1.0, moves.max() + 2.0))))
    alike, opposite, count = (values.round().astype(int) for values in (alike, opposite, moves))
    logarithms: NDArray[np.float64] = (
        moves * math.log(2.0) + factorials[alike] + factorials[opposite] - factorials[count + 1]
    )
    return logarithms
