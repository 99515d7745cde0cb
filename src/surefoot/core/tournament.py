"""A winner tree: the largest of many values, kept while one value at a time changes, in O(log N).

Four play in a match, and their rows of value and winner fill one cache line, so that a replay among a million arms reads
ten. The winner of the match of rows 4k to 4k + 3 stands in row k + 2: row 3 is the final, rows 4 to 7 play for it, rows 8
to 23 for those, and so on down to the arms themselves. Row 0 says where the arms begin. Row r is two numbers, at 2r.
"""

from typing import Any, TypeAlias

import numpy as np

Tree: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

FINAL = 3
CALLED = ("runner_up",)  # seldom: compiled once, and not into the loop


def tournament(arms: int, value: float) -> Tree:
    """All arms with the same value; the smallest index wins a tie."""
    first = 4
    while 3 * first - 8 < arms:  # as many rows as that are on the level that begins at `first`
        first = 4 * first - 8
    size = first + arms + (-arms) % 4
    memory = np.empty(2 * size + 8)
    start = -memory.ctypes.data % 64 // 8
    tree = memory[start : start + 2 * size]
    rows = tree.reshape(size, 2)
    rows[:] = -np.inf, np.inf
    rows[0] = first
    rows[first : first + arms, 0] = value
    rows[first:, 1] = np.arange(size - first)
    while first > FINAL:  # level by level, the first of each four
        above = (first + 8) // 4
        rows[above : above + (size - first) // 4] = rows[first:size:4]
        first, size = above, first
    return tree


def place(tree: Tree, arm: int, value: float) -> None:
    """Give one arm another value and replay its matches, up to the first that it neither won nor wins."""
    row = int(tree[0]) + arm
    tree[2 * row] = value
    while row > FINAL:
        match = 2 * (row & ~3)
        winning, most = match, tree[match]
        for rival in range(match + 2, match + 8, 2):
            if tree[rival] > most:
                winning, most = rival, tree[rival]
        winner, row = tree[winning + 1], (row >> 2) + 2
        if winner != arm and tree[2 * row + 1] != arm:
            return
        tree[2 * row], tree[2 * row + 1] = most, winner


def champion(tree: Tree) -> int:
    """The arm with the largest value, -1 if every value is -inf."""
    return int(tree[2 * FINAL + 1]) if tree[2 * FINAL] > -np.inf else -1


def runner_up(tree: Tree, arm: int) -> int:
    """The arm with the largest value other than `arm`, -1 if there is none: the best that `arm` met on its way up."""
    best, best_value = -1, -np.inf
    row = int(tree[0]) + arm
    while row > FINAL:
        match = 2 * (row & ~3)
        for rival in range(match, match + 8, 2):
            value, winner = tree[rival], tree[rival + 1]
            if rival != 2 * row and (value > best_value or (value == best_value and winner < best)):
                best, best_value = int(winner), value
        row = (row >> 2) + 2
    return best
