"""No risk limit: every arm is feasible, and VA-LUCB becomes LUCB."""

from typing import NamedTuple, Protocol

from surefoot.core import verdicts
from surefoot.core.error_budget import LimitShare
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = False  # does it read what the mean bound keeps?
IN_INTERVAL = False  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = False  # does it go on after FEASIBLE, which what is certain may override?
STARTS = True  # can its evidence for FEASIBLE start anew when the arm leads?
weakened = None  # it has no levels of its own


class Parameters(NamedTuple):
    """Nothing to fix."""


class Evidence(Protocol):
    """Nothing to keep."""


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    return Parameters()


def observe(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Fold one reward in, once the arm's statistics hold it; `guessed` is the mean they expected before it."""


class ShownEvidence(Protocol):
    """What is kept for people to see, and decides nothing: nothing here."""


def observe_for_display(
    shown: ShownEvidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Fold one reward into what people see, before the statistics do."""


def shares(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float
) -> tuple[float, float]:
    """How much of the evidence there is that the arm is feasible, and that it is not, each from 0 to 1."""
    return 1.0, 0.0


def sample_breaks(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> bool:
    """Are the rewards so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    return False


def risk_interval(
    shown: ShownEvidence,
    own: Evidence,
    metric: Statistics,
    mean: Interval,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    """Between what the risk lies, for information."""
    return 0.0, 0.0


def estimate(shown: ShownEvidence, own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> float:
    """The risk as the rewards so far have it."""
    return 0.0


def start_anew(own: Evidence, log_wealth: float) -> None:
    """There is no evidence."""


def verdict(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float) -> int:
    """The arm's verdict, given the bounds of its mean and the clock's part of the radii, 1 where there is no clock."""
    return verdicts.FEASIBLE
