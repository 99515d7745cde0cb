"""Doing the plan: what is not yet in the folder is done, what is finished is kept at once."""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.errors import ClusterLost, Interrupted, whole
from surefoot.simulation.threads import noticing_interrupts
from verification.search.findings import Findings, findings
from verification.search.ledger import Ledger
from verification.search.plan import Plan, Task
from verification.search.pool import on_dask, on_processes
from verification.search.recheck import Recheck
from verification.search.single_bound import Fail, SingleBound

if TYPE_CHECKING:
    from distributed import Client


def run(
    plan: Plan, out: Path, *, seed: int = 0, workers: int | None = None, client: "Client | None" = None
) -> tuple[Findings, dict[str, str]]:
    """What was found, and what made it. Interrupted, it goes on from what it finished, and ends with the same bits."""
    seed = whole("seed", seed, at_least=0)
    workers = whole("workers", os.cpu_count() or 1 if workers is None else workers, at_least=1)
    with Ledger(out, plan.effort, seed) as ledger:
        tasks, began, lost = list(plan.tasks), time.monotonic(), None
        with noticing_interrupts() as stop:
            try:
                for begun in (False, True):
                    if begun:
                        tasks += doubtful(plan.tasks, ledger.results)
                    missing = [task for task in tasks if task.name not in ledger.results]
                    results = (
                        on_dask(missing, plan.effort, seed, client, stop)
                        if client
                        else on_processes(missing, plan.effort, seed, workers, stop)
                    )
                    for task, result, seconds in results if missing else ():
                        ledger.add(task.name, result)
                        done, so_far = finished(tasks, ledger), time.monotonic() - began
                        share = f"{done:,} of {len(tasks):,} tasks in {so_far / 60:.1f} min"
                        print(f"surefoot: {share}; {task.name}: {seconds:.1f} s", file=sys.stderr, flush=True)
                    if stop.is_set():
                        break
            except ClusterLost as error:
                lost = error
        done = finished(tasks, ledger)
        if done < len(tasks):
            why = f"{lost or 'interrupted'} after {done:,} of {len(tasks):,} tasks, which are kept in {ledger.path}"
            raise (ClusterLost if lost else Interrupted)(why, done) from lost
        return findings(ledger.results[task.name] for task in tasks), ledger.made_by


def finished(tasks: Sequence[Task], ledger: Ledger) -> int:
    return sum(task.name in ledger.results for task in tasks)


def doubtful(tasks: Sequence[Task], results: Mapping[str, dict[str, Any]]) -> list[Task]:
    """What to do again: bounds as they are that seem to have failed too often."""
    return [
        Recheck(task)
        for task in tasks
        if isinstance(task, SingleBound)
        and not task.combination.broken
        and any(Fail(**fail).too_often for fail in results[task.name]["fails"])
    ]
