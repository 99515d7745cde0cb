"""Is the variance within the limit? An estimate plus and minus the family's radius, [HTZ] (9) to (13)."""

from typing import NamedTuple, Protocol

from surefoot.core import verdicts
from surefoot.core.error_budget import LimitShare
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.radii import Radii
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = True  # does it read what the mean bound keeps?
IN_INTERVAL = True  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = False  # does it go on after FEASIBLE, which what is certain may override?
STARTS = False  # can its evidence for FEASIBLE start anew when the arm leads?
weakened = None  # it has no levels of its own


class Parameters(NamedTuple):
    limit: float
    slack: float


class Evidence(Protocol):
    """Nothing to keep: the family's mean bound has the radii of both."""


class ShownEvidence(Protocol):
    """Nothing to keep: people see what decides."""


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    return Parameters(asked.limit.value, asked.limit.slack)


def observe(
    own: Evidence, metric: Statistics, mean: Radii, parameters: Parameters, reward: float, guessed: float
) -> None:
    """The mean bound keeps the radii of both."""


def start_anew(own: Evidence, log_wealth: float) -> None:
    """It cannot: every arm has the same share of delta."""


def verdict(own: Evidence, metric: Statistics, mean: Radii, parameters: Parameters, clock: float) -> int:
    radius = clock * mean.variance_reach  # beta
    if mean.variance - radius > parameters.limit:  # [HTZ] (13)
        return verdicts.INFEASIBLE
    if mean.variance + radius <= parameters.limit + parameters.slack:  # [HTZ] (10), with the slack of App. A
        return verdicts.FEASIBLE
    return verdicts.OPEN


def observe_for_display(
    shown: ShownEvidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Nothing beyond the evidence."""


def shares(own: Evidence, metric: Statistics, mean: Radii, parameters: Parameters, clock: float) -> tuple[float, float]:
    """The distance to the limit over the radius, on each side."""
    radius = clock * mean.variance_reach
    within, above = parameters.limit + parameters.slack - mean.variance, mean.variance - parameters.limit
    return min(max(within / radius, 0.0), 1.0), min(max(above / radius, 0.0), 1.0)


def sample_breaks(own: Evidence, metric: Statistics, mean: Radii, parameters: Parameters) -> bool:
    """Are the rewards so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    return metric.pulls > 1.0 and mean.variance > parameters.limit + parameters.slack


def risk_interval(
    shown: ShownEvidence,
    own: Evidence,
    metric: Statistics,
    mean: Radii,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    """The interval that decides, [HTZ] (9)."""
    if metric.pulls < 1.0:
        return 0.0, question.largest_variance
    radius = clock * mean.variance_reach
    return max(mean.variance - radius, 0.0), min(mean.variance + radius, question.largest_variance)


def estimate(shown: ShownEvidence, own: Evidence, metric: Statistics, mean: Radii, parameters: Parameters) -> float:
    return mean.variance
