"""Doing the plan: what is not yet in the folder is done, what is finished is kept at once."""

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.errors import ClusterLost, Interrupted, whole
from surefoot.experiments.verification.findings import Findings, findings
from surefoot.experiments.verification.ledger import Ledger
from surefoot.experiments.verification.plan import Plan
from surefoot.experiments.verification.pool import on_dask, on_processes
from surefoot.simulation.threads import noticing_interrupts

if TYPE_CHECKING:
    from distributed import Client


def run(
    plan: Plan, out: Path, *, seed: int = 0, workers: int | None = None, client: "Client | None" = None
) -> tuple[Findings, dict[str, str]]:
    """What was found, and what made it. Interrupted, it goes on from what it finished, and ends with the same bits."""
    seed = whole("seed", seed, at_least=0)
    workers = whole("workers", os.cpu_count() or 1 if workers is None else workers, at_least=1)
    with Ledger(out, plan.effort, seed) as ledger:
        missing = [task for task in plan.tasks if task.name not in ledger.results]
        done, all_of_them, began = len(plan.tasks) - len(missing), len(plan.tasks), time.monotonic()
        lost = None
        with noticing_interrupts() as stop:
            try:
                results = (
                    on_dask(missing, plan.effort, seed, client, stop)
                    if client
                    else on_processes(missing, plan.effort, seed, workers, stop)
                )
                for task, result, seconds in results:
                    ledger.add(task.name, result)
                    done += 1
                    so_far = time.monotonic() - began
                    share = f"{done:,} of {all_of_them:,} tasks in {so_far / 60:.1f} min"
                    print(f"surefoot: {share}; {task.name}: {seconds:.1f} s", file=sys.stderr, flush=True)
            except ClusterLost as error:
                lost = error
        if done < all_of_them:
            why = f"{lost or 'interrupted'} after {done:,} of {all_of_them:,} tasks, which are kept in {ledger.path}"
            raise (ClusterLost if lost else Interrupted)(why, done) from lost
        return findings(ledger.results[task.name] for task in plan.tasks), ledger.made_by
