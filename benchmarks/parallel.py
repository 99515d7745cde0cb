"""Pulls to a decision with several workers: in rounds, or each asking anew as soon as it is free."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from surefoot import Bernoulli, Study
from surefoot.problem import Problem
from surefoot.study import Pull
from surefoot.work.measures import Measures

FOLDER = Path(__file__).parents[1] / "examples"
COINS = {"A": Bernoulli(0.6), "B": Bernoulli(0.4)}
STUDIES = 200
WAYS = ((1, False), (2, False), (8, False), (2, True), (8, True))


def pulls(problem: Problem, bounds: str, workers: int, rounds: bool, seed: int) -> int:
    """Of one study, whose workers end in no order."""
    generator, measures = np.random.default_rng(seed), Measures(problem, FOLDER, seed)
    study, running = Study(problem, bounds=bounds), list[Pull]()
    while not study.decided:
        if not (rounds and running):
            running += study.ask(workers - len(running))
        pull = running.pop(generator.integers(len(running)))
        study.tell(pull, measures.of[pull.arm](pull.id))
    return study.pulls


def measure() -> list[dict[str, Any]]:
    problems = {"steady.toml": Problem.load(FOLDER / "steady.toml"), "two coins": Problem.of(COINS)}
    rows = []
    for (name, problem), bounds, (workers, rounds) in product(problems.items(), ("tight", "sharp"), WAYS):
        counts = [pulls(problem, bounds, workers, rounds, seed) for seed in range(STUDIES)]
        way = "in rounds" if rounds else "each asking when it is free"
        what = f"pulls of {bounds} on {name} with {workers} at once, {way}"
        rows.append({"what": what, "value": sum(counts) / STUDIES})
    return rows
