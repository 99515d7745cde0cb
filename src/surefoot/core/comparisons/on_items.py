"""Two arms compared on the items that both were tried on, and by nothing else (docs/items.md).

Every arm goes through one order of items, at its own pace; its n-th result belongs to place n of the order. The differences
at the places that two arms have in common are folded when somebody asks for them, always from the first place on: to begin
later would be to choose items by results. L and U help to choose arms. They decide nothing between them.
"""

from __future__ import annotations

import math
from array import array
from typing import Any, NamedTuple

import numpy as np

from surefoot.core import differences as evidence  # of a finite list another: see `program`
from surefoot.core import records, verdicts
from surefoot.core.parts import Nothing
from surefoot.core.state import Ranking, Results, State

Evidence = Nothing
ON_ITEMS = True  # are arms compared on the items that both were tried on, and by nothing else?
CALLED = ("fold_places", "other_arm")  # functions to compile once: they are large, or seldom called
ROOM = 1_000  # results of an arm in a compiled program, at first


class OnItems(NamedTuple):
    """What arms have in common: `State.items`."""

    last: float  # how many items there are, infinite for a stream
    rounds: bool  # do all arms in play go through them together?
    capacity: float  # results of an arm for which there is room
    most: Any  # [the most results of any arm]
    leader: Any  # [the arm that leads on common items, -1 before the first comparison]
    given: Any  # of each arm, the places handed out
    reached: Any  # of each arm, the places that it has a result for, or has left out
    results: Any  # of each arm its results on the kernels' scale, by place; nan where it left an item out
    pairs: Any  # a `Differences` for each ordered pair (i, j), at i * arms + j
    limited: (
        Any  # of each arm, and each limit against the baseline, the limited numbers by place (`baselines/same_items`)
    )


class Row(array):  # type: ignore[type-arg]
    """The results of one arm, 8 bytes each: as long as need be."""

    def __setitem__(self, place: Any, value: Any) -> None:
        if place == len(self):
            self.append(value)
        else:
            super().__setitem__(place, value)


class Pairs(dict[int, Any]):
    """Records of pairs, made when they are first asked for."""

    def __init__(self, declaration: type) -> None:
        super().__init__()
        self.declaration = declaration

    def __missing__(self, pair: int) -> Any:
        self[pair] = records.plain_record(self.declaration)()
        return self[pair]


def begun(arms: int, items: float, rounds: bool, limits: int, packed: bool) -> OnItems:
    """Before the first result, with so many limits against the baseline."""
    if not packed:
        rows, pairs = [Row("d") for _ in range(arms + arms * limits)], Pairs(evidence.Differences)
        counts = [0], [-1], [0] * arms, [0] * arms
        return OnItems(items, rounds, math.inf, *counts, rows[:arms], pairs, rows[arms:])
    capacity = int(min(items, ROOM))
    numbers = (np.array([0]), np.array([-1]), np.zeros(arms, np.int64), np.zeros(arms, np.int64))
    packed_pairs = np.zeros(arms * arms, records.layout(evidence.Differences))  # memory that nobody touches is none
    results, limited = np.zeros((arms, capacity)), np.zeros((arms * limits, capacity))
    # a float, or a program would be compiled once for lists and once for streams
    return OnItems(float(items), rounds, float(capacity), *numbers, results, packed_pairs, limited)


def enlarged(items: OnItems) -> OnItems:
    """With more room for results: kernels allocate nothing."""
    arms, capacity = items.results.shape
    capacity = int(min(items.last, 4 * capacity))
    limits = len(items.limited) // arms
    results = longer(items.results, items.reached.tolist(), capacity)
    limited = longer(items.limited, np.repeat(items.reached, limits).tolist(), capacity)
    return items._replace(capacity=float(capacity), results=results, limited=limited)


def longer(rows: Any, lengths: list[int], capacity: int) -> Any:
    """The same rows with more room."""
    found = np.zeros((len(rows), capacity))
    for row, old, length in zip(found, rows, lengths, strict=True):
        row[:length] = old[:length]
    return found


# --- results by place


def keep(state: State, index: int, results: Results) -> None:
    """Keep a result at the arm's next place."""
    put(state, index, results[0])


def gather(arm: Any) -> None:
    """Nothing: differences are all they need."""


def leave_out(state: State, index: int) -> None:
    """An item that the arm is never tried on."""
    put(state, index, math.nan)


def put(state: State, index: int, value: float) -> None:
    items = state.items
    reached = items.reached[index]
    items.results[index][reached] = value
    items.reached[index] = reached + 1
    items.given[index] = max(items.given[index], reached + 1)
    items.most[0] = max(items.most[0], reached + 1)


def place(state: State, index: int) -> int:
    """Where the arm's next result belongs."""
    return state.items.reached[index]  # type: ignore[no-any-return]


def has_room(state: State) -> bool:
    """Can a further result be kept?"""
    return state.items.most[0] < state.items.capacity or state.items.capacity >= state.items.last  # type: ignore[no-any-return]


def catch_up(state: State, first: int, second: int) -> Any:
    """The evidence on two arms, with all places in it that both have passed."""
    items = state.items
    own = items.pairs[first * len(state.arms) + second]
    end = min(items.reached[first], items.reached[second])
    if own.place < end:
        fold_places(own, items.results[first], items.results[second], end, items.last, state.tolerance)
    return own


