"""Is a quantile within its limit? It is if bad rewards are rare enough: the tests of `probability` decide."""

from typing import Protocol

from surefoot.core import histogram
from surefoot.core.budget import Budget
from surefoot.core.histogram import Focus, Histogram
from surefoot.core.question import Question
from surefoot.core.risk_tests import probability
from surefoot.core.risk_tests.probability import Evidence, Parameters


class Exhibit(Histogram, Evidence, Protocol):
    """Rewards in bins."""


def parameters(question: Question, budget: Budget) -> Parameters:
    return probability.parameters(question, budget)


def shrunk(parameters: Parameters) -> Parameters:
    return probability.shrunk(parameters)


def observe(arm: Evidence, parameters: Parameters, reward: float, guessed: float) -> None:
    probability.observe(arm, parameters, reward, guessed)


def verdict(arm: Evidence, parameters: Parameters, lower: float, upper: float) -> int:
    return probability.verdict(arm, parameters, lower, upper)


def shares(arm: Evidence, parameters: Parameters, lower: float, upper: float) -> tuple[float, float]:
    return probability.shares(arm, parameters, lower, upper)


def focus(parameters: Parameters) -> Focus:
    """No bin has rewards on both sides of the limit: the estimate is beyond it exactly if too many rewards are."""
    return Focus(
        parameters.sign > 0.0, parameters.share, parameters.threshold, parameters.wide_threshold, whole_tail=False
    )


def exhibit(arm: Exhibit, parameters: Parameters, reward: float, guessed: float) -> None:
    """Fold one reward into what people see, before the statistics do."""
    histogram.observe(arm, reward, focus(parameters))


def risk_interval(
    arm: Exhibit, parameters: Parameters, question: Question, lower: float, upper: float
) -> tuple[float, float]:
    """Between what the quantile lies, at level delta/N for each arm; for information."""
    return histogram.quantile_interval(arm, focus(parameters), question.delta / question.arms)


def estimate(arm: Exhibit, parameters: Parameters) -> float:
    """The quantile of the rewards so far, to within a bin."""
    return histogram.quantile(arm, focus(parameters))
