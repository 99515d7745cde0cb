"""Arms that lead, and what each has of delta: the earlier it was taken up, the more (docs/tight.md, only leaders pay)."""

import math

POWER = 2.0  # the k-th leader has k to the minus this of what the first one has


def shares(arms: int) -> float:
    """What all leaders but one have together, of what the first one has: of the best arm nothing need be shown."""
    return math.fsum(k**-POWER for k in range(1, arms))


def cost(order: float) -> float:
    """How much more evidence the leader of this order needs than the first one, in ln."""
    return POWER * math.log(order)
