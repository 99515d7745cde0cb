"""The `tight` mean bound: fixed bets on every mean at once (docs/tight.md proves it).

For b > 0 and X in [0, 1], (1 + b X)/(1 + b x) has a mean of at most 1 if X has a mean of at most x. So its product over
rewards is a wealth against all such means, and as a function of x it needs one number, the sum of ln(1 + b X). A weighted
mean of such wealths, one for each of BETS, serves all differences of means; 1 - X in place of X gives the other side. The
logarithm of the wealth is convex in x.
"""

import math
from typing import Annotated, NamedTuple, Protocol

from surefoot.core import leaders, warm_ups
from surefoot.core.error_budget import ErrorBudget, pair_levels
from surefoot.core.question import Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

WARM_UP = 1  # pulls of each arm before the first choice
CONTROL = 0.4  # radii shrunk by this factor fail too often: the tests' negative control
FOLLOWS_VARIANCE = True  # are radii smaller where the variance is?
PAIRS = True  # does it compare arms in pairs too?
STARTS = True  # can the evidence for an arm start anew when it leads?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
own_budget = None  # its levels are those of the answer's error budget
refuses = None  # it takes every question

COUNT = 12
BETS = tuple(32.0 * 3.0**-k for k in range(COUNT))
PRIOR = tuple(
    1.0 / (6.0 + (k - 3.0) ** 2) + (0.1 if k == 0 else 0.0) for k in range(COUNT)
)  # most on bets near 1, which gaps of about the variance want, and on the largest: gaps to arms that hardly vary
WEIGHTS = tuple(weight / sum(PRIOR) for weight in PRIOR)
LOG_WEIGHTS = tuple(math.log(weight) for weight in WEIGHTS)

ALL_PAIRS = 0.7  # of what is staked on a pair of arms; the rest is for bets that are equal or neighbours
EQUAL = tuple((1.0 - ALL_PAIRS) * 0.5 / weight for weight in WEIGHTS)  # over the product of both weights, as is NEXT
NEXT = tuple(
    (1.0 - ALL_PAIRS) * 0.125 * (1.0 / WEIGHTS[k] + 1.0 / WEIGHTS[k - 1]) if k else 0.0 for k in range(COUNT)
)  # of a bet and the one before it

GROWTH = 1.02  # bounds are renewed when an arm has 2 % more pulls
HUGE = 1e250  # products are taken into the sums before they could overflow
NEGLIGIBLE = 40.0  # e to the minus this adds nothing to 1
CALLED = (
    "wealth",
    "lower_end",
    "pair_wealth",
    "pair_log_evidence",
)  # functions to compile once and not into each caller: they are large
STEPS = 20  # of Newton's method, at most
CLOSE = 1e-3  # and no further than to this part of the radius


class Parameters(NamedTuple):
    lower_level: float  # ln(1 / the probability that L ever fails)
    upper_level: float
    pair_level: float  # ln(1 / the probability that a pair is ever told apart wrongly)
    by_order: bool  # is this the level of the first leader? That of the k-th is higher: `leaders`


class Evidence(Interval, Protocol):
    rises: Annotated[list[float], COUNT]  # for each bet b the sum of ln(1 + b X), of the rewards settled
    falls: Annotated[list[float], COUNT]  # the same of 1 - X
    rise_products: Annotated[list[float], COUNT]  # the product of 1 + b X, of the rewards since
    fall_products: Annotated[list[float], COUNT]
    settled: float  # rewards
    due: float  # at how many pulls to renew the bounds
    low: float  # the lower bound, when last renewed
    headroom: float  # 1 less the upper bound
    leads: Annotated[list[float], COUNT]  # `rises`, of the rewards since it was taken up as a leader
    settled_before: float  # rewards before these


class Compared(Protocol):
    """What is needed of each of two arms."""

    metric: Statistics
    goal: Evidence
    order: float
    since: float


def parameters(question: Question, error_budget: ErrorBudget) -> Parameters:
    return Parameters(*pair_levels(error_budget), by_order=error_budget.by_order)


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.arm_by_arm(asked, arms, t, WARM_UP)


def observe(own: Evidence, metric: Statistics, parameters: Parameters, reward: float) -> None:
    """Settle all bets on a reward, once the statistics hold it; renew the bounds when they are due."""
    if metric.pulls == 1.0:
        start_products(own)
    rest, rises, falls = 1.0 - reward, own.rise_products, own.fall_products
    for k in range(COUNT):
        rises[k] *= 1.0 + BETS[k] * reward  # written so, the compiler does several at a time
        falls[k] *= 1.0 + BETS[k] * rest
    if metric.pulls >= own.due:
        settle(own, metric)
        own.due = max(metric.pulls + 1.0, GROWTH * metric.pulls)
        own.low = lower_end(own.rises, own.settled, parameters.lower_level, own.low, metric.mean)
        own.headroom = lower_end(own.falls, own.settled, parameters.upper_level, own.headroom, 1.0 - metric.mean)
    elif max(rises[0], falls[0]) > HUGE:
        settle(own, metric)


