"""The words kernels answer with, as integers."""

# Of an arm's risk:
OPEN = 0
FEASIBLE = 1
INFEASIBLE = 2

# Of the whole question:
UNDECIDED = 0
BEST = 1
NO_ARM = 2
