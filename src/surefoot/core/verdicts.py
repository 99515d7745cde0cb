"""The words kernels answer with, as integers."""

# Of an arm's risk:
OPEN = 0
FEASIBLE = 1
INFEASIBLE = 2

# Of the whole question:
UNDECIDED = 0
BEST = 1
NO_ARM = 2


def is_asked(verdict: int, revises: bool) -> bool:
    """Is a limit test with this verdict still asked? One that revises is, until it says INFEASIBLE."""
    return verdict == OPEN or (revises and verdict == FEASIBLE)
