"""The sets and gaps of an instance, [HTZ] Section II: everything on the kernels' scale, the goal "max"."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gaps:
    best: int | None  # i*, None if the instance is infeasible
    feasible: tuple[bool, ...]  # F
    suboptimal: tuple[bool, ...]  # S
    mean: tuple[float, ...]  # Delta_i; of i* that of i**; infinite where it has no meaning
    variance: tuple[float, ...]  # Delta_i^v

    @property
    def accuracy(self) -> float:
        """eps_mu with which RiskAverse-UCB-BAI finds exactly i*: Delta of i*."""
        return math.inf if self.best is None else self.mean[self.best]

    @property
    def risk_accuracy(self) -> float:
        """eps_v with which it does: the smallest variance gap of the risky arms but i*."""
        risky = [gap for i, gap in enumerate(self.variance) if not self.suboptimal[i] and i != self.best]
        return min(risky, default=math.inf)


def gaps(means: Sequence[float], variances: Sequence[float], limit: float) -> Gaps:
    """The gaps of arms with these means and variances.

    >>> gap = gaps([0.7, 0.5, 0.9], [0.03, 0.03, 0.2], 0.04)
    >>> gap.best, gap.suboptimal
    (0, (False, True, False))
    """
    feasible = tuple(variance <= limit for variance in variances)
    possible = [i for i, allowed in enumerate(feasible) if allowed]
    best = max(possible, key=lambda i: (means[i], -i)) if possible else None
    suboptimal = tuple(best is not None and mean < means[best] for mean in means)
    mean = [
        means[best] - mu if best is not None and below else math.inf
        for mu, below in zip(means, suboptimal, strict=True)
    ]
    if best is not None:
        tied = any(i != best and means[i] == means[best] for i in possible)
        mean[best] = 0.0 if tied else min((mean[i] for i in range(len(means)) if suboptimal[i]), default=math.inf)
    return Gaps(best, feasible, suboptimal, tuple(mean), tuple(abs(variance - limit) for variance in variances))
