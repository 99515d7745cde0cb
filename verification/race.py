"""Does the default need more pulls on an instance than the best other combination, by a factor?

Of most instances that a search looks at, a few runs show that it does not. So runs are added in stages. After each, rivals
that are too far behind leave; when none is left, the race is over. Only an instance that stays to the end is measured well.
"""

import math
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from surefoot.problem import choice
from surefoot.simulation import Instance
from surefoot.simulation.job import Begin, Job

STAGES = (4, 12, 36, 108)  # runs of each combination, by the end of each stage
CAP = 10_000  # pulls of a run, at most
STARVED = (
    20.0  # times the mean pulls of the best other: a run counts for no more, because after a wrong verdict none may end
)
FEWEST = 100.0  # pulls of the best other: below that nobody minds
SPREAD = 1.2  # about two standard errors of a ratio of means, as a part of it: this over the root of the runs
TOO_LONG = 0.5  # of the most pulls: if the best other needs more, many of its runs may not have ended
FAR_BEHIND = 2.0  # times the pulls of the best other: no rival


class Measured(NamedTuple):
    mean: float
    tail: float  # the 95 % quantile


class Find(NamedTuple):
    ratio: float  # of mean pulls
    tail_ratio: float  # of the 95 % quantiles
    default: Measured
    other: Measured
    rival: str
    instance: Instance


class Runs:
    """Runs of one combination on one instance, made as they are needed; run k is run k of `simulate` with this seed."""

    def __init__(self, instance: Instance, policy: str, bounds: str, seed: int, cap: float) -> None:
        self.name, self.cap = f"{policy} with {bounds}", cap  # pulls that a run counts for at most
        self.job = Job(instance, policy, bounds, seed=seed, recommends=False)
        self.made: list[float] = []

    @cached_property
    def begin(self) -> Begin:
        return self.job.prepare()

    def reach(self, runs: int, most: float = math.inf) -> bool:
        """Make runs until there are so many; False as soon as they have more than so many pulls together."""
        while len(self.made) < runs and self.total <= most:
            run, longest = self.begin(len(self.made)), min(self.cap, most - self.total + 1.0)
            self.made.append(float(run(math.ceil(longest)).pulls))
        return self.total <= most

    @property
    def pulls(self) -> list[float]:
        return [min(pulls, self.cap) for pulls in self.made]

    @property
    def total(self) -> float:
        return sum(self.pulls)

    @property
    def measured(self) -> Measured:
        return Measured(float(np.mean(self.pulls)), float(np.quantile(self.pulls, 0.95)))


def race(
    instance: Instance,
    rivals: Iterable[tuple[str, str]],
    seed: int,
    bar: float = 0.0,
    stages: tuple[int, ...] = STAGES,
    cap: float = CAP,
) -> Find | None:
    """How the default compares with the best other; None if its pulls are less than `bar` times as many, or if nobody minds:
    because the best other needs few, or as many as a run may take.
    """
    default = Runs(instance, *choice.preferred(instance.problem), seed, cap)
    others = [Runs(instance, policy, bounds, seed, cap) for policy, bounds in rivals]
    for runs in stages:
        luck = 1.0 + SPREAD / math.sqrt(runs) if runs < stages[-1] else 1.0
        default.reach(runs)
        if default.total * luck < bar * FEWEST * runs:
            return None
        most = default.total * luck / bar if bar > 0.0 else math.inf
        near = []
        for other in others:
            if other.reach(runs, most):
                near.append(other)
                most = min(most, FAR_BEHIND * other.total)
        others = sorted(near, key=lambda other: other.total)
        if not others or others[0].total * luck < FEWEST * runs or others[0].total > TOO_LONG * cap * runs:
            return None
        for combination in (default, *others):
            combination.cap = min(combination.cap, STARVED * others[0].total / runs)
    best = others[0]
    own, tail = default.measured, min(other.measured.tail for other in others)
    return Find(own.mean / best.measured.mean, own.tail / tail, own, best.measured, best.name, instance)
