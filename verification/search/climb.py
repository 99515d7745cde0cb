"""A search for an instance on which a combination is wrong as often as possible: a climb from many places."""

from typing import NamedTuple

import numpy as np

from verification.search.combinations import Combination
from verification.search.effort import Effort
from verification.search.measure import count
from verification.search.points import Point, instance, neighbour

REMEMBERED = 4  # moves, until a score is found anew: one that was luck would never be beaten


class Place(NamedTuple):
    """Where a search is, and what makes it better than another place."""

    score: tuple[float, float]
    point: Point
    delta: float


def judged(combination: Combination, point: Point, runs: int, max_pulls: int, generator: np.random.Generator) -> Place:
    """A place with its score: the rate that its runs prove, over delta. The lower end of the interval is no bait for
    luck, as the rate itself is at a small delta. Where none was wrong, a place is the better the more the budget matters:
    wrong decisions are to be had neither where all decide nor where none does.
    """
    asked = instance(combination, point, max_pulls)
    counted = count(combination, asked, runs, int(generator.integers(2**32)))
    delta = asked.problem.delta
    return Place((counted.interval.low / delta, -abs(counted.undecided / runs - 0.5)), point, delta)


def climb(
    combination: Combination, start: Point, effort: Effort, max_pulls: int, generator: np.random.Generator
) -> tuple[Place, list[float]]:
    """Where a climb ends, judged anew by more runs; and the scores on its way."""
    runs = effort.glances(max_pulls)
    here = judged(combination, start, runs, max_pulls, generator)
    way = [here.score[0]]
    for move in range(effort.moves):
        if move % REMEMBERED == REMEMBERED - 1:
            here = judged(combination, here.point, runs, max_pulls, generator)
        there = judged(combination, neighbour(here.point, generator), runs, max_pulls, generator)
        if there.score >= here.score:
            here = there
        way.append(here.score[0])
    return judged(combination, here.point, effort.look, max_pulls, generator), way
