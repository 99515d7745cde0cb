"""The mean of a finite list: bets on every mean at once, by tangents (docs/finite.md proves it).

If the list has the mean x, the next result has the mean (items x - total)/left given those before it. The log-wealth of a
bet against x is then no simple function of x; but it is convex, so that tangents lie below it, and a sum of tangents needs
two numbers. Each bet keeps two such lines: of tangents at the bound as it was, and at the mean so far. `list_bets` has the
bets. What is certain counts at once: results to come are between 0 and 1.
"""

import math
from typing import Annotated, NamedTuple, Protocol

from surefoot.core import list_bets, warm_ups
from surefoot.core.error_budget import ErrorBudget, pair_levels
from surefoot.core.list_bets import BETS, COUNT, LOG_PRIOR, LOG_TOTALS, NEGLIGIBLE
from surefoot.core.question import Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

WARM_UP = 1  # pulls of each arm before the first choice
CONTROL = 0.4  # radii shrunk by this factor fail too often: the tests' negative control
FOLLOWS_VARIANCE = True  # are radii smaller where the variance is?
PAIRS = True  # arms are compared by differences on common items
STARTS = False  # can the evidence for an arm start anew when it leads?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
own_budget = None  # its levels are those of the answer's error budget
refuses = None  # it takes every question

GROWTH = 1.02  # bounds are renewed when an arm has 2 % more pulls
CALLED = ("lower_end", "settle")  # functions to compile once and not into each caller: they are large
STEPS = 20  # of Newton's method, at most
CLOSE = 1e-3  # and no further than to this part of the radius


class Parameters(NamedTuple):
    lower_level: float  # ln(1 / the probability that L ever fails)
    upper_level: float
    pair_level: float  # ln(1 / the probability that a pair is ever told apart wrongly)
    by_order: bool  # is this the level of the first leader? No: differences know of no leaders
    items: float  # of the list


class Lines(Protocol):
    """Below the log-wealth of each bet against "the mean is at most x": height - slope x, two for each bet."""

    bound_heights: Annotated[list[float], COUNT]  # of tangents at the bound as it was
    bound_slopes: Annotated[list[float], COUNT]
    mean_heights: Annotated[list[float], COUNT]  # of tangents at the mean so far
    mean_slopes: Annotated[list[float], COUNT]
    end: float  # the bound, when last renewed


class Evidence(Interval, Protocol):
    rises: Lines  # of results
    falls: Lines  # of 1 - results
    due: float  # at how many pulls to renew the bounds


def parameters(question: Question, error_budget: ErrorBudget) -> Parameters:
    return Parameters(*pair_levels(error_budget), error_budget.by_order, question.items)


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.arm_by_arm(asked, arms, t, WARM_UP)


