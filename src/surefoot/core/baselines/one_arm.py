"""Limits against one of the arms, the baseline, by the evidence of both arms together (docs/baseline.md proves it).

The quantity of a limit is the mean of a number in [0, 1]: of a metric, or of 1 where a result is beyond a threshold and 0
elsewhere. For each limit every arm keeps the bets of `tight` on that mean. They are kept for as long as the arm is pulled,
whatever its verdict: the baseline is compared with others when its own verdict is long known.
"""

import math
from typing import Annotated, Any

from surefoot.core import verdicts
from surefoot.core.bounds import tight as bets
from surefoot.core.bounds.tight import BETS, COUNT, GROWTH, HUGE, STEPS
from surefoot.core.links import against
from surefoot.core.links import against as limit_test
from surefoot.core.links.against import Parameters, Stream
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import Results, State

COMPARES = True  # is any limit against a baseline?
LIMITS = 1  # how many limits are against the baseline
CLOSE = 0.01  # to this the least evidence is found: what is returned is never above it
CALLED = ("least_evidence", "compare")  # functions to compile once and not into each caller: they are large


def evidence(limits: int) -> type:
    """What is kept of an arm for so many limits, one after the other."""
    bet, number = Annotated[list[float], COUNT * limits], Annotated[list[float], limits]
    rows = {"rises": bet, "falls": bet, "rise_products": bet, "fall_products": bet, "totals": number, "squares": number}
    return type("Evidence", (), {"__annotations__": rows})


Evidence: type = evidence(LIMITS)


def gather(arm: Any, parameters: Parameters, results: Results) -> None:
    """Settle the bets on the results of a pull, once the statistics of the arm count it."""
    own, large = arm.compared, False
    if arm.metric.pulls == 1.0:
        start_products(own)
    for k in range(LIMITS):
        x = limited(parameters.streams[k], results)
        own.totals[k] += x
        own.squares[k] += x * x
        for bet in range(COUNT):
            own.rise_products[k * COUNT + bet] *= 1.0 + BETS[bet] * x
            own.fall_products[k * COUNT + bet] *= 1.0 + BETS[bet] * (1.0 - x)
        large = large or max(own.rise_products[k * COUNT], own.fall_products[k * COUNT]) > HUGE
    if large:
        settle(own)


def limited(stream: Stream, results: Results) -> float:
    """The number whose mean is limited."""
    value = results[stream.metric]
    if stream.side == 0.0:
        return value
    return 1.0 if stream.side * (value - stream.threshold) > 0.0 else 0.0


def start_products(own: Any) -> None:
    for k in range(COUNT * LIMITS):
        own.rise_products[k] = 1.0
        own.fall_products[k] = 1.0


def settle(own: Any) -> None:
    """Take the products into the sums."""
    for k in range(COUNT * LIMITS):
        own.rises[k] += math.log(own.rise_products[k])
        own.falls[k] += math.log(own.fall_products[k])
    start_products(own)


def look(state: State, index: int) -> bool:
    """Look whether an open arm keeps its limits against the baseline; whether it has a verdict now.

    Looked at when one of the two has 2 % more pulls than the last time, which changes the evidence little.
    """
    parameters = state.limit_parameters
    arm, other = state.arms[index], other_of(state.arms, parameters, index)
    own, pulls, other_pulls = arm.limit, arm.metric.pulls, other.metric.pulls
    if arm.verdict != verdicts.OPEN or index == parameters.baseline or pulls == 0.0 or other_pulls == 0.0:
        return False
    if pulls < GROWTH * own.pulls and other_pulls < GROWTH * own.other_pulls:
        return False
    refresh(arm, other, parameters)
    latch(own, parameters)
    verdict = limit_test.verdict(own, arm.metric, arm.goal, parameters, ranker.NO_CLOCK)
    if verdict != verdicts.OPEN:
        ranker.revise_verdict(state, index, verdict)
    return verdict != verdicts.OPEN


def refresh(arm: Any, other: Any, parameters: Parameters) -> None:
    """Compare an arm with the baseline, unless one of them has no results, or neither has new ones."""
    own, pulls, other_pulls = arm.limit, arm.metric.pulls, other.metric.pulls
    if pulls == 0.0 or other_pulls == 0.0 or (own.pulls == pulls and own.other_pulls == other_pulls):
        return
    own.pulls, own.other_pulls = pulls, other_pulls
    compare(arm, other, parameters)


def compare(arm: Any, other: Any, parameters: Parameters) -> None:
    """Write down how much evidence there is that the arm keeps, and that it breaks, each limit that is open."""
    settle(arm.compared)
    settle(other.compared)
    for k in range(LIMITS):
        if arm.limit.verdicts[k] == verdicts.OPEN:
            stream = parameters.streams[k]
            if stream.sign > 0.0:
                kept, broken = above_and_below(arm, other, k, stream.factor, stream.wide, stream.plus)
            else:
                broken, kept = above_and_below(arm, other, k, stream.factor, stream.plus, stream.wide)
            arm.limit.kept[k], arm.limit.broken[k] = kept, broken


def latch(own: Any, parameters: Parameters) -> None:
    """Give each limit against the baseline its verdict, if there is evidence enough."""
    for k in range(LIMITS):
        if own.verdicts[k] == verdicts.OPEN:
            if own.broken[k] >= parameters.streams[k].infeasible_level:
                own.verdicts[k] = verdicts.INFEASIBLE
            elif own.kept[k] >= parameters.streams[k].feasible_level:
                own.verdicts[k] = verdicts.FEASIBLE


