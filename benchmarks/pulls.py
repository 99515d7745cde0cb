"""Pulls to a decision: `sharp` against `paper`, on the paper's instances and on random ones."""

import math
from typing import Any

import numpy as np

from surefoot import simulate
from surefoot.paper.instances import CASES, paper_instance, random_instance
from surefoot.simulation import Instance

RANDOM = 200
TRIALS = 5
CAP = 20_000_000  # pulls of a run under `paper`


def both(instance: Instance, trials: int) -> tuple[float, float, int]:
    """Mean pulls under `paper` (capped) and under `sharp`, and the wrong answers of `sharp`."""
    paper = simulate(instance, bounds="paper", trials=trials, max_pulls=CAP, progress=False).summary()
    sharp = simulate(instance, bounds="sharp", trials=trials, progress=False).summary()
    return paper["pulls"]["mean"], sharp["pulls"]["mean"], sharp["wrong"]


def ratios(measured: list[tuple[float, float, int]], name: str, aims: tuple[str, str]) -> list[dict[str, Any]]:
    ratio = [paper / sharp for paper, sharp, _ in measured]
    middle = math.exp(sum(map(math.log, ratio)) / len(ratio))
    return [
        {"what": f"pulls, paper over sharp, {name}: geometric mean", "value": middle, "aim": aims[0]},
        {"what": f"pulls, paper over sharp, {name}: least", "value": min(ratio), "aim": aims[1]},
        {"what": f"pulls, paper over sharp, {name}: most", "value": max(ratio)},
    ]


def measure() -> list[dict[str, Any]]:
    cases = [(case, j) for case in CASES for j in (0, 10)]
    measured = [both(paper_instance(case, j), TRIALS) for case, j in cases]
    rows = [
        {"what": f"pulls of sharp on case {case}, instance {j} (paper: {paper:,.0f})", "value": sharp}
        for (case, j), (paper, sharp, _) in zip(cases, measured, strict=True)
    ]
    rows += ratios(measured, "paper's instances", (">= 50", ">= 4.5"))
    generator = np.random.default_rng(2026)
    measured = [both(random_instance(generator), TRIALS) for _ in range(RANDOM)]
    rows += ratios(measured, f"{RANDOM} random instances", (">= 25", ">= 3.5"))
    wrong = sum(wrong for _, _, wrong in measured) / (TRIALS * RANDOM)
    rows.append({"what": "wrong answers of sharp on random instances, share", "value": wrong, "aim": "<= 0.05"})
    return rows
