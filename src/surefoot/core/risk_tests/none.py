"""No risk limit: every arm is feasible, and VA-LUCB becomes LUCB."""

from typing import NamedTuple, Protocol

from surefoot.core import verdicts
from surefoot.core.budget import Budget
from surefoot.core.question import Question
from surefoot.core.statistics import Statistics


class Parameters(NamedTuple):
    """Nothing to fix."""


class Evidence(Statistics, Protocol):
    """Nothing to keep."""


def parameters(question: Question, budget: Budget) -> Parameters:
    return Parameters()


def observe(arm: Evidence, parameters: Parameters, reward: float, guessed: float) -> None:
    """Fold one reward in, once the arm's statistics hold it; `guessed` is the mean they expected before it."""


class Exhibit(Statistics, Protocol):
    """What is kept for people to see, and decides nothing: nothing here."""


def exhibit(arm: Exhibit, parameters: Parameters, reward: float, guessed: float) -> None:
    """Fold one reward into what people see, before the statistics do."""


def shares(arm: Evidence, parameters: Parameters, lower: float, upper: float, tick: float = 0.0) -> tuple[float, float]:
    """How much of the evidence there is that the arm is feasible, and that it is not, each from 0 to 1."""
    return 1.0, 0.0


def risk_interval(
    arm: Exhibit, parameters: Parameters, question: Question, lower: float, upper: float, tick: float = 0.0
) -> tuple[float, float]:
    """Between what the risk lies, for information."""
    return 0.0, 0.0


def estimate(arm: Exhibit, parameters: Parameters) -> float:
    """The risk as the rewards so far have it."""
    return 0.0


def verdict(arm: Evidence, parameters: Parameters, lower: float, upper: float, tick: float = 0.0) -> int:
    """The arm's verdict, given the bounds of its mean (and the clock's part of the radii, where there is a clock)."""
    return verdicts.FEASIBLE