def start_products(own: Evidence) -> None:
    rises, falls = own.rise_products, own.fall_products
    for k in range(COUNT):
        rises[k] = 1.0
        falls[k] = 1.0


def settle(own: Evidence, metric: Statistics) -> None:
    """Take the products into the sums."""
    rises, leads, falls = own.rises, own.leads, own.falls
    rise_products, fall_products = own.rise_products, own.fall_products
    for k in range(COUNT):
        gained = math.log(rise_products[k])
        rises[k] += gained
        leads[k] += gained
        falls[k] += math.log(fall_products[k])
    start_products(own)
    own.settled = metric.pulls


def wealth(sums: list[float], pulls: float, x: float) -> tuple[float, float]:
    """Log-wealth of the bets against means of at most x, and its slope in x."""
    top, total, slope = -math.inf, 0.0, 0.0
    for k in range(COUNT):
        bet = BETS[k]
        expected = bet * x
        term = LOG_WEIGHTS[k] + sums[k] - pulls * math.log1p(expected)
        rate = pulls * bet / (1.0 + expected)
        if term > top:
            scale = math.exp(top - term)
            top, total, slope = term, total * scale + 1.0, slope * scale - rate
        elif top - term < NEGLIGIBLE:
            scale = math.exp(term - top)
            total, slope = total + scale, slope - scale * rate
    return top + math.log(total), slope / total


def lower_end(sums: list[float], pulls: float, level: float, start: float, mean: float) -> float:
    """The largest x with a log-wealth that reaches the level, or a little less; no smaller than `start`.

    By Newton's method, which comes from the left because the log-wealth falls and is convex. Where no x of the range is
    refuted, something below 0 that tells how far from it: it ranks arms of which little is known.
    """
    x = max(start, 0.0)
    value, slope = wealth(sums, pulls, x)
    if value < level:
        return start if start > 0.0 else (value - level) / pulls
    for _ in range(STEPS):
        step = (level - value) / slope
        if step <= CLOSE * (mean - x):
            break
        x += step
        value, slope = wealth(sums, pulls, x)
    return x if value >= level else x - (value - level) / slope


def interval(own: Evidence, metric: Statistics, parameters: Parameters, clock: float) -> tuple[float, float]:
    """L and U when they were last renewed; the ranking keeps the largest L and the smallest U seen."""
    return own.low, 1.0 - own.headroom


def interval_at(own: Evidence, metric: Statistics, parameters: Parameters) -> tuple[float, float]:
    """L and U from all rewards so far, at levels that may be others than those of the study; settles `own` in place."""
    settle(own, metric)
    low = lower_end(own.rises, own.settled, parameters.lower_level, own.low, metric.mean)
    headroom = lower_end(own.falls, own.settled, parameters.upper_level, own.headroom, 1.0 - metric.mean)
    return low, 1.0 - headroom


def has_news(own: Evidence, metric: Statistics) -> bool:
    """Is there more evidence on the mean than before the last reward?"""
    return own.settled == metric.pulls


def log_evidence(own: Evidence, metric: Statistics, sigma: float, x: float) -> tuple[float, float]:
    """ln of the evidence that the mean is above x, and that it is below."""
    above, _ = wealth(own.rises, own.settled, min(max(x, 0.0), 1.0))
    below, _ = wealth(own.falls, own.settled, min(max(1.0 - x, 0.0), 1.0))
    return above, below


def anticipate(own: Evidence, metric: Statistics, parameters: Parameters, pending: float, clock: float) -> float:
    """About what U were after `pending` more rewards: radii shrink like the root of the number of pulls, or with the number
    itself while nothing in the range is refuted.
    """
    left = metric.pulls / (metric.pulls + pending)
    return metric.mean + (1.0 - own.headroom - metric.mean) * (left if own.headroom < 0.0 else math.sqrt(left))


def renewal(arm: Compared) -> float:
    """Grows when bounds are renewed, and with them what two arms together may show."""
    return arm.goal.due


def variances_of_means(first: Compared, second: Compared, margin: float = 0.0) -> tuple[float, float]:
    """How badly the means of two arms are known, for telling which is larger: about the variances of the sample means.

    Of a reward with hardly any variance a bet still gains no more than in proportion to the gap.
    """
    one, other = first.metric, second.metric
    gap = 0.25 * (one.mean - other.mean + margin)
    n, m = max(one.pulls, 1.0), max(other.pulls, 1.0)  # of an arm whose pulls are all in flight nothing is known
    return (one.surprise / n + gap * one.mean) / n, (other.surprise / m + gap * (1.0 - other.mean)) / m


