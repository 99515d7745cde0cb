"""What further limits and metrics cost: a simulated pull, over one with one limit, and the time to compile.

20 beta arms alike, so that no run ends. A limit is open where it is about what the arms have, and decided early where it is
far from that. A further metric has the distribution of the first, and a limit of its own.
"""

import os
import tempfile
import time
from typing import Any

import numpy as np

from benchmarks.speed import fastest
from surefoot import Beta, Instance
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from surefoot.simulation import kernel
from surefoot.simulation.job import BEGUN
from surefoot.simulation.loading import first_called
from surefoot.simulation.several_metrics import source

ARM = Beta(mean=0.5, variance=0.04)
PULLS = 100_000
OPEN = [
    "variance <= 0.0401",
    "probability(reward < 0.35) <= 0.25",
    "quantile(0.25) >= 0.35",
    "std <= 0.2003",
    "cvar(0.25) >= 0.22",
]
DECIDED = [
    "variance <= 0.2",
    "probability(reward < 0.1) <= 0.6",
    "quantile(0.6) >= 0.1",
    "std <= 0.46",
    "cvar(0.5) >= 0.05",
]
METRICS = ["mean({}) <= 0.5001", "variance({}) <= 0.0401", "quantile(0.25, {}) >= 0.35"]


def on_one_metric(limits: list[str]) -> Instance:
    return Instance({str(arm): ARM for arm in range(20)}, limits=limits)


def on_another(limit: str) -> Instance:
    names = ("reward", "other")
    arms = {str(arm): dict.fromkeys(names, ARM) for arm in range(20)}
    limits = ["variance(reward) <= 0.0401", limit.format("other")]
    return Instance(arms, goal="max mean(reward)", metrics=dict.fromkeys(names, (0, 1)), limits=limits)


def measured(instance: Instance) -> tuple[float, float]:
    """Nanoseconds per pull, and seconds to compile with an empty cache."""
    program, question, draws = choice.program(instance.problem), question_of(instance.problem), instance.draws()
    metrics = len(instance.problem.deciding_metrics)
    before = os.environ.get("SUREFOOT_CACHE_DIR")
    with tempfile.TemporaryDirectory() as empty:
        os.environ["SUREFOOT_CACHE_DIR"] = empty
        try:
            started = time.perf_counter()
            nothing = (program.start(question, packed=True), draws, np.random.default_rng(1), BEGUN, 0, 10**12)
            advance = first_called(kernel, "advance", program, nothing, source=source(metrics))
            compiling = time.perf_counter() - started
        finally:
            del os.environ["SUREFOOT_CACHE_DIR"]
            os.environ |= {"SUREFOOT_CACHE_DIR": before} if before else {}

    def work() -> int:
        state = program.start(question, packed=True)
        return int(advance(state, draws, np.random.default_rng(1), BEGUN, PULLS, 10**12).pulls)

    work()
    return fastest(work)[0], compiling


def measure() -> list[dict[str, Any]]:
    instances: dict[str, Instance] = {}
    for what, limits in (("open", OPEN), ("decided early", DECIDED)):
        instances |= {f"{count} limits, {what}": on_one_metric(limits[:count]) for count in (1, 2, 5)}
    instances |= {f"a further metric, {limit.partition('(')[0]}": on_another(limit) for limit in METRICS}
    rows: list[dict[str, Any]] = []
    first = 0.0
    for name, instance in instances.items():
        pull, compiling = measured(instance)
        first = first or pull
        what = f"time per pull over that with one open limit: {name}"
        rows.append({"what": what, "value": pull / first, "ns_per_pull": pull})
        rows.append({"what": f"seconds to compile: {name}", "value": compiling, "aim": "<= 60"})
    return rows