def fold_places(own: Any, one: Any, other: Any, end: int, items: float, tolerance: float) -> None:
    """Fold the places up to `end`, but for those where one of the two has no result."""
    for position in range(own.place, end):
        difference = one[position] - other[position]
        if not math.isnan(difference):
            evidence.observe(own, difference, items, tolerance)
    own.place = end


# --- what is known of two arms


def intervals_apart(state: State, first: int, second: int) -> bool:
    """Is `first` no worse than `second`, up to the tolerance, whatever is still to come? Intervals decide nothing here."""
    return is_certain(state, first, second, state.tolerance)


def is_certain(state: State, first: int, second: int, margin: float) -> bool:
    return evidence.is_certain(state.arms[first].metric, state.arms[second].metric, state.items.last, margin)


def surely_no_worse(state: State, compared: Any, first: int, second: int) -> bool:
    """Is the mean of `first` surely no worse than that of `second`, up to the tolerance?"""
    return log_evidence(state, first, second, state.tolerance) >= state.mean_parameters.pair_level  # type: ignore[no-any-return]


def log_evidence(state: State, first: int, second: int, margin: float) -> float:
    """ln of the evidence that the mean of `first` and the margin are above the mean of `second`."""
    if is_certain(state, first, second, margin):
        return math.inf
    return evidence.log_evidence(catch_up(state, first, second), margin, state.items.last)


def rough_lead(state: State, first: int, second: int, margin: float) -> float:
    """About how much evidence there is that the first arm's mean and the margin are above the second's mean, in ln."""
    if is_certain(state, first, second, margin):
        return math.inf
    return evidence.rough_lead(catch_up(state, first, second), margin, state.items.last)


def is_below(state: State, first: int, second: int) -> bool:
    """Intervals decide nothing here."""
    return False


def is_ahead(state: State, first: int, second: int, margin: float) -> bool:
    """Are the results of `first` better by more than the margin on the items that both had, taken as they are?"""
    pairs, arms = state.items.pairs, len(state.arms)
    if pairs[second * arms + first].place > pairs[first * arms + second].place:  # which there is less to fold of
        return -evidence.mean(catch_up(state, second, first)) > margin
    return evidence.mean(catch_up(state, first, second)) > margin


def has_news(state: State, leader: int, challenger: int) -> bool:
    """Have the two more places in common than when they were last compared, by `GROWTH`, or all? Or is no doubt left?"""
    own = catch_up(state, leader, challenger)
    return own.place >= own.due or is_certain(state, leader, challenger, state.tolerance)


def note_look(state: State, leader: int, challenger: int) -> None:
    """The two are compared now."""
    own = catch_up(state, leader, challenger)
    following = max(own.place + 1.0, evidence.GROWTH * own.place)
    own.due = min(following, state.items.last) if own.place < state.items.last else math.inf


# --- who leads, and whom to pull


def ranked(state: State, ranking: Ranking) -> Ranking:
    """The leader is the arm that is ahead on common items: means of arms that went different ways say less."""
    leader = state.items.leader[0]
    if leader < 0 or state.arms[leader].verdict == verdicts.INFEASIBLE or state.arms[leader].beaten_by > 0:
        return ranking
    return Ranking(leader, ranking.optimist, ranking.incumbent)


def follow(state: State, leader: int, challenger: int) -> bool:
    """Let the challenger lead if it is ahead on common items; whether it does."""
    behind = challenger >= 0 and catch_up(state, leader, challenger).total < 0.0
    state.items.leader[0] = challenger if behind else leader
    return behind


def in_rounds(state: State) -> bool:
    """Are all arms in play pulled together, so that each that is dropped spares a pull of every round?"""
    return state.items.rounds  # type: ignore[no-any-return]


def together(state: State, generator: np.random.Generator) -> int:
    """Write the arms of the next round into `state.asked`: all in play, in random order; how many they are. None where each
    arm goes at its own pace. A round that an arm was not in is left out of its pairs.
    """
    if not in_rounds(state):
        return 0
    count = 0
    for index in range(len(state.arms)):
        if state.arms[index].verdict != verdicts.INFEASIBLE and state.arms[index].beaten_by == 0:
            join_round(state, index)
            place = int(generator.random() * (count + 1))  # each order is as likely as any other
            state.asked[count] = state.asked[place]
            state.asked[place] = index
            count += 1
    return count


def join_round(state: State, index: int) -> None:
    """The arm's next result belongs to the round that begins."""
    while state.items.reached[index] < state.items.most[0]:
        leave_out(state, index)


def in_turn(state: State, leader: int, challenger: int) -> int:
    """The one of the two that is behind: evidence grows with the places that both have."""
    given = state.items.given
    return leader if given[leader] <= given[challenger] else challenger


def available(state: State, index: int) -> int:
    """The arm to pull: another one if this one has used up its items; -1 if every arm in play has."""
    if state.items.given[index] < state.items.last:
        return index
    return other_arm(state)


def other_arm(state: State) -> int:
    """Of the arms in play that have items left, the one with the largest U."""
    best, most = -1, -math.inf
    for index in range(len(state.arms)):
        arm = state.arms[index]
        if arm.verdict != verdicts.INFEASIBLE and arm.beaten_by <= 0 and state.items.given[index] < state.items.last:
            if best < 0 or arm.goal.upper > most:
                best, most = index, arm.goal.upper
    return best
