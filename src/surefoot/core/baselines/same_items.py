"""Limits against one of the arms, the baseline, by the differences of both on the same items (docs/items.md proves it).

The quantity of a limit is the mean of a number V in [0, 1], as in `one_arm`. With a factor c, D = V - c V' is the difference
to the baseline's number on the same item, in [-c, 1]: the bets are on c + D for "above", and on 1 - D for "below".
"""

import math
from typing import Annotated, Any

from surefoot.core import verdicts
from surefoot.core.baselines import one_arm
from surefoot.core.bounds import tight as bets
from surefoot.core.bounds.tight import BETS, COUNT, GROWTH, HUGE
from surefoot.core.links import against
from surefoot.core.links import against as limit_test
from surefoot.core.links.against import Parameters
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import Results, State

COMPARES = True  # is any limit against a baseline?
LIMITS = 1  # how many limits are against the baseline
SUMS = 1  # and how many of them are on means of numbers in [0, 1]: all
CALLED = ("fold_places", "compare")  # functions to compile once and not into each caller: they are large


def evidence(limits: int) -> type:
    """What is kept of an arm for so many limits, one after the other: of its differences to the baseline."""
    bet, number = Annotated[list[float], COUNT * limits], Annotated[list[float], limits]
    rows = {"rises": bet, "falls": bet, "rise_products": bet, "fall_products": bet, "totals": number}
    return type("Evidence", (), {"__annotations__": rows | {"count": float, "place": int}})


Evidence: type = evidence(LIMITS)


def gather(arm: Any, parameters: Parameters, results: Results) -> None:
    """No evidence is kept of one arm alone."""


def keep(state: State, index: int, results: Results) -> None:
    """Keep the numbers whose means are limited, at the arm's next place."""
    items, streams = state.items, state.limit_parameters.streams
    for k in range(LIMITS):
        items.limited[index * LIMITS + k][items.reached[index]] = one_arm.limited(streams[k], results)


def leave_out(state: State, index: int) -> None:
    """An item that the arm is never tried on."""
    for k in range(LIMITS):
        state.items.limited[index * LIMITS + k][state.items.reached[index]] = math.nan


def catch_up(state: State, arm: Any, index: int) -> None:
    """Bring the evidence of an arm up to all places that it and the baseline have passed."""
    items, parameters = state.items, state.limit_parameters
    end = min(items.reached[index], items.reached[parameters.baseline])
    if arm.compared.place < end:
        fold_places(arm.compared, items.limited, index, parameters, end)


def fold_places(own: Any, limited: Any, index: int, parameters: Parameters, end: int) -> None:
    for place in range(own.place, end):
        if not math.isnan(limited[index * LIMITS][place] - limited[parameters.baseline * LIMITS][place]):
            fold(own, limited, index, parameters, place)
    own.place = end


def fold(own: Any, limited: Any, index: int, parameters: Parameters, place: int) -> None:
    """Settle the bets on the differences at one place."""
    if own.count == 0.0:
        start_products(own)
    own.count += 1.0
    large = False
    for k in range(LIMITS):
        factor = parameters.streams[k].factor
        value = limited[index * LIMITS + k][place] - factor * limited[parameters.baseline * LIMITS + k][place]
        own.totals[k] += value
        for bet in range(COUNT):
            own.rise_products[k * COUNT + bet] *= 1.0 + BETS[bet] * (factor + value)
            own.fall_products[k * COUNT + bet] *= 1.0 + BETS[bet] * (1.0 - value)
        large = large or max(own.rise_products[k * COUNT], own.fall_products[k * COUNT]) > HUGE
    if large:
        settle(own)


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


def above(own: Any, k: int, factor: float, plus: float) -> float:
    """ln of the evidence that the mean difference is above `plus`."""
    if factor + plus < 0.0:
        return math.inf
    return bets.wealth(own.rises[k * COUNT : (k + 1) * COUNT], own.count, factor + plus)[0]


def below(own: Any, k: int, plus: float) -> float:
    """ln of the evidence that the mean difference is below `plus`."""
    if plus > 1.0:
        return math.inf
    return bets.wealth(own.falls[k * COUNT : (k + 1) * COUNT], own.count, 1.0 - plus)[0]


def look(state: State, index: int) -> bool:
    """Look whether an open arm keeps its limits against the baseline; whether it has a verdict now.

    Looked at when the two have 2 % more places in common than the last time, or all of them.
    """
    parameters = state.limit_parameters
    arm = state.arms[index]
    if arm.verdict != verdicts.OPEN or index == parameters.baseline:
        return False
    catch_up(state, arm, index)
    own, sums = arm.limit, arm.compared
    at_the_end = sums.place >= state.items.last and own.other_pulls < sums.place
    if sums.count == 0.0 or (sums.count < GROWTH * own.pulls and not at_the_end):
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


def latch(own: Any, parameters: Parameters) -> None:
    """Give each limit against the baseline its verdict, if there is evidence enough."""
    for k in range(LIMITS):
        if own.verdicts[k] == verdicts.OPEN:
            if own.broken[k] >= parameters.streams[k].infeasible_level:
                own.verdicts[k] = verdicts.INFEASIBLE
            elif own.kept[k] >= parameters.streams[k].feasible_level:
                own.verdicts[k] = verdicts.FEASIBLE


def refresh(state: State, compared: Any, index: int) -> None:
    """Compare an arm with the baseline, unless there is nothing new."""
    arm = compared[index]
    catch_up(state, arm, index)
    own, sums = arm.limit, arm.compared
    if sums.count > 0.0 and own.pulls != sums.count:
        own.pulls, own.other_pulls = sums.count, float(sums.place)
        compare(arm, state.limit_parameters)


def compare(arm: Any, parameters: Parameters) -> None:
    """Write down how much evidence there is that the arm keeps, and that it breaks, each limit that is open."""
    own = arm.compared
    settle(own)
    for k in range(LIMITS):
        if arm.limit.verdicts[k] == verdicts.OPEN:
            stream = parameters.streams[k]
            if stream.sign > 0.0:
                kept, broken = above(own, k, stream.factor, stream.wide), below(own, k, stream.plus)
            else:
                kept, broken = below(own, k, stream.wide), above(own, k, stream.factor, stream.plus)
            arm.limit.kept[k], arm.limit.broken[k] = kept, broken


def sample_breaks(state: State, index: int) -> bool:
    """Are the results so far beyond a limit that is open, taken as they are? It serves to recommend, never to decide."""
    parameters = state.limit_parameters
    arm = state.arms[index]
    catch_up(state, arm, index)
    if index == parameters.baseline or arm.compared.count == 0.0:
        return False
    for k in range(LIMITS):
        stream = parameters.streams[k]
        if stream.tested and arm.limit.verdicts[k] == verdicts.OPEN:
            if stream.sign * (arm.compared.totals[k] / arm.compared.count - stream.wide) < 0.0:
                return True
    return False


def in_doubt(state: State, index: int) -> int:
    """Which arm to pull if it is in doubt whether this one is feasible: where the limit that is in doubt is against the
    baseline, the one of the two that is behind.
    """
    parameters, given = state.limit_parameters, state.items.given
    arm = state.arms[index]
    if index == parameters.baseline or arm.verdict != verdicts.OPEN or doubtful(arm, parameters) < 0:
        return index
    return index if given[index] <= given[parameters.baseline] else parameters.baseline


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
