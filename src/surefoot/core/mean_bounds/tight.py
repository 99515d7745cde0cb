"""The `tight` mean bound: fixed bets on every mean at once (docs/tight.md proves it).

For b > 0 and X in [0, 1], (1 + b X)/(1 + b x) has a mean of at most 1 if X has a mean of at most x. So its product over
rewards is a wealth against all such means, and as a function of x it needs one number, the sum of ln(1 + b X). A weighted
mean of such wealths, one for each of BETS, serves all differences of means; 1 - X in place of X gives the other side. The
logarithm of the wealth is convex in x.
"""

import math
from typing import Annotated, NamedTuple, Protocol

from surefoot.core import budget as budgets
from surefoot.core import warm_ups
from surefoot.core.budget import Budget
from surefoot.core.question import Question
from surefoot.core.state import Standing
from surefoot.core.statistics import Statistics

WARM_UP = 1  # pulls of each arm before the first choice
CONTROL = 0.4  # radii shrunk by this factor fail too often: the tests' negative control

COUNT = 12
BETS = tuple(32.0 * 3.0**-k for k in range(COUNT))
PRIOR = tuple(
    1.0 / (6.0 + (k - 3.0) ** 2) for k in range(COUNT)
)  # most on bets near 1, which gaps of about the variance want
LOG_WEIGHTS = tuple(math.log(weight / sum(PRIOR)) for weight in PRIOR)

GROWTH = 1.02  # bounds are renewed when an arm has 2 % more pulls
HUGE = 1e250  # products are taken into the sums before they could overflow
NEGLIGIBLE = 40.0  # e to the minus this adds nothing to 1
CALLED = ("wealth", "lower_end", "apart")  # functions to compile once and not into each caller: they are large
STEPS = 20  # of Newton's method, at most
CLOSE = 1e-3  # and no further than to this part of the radius


class Parameters(NamedTuple):
    lower_level: float  # ln(1 / the probability that L ever fails)
    upper_level: float
    pair_level: float  # ln(1 / the probability that a pair is ever told apart wrongly)
    lead_level: float  # about how much evidence it takes to tell two arms apart


class Evidence(Statistics, Protocol):
    rises: Annotated[list[float], COUNT]  # for each bet b the sum of ln(1 + b X), of the rewards settled
    falls: Annotated[list[float], COUNT]  # the same of 1 - X
    rise_products: Annotated[list[float], COUNT]  # the product of 1 + b X, of the rewards since
    fall_products: Annotated[list[float], COUNT]
    settled: float  # rewards
    due: float  # at how many pulls to renew the bounds
    low: float  # the lower bound, when last renewed
    headroom: float  # 1 less the upper bound


class Rated(Evidence, Standing, Protocol):
    """With the bounds as they stand."""


def budget(question: Question) -> Budget:
    return budgets.in_fortieths(question)


def parameters(question: Question) -> Parameters:
    return Parameters(*budgets.pair_levels(question))


def warm_up(parameters: Parameters, asked: list[int], arms: int, t: int) -> int:
    return warm_ups.arm_by_arm(asked, arms, t, WARM_UP)


def observe(arm: Evidence, parameters: Parameters, reward: float) -> None:
    """Settle all bets on a reward, once the statistics hold it; renew the bounds when they are due."""
    if arm.pulls == 1.0:
        start_products(arm)
    rest = 1.0 - reward
    for k in range(COUNT):
        arm.rise_products[k] *= 1.0 + BETS[k] * reward
        arm.fall_products[k] *= 1.0 + BETS[k] * rest
    if arm.pulls >= arm.due:
        settle(arm)
        arm.due = max(arm.pulls + 1.0, GROWTH * arm.pulls)
        arm.low = lower_end(arm.rises, arm.settled, parameters.lower_level, arm.low, arm.mean)
        arm.headroom = lower_end(arm.falls, arm.settled, parameters.upper_level, arm.headroom, 1.0 - arm.mean)
    elif max(arm.rise_products[0], arm.fall_products[0]) > HUGE:
        settle(arm)


