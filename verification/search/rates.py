"""How often a combination is wrong: on random instances, and on the worst one that a search finds."""

from typing import Any, NamedTuple

import numpy as np

from verification.search.binomial import Count
from verification.search.climb import REMEMBERED, climb, judged
from verification.search.combinations import Combination
from verification.search.demands import demands
from verification.search.effort import Effort
from verification.search.measure import count
from verification.search.points import Point, instance, random_point

DELTA = 0.2  # of the random instances, where it is allowed
ENOUGH = 0.3  # of the runs on random instances are decided within as many pulls as will do
PROBES, PROBE_RUNS = 20, 5


class Rates(NamedTuple):
    """The task of measuring one combination."""

    combination: Combination

    @property
    def name(self) -> str:
        return f"rates · {self.combination}"

    def run(self, effort: Effort, seed: int) -> dict[str, Any]:
        """All that was found, as plain data."""
        generator = np.random.default_rng(seed)
        combination = self.combination
        max_pulls = chosen_max_pulls(combination, effort, generator)
        delta = min(DELTA, demands(combination).largest_delta)
        anywhere = [random_point(generator) for _ in range(effort.instances)]
        total = Count()
        for point in anywhere:
            asked = instance(combination, point, max_pulls, delta)
            total = total.plus(count(combination, asked, effort.runs, int(generator.integers(2**32))))
        return {
            "combination": list(combination),
            "max_pulls": max_pulls,
            "random": {"delta": delta, "instances": effort.instances, "count": list(total)},
            "worst": worst(combination, anywhere, effort, max_pulls, generator),
        }


def chosen_max_pulls(combination: Combination, effort: Effort, generator: np.random.Generator) -> int:
    """Wide bounds need more pulls to be wrong at all."""
    points = [random_point(generator) for _ in range(PROBES)]
    for max_pulls in effort.max_pulls:
        total = Count()
        for point in points:
            total = total.plus(count(combination, instance(combination, point, max_pulls), PROBE_RUNS, seed=0))
        if total.wrong + total.right >= ENOUGH * total.runs:
            break
    return max_pulls


def worst(
    combination: Combination, anywhere: list[Point], effort: Effort, max_pulls: int, generator: np.random.Generator
) -> dict[str, Any]:
    """The worst of all restarts, measured by fresh runs, with what it takes to do them again."""
    runs = effort.glances(max_pulls)
    starts = sorted(
        (judged(combination, point, runs, max_pulls, generator) for point in anywhere),
        key=lambda place: place.score,
        reverse=True,
    )
    ends = [climb(combination, start.point, effort, max_pulls, generator) for start in starts[: effort.restarts]]
    best, _ = max(ends, key=lambda end: end[0].score)
    asked, seed = instance(combination, best.point, max_pulls), int(generator.integers(2**32))
    counted = count(combination, asked, effort.confirmation, seed)
    judgements = effort.moves + effort.moves // REMEMBERED + 1
    return {
        "delta": best.delta,
        "count": list(counted),
        "seed": seed,
        "instance": asked.problem.dumps(),
        "right": list(asked.right_answers),
        "searched": {
            "restarts": len(ends),
            "runs": len(anywhere) * runs + len(ends) * (judgements * runs + effort.look),
            "ways": [way for _, way in ends],
        },
    }
