"""Limits against one of the arms, the baseline, by the evidence of both arms together (docs/baseline.md proves it).

For each limit every arm keeps evidence on its quantity, for as long as it is pulled, whatever its verdict: the baseline is
compared with others when its own verdict is long known. What is kept depends on the quantity: limits on the mean of a
number in [0, 1] come first (`sums`), then those on quantiles, then those on other means (`normals`).
"""

from typing import Any

from surefoot.core import verdicts
from surefoot.core.baselines import normals, quantiles, sums
from surefoot.core.bounds.tight import GROWTH
from surefoot.core.links import against
from surefoot.core.links import against as limit_test
from surefoot.core.links.against import Parameters, Stream
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import Results, State

COMPARES = True  # is any limit against a baseline?
SUMS, QUANTILES, NORMALS = 1, 0, 0  # how many limits of each kind are against the baseline
LIMITS = 1  # and in all
CALLED = ("compare",)  # functions to compile once and not into each caller: they are large
LEAST_SHARE = 0.05  # of the pulls that a comparison takes, each of the two arms has at least so many


def evidence(sums_limits: int, quantile_limits: int, normal_limits: int) -> type:
    """What is kept of an arm for so many limits of each kind."""
    rows = sums.fields(sums_limits) | quantiles.fields(quantile_limits) | normals.fields(normal_limits)
    return type("Evidence", (), {"__annotations__": rows})


Evidence: type = evidence(SUMS, QUANTILES, NORMALS)


def gather(arm: Any, parameters: Parameters, results: Results) -> None:
    """Fold the results of a pull, once the statistics of the arm count it."""
    own = arm.compared
    if SUMS > 0:
        if arm.metric.pulls == 1.0:
            sums.start_products(own)
        for k in range(SUMS):
            sums.observe(own, k, limited(parameters.streams[k], results))
    if QUANTILES > 0:
        for k in range(QUANTILES):
            stream = parameters.streams[SUMS + k]
            quantiles.observe(own.histograms[k], results[stream.metric], stream.share)
    if NORMALS > 0:
        for k in range(NORMALS):
            normals.observe(own.normals[k], results[parameters.streams[SUMS + QUANTILES + k].metric])


def limited(stream: Stream, results: Results) -> float:
    """The number whose mean is limited."""
    value = results[stream.metric]
    if stream.side == 0.0:
        return value
    return 1.0 if stream.side * (value - stream.threshold) > 0.0 else 0.0


def settle(own: Any) -> None:
    """Bring what is kept up to the last result."""
    if SUMS > 0:
        sums.settle(own)


def above(own: Any, n: float, other: Any, m: float, k: int, stream: Stream, plus: float) -> float:
    """ln of the evidence that the quantity of an arm is above `factor` times that of the other, and `plus`; or less."""
    return one_above(own, n, other, m, k, stream, stream.factor, plus)


def below(own: Any, n: float, other: Any, m: float, k: int, stream: Stream, plus: float) -> float:
    """The same of below: as then the other is above what the line, read the other way, makes of the arm."""
    return one_above(other, m, own, n, k, stream, 1.0 / stream.factor, -plus / stream.factor)


def one_above(own: Any, n: float, other: Any, m: float, k: int, stream: Stream, factor: float, plus: float) -> float:
    if SUMS > 0:
        if k < SUMS:
            return sums.above(own, n, other, m, k, factor, plus)
    if QUANTILES > 0:
        if k < SUMS + QUANTILES:
            one, two = own.histograms[k - SUMS], other.histograms[k - SUMS]
            return quantiles.above(one, two, stream, factor, plus)
    if NORMALS > 0:
        one, two = own.normals[k - SUMS - QUANTILES], other.normals[k - SUMS - QUANTILES]
        return normals.above(one, two, stream.sigma, plus)
    return 0.0


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
    refresh(state, state.arms, index)
    latch(own, parameters)
    verdict = limit_test.verdict(own, arm.metric, arm.goal, parameters, ranker.NO_CLOCK)
    if verdict != verdicts.OPEN:
        ranker.revise_verdict(state, index, verdict)
    return verdict != verdicts.OPEN


def look_at_both(state: State, first: int, second: int) -> bool:
    """Look at the arms that matter (-1: there is none); is there a verdict that was not there before?"""
    found = first >= 0 and look(state, first)
    return (second >= 0 and look(state, second)) or found


def add_wanted(state: State, pulls: int) -> int:
    """Have the baseline pulled too, if one of the arms that are to be pulled is still to be compared with it."""
    parameters, wanted = state.limit_parameters, False
    for place in range(pulls):
        index = state.asked[place]
        if index == parameters.baseline:
            return pulls
        wanted = wanted or is_compared(state.arms[index], parameters)
    if wanted:
        state.asked[pulls] = parameters.baseline
        pulls += 1
    return pulls


def is_compared(arm: Any, parameters: Parameters) -> bool:
    """Is a limit of an open arm against the baseline open?"""
    for k in range(LIMITS):
        if arm.verdict == verdicts.OPEN and arm.limit.verdicts[k] == verdicts.OPEN and parameters.streams[k].tested:
            return True
    return False


def keep(state: State, index: int, results: Results) -> None:
    """Nothing is kept by items."""


