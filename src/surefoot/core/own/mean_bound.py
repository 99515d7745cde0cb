"""A mean bound around a function of the user's, `interval`, in place of the `sharp` one."""

import math
from typing import NamedTuple, Protocol

from surefoot.core import budget as budgets
from surefoot.core import warm_ups
from surefoot.core.budget import Budget
from surefoot.core.own import written
from surefoot.core.question import Question
from surefoot.core.statistics import Statistics

WARM_UP = 1  # pulls of each arm before the first choice


class Parameters(NamedTuple):
    lower_miss: float  # the probability that L ever fails
    upper_miss: float


class Evidence(Statistics, Protocol):
    """The statistics, and nothing more."""


def budget(question: Question) -> Budget:
    return budgets.in_halves(question)


def parameters(question: Question) -> Parameters:
    allowed = budget(question)
    return Parameters(allowed.lower, allowed.upper)


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.arm_by_arm(asked, arms, t, WARM_UP)


def observe(arm: Evidence, parameters: Parameters, reward: float) -> None:
    """Nothing to keep beyond the statistics."""


def interval(arm: Evidence, parameters: Parameters) -> tuple[float, float]:
    """L and U from the rewards so far; the standings keep the largest L and the smallest U seen."""
    return written.interval(arm, parameters.lower_miss, parameters.upper_miss)


def anticipate(arm: Evidence, parameters: Parameters, pending: float) -> float:
    """About what U were after `pending` more rewards: radii shrink like the root of the number of pulls."""
    _, upper = interval(arm, parameters)
    return arm.mean + (upper - arm.mean) * math.sqrt(arm.pulls / (arm.pulls + pending))
