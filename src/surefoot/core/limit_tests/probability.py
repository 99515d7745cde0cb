"""Are bad rewards rare enough? Two tests by betting on whether the next reward is bad (docs/bounds.md proves them).

A reward is bad if it lies beyond a threshold. Each test gives the next reward a probability of being bad, from the earlier
ones, on its own side of the share allowed, and multiplies its wealth by how much likelier that makes what then happens.
"""

import math
from typing import NamedTuple, Protocol

from surefoot.core import proportions, verdicts
from surefoot.core.error_budget import LimitShare
from surefoot.core.limits import TailLimit
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = False  # does it read what the mean bound keeps?
IN_INTERVAL = False  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = False  # does it go on after FEASIBLE, which what is certain may override?
STARTS = True  # can its evidence for FEASIBLE start anew when the arm leads?


class Prior(NamedTuple):
    """So many bad and good rewards seen before the first."""

    bad: float
    good: float


class Parameters(NamedTuple):
    sign: float  # 1 if a reward above the threshold is bad, -1 if one below it is
    threshold: float  # of the infeasible test
    wide_threshold: float  # of the feasible test, farther out by the slack
    share: float
    wide_share: float
    rare: Prior
    frequent: Prior
    tested: bool
    feasible_level: float  # ln(1 / the probability that the feasible test is ever wrong)
    infeasible_level: float
    low: float  # between what results lie
    high: float


class Evidence(Protocol):
    bad: float  # rewards beyond the threshold
    wide_bad: float  # rewards beyond the wide threshold
    feasible_log_wealth: float  # of the feasible test
    infeasible_log_wealth: float


class ShownEvidence(Protocol):
    bad_of_all: float  # rewards beyond the threshold, those after the verdict among them


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    limit: TailLimit = asked.limit
    return Parameters(
        sign=limit.sign,
        threshold=limit.threshold,
        wide_threshold=limit.wide_threshold,
        share=limit.share,
        wide_share=limit.wide_share,
        rare=rare(limit.wide_share),
        frequent=frequent(limit.share),
        tested=asked.tested,
        feasible_level=-math.log(share.feasible),
        infeasible_level=-math.log(share.infeasible),
        low=asked.low,
        high=asked.high,
    )


def rare(share: float) -> Prior:
    """One bad reward in twice as many as the share allows; mirrored where good ones are the rarer kind."""
    if share > 0.5:
        bad, good = frequent(1.0 - share)
        return Prior(good, bad)
    return Prior(1.0, 2.0 / share - 1.0)


def frequent(share: float) -> Prior:
    """One bad reward in half as many as the share allows; mirrored where good ones are the rarer kind."""
    if share > 0.5:
        bad, good = rare(1.0 - share)
        return Prior(good, bad)
    return Prior(1.0, 1.0 / min(2.0 * share, (1.0 + share) / 2.0) - 1.0)


def weakened(parameters: Parameters) -> Parameters:
    """Tests that decide far too early: the negative control."""
    return parameters._replace(
        feasible_level=0.2 * parameters.feasible_level, infeasible_level=0.2 * parameters.infeasible_level
    )


def observe(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Settle both tests' bets on this reward, then count it."""
    if not parameters.tested:
        return
    earlier = metric.pulls - 1.0
    bad = parameters.sign * (reward - parameters.threshold) > 0.0
    wide_bad = parameters.sign * (reward - parameters.wide_threshold) > 0.0
    expected = (own.wide_bad + parameters.rare.bad) / (earlier + parameters.rare.bad + parameters.rare.good)
    if expected < parameters.wide_share:
        own.feasible_log_wealth += gain(wide_bad, expected, parameters.wide_share)
    expected = (own.bad + parameters.frequent.bad) / (earlier + parameters.frequent.bad + parameters.frequent.good)
    if expected > parameters.share:
        own.infeasible_log_wealth += gain(bad, expected, parameters.share)
    if bad:
        own.bad += 1.0
    if wide_bad:
        own.wide_bad += 1.0


def gain(bad: bool, expected: float, share: float) -> float:
    """ln of how much likelier `expected` makes this reward than `share`.

    If the probability of a bad reward is on the other side of the share than `expected`, or equal to it, the mean of the
    ratio is at most 1.
    """
    return math.log(expected / share) if bad else math.log((1.0 - expected) / (1.0 - share))


def start_anew(own: Evidence, log_wealth: float) -> None:
    own.feasible_log_wealth = log_wealth


def verdict(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float) -> int:
    if not parameters.tested:
        return verdicts.FEASIBLE
    if own.infeasible_log_wealth >= parameters.infeasible_level:
        return verdicts.INFEASIBLE
    if own.feasible_log_wealth >= parameters.feasible_level:
        return verdicts.FEASIBLE
    return verdicts.OPEN


def observe_for_display(
    shown: ShownEvidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Fold one reward into what people see, before the statistics do."""
    if parameters.sign * (reward - parameters.threshold) > 0.0:
        shown.bad_of_all += 1.0


def shares(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float
) -> tuple[float, float]:
    """Each test's log-wealth over its threshold, from 0 to 1."""
    if not parameters.tested:
        return 1.0, 0.0
    feasible, infeasible = (
        own.feasible_log_wealth / parameters.feasible_level,
        own.infeasible_log_wealth / parameters.infeasible_level,
    )
    return min(max(feasible, 0.0), 1.0), min(max(infeasible, 0.0), 1.0)


def sample_breaks(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> bool:
    """Are the rewards so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    return parameters.tested and own.wide_bad > parameters.wide_share * metric.pulls


def risk_interval(
    shown: ShownEvidence,
    own: Evidence,
    metric: Statistics,
    mean: Interval,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    """Between what the probability of a bad reward lies, at level delta/N for each arm; for information."""
    return proportions.interval(shown.bad_of_all, metric.pulls, question.delta / question.arms)


def estimate(shown: ShownEvidence, own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> float:
    """The share of rewards that were bad."""
    return shown.bad_of_all / metric.pulls if metric.pulls else 0.0