def refresh(state: State, compared: Any, index: int) -> None:
    """Compare an arm with the baseline, unless one of them has no results, or neither has new ones."""
    parameters = state.limit_parameters
    arm, other = compared[index], other_of(compared, parameters, index)
    own, pulls, other_pulls = arm.limit, arm.metric.pulls, other.metric.pulls
    if pulls == 0.0 or other_pulls == 0.0 or (own.pulls == pulls and own.other_pulls == other_pulls):
        return
    own.pulls, own.other_pulls = pulls, other_pulls
    compare(arm, other, parameters)


def compare(arm: Any, other: Any, parameters: Parameters) -> None:
    """Write down how much evidence there is that the arm keeps, and that it breaks, each limit that is open."""
    settle(arm.compared)
    settle(other.compared)
    one, two, n, m = arm.compared, other.compared, arm.metric.pulls, other.metric.pulls
    for k in range(LIMITS):
        if arm.limit.verdicts[k] == verdicts.OPEN:
            stream = parameters.streams[k]
            if stream.sign > 0.0:
                arm.limit.kept[k] = above(one, n, two, m, k, stream, stream.wide)
                arm.limit.broken[k] = below(one, n, two, m, k, stream, stream.plus)
            else:
                arm.limit.kept[k] = below(one, n, two, m, k, stream, stream.wide)
                arm.limit.broken[k] = above(one, n, two, m, k, stream, stream.plus)


def latch(own: Any, parameters: Parameters) -> None:
    """Give each limit against the baseline its verdict, if there is evidence enough."""
    for k in range(LIMITS):
        if own.verdicts[k] == verdicts.OPEN:
            if own.broken[k] >= parameters.streams[k].infeasible_level:
                own.verdicts[k] = verdicts.INFEASIBLE
            elif own.kept[k] >= parameters.streams[k].feasible_level:
                own.verdicts[k] = verdicts.FEASIBLE


def other_of(arms: Any, parameters: Parameters, index: int) -> Any:
    """The arm that it is compared with: the baseline."""
    return arms[parameters.baseline]


def estimate(own: Any, pulls: float, k: int, stream: Stream) -> float:
    """The limited quantity of the results so far."""
    if SUMS > 0:
        if k < SUMS:
            return own.totals[k] / pulls  # type: ignore[no-any-return]
    if QUANTILES > 0:
        if k < SUMS + QUANTILES:
            return quantiles.estimate(own.histograms[k - SUMS], stream.share, stream.mirrored)
    if NORMALS > 0:
        return own.normals[k - SUMS - QUANTILES].metric.mean  # type: ignore[no-any-return]
    return 0.0


def deviation(own: Any, pulls: float, k: int, stream: Stream) -> float:
    """How badly the limited quantity is known, times the root of the number of results."""
    if SUMS > 0:
        if k < SUMS:
            return sums.deviation(own, k, pulls)
    if QUANTILES > 0:
        if k < SUMS + QUANTILES:
            return quantiles.deviation(own.histograms[k - SUMS], stream.share)
    if NORMALS > 0:
        return normals.deviation(own.normals[k - SUMS - QUANTILES], stream.sigma)
    return 0.0


def sample_breaks(state: State, index: int) -> bool:
    """Are the results so far beyond a limit that is open, taken as they are? It serves to recommend, never to decide."""
    parameters = state.limit_parameters
    arm, other = state.arms[index], other_of(state.arms, parameters, index)
    n, m = arm.metric.pulls, other.metric.pulls
    if index == parameters.baseline or n == 0.0 or m == 0.0:
        return False
    for k in range(LIMITS):
        stream = parameters.streams[k]
        if stream.tested and arm.limit.verdicts[k] == verdicts.OPEN:
            difference = estimate(arm.compared, n, k, stream) - stream.factor * estimate(other.compared, m, k, stream)
            if stream.sign * (difference - stream.wide) < 0.0:
                return True
    return False


def in_doubt(state: State, index: int) -> int:
    """Which arm to pull if it is in doubt whether this one is feasible: itself or the baseline, where the limit that is in
    doubt is against that. A difference is known best if each arm's pulls are in proportion to its deviation.

    What the baseline is owed is kept, as pulls in flight are not among those of an arm yet.
    """
    parameters = state.limit_parameters
    arm, other = state.arms[index], other_of(state.arms, parameters, index)
    if index == parameters.baseline or arm.verdict != verdicts.OPEN:
        return index
    k, n, m = doubtful(arm, parameters), arm.metric.pulls, other.metric.pulls
    if k < 0:
        return index
    wanted = 0.5
    if n > 0.0 and m > 0.0:
        stream = parameters.streams[k]
        own, others = deviation(arm.compared, n, k, stream), stream.factor * deviation(other.compared, m, k, stream)
        if own + others > 0.0:
            wanted = min(max(others / (own + others), LEAST_SHARE), 1.0 - LEAST_SHARE)
    arm.limit.owed += min(max(2.0 * wanted - m / max(n + m, 1.0), 0.0), 1.0)
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


def needs(parameters: Parameters, index: int) -> bool:
    """Is this the arm that others are compared with?"""
    return index == parameters.baseline
