"""Where the time of `surefoot paper` goes, and what a second worker gains.

Times of one worker are of the processor, so that other work on the machine does not count.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.compiled import compile_program
from surefoot.paper import report
from surefoot.paper.reproduce import reproduce
from surefoot.paper.reproduction_plan import Entry, plan
from surefoot.paper.results_table import Results
from surefoot.problem import choice
from surefoot.simulation import kernel

TRIALS = 4
DRAWS = 2_000_000
ROUNDS = 3
FULL = Path(__file__).parents[1] / "docs" / "paper_results.csv"
COMPILE = "from surefoot.paper.reproduction_plan import plan\nfrom surefoot.simulation.job import Job\n"
COMPILE += "[Job(e.problem, e.policy, e.bounds).prepare() for e in plan(['cmp'], True)]"


def bare_draw(entry: Entry) -> float:
    """Nanoseconds to draw a reward of the instance and do nothing with it."""
    instance = entry.problem
    kernels = compile_program(kernel, choice.program(instance.problem).parts)
    draws, generator = instance.draws(), np.random.default_rng(1)

    best = float("inf")
    for _ in range(ROUNDS):
        started = time.process_time()
        kernels.bare_draws(draws, generator, DRAWS)
        best = min(best, 1e9 * (time.process_time() - started) / DRAWS)
    return best


def timed(entries: list[Entry], workers: int, clock: Any) -> tuple[float, Results]:
    """The seconds of a fresh run of these entries."""
    with tempfile.TemporaryDirectory() as folder:
        started = clock()
        results = reproduce(entries, Path(folder), trials=TRIALS, workers=workers, shown=False)
        return clock() - started, results


def pulls(results: Results) -> Counter[tuple[str, str]]:
    """Of each program."""
    counts: Counter[tuple[str, str]] = Counter()
    for row in results.rows:
        counts[row.policy, row.bounds] += round(row.pulls_mean * row.trials)
    return counts


def over_the_draw() -> list[dict[str, Any]]:
    """A pull of each program over the bare draw, and the share of each in the pulling of a full run."""
    rows, cost = [], defaultdict[tuple[str, str], float](float)
    for entry in plan(["2", "cmp"], quick=True):
        if (entry.case, entry.instance) not in {("2", 5), ("cmp", 7)}:
            continue
        timed([entry], 1, time.process_time)  # compiles it
        spent, results = min((timed([entry], 1, time.process_time) for _ in range(ROUNDS)), key=lambda pair: pair[0])
        program, draw = (entry.policy, entry.bounds), bare_draw(entry)
        pull = 1e9 * spent / pulls(results)[program]
        cost[program] = max(cost[program], pull)
        what = f"paper: time per pull over the bare draw, case {entry.case}, {entry.policy}, {entry.bounds}"
        rows.append({"what": what, "value": pull / draw, "ns_per_pull": pull, "ns_per_draw": draw})
    made = pulls(Results.read(FULL))
    seconds = {program: 1e-9 * made[program] * cost[program] for program in made}
    for program, share in seconds.items():
        what = f"paper: minutes of one core that a full run pulls for, {' with '.join(program)}"
        rows.append({"what": what, "value": share / 60.0, "pulls": made[program]})
    return rows


def around_the_pulls() -> list[dict[str, Any]]:
    """What a run takes before its first pull and after its last."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.times()
        environment = os.environ | {"SUREFOOT_CACHE_DIR": folder}
        subprocess.run([sys.executable, "-c", COMPILE], check=True, env=environment)
        after = os.times()
        compiling = after.children_user + after.children_system - before.children_user - before.children_system
        started = time.process_time()
        report.write(Results.read(FULL), Path(folder))
        drawing = time.process_time() - started
    return [
        {"what": "paper: seconds of a core to import and compile its programs, once", "value": compiling},
        {"what": "paper: seconds of a core to draw the pictures and write the report", "value": drawing},
    ]


def scaling() -> dict[str, Any]:
    entries = plan(["1a", "2", "4a", "cmp"], quick=True)
    best = {1: float("inf"), 2: float("inf")}
    for _ in range(ROUNDS):
        for workers in best:
            best[workers] = min(best[workers], timed(entries, workers, time.perf_counter)[0])
    what = "paper: seconds on 1 worker over seconds on 2"
    return {"what": what, "value": best[1] / best[2], "aim": ">= 1.8", "seconds": best}


def measure() -> list[dict[str, Any]]:
    return [*over_the_draw(), *around_the_pulls(), scaling()]
