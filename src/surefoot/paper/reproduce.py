"""Doing the plan: what is not yet in the folder is run, what is finished is kept at once."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.errors import ClusterLost, Interrupted, whole
from surefoot.paper.case_progress import Display
from surefoot.paper.reproduction_plan import Entry
from surefoot.paper.results_table import Results, row
from surefoot.paper.store import Store
from surefoot.simulation.job import Job
from surefoot.simulation.sweep import reports
from surefoot.simulation.threads import noticing_interrupts

if TYPE_CHECKING:
    from distributed import Client


def reproduce(
    entries: Sequence[Entry],
    out: Path,
    *,
    trials: int = 20,
    seed: int = 0,
    workers: int | None = None,
    client: "Client | None" = None,
    shown: bool = True,
) -> Results:
    """The results of the plan. Interrupted, it goes on from what it finished, and ends with the same bits."""
    trials, seed = whole("trials", trials, at_least=1), whole("seed", seed, at_least=0)
    if workers is not None:
        whole("workers", workers, at_least=1)  # before anything is written
    with Store(out, seed) as store:
        missing = {entry: [trial for trial in range(trials) if trial not in store.runs[entry]] for entry in entries}
        # Long runs first: whoever is last then has a short one.
        left = sorted((entry for entry in entries if missing[entry]), key=lambda entry: -entry.expected_pulls)
        jobs = [Job(entry.problem, entry.policy, entry.bounds, trials, seed, recommends=False) for entry in left]
        todo = [(index, trial) for index, entry in enumerate(left) for trial in missing[entry]]
        lost = None
        with Display(entries, missing, trials, shown) as display, noticing_interrupts() as stop:
            try:
                for report in reports(jobs, todo, workers=workers, client=client, stop=stop) if todo else ():
                    if report.run:
                        store.add(left[report.job], report.run)
                        todo_left = missing[left[report.job]]
                        todo_left.remove(report.run.trial)
                    display.show(left[report.job], report)
            except ClusterLost as error:
                lost = error
        unfinished = sum(map(len, missing.values()))
        if unfinished:
            finished = trials * len(entries) - unfinished
            why = str(lost or "interrupted")
            message = f"{why} after {finished:,} of {trials * len(entries):,} runs, which are kept in {store.path}"
            raise (ClusterLost if lost else Interrupted)(message, finished) from lost
        return Results(tuple(row(entry, [store.runs[entry][trial] for trial in range(trials)]) for entry in entries))