def pair_log_evidence(first: Compared, second: Compared, parameters: Parameters, margin: float = 0.0) -> float:
    """ln of the evidence that the mean of `first` and the margin are above the mean of `second`, or less; as exactly as its
    level needs.

    It is the least log-wealth against "first has a mean of at most x, second one of at least x + margin", of all x that
    neither L of first nor U of second has refuted. It is convex in x, so that tangents bound it from below.
    """
    if first.metric.pulls == 0.0 or second.metric.pulls == 0.0:
        return -math.inf
    if parameters.by_order and (first.order == 0.0 or first.metric.pulls <= first.since):
        return -math.inf
    high, low = first.goal, second.goal
    settle(high, first.metric)
    settle(low, second.metric)
    cost = pair_cost(first, second) if parameters.by_order else 0.0
    level, left, right = parameters.pair_level + cost, max(high.lower, 0.0), min(low.upper, 1.0) - margin
    if left > right:
        return math.inf
    at_left, slope_left = meeting(high, low, left, margin)
    if slope_left >= 0.0:
        return at_left - cost
    at_right, slope_right = meeting(high, low, right, margin)
    if slope_right <= 0.0:
        return at_right - cost
    least = -math.inf
    for _ in range(STEPS):
        cross = (at_right - at_left - slope_right * (right - left)) / (slope_left - slope_right)
        least = at_left + slope_left * cross
        value, slope = meeting(high, low, left + cross, margin)
        if least >= level or value < level:
            return least - cost
        if slope < 0.0:
            left, at_left, slope_left = left + cross, value, slope
        else:
            right, at_right, slope_right = left + cross, value, slope
    return least - cost


def meeting(first: Evidence, second: Evidence, x: float, margin: float = 0.0) -> tuple[float, float]:
    """The log-wealth against "first has a mean of at most x, second one of at least x + margin", and its slope in x."""
    value, falling, rising = pair_wealth(
        first.leads, first.settled - first.settled_before, x, second.falls, second.settled, 1.0 - x - margin
    )
    return value, falling - rising


def pair_cost(first: Compared, second: Compared) -> float:
    """How much more evidence the first arm needs than if it were the first leader but for the second, in ln."""
    return leaders.cost(first.order - 1.0 if 0.0 < second.order < first.order else first.order)


def start_anew(own: Evidence, metric: Statistics) -> None:
    settle(own, metric)
    own.settled_before = own.settled
    for k in range(COUNT):
        own.leads[k] = 0.0


def pair_wealth(
    first: list[float], n: float, x: float, second: list[float], m: float, y: float
) -> tuple[float, float, float]:
    """Log-wealth of pairs of bets against "one mean is at most x, the other at most y", and its slopes in x and in y.

    A part of it is staked on all pairs, the rest on bets that are equal or neighbours. Both come from the same powers, one
    for each bet on each arm, and these are what takes time.
    """
    top, total, slope, last, last_rate = -math.inf, 0.0, 0.0, 0.0, 0.0
    other_top, other_total, other_slope, other_last, other_last_rate = -math.inf, 0.0, 0.0, 0.0, 0.0
    near, near_slope, near_other_slope = 0.0, 0.0, 0.0
    for k in range(COUNT):
        bet = BETS[k]
        term, rate = LOG_WEIGHTS[k] + first[k] - n * math.log1p(bet * x), n * bet / (1.0 + bet * x)
        other_term, other_rate = LOG_WEIGHTS[k] + second[k] - m * math.log1p(bet * y), m * bet / (1.0 + bet * y)
        shrink, one = rescaled(top, term)
        other_shrink, other = rescaled(other_top, other_term)
        top, other_top, both = max(top, term), max(other_top, other_term), shrink * other_shrink
        total, slope = total * shrink + one, slope * shrink - one * rate
        other_total, other_slope = other_total * other_shrink + other, other_slope * other_shrink - other * other_rate
        equal, before, after = (
            EQUAL[k] * one * other,
            NEXT[k] * one * other_last * other_shrink,
            NEXT[k] * last * shrink * other,
        )
        near = near * both + equal + before + after
        near_slope = near_slope * both - (equal + before) * rate - after * last_rate
        near_other_slope = near_other_slope * both - (equal + after) * other_rate - before * other_last_rate
        last, last_rate, other_last, other_last_rate = one, rate, other, other_rate
    wealth = ALL_PAIRS * total * other_total + near
    return (
        top + other_top + math.log(wealth),
        (ALL_PAIRS * slope * other_total + near_slope) / wealth,
        (ALL_PAIRS * total * other_slope + near_other_slope) / wealth,
    )


def rescaled(top: float, term: float) -> tuple[float, float]:
    """By what to multiply sums of powers whose largest exponent was `top`, if `term` comes to it; and what to add."""
    if term > top:
        return math.exp(top - term), 1.0
    return 1.0, math.exp(term - top) if top - term < NEGLIGIBLE else 0.0
