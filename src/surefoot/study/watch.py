"""Do the rewards look like what the guarantee assumes: for each arm, independent draws of one distribution?

Two alarms, each false with probability at most LEVEL for a whole study, whatever the policy and whenever it ends: `bounds`,
where the bounds of an arm's mean exclude each other, and `drift`, where results change in the course of the study
(docs/warnings.md has the proofs). An arm's bounds are looked at eight times while its rewards double; the evidence of a
drift each time the study's results have doubled, and when it ends. What is kept is little, and a function of the results
in the order in which they were asked for: a study that is opened anew warns as it did before.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from surefoot.core import normal_evidence, statistics
from surefoot.core.bounds import mixture, sharp
from surefoot.core.drift import Indices, Numbers
from surefoot.problem import Problem
from surefoot.problem.reward_models import Bounded, SubGaussian
from surefoot.study.blocks import Blocks

LEVEL = 0.05  # the probability that a kind of alarm is ever false, of all arms together
FIRST = 32  # rewards of an arm at the first look at its bounds
LOOKS = 8  # from then on until they have doubled
EARLY = 256  # results of the study, at the first look for a drift before the end
EVERY = 256  # results of the study, after which those that wait are counted
LATEST = 4_096  # results that wait for an earlier pull at most: then it is not waited for

SWITCHES = sharp.SWITCHES.tolist()

Interval: TypeAlias = Callable[[Any, float], tuple[float, float]]  # from an arm's record and ln(1 / miss) of each side
Place: TypeAlias = tuple[int, int]  # in the order of asking: the pull, and which of the results recorded after it


class Alarm(NamedTuple):
    """On the kernels' scale. `bounds`: the largest L, the smallest U. `drift`: what a `Shift` has."""

    kind: str
    arm: int
    first: float
    second: float
    start: int = 0  # the arm's rewards before those of the first mean
    end: int = 0  # and until their end
    since: int = 0  # the same of all that were counted when it rang
    until: int = 0
    by_mean: bool = True


class Watch:
    def __init__(self, problem: Problem, level: float = LEVEL) -> None:
        arms = len(problem.arms)
        self.enough = math.log(1.0 / level)
        self.level = math.log(arms / level)  # ln(1 / a), a being one arm's part
        self.interval = interval_of(problem)
        self.exact = problem.tolerance == 0.0
        self.due: list[float] = [FIRST] * arms  # of each arm, the rewards at the next look at its bounds
        self.ends: dict[int, tuple[float, float]] = {}  # of each arm, the largest L and the smallest U so far
        self.blocks = Blocks(arms, isinstance(problem.rewards, Bounded))
        # Rewards of an arm that are not counted: all of them where arms have items, and so chance, in common.
        self.before: float = math.inf if problem.items else self.blocks.before
        self.waiting: list[tuple[Place, int, float]] = []  # results to be counted: their place, arm and reward
        self.passed: Place = (0, 0)  # the last place that was counted
        self.counted = 0
        self.next_look = EARLY
        self.alarms: dict[tuple[str, int], Alarm] = {}  # the first of each kind and arm

    def observe(self, index: int, pulls: float, place: Place, reward: float) -> bool:
        """A result that an arm's record has just taken in, the last of so many, and its place in the order of asking.

        Is it time to `take` the record?
        """
        if pulls > self.before:
            self.waiting.append((place, index, reward))
        return pulls >= self.due[index]

    # --- an arm's bounds

    def take(self, index: int, arm: Any) -> None:
        """The record of an arm that has as many rewards as were due."""
        self.compare_bounds(index, arm)
        self.due[index] = arm.metric.pulls + math.ldexp(1.0 / LOOKS, int(arm.metric.pulls).bit_length() - 1)

    def compare_bounds(self, index: int, arm: Any) -> None:
        """Was an L ever above a U?"""
        lower, upper = self.interval(arm, self.level + math.log(2.0))
        largest, smallest = self.ends.get(index, (-math.inf, math.inf))
        lower, upper = self.ends[index] = max(largest, lower), min(smallest, upper)
        if lower > upper:
            self.ring(Alarm("bounds", index, lower, upper))

    # --- the study's results

    def gather(self, oldest: float) -> None:
        """Count the results that wait for no earlier pull; `oldest` is the first pull in flight.

        Which result comes first may depend on what they are. So they are counted in the order in which they were asked for.
        """
        self.waiting.sort()
        start = bisect_left(self.waiting, self.passed, key=lambda result: result[0])
        end = bisect_left(self.waiting, oldest, key=lambda result: result[0][0])
        end = max(end, len(self.waiting) - LATEST)
        if end > start:
            gathered = self.waiting[start:end]
            self.passed = gathered[-1][0]
            arms, rewards = [arm for _, arm, _ in gathered], [reward for _, _, reward in gathered]
            self.count(np.array(arms), np.array(rewards))
        del self.waiting[:end]

    def count(self, arms: Indices, rewards: Numbers) -> None:
        while len(arms) and self.before < math.inf:
            room = self.next_look - self.counted
            self.blocks.count(arms[:room], rewards[:room])
            self.counted += len(arms[:room])
            arms, rewards = arms[room:], rewards[room:]
            if self.counted == self.next_look:
                self.next_look *= 2
                self.look_for_drift()

    def look_for_drift(self) -> None:
        if self.before < math.inf and self.blocks.log_evidence() >= self.enough:
            self.ring(Alarm("drift", *self.blocks.shift()))
            self.before = math.inf  # what is known needs no more results

    def look(self, oldest: float) -> None:
        """When the study ends: its last results may be what decides, and what shows a drift."""
        self.gather(oldest)
        self.look_for_drift()

    def look_at_best(self, index: int, arm: Any) -> None:
        """Once more, at the arm that is decided to be the best: bounds hold at all times, also at one that results chose.

        If the very bounds that decided exclude each other, one of them has failed. This is not part of LEVEL:
        docs/warnings.md has its rate, which is proven where there is no tolerance.
        """
        if arm.metric.pulls >= FIRST:
            self.compare_bounds(index, arm)
        if self.exact and arm.goal.lower > arm.goal.upper:
            self.ring(Alarm("bounds", index, arm.goal.lower, arm.goal.upper))

    def ring(self, alarm: Alarm) -> None:
        self.alarms.setdefault((alarm.kind, alarm.arm), alarm)


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
            return lambda arm, level: normal_evidence.interval(arm.goal, arm.metric, level, level)


def bounded_interval(arm: Any, level: float) -> tuple[float, float]:
    """That of `sharp`, which needs nothing but the statistics that every family keeps."""
    level += math.log(len(SWITCHES))
    slope = bisect_left(SWITCHES, arm.metric.surprise / level)
    return around(arm, sharp.deviation(arm.metric.surprise, level, slope) / arm.metric.pulls)


def around(arm: Any, radius: float) -> tuple[float, float]:
    return arm.metric.mean - radius, arm.metric.mean + radius
