"""Arms that lead, and the share of delta that each has: the earlier an arm was taken up, the larger (docs/tight.md)."""

import math

POWER = 2.0  # the k-th leader has k to the minus this of what the first one has


def shares(arms: int) -> float:
    """The shares of all leaders but the last, as a multiple of the first: the best arm needs none, so one is to spare."""
    return math.fsum(k**-POWER for k in range(1, arms))


def cost(order: float) -> float:
    """How much more evidence the leader of this order needs than the first one, in ln."""
    return POWER * math.log(order)
