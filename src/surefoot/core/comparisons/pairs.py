"""Two arms compared by their evidence together, or by their intervals."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from surefoot.core.bounds import tight as mean_bound
from surefoot.core.comparisons import intervals
from surefoot.core.state import State

ON_ITEMS = intervals.ON_ITEMS
keep = intervals.keep
place = intervals.place
has_room = intervals.has_room
intervals_apart = intervals.intervals_apart
is_below = intervals.is_below
is_ahead = intervals.is_ahead
ranked = intervals.ranked


class Evidence(Protocol):
    owed: float  # to a leader: the part of a pull that it should have had by now
    renewal: float  # what that was of it and a leader, when they were last compared


def gather(arm: Any) -> None:
    """Let the evidence of a leader start, where all pulls are in that had been asked for before it led."""
    if arm.metric.pulls == arm.since:
        mean_bound.start_anew(arm.goal, arm.metric)


def surely_no_worse(state: State, compared: Any, first: int, second: int) -> bool:
    """Is the mean of `first` surely no worse than that of `second`, up to the tolerance? It may settle both in place."""
    parameters, one, other = state.mean_parameters, compared[first], compared[second]
    if mean_bound.pair_log_evidence(one, other, parameters, state.tolerance) >= parameters.pair_level:
        return True
    return intervals.surely_no_worse(state, compared, first, second)


def follow(state: State, leader: int, challenger: int) -> bool:
    """Does the challenger lead from now on? The ranking says who leads."""
    return False


def has_news(state: State, leader: int, challenger: int) -> bool:
    """Have bounds been renewed since the two were last compared?"""
    return renewal(state, leader, challenger) != state.arms[challenger].comparison.renewal  # type: ignore[no-any-return]


def note_look(state: State, leader: int, challenger: int) -> None:
    """The two are compared now."""
    state.arms[challenger].comparison.renewal = renewal(state, leader, challenger)


def renewal(state: State, leader: int, challenger: int) -> float:
    return mean_bound.renewal(state.arms[leader]) + mean_bound.renewal(state.arms[challenger])


def log_evidence(state: State, first: int, second: int, margin: float) -> float:
    """ln of the evidence that the mean of `first` and the margin are above the mean of `second`."""
    return mean_bound.pair_log_evidence(state.arms[first], state.arms[second], state.mean_parameters, margin)


def rough_lead(state: State, first: int, second: int, margin: float) -> float:
    """About how much evidence there is that the first arm's mean and the margin are above the second's mean, in ln."""
    return lead_of(state.arms[first], state.arms[second], margin)


def lead_of(first: Any, second: Any, margin: float = 0.0) -> float:
    gap = first.metric.mean - second.metric.mean + margin
    own, other = mean_bound.variances_of_means(first, second, margin)
    return 0.5 * gap * gap / (own + other) if gap > 0.0 else 0.0


def in_rounds(state: State) -> bool:
    """Are all arms in play pulled together?"""
    return False


def together(state: State, generator: np.random.Generator) -> int:
    """How many arms are to be pulled together: each is pulled by itself."""
    return 0


def in_turn(state: State, leader: int, challenger: int) -> int:
    """The one of the two to pull next: each in proportion to what is not known of it."""
    first, second = state.arms[leader], state.arms[challenger]
    own, other = mean_bound.variances_of_means(first, second, state.tolerance)
    first.comparison.owed += own / (own + other) if own + other > 0.0 else 0.5
    if first.comparison.owed >= 0.5:
        first.comparison.owed -= 1.0
        return leader
    return challenger


def available(state: State, index: int) -> int:
    """The arm to pull instead, if this one cannot be pulled any more: every arm always can."""
    return index