def observe(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    """Settle all bets on a result, once the statistics hold it; renew the bounds when they are due."""
    items, seen = parameters.items, metric.pulls
    total = metric.total - reward
    settle(own.rises, reward, total, seen - 1.0, items)
    settle(own.falls, 1.0 - reward, seen - 1.0 - total, seen - 1.0, items)
    if seen >= own.due or seen >= items:
        own.due = max(seen + 1.0, GROWTH * seen)
        own.rises.end = lower_end(own.rises, metric.total, seen, items, parameters.lower_level)
        own.falls.end = lower_end(own.falls, seen - metric.total, seen, items, parameters.upper_level)


def settle(lines: Lines, value: float, total: float, seen: float, items: float) -> None:
    """Add the tangents of the next value; `total` and `seen` are what they were before it."""
    left = items - seen
    at_bound = min(max(lines.end, list_bets.lowest(total, items)), 1.0)
    at_mean = min(max((0.5 + total) / (seen + 1.0), at_bound), 1.0)
    for k in range(list_bets.used(items)):
        bet = BETS[k] * items / left
        gain = math.log(1.0 + bet * value)
        worth = 1.0 + bet * (items * at_bound - total) / left
        slope = bet * items / (left * worth)
        lines.bound_heights[k] += gain - math.log(worth) + slope * at_bound
        lines.bound_slopes[k] += slope
        worth = 1.0 + bet * (items * at_mean - total) / left
        slope = bet * items / (left * worth)
        lines.mean_heights[k] += gain - math.log(worth) + slope * at_mean
        lines.mean_slopes[k] += slope


def wealth(lines: Lines, x: float, items: float) -> tuple[float, float]:
    """Log-wealth of the bets against means of at most x, or less, and its slope in x. It falls and is convex."""
    top, total, slope, count = -math.inf, 0.0, 0.0, list_bets.used(items)
    for k in range(count):
        term, rate = lines.bound_heights[k] - lines.bound_slopes[k] * x, lines.bound_slopes[k]
        other = lines.mean_heights[k] - lines.mean_slopes[k] * x
        if other > term:
            term, rate = other, lines.mean_slopes[k]
        term += LOG_PRIOR[k]
        if term > top:
            scale = math.exp(top - term)
            top, total, slope = term, total * scale + 1.0, slope * scale - rate
        elif top - term < NEGLIGIBLE:
            scale = math.exp(term - top)
            total, slope = total + scale, slope - scale * rate
    return top + math.log(total) - LOG_TOTALS[count - 1], slope / total


def lower_end(lines: Lines, total: float, seen: float, items: float, level: float) -> float:
    """The largest x with a log-wealth that reaches the level, or a little less; no smaller than what is certain, nor than
    what was known before.

    By Newton's method, which comes from the left because the log-wealth falls and is convex. Where no x of the range is
    refuted, something below 0 that tells how far from it: it ranks arms of which little is known.
    """
    x = max(lines.end, list_bets.lowest(total, items), 0.0)
    value, slope = wealth(lines, x, items)
    if value < level:
        return x if x > 0.0 else (value - level) / seen
    mean = total / seen
    for _ in range(STEPS):
        step = (level - value) / slope
        if step <= CLOSE * (mean - x):
            break
        x += step
        value, slope = wealth(lines, x, items)
    return x if value >= level else x - (value - level) / slope


def interval(own: Evidence, metric: Statistics, parameters: Parameters, clock: float) -> tuple[float, float]:
    """L and U when they were last renewed, and what is certain now; the ranking keeps the largest L and the smallest U."""
    return within(own.rises.end, own.falls.end, metric, parameters)


def within(low: float, headroom: float, metric: Statistics, parameters: Parameters) -> tuple[float, float]:
    """Both ends, no farther out than what is certain; with all items seen the two are the mean."""
    items = parameters.items
    if metric.pulls >= items:
        return metric.mean, metric.mean
    highest = list_bets.highest(metric.total, metric.pulls, items)
    upper = 1.0 - headroom if headroom < 0.0 and highest >= 1.0 else min(1.0 - headroom, highest)
    lowest = list_bets.lowest(metric.total, items)
    return low if low < 0.0 and lowest <= 0.0 else max(low, lowest), upper


def interval_at(own: Evidence, metric: Statistics, parameters: Parameters) -> tuple[float, float]:
    """L and U from all results so far, at levels that may be others than those of the study."""
    items, seen = parameters.items, metric.pulls
    low = lower_end(own.rises, metric.total, seen, items, parameters.lower_level)
    headroom = lower_end(own.falls, seen - metric.total, seen, items, parameters.upper_level)
    return within(low, headroom, metric, parameters)


def anticipate(own: Evidence, metric: Statistics, parameters: Parameters, pending: float, clock: float) -> float:
    """About what U were after `pending` more results: radii shrink like the root of the number of pulls, or with the number
    itself while nothing in the range is refuted.
    """
    left, headroom = metric.pulls / (metric.pulls + pending), own.falls.end
    return metric.mean + (1.0 - headroom - metric.mean) * (left if headroom < 0.0 else math.sqrt(left))
