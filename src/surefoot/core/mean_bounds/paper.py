"""The paper's mean bound: a Hoeffding radius that grows with the clock, [HTZ] (7) and (8)."""

import math
from typing import NamedTuple, Protocol

from surefoot.core.question import Question
from surefoot.core.statistics import Statistics

WARM_UP = 2  # [HTZ] Algorithm 1, line 2
CONTROL = 0.1  # radii shrunk by this factor fail too often: the tests' negative control


class Parameters(NamedTuple):
    log_arms: float  # ln(2N/delta)


class Evidence(Statistics, Protocol):
    reach: float  # 1 / sqrt(T), the part of the radii that is the arm's own


def misses(question: Question) -> tuple[float, float]:
    """With what probability an arm's L, and its U, may ever fail: the sum of delta/2N t^-3 over t > N, at most."""
    return (question.delta / (4.0 * question.arms**3),) * 2


def parameters(question: Question) -> Parameters:
    return Parameters(math.log(2.0 * question.arms / question.delta))


def observe(arm: Evidence, parameters: Parameters) -> None:
    arm.reach = 1.0 / math.sqrt(arm.pulls)


def tick(parameters: Parameters, t: int) -> float:
    """sqrt(ln(2 N t^4 / delta) / 2), the part of the radii that is the clock's: alpha = beta = tick * reach, [HTZ] (7)."""
    return math.sqrt(0.5 * (parameters.log_arms + 4.0 * math.log(t)))


def interval(arm: Evidence, parameters: Parameters, tick: float) -> tuple[float, float]:
    """L and U of the mean at the current step, [HTZ] (8)."""
    alpha = tick * arm.reach
    return arm.mean - alpha, arm.mean + alpha


def anticipate(arm: Evidence, parameters: Parameters, pending: float, tick: float) -> float:
    """U, were `pending` more rewards told that changed nothing but T."""
    return arm.mean + tick / math.sqrt(arm.pulls + pending)
