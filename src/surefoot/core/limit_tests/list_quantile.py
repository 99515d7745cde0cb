"""Is a quantile of a finite list within its limit? It is if bad items are rare enough: the tests of `list_probability`
decide.
"""

from typing import Protocol

from surefoot.core import histogram
from surefoot.core.error_budget import LimitShare
from surefoot.core.histogram import Focus, Histogram
from surefoot.core.limit_tests import list_probability
from surefoot.core.limit_tests.list_probability import Parameters
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = False  # does it read what the mean bound keeps?
IN_INTERVAL = False  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = True  # does it go on after FEASIBLE, which what is certain may override?
STARTS = False  # can its evidence for FEASIBLE start anew when the arm leads?


class Evidence(list_probability.Evidence, Protocol):
    """The same as of the probability."""


class ShownEvidence(Histogram, Protocol):
    """Results in bins."""


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    return list_probability.parameters(asked, share)


def weakened(parameters: Parameters) -> Parameters:
    return list_probability.weakened(parameters)


def observe(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, reward: float, guessed: float
) -> None:
    list_probability.observe(own, metric, mean, parameters, reward, guessed)


def start_anew(own: Evidence, log_wealth: float) -> None:
    """It cannot: every arm has the same share of delta."""


def verdict(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float) -> int:
    return list_probability.verdict(own, metric, mean, parameters, clock)


def shares(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float
) -> tuple[float, float]:
    return list_probability.shares(own, metric, mean, parameters, clock)


def sample_breaks(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> bool:
    """Are the results so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    return list_probability.sample_breaks(own, metric, mean, parameters)


def focus(parameters: Parameters) -> Focus:
    """No bin has results on both sides of the limit: the estimate is beyond it exactly if too many results are."""
    return Focus(
        parameters.sign > 0.0,
        parameters.share,
        parameters.threshold,
        parameters.wide_threshold,
        whole_tail=False,
        low=parameters.low,
        high=parameters.high,
        items=parameters.items,
    )


def observe_for_display(
    shown: ShownEvidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Fold one result into what people see, before the statistics do."""
    histogram.observe(shown, reward, focus(parameters))


def risk_interval(
    shown: ShownEvidence,
    own: Evidence,
    metric: Statistics,
    mean: Interval,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    """Between what the quantile lies, at level delta/N for each arm; for information."""
    return histogram.quantile_interval(shown, focus(parameters), question.delta / question.arms)


def estimate(shown: ShownEvidence, own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> float:
    """The quantile of the results so far, to within a bin."""
    return histogram.quantile(shown, focus(parameters))
