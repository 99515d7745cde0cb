"""No bound of the mean: of a metric whose limits need none, and of one without a range."""

import math
from typing import NamedTuple, Protocol

from surefoot.core.error_budget import ErrorBudget
from surefoot.core.question import Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics


class Parameters(NamedTuple):
    """Nothing to fix."""


class Evidence(Interval, Protocol):
    """Nothing beyond the interval, which is infinite."""


def parameters(question: Question, error_budget: ErrorBudget) -> Parameters:
    return Parameters()


def observe(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    """Nothing to keep."""


def interval(own: Evidence, metric: Statistics, parameters: Parameters, clock: float) -> tuple[float, float]:
    return -math.inf, math.inf
