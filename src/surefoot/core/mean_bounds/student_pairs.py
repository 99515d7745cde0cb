"""The `tight` mean bound for Gaussian rewards: that of `sharp`, and arms compared in pairs (docs/gaussian.md)."""

import math
from typing import NamedTuple, Protocol

from surefoot.core import budget as budgets
from surefoot.core import normal, statistics, transport, warm_ups
from surefoot.core.budget import Budget
from surefoot.core.limits import VarianceLimit
from surefoot.core.mean_bounds import student
from surefoot.core.normal import Normal
from surefoot.core.question import Question

WARM_UP = student.WARM_UP
CONTROL = student.CONTROL


class Parameters(NamedTuple):
    lower_level: float  # ln(1 / the probability that L ever fails)
    upper_level: float
    pair_level: float  # ln(1 / the probability that a pair is ever told apart wrongly)
    lead_level: float  # about how much evidence it takes to tell two arms apart
    limit: float


class Evidence(Normal, Protocol):
    """What the rewards say against means and variances."""


def budget(question: Question) -> Budget:
    return budgets.in_fortieths(question)


def parameters(question: Question) -> Parameters:
    limit = question.limit
    return Parameters(
        *budgets.pair_levels(question), limit=limit.value if isinstance(limit, VarianceLimit) else math.inf
    )


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.all_at_once(asked, arms, t, WARM_UP)


def observe(arm: Evidence, parameters: Parameters, reward: float) -> None:
    normal.observe(arm)


def interval(arm: Evidence, parameters: Parameters) -> tuple[float, float]:
    return normal.interval(arm, parameters.lower_level, parameters.upper_level)


def anticipate(arm: Evidence, parameters: Parameters, pending: float) -> float:
    return arm.later_mean + normal.radius(arm, parameters.upper_level, arm.later + pending)


def renewal(arm: Evidence) -> float:
    """Every reward is news."""
    return arm.pulls


def blurs(first: Evidence, second: Evidence) -> tuple[float, float]:
    """The variances of two sample means, as far as they are known."""
    return blur(first), blur(second)


def blur(arm: Evidence) -> float:
    """From all rewards, those of the base too: two rewards after it that are alike by luck would starve an arm."""
    return statistics.variance(arm) / arm.pulls if normal.known(arm) else 1e300


def apart(first: Evidence, second: Evidence, parameters: Parameters) -> float:
    """ln of the evidence against all laws in which the second arm is within the limit, and no worse than the first."""
    if not (normal.known(first) and normal.known(second)):
        return -math.inf
    return transport.against_rival(first, second, 0.0, parameters.limit)