def above_and_below(arm: Any, other: Any, k: int, factor: float, low: float, high: float) -> tuple[float, float]:
    """ln of the evidence that the arm's mean is above `factor` times the other's and `low`, and that it is below that and
    `high`.
    """
    one, two, start, end = arm.compared, other.compared, k * COUNT, (k + 1) * COUNT
    n, m = arm.metric.pulls, other.metric.pulls
    above = least_evidence(one.rises[start:end], n, two.falls[start:end], m, factor, low)
    below = least_evidence(two.rises[start:end], m, one.falls[start:end], n, 1.0 / factor, -high / factor)
    return above, below


def least_evidence(high: Any, n: float, low: Any, m: float, factor: float, plus: float) -> float:
    """ln of the evidence that the mean of `high` is above `factor` times that of `low` and `plus`, or a little less.

    It is the least log-wealth against "high has a mean of at most factor x + plus, low one of at least x". It is convex in
    x, so that tangents bound it from below. Where factor x + plus is below 0, no mean is that small; where it is above 1,
    the log-wealth is no less than where it is 1.
    """
    left, right = max(0.0, -plus / factor), min(1.0, (1.0 - plus) / factor)
    if left > right:  # it is surely above, or surely not
        return math.inf if factor + plus < 0.0 else 0.0
    at_left, slope_left = meeting(high, n, low, m, left, factor, plus)
    if slope_left >= 0.0:
        return at_left
    at_right, slope_right = meeting(high, n, low, m, right, factor, plus)
    if slope_right <= 0.0:
        return at_right
    least = -math.inf
    for _ in range(STEPS):
        cross = (at_right - at_left - slope_right * (right - left)) / (slope_left - slope_right)
        least = at_left + slope_left * cross
        value, slope = meeting(high, n, low, m, left + cross, factor, plus)
        if value - least < CLOSE:
            return least
        if slope < 0.0:
            left, at_left, slope_left = left + cross, value, slope
        else:
            right, at_right, slope_right = left + cross, value, slope
    return least


def meeting(high: Any, n: float, low: Any, m: float, x: float, factor: float, plus: float) -> tuple[float, float]:
    """The log-wealth against "high has a mean of at most factor x + plus, low one of at least x", and its slope in x."""
    y, z = min(max(factor * x + plus, 0.0), 1.0), min(max(1.0 - x, 0.0), 1.0)
    value, falling, rising = bets.pair_wealth(high, n, y, low, m, z)
    return value, factor * falling - rising


def other_of(arms: Any, parameters: Parameters, index: int) -> Any:
    """The arm that it is compared with: the baseline."""
    return arms[parameters.baseline]


def difference(arm: Any, other: Any, k: int, factor: float) -> float:
    """Of the results so far: the mean of an arm less `factor` times that of the other."""
    mean: float = arm.compared.totals[k] / arm.metric.pulls
    return mean - factor * other.compared.totals[k] / other.metric.pulls  # type: ignore[no-any-return]


def sample_breaks(state: State, index: int) -> bool:
    """Are the results so far beyond a limit that is open, taken as they are? It serves to recommend, never to decide."""
    parameters = state.limit_parameters
    arm, other = state.arms[index], other_of(state.arms, parameters, index)
    if index == parameters.baseline or arm.metric.pulls == 0.0 or other.metric.pulls == 0.0:
        return False
    for k in range(LIMITS):
        stream = parameters.streams[k]
        if stream.tested and arm.limit.verdicts[k] == verdicts.OPEN:
            if stream.sign * (difference(arm, other, k, stream.factor) - stream.wide) < 0.0:
                return True
    return False


def in_doubt(state: State, index: int) -> int:
    """Which arm to pull if it is in doubt whether this one is feasible: itself or the baseline, where the limit that is in
    doubt is against that. A difference of means is known best if each arm's pulls are in proportion to its deviation.

    What the baseline is owed is kept, as pulls in flight are not among those of an arm yet.
    """
    parameters = state.limit_parameters
    arm, other = state.arms[index], other_of(state.arms, parameters, index)
    if index == parameters.baseline or arm.verdict != verdicts.OPEN:
        return index
    k = doubtful(arm, parameters)
    if k < 0:
        return index
    own, others = deviation(arm, k), parameters.streams[k].factor * deviation(other, k)
    wanted, had = others / (own + others), other.metric.pulls / max(arm.metric.pulls + other.metric.pulls, 1.0)
    arm.limit.owed += min(max(2.0 * wanted - had, 0.0), 1.0)
    if arm.limit.owed < 0.5:
        return index
    arm.limit.owed -= 1.0
    return parameters.baseline  # type: ignore[no-any-return]


def doubtful(arm: Any, parameters: Parameters) -> int:
    """The limit whose shares those of the arm are; -1 if it is not against the baseline."""
    shares = limit_test.shares(arm.limit, arm.metric, arm.goal, parameters, ranker.NO_CLOCK)
    for k in range(LIMITS):
        if arm.limit.verdicts[k] == verdicts.OPEN and against.shares_of(arm.limit, parameters, k) == shares:
            return k
    return -1


def deviation(arm: Any, k: int) -> float:
    """Of the limited number; of few results it is taken for larger than it seems."""
    n = max(arm.metric.pulls, 1.0)
    mean = arm.compared.totals[k] / n
    return math.sqrt(max(arm.compared.squares[k] / n - mean * mean, 0.0) + 0.25 / n)


def needs(parameters: Parameters, index: int) -> bool:
    """Is this the arm that others are compared with?"""
    return index == parameters.baseline