def start_products(arm: Evidence) -> None:
    for k in range(COUNT):
        arm.rise_products[k] = 1.0
        arm.fall_products[k] = 1.0


def settle(arm: Evidence) -> None:
    """Take the products into the sums."""
    for k in range(COUNT):
        arm.rises[k] += math.log(arm.rise_products[k])
        arm.falls[k] += math.log(arm.fall_products[k])
    start_products(arm)
    arm.settled = arm.pulls


def wealth(sums: list[float], pulls: float, x: float) -> tuple[float, float]:
    """Log-wealth of the bets against means of at most x, and its slope in x."""
    top, total, slope = -math.inf, 0.0, 0.0
    for k in range(COUNT):
        bet = BETS[k]
        term = LOG_WEIGHTS[k] + sums[k] - pulls * math.log1p(bet * x)
        rate = pulls * bet / (1.0 + bet * x)
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


def interval(arm: Evidence, parameters: Parameters) -> tuple[float, float]:
    """L and U when they were last renewed; the standings keep the largest L and the smallest U seen."""
    return arm.low, 1.0 - arm.headroom


def anticipate(arm: Evidence, parameters: Parameters, pending: float) -> float:
    """About what U were after `pending` more rewards: radii shrink like the root of the number of pulls, or with the number
    itself while nothing in the range is refuted.
    """
    left = arm.pulls / (arm.pulls + pending)
    return arm.mean + (1.0 - arm.headroom - arm.mean) * (left if arm.headroom < 0.0 else math.sqrt(left))


def renewal(arm: Evidence) -> float:
    """Grows when bounds are renewed, and with them what two arms together may show."""
    return arm.due


def blurs(first: Statistics, second: Statistics) -> tuple[float, float]:
    """How badly the means of two arms are known, for telling which is larger: about the variances of the sample means.

    Of a reward with hardly any variance a bet still gains no more than in proportion to the gap.
    """
    gap = 0.25 * (first.mean - second.mean)
    n, m = max(first.pulls, 1.0), max(second.pulls, 1.0)  # of an arm whose pulls are all in the air nothing is known
    return (first.surprise / n + gap * first.mean) / n, (second.surprise / m + gap * (1.0 - second.mean)) / m


def apart(first: Rated, second: Rated, parameters: Parameters) -> float:
    """ln of the evidence that the mean of `first` is above that of `second`, or less; as exactly as its level needs.

    It is the least over x of ln(wealth of first against means up to x) + ln(wealth of second against means from x), of
    all x that neither L of first nor U of second has refuted. The sum is convex, so that tangents bound it from below.
    """
    if first.pulls == 0.0 or second.pulls == 0.0:
        return -math.inf
    settle(first)
    settle(second)
    level, left, right = parameters.pair_level, max(first.lower, 0.0), min(second.upper, 1.0)
    if left > right:
        return math.inf
    at_left, slope_left = meeting(first, second, left)
    if slope_left >= 0.0:
        return at_left
    at_right, slope_right = meeting(first, second, right)
    if slope_right <= 0.0:
        return at_right
    least = -math.inf
    for _ in range(STEPS):
        cross = (at_right - at_left - slope_right * (right - left)) / (slope_left - slope_right)
        least = at_left + slope_left * cross
        value, slope = meeting(first, second, left + cross)
        if least >= level or value < level:
            return least
        if slope < 0.0:
            left, at_left, slope_left = left + cross, value, slope
        else:
            right, at_right, slope_right = left + cross, value, slope
    return least


def meeting(first: Evidence, second: Evidence, x: float) -> tuple[float, float]:
    """The log-wealth against "first has a mean of at most x, second one of at least x", and its slope in x."""
    high, falling = wealth(first.rises, first.settled, x)
    low, rising = wealth(second.falls, second.settled, 1.0 - x)
    return high + low, falling - rising
