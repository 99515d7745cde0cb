"""A winner tree: the largest of many values, kept while one value at a time changes, in O(log N).

Four play in a match, and their rows (value, winner) fill one cache line, so that a replay among a million arms reads ten.
The winner of the match of rows 4k to 4k + 3 stands in row k + 2: row 3 is the final, rows 4 to 7 play for it, rows 8 to 23
for those, and so on down to the arms themselves. Row 0 says where the arms begin.
"""

import numpy as np
from numpy.typing import NDArray

VALUE, WINNER = 0, 1
FINAL = 3


def tournament(arms: int, value: float) -> NDArray[np.float64]:
    """All arms with the same value; the smallest index wins a tie."""
    first = 4
    while 3 * first - 8 < arms:  # as many rows as that are on the level that begins at `first`
        first = 4 * first - 8
    size = first + arms + (-arms) % 4
    memory = np.full(2 * size + 8, -np.inf)
    start = -memory.ctypes.data % 64 // 8
    rows = memory[start : start + 2 * size].reshape(size, 2)
    rows[:, WINNER] = np.inf
    rows[0] = first
    rows[first : first + arms, VALUE] = value
    rows[first:, WINNER] = np.arange(size - first)
    while first > FINAL:  # level by level, the first of each four
        above = (first + 8) // 4
        rows[above : above + (size - first) // 4] = rows[first:size:4]
        first, size = above, first
    return rows


def place(rows: NDArray[np.float64], arm: int, value: float) -> None:
    """Give one arm another value and replay its matches, up to the first that it neither won nor wins."""
    row = int(rows[0, VALUE]) + arm
    rows[row, VALUE] = value
    while row > FINAL:
        winning = row & ~3
        for rival in range(winning + 1, winning + 4):
            if rows[rival, VALUE] > rows[winning, VALUE]:
                winning = rival
        row = (row >> 2) + 2
        if rows[winning, WINNER] != arm and rows[row, WINNER] != arm:
            return
        rows[row, VALUE] = rows[winning, VALUE]
        rows[row, WINNER] = rows[winning, WINNER]


def champion(rows: NDArray[np.float64]) -> int:
    """The arm with the largest value, -1 if every value is -inf."""
    return int(rows[FINAL, WINNER]) if rows[FINAL, VALUE] > -np.inf else -1


def runner_up(rows: NDArray[np.float64], arm: int) -> int:
    """The arm with the largest value other than `arm`, -1 if there is none: the best that `arm` met on its way up."""
    best, best_value = -1, -np.inf
    row = int(rows[0, VALUE]) + arm
    while row > FINAL:
        match = row & ~3
        for rival in range(match, match + 4):
            value = rows[rival, VALUE]
            if rival != row and (value > best_value or (value == best_value and rows[rival, WINNER] < best)):
                best, best_value = int(rows[rival, WINNER]), value
        row = (row >> 2) + 2
    return best
