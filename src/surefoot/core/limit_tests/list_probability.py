"""Are bad results rare enough on a finite list? Two tests by betting on whether the next one is bad, and what is certain
(docs/finite.md proves them).

Bad items are counted, so that what each test speaks against is a whole number of them. If the list has `most` bad items, the
next result is bad with probability (most - bad so far)/left.
"""

import math
from typing import NamedTuple, Protocol

from surefoot.core import list_verdicts, proportions, verdicts
from surefoot.core.error_budget import LimitShare
from surefoot.core.limit_tests import probability
from surefoot.core.limit_tests.probability import Prior
from surefoot.core.limits import TailLimit
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

OWN = ""  # the name that its user gave it; empty: it came with Surefoot
NEEDS_MEAN = False  # does it read what the mean bound keeps?
IN_INTERVAL = False  # does INFEASIBLE rely on the mean being between L or `floor` and U?
REVISES = True  # does it go on after FEASIBLE, which what is certain may override?
STARTS = False  # can its evidence for FEASIBLE start anew when the arm leads?
ROUNDING = 1e-9  # of an item: 0.29 of 100 items are 29 of them, though not as a product of two floats


class Parameters(NamedTuple):
    sign: float  # 1 if a result above the threshold is bad, -1 if one below it is
    threshold: float  # of the infeasible test
    wide_threshold: float  # of the feasible test, farther out by the slack
    share: float
    most: float  # bad items that the limit allows
    wide_most: float
    rare: Prior
    frequent: Prior
    tested: bool
    feasible_level: float  # ln(1 / the probability that the feasible test is ever wrong)
    infeasible_level: float
    low: float  # between what results lie
    high: float
    items: float  # of the list


class Evidence(Protocol):
    bad: float  # results beyond the threshold
    wide_bad: float  # results beyond the wide threshold
    feasible_log_wealth: float  # of the feasible test
    infeasible_log_wealth: float
    said: int  # the verdict that the tests have given


class ShownEvidence(Protocol):
    bad_of_all: float  # results beyond the threshold, those after the verdict among them


def parameters(asked: LimitQuestion, share: LimitShare) -> Parameters:
    limit: TailLimit = asked.limit
    return Parameters(
        sign=limit.sign,
        threshold=limit.threshold,
        wide_threshold=limit.wide_threshold,
        share=limit.share,
        most=allowed(limit.share, limit.strict, asked.items),
        wide_most=allowed(limit.wide_share, limit.strict, asked.items),
        rare=probability.rare(limit.wide_share),
        frequent=probability.frequent(limit.share),
        tested=asked.tested,
        feasible_level=-math.log(share.feasible),
        infeasible_level=-math.log(share.infeasible),
        low=asked.low,
        high=asked.high,
        items=asked.items,
    )


def allowed(share: float, strict: bool, items: float) -> float:
    """How many of the items may be bad: their share is at most this one, or less than it."""
    if strict:
        return max(math.ceil(share * items - ROUNDING) - 1.0, 0.0)
    return float(math.floor(share * items + ROUNDING))


def weakened(parameters: Parameters) -> Parameters:
    """Tests that decide far too early: the negative control."""
    return parameters._replace(
        feasible_level=0.2 * parameters.feasible_level, infeasible_level=0.2 * parameters.infeasible_level
    )


def observe(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Settle both tests' bets on this result, then count it."""
    if not parameters.tested:
        return
    earlier = metric.pulls - 1.0
    left = parameters.items - earlier
    bad = parameters.sign * (reward - parameters.threshold) > 0.0
    wide_bad = parameters.sign * (reward - parameters.wide_threshold) > 0.0
    expected = (own.wide_bad + parameters.rare.bad) / (earlier + parameters.rare.bad + parameters.rare.good)
    least = (parameters.wide_most + 1.0 - own.wide_bad) / left  # if the limit is broken
    if expected < least < 1.0:
        own.feasible_log_wealth += probability.gain(wide_bad, expected, least)
    expected = (own.bad + parameters.frequent.bad) / (earlier + parameters.frequent.bad + parameters.frequent.good)
    most = (parameters.most - own.bad) / left  # if it is kept
    if 0.0 < most < expected:
        own.infeasible_log_wealth += probability.gain(bad, expected, most)
    if bad:
        own.bad += 1.0
    if wide_bad:
        own.wide_bad += 1.0


def certain(own: Evidence, metric: Statistics, parameters: Parameters) -> int:
    """The verdict that no result to come can change; OPEN if there is none."""
    if own.bad > parameters.most:
        return verdicts.INFEASIBLE
    rest = parameters.items - metric.pulls
    return verdicts.FEASIBLE if own.wide_bad + rest <= parameters.wide_most else verdicts.OPEN


def start_anew(own: Evidence, log_wealth: float) -> None:
    """It cannot: every arm has the same share of delta."""


def verdict(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float) -> int:
    if not parameters.tested:
        return verdicts.FEASIBLE
    return list_verdicts.verdict(own, certain(own, metric, parameters), parameters)


def observe_for_display(
    shown: ShownEvidence, metric: Statistics, parameters: Parameters, reward: float, guessed: float
) -> None:
    """Fold one result into what people see, before the statistics do."""
    if parameters.sign * (reward - parameters.threshold) > 0.0:
        shown.bad_of_all += 1.0


def shares(
    own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters, clock: float
) -> tuple[float, float]:
    """Each test's log-wealth over its threshold, from 0 to 1; all or nothing where it is certain."""
    if not parameters.tested:
        return 1.0, 0.0
    return list_verdicts.shares(own, certain(own, metric, parameters), parameters)


def sample_breaks(own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> bool:
    """Are the results so far beyond the limit, taken as they are? It serves to recommend, never to decide."""
    return parameters.tested and own.wide_bad * parameters.items > parameters.wide_most * metric.pulls


def risk_interval(
    shown: ShownEvidence,
    own: Evidence,
    metric: Statistics,
    mean: Interval,
    parameters: Parameters,
    question: Question,
    clock: float,
) -> tuple[float, float]:
    """Between what the share of bad items lies, at level delta/N for each arm; for information."""
    return proportions.interval(shown.bad_of_all, metric.pulls, question.delta / question.arms, items=parameters.items)


def estimate(shown: ShownEvidence, own: Evidence, metric: Statistics, mean: Interval, parameters: Parameters) -> float:
    """The share of results that were bad."""
    return shown.bad_of_all / metric.pulls if metric.pulls else 0.0
