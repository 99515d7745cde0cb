"""Do the rewards look like what the guarantee assumes: for each arm, independent draws of one distribution?

Three alarms, each false with probability at most LEVEL for a whole study, whatever the policy and whenever it ends:
`bounds`, where the bounds of an arm's mean exclude each other, `drift`, where its mean moves, and `step`, where the last
results of the arm that is decided to be the best are unlike those before (docs/warnings.md has the proofs). An arm is
looked at eight times while its rewards double. What is kept of it is little, and a function of its rewards alone: a study
that is opened anew warns as it did before.
"""

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from surefoot.core import drift, normal, statistics
from surefoot.core.bounds import mixture, sharp
from surefoot.problem import Problem
from surefoot.problem.models import Bounded, SubGaussian

LEVEL = 0.05  # the probability that a kind of alarm is ever false, of all arms together
FIRST = 32  # rewards of an arm at its first look
LOOKS = 8  # from then on until they have doubled
BLOCKS = 512  # at most: then each two become one
WAVES = 128  # rewards, with fewer of which no waves could be proven

SWITCHES = sharp.SWITCHES.tolist()

Interval: TypeAlias = Callable[[Any, float], tuple[float, float]]  # from an arm's record and ln(1 / miss) of each side


class Alarm(NamedTuple):
    """On the kernels' scale. `bounds`: the largest L and the smallest U. `drift`: two means, and of which rewards."""

    kind: str
    arm: int
    first: float
    second: float
    start: int = 0  # rewards before those of the first mean
    end: int = 0  # before those of the second
    length: int = 0  # of each mean


class Watched:
    """What is kept of an arm."""

    __slots__ = ("look", "lower", "size", "totals", "upper")

    def __init__(
        self,
        look: float = FIRST,
        size: float = 1.0,
        lower: float = -math.inf,
        upper: float = math.inf,
        totals: Iterable[float] = (),
    ) -> None:
        self.look = look  # at how many rewards
        self.size = size  # rewards in each block
        self.lower, self.upper = lower, upper  # the largest L and the smallest U so far
        self.totals = array("d", totals)  # the sum of all rewards at the end of each block


class Watch:
    def __init__(self, problem: Problem, level: float = LEVEL) -> None:
        arms = len(problem.arms)
        self.level = math.log(arms / level)  # ln(1 / a), a being one arm's part
        self.interval = interval_of(problem)
        self.due: list[float] = [1.0] * arms  # of each arm, the rewards at which its next block ends
        self.arms: dict[int, Watched] = {}
        self.alarms: dict[tuple[str, int], Alarm] = {}  # the first of each kind and arm

    def take(self, index: int, arm: Any) -> None:
        """The record of an arm that has as many rewards as were due."""
        kept = self.arms.get(index)
        if kept is None:
            kept = self.arms[index] = Watched()
        kept.totals.append(arm.metric.total)
        if arm.metric.pulls >= kept.look:
            kept.look = arm.metric.pulls + math.ldexp(1.0 / LOOKS, int(arm.metric.pulls).bit_length() - 1)
            self.compare_bounds(index, arm, kept)
            self.compare_blocks(index, arm, kept)
            if len(kept.totals) == BLOCKS:
                kept.totals, kept.size = kept.totals[1::2], 2.0 * kept.size
        self.due[index] = arm.metric.pulls + kept.size

    def look(self, index: int, arm: Any) -> None:
        """Once more, at the arm that is decided to be the best: bounds hold at all times, also at one that results chose.

        A step is looked for only now, because it can decide before the next look. If the very bounds that decided exclude
        each other, one of them has failed: this is not part of LEVEL (docs/warnings.md has its own rate).
        """
        if (kept := self.arms.get(index)) is not None and arm.metric.pulls >= FIRST:
            self.compare_bounds(index, arm, kept)
            doublings = int(arm.metric.pulls).bit_length() - 1
            share = doublings * (doublings + 1.0) * 2.0**doublings  # there are 2^doublings numbers of as many doublings
            self.judge(index, kept, drift.latest, self.level + math.log(share), "step")
        if arm.goal.lower > arm.goal.upper:
            self.ring(Alarm("bounds", index, arm.goal.lower, arm.goal.upper))

    def compare_bounds(self, index: int, arm: Any, kept: Watched) -> None:
        """Was an L ever above a U?"""
        lower, upper = self.interval(arm, self.level + math.log(2.0))
        kept.lower, kept.upper = max(kept.lower, lower), min(kept.upper, upper)
        if kept.lower > kept.upper:
            self.ring(Alarm("bounds", index, kept.lower, kept.upper))

    def compare_blocks(self, index: int, arm: Any, kept: Watched) -> None:
        """Do blocks differ? Half of the arm's level is for each test, and 1/(k (k + 1)) of it for the looks until the
        rewards have doubled for the k-th time.
        """
        if ("drift", index) in self.alarms:
            return
        pulls = int(arm.metric.pulls)
        doubled = pulls.bit_length() - FIRST.bit_length() + 1
        enough = self.level + math.log(2.0 * doubled * (doubled + 1.0))
        if may_differ(arm, kept, enough):
            self.judge(index, kept, drift.ends, enough + math.log(LOOKS))
        if pulls & (pulls - 1) == 0 and pulls >= WAVES:
            self.judge(index, kept, drift.waves, enough)

    def judge(
        self,
        index: int,
        kept: Watched,
        test: Callable[[drift.Numbers], drift.Change],
        enough: float,
        kind: str = "drift",
    ) -> None:
        sums = np.diff(np.frombuffer(kept.totals), prepend=0.0)
        found = test(sums)
        if found.evidence >= enough:
            first, second = (float(sums[at : at + found.length].mean()) / kept.size for at in (found.start, found.end))
            places = (int(kept.size) * place for place in (found.start, found.end, found.length))
            self.ring(Alarm(kind, index, first, second, *places))

    def ring(self, alarm: Alarm) -> None:
        self.alarms.setdefault((alarm.kind, alarm.arm), alarm)


def may_differ(arm: Any, kept: Watched, enough: float) -> bool:
    """Do the sums of the first and the last blocks differ by half of what it takes, about? This spares most exact tests."""
    totals, count = kept.totals, len(kept.totals)
    half, quarter = count // 2, count // 4
    square = enough * 2.0 * kept.size * arm.metric.spread / arm.metric.pulls  # for each block
    return bool(
        (totals[-1] - totals[-half - 1] - totals[half - 1]) ** 2 >= half * square
        or (totals[-1] - totals[-quarter - 1] - totals[quarter - 1]) ** 2 >= quarter * square
    )


def interval_of(problem: Problem) -> Interval:
    """An interval of the mean that holds at all times at once, from what the record of an arm with such rewards has."""
    match problem.rewards:
        case Bounded():
            return bounded_interval
        case SubGaussian(sigma):
            return lambda arm, level: around(
                arm, mixture.radius(sigma, 2.0 * level, arm.metric.pulls) + statistics.rounding_error(arm.metric)
            )
        case _:
            return lambda arm, level: normal.interval(arm.goal, arm.metric, level, level)


def bounded_interval(arm: Any, level: float) -> tuple[float, float]:
    """That of `sharp`, which needs nothing but the statistics that every family keeps."""
    level += math.log(len(SWITCHES))
    slope = bisect_left(SWITCHES, arm.metric.surprise / level)
    return around(arm, sharp.deviation(arm.metric.surprise, level, slope) / arm.metric.pulls)


def around(arm: Any, radius: float) -> tuple[float, float]:
    return arm.metric.mean - radius, arm.metric.mean + radius
