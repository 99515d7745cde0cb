"""Is the variance of Gaussian rewards within the limit? The evidence against all variances beyond it (docs/gaussian.md)."""

import math
from typing import NamedTuple, Protocol

from surefoot.core import normal_evidence, statistics, verdicts
from surefoot.core.error_budget import LimitShare
from surefoot.core.limits import VarianceLimit
from surefoot.core.normal_evidence import NormalEvidence
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = True  # does it read what the mean bound keeps?
IN_INTERVAL = False  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = False  # does it go on after FEASIBLE, which what is certain may override?
STARTS = False  # can its evidence for FEASIBLE start anew when the arm leads?


class Parameters(NamedTuple):
    limit: float  # of the infeasible test
    wide_limit: float  # of the feasible test, with the slack
    feasible_level: float  # ln(1 / the probability that the feasible test is ever wrong)
    infeasible_level: float


class Evidence(Protocol):
    """Nothing to keep: the mean bound's evidence speaks of variances too."""


class ShownEvidence(Protocol):
    """Nothing to keep: the interval shown comes from the same evidence."""


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    limit: VarianceLimit = asked.limit
    return Parameters(limit.value, limit.value + limit.slack, -math.log(share.feasible), -math.log(share.infeasible))


def weakened(parameters: Parameters) -> Parameters:
    """Tests that forget the price of not knowing the variance, and so decide too early: the negative control."""
    return parameters._replace(
        feasible_level=parameters.feasible_level - 3.0, infeasible_level=parameters.infeasible_level - 6.0
    )


def observe(
    own: Evidence, metric: Statistics, mean: NormalEvidence, parameters: Parameters, reward: float, guessed: float
) -> None:
    """The mean bound has folded the reward in."""


def evidence(metric: Statistics, mean: NormalEvidence, parameters: Parameters) -> tuple[float, float]:
    """ln of the evidence that the arm is feasible, and that it is not; at most one of them where there is no slack."""
    if not normal_evidence.known(mean, metric):
        return -math.inf, -math.inf
    feasible = normal_evidence.against_larger(mean, metric, parameters.wide_limit)
    return feasible, normal_evidence.against_smaller(mean, metric, parameters.limit)


def start_anew(own: Evidence, log_wealth: float) -> None:
    """It cannot: every arm has the same share of delta."""


def verdict(own: Evidence, metric: Statistics, mean: NormalEvidence, parameters: Parameters, clock: float) -> int:
    feasible, infeasible = evidence(metric, mean, parameters)
    if infeasible >= parameters.infeasible_level:
        return verdicts.INFEASIBLE
    return verdicts.FEASIBLE if feasible >= parameters.feasible_level else verdicts.OPEN


def shares(
    own: Evidence, metric: Statistics, mean: NormalEvidence, parameters: Parameters, clock: float
) -> tuple[float, float]:
    """Each side's evidence over its threshold, from 0 to 1."""
    feasible, infeasible = evidence(metric, mean, parameters)
    feasible, infeasible = feasible / parameters.feasible_level, infeasible / parameters.infeasible_level
    return min(max(feasible, 0.0), 1.0), min(max(infeasible, 0.0), 1.0)


def sample_breaks(own: Evidence, metric: Statistics, mean: NormalEvidence, parameters: Parameters) -> bool:
    """Are the rewards so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    return metric.pulls > 1.0 and statistics.variance(metric) > parameters.wide_limit


def observe_for_display(
    shown: ShownEvidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Nothing beyond the evidence."""


def risk_interval(
    shown: ShownEvidence,
    own: Evidence,
    metric: Statistics,
    mean: NormalEvidence,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    """The variances with less than ln(N/delta) of evidence against them; for information."""
    if not normal_evidence.known(mean, metric):
        return 0.0, math.inf
    level = math.log(question.arms / question.delta)
    return variance_end(metric, mean, level, 0.5), variance_end(metric, mean, level, 2.0)


def variance_end(metric: Statistics, mean: NormalEvidence, level: float, factor: float) -> float:
    """The variance below (factor 1/2) or above (2) the arm's own against which the evidence reaches the level."""
    inner = normal_evidence.residual_variance(mean, metric)
    outer = inner * factor
    while normal_evidence.against_variance(mean, metric, outer) < level:
        inner, outer = outer, outer * factor
        if not 1e-300 < outer < 1e300:
            return 0.0 if factor < 1.0 else math.inf
    for _ in range(50):
        middle = math.sqrt(inner) * math.sqrt(outer)
        if normal_evidence.against_variance(mean, metric, middle) < level:
            inner = middle
        else:
            outer = middle
    return outer


def estimate(
    shown: ShownEvidence, own: Evidence, metric: Statistics, mean: NormalEvidence, parameters: Parameters
) -> float:
    """The sample variance."""
    return statistics.variance(metric) if metric.pulls > 1.0 else 0.0
