"""Sweeps: many runs of one policy against one instance, on all cores or a cluster, the same bits whatever their number."""

import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.errors import ClusterLost, Interrupted, InvalidValue, whole
from surefoot.problem import Problem, choice
from surefoot.simulation.instance import Instance
from surefoot.simulation.job import Job, Report
from surefoot.simulation.sweep_progress import Bar
from surefoot.simulation.sweep_results import Run, Sweep
from surefoot.simulation.threads import noticing_interrupts, on_threads

if TYPE_CHECKING:
    from distributed import Client


def simulate(
    instance: Instance | Problem | str | Path,
    policy: str | None = None,
    bounds: str | None = None,
    trials: int = 20,
    delta: float | None = None,
    seed: int = 0,
    workers: int | None = None,
    max_pulls: int | None = None,
    engine: str = "compiled",
    progress: bool | None = None,
    client: "Client | None" = None,
) -> Sweep:
    """Simulate `trials` runs of a policy on arms with known distributions.

    Run k draws from `numpy.random.default_rng(SeedSequence(seed, spawn_key=(k,)))`, so that results depend on the seed
    only. Ctrl-C raises `Interrupted`, and the loss of the cluster raises `ClusterLost`; `finished` of both is the sweep of
    the runs that were done by then.

    :param instance: an instance, a problem whose arms have distributions, or the path of its file.
    :param policy: the rule that chooses the arms to pull. None: the one that needs the fewest pulls.
    :param bounds: the family of confidence bounds. None: the one that needs the fewest pulls.
    :param trials: the number of runs.
    :param delta: the probability of a wrong decision that you accept. None: the instance's.
    :param seed: the same seed gives the same results.
    :param workers: the number of threads. None: one for each core.
    :param max_pulls: a run ends undecided after so many pulls. None: the instance's, or 100 million.
    :param engine: `"compiled"`, or `"interpreted"`, which is slower and has the same results.
    :param progress: show the progress? None: only in a terminal or a notebook.
    :param client: the client of a Dask cluster that makes the runs. None: threads of this machine make them.

    >>> from surefoot import Beta, Instance, simulate
    >>> arms = {"A": Beta(mean=0.5, variance=0.01), "B": Beta(mean=0.7, variance=0.1)}
    >>> instance = Instance(arms, risk="variance <= 0.04")
    >>> simulate(instance, trials=10, seed=1).decisions()
    {'best': {'A': 10}, 'infeasible': 0, 'undecided': 0}
    """
    trials = whole("trials", trials, at_least=1)
    instance = as_instance(instance).but(delta=delta, max_pulls=max_pulls)
    job = Job(instance, *choice.preferred(instance.problem, policy, bounds), trials, seed, engine)
    runs: list[Run] = []
    lost: ClusterLost | None = None
    with Bar(trials, shown=progress) as bar, noticing_interrupts() as interrupted:
        if client is None:
            job.prepare()  # before the clock starts
        started = time.perf_counter()
        try:
            todo = [(0, trial) for trial in range(trials)]
            for report in reports([job], todo, workers=workers, client=client, stop=interrupted):
                bar.show(report)
                if report.run:
                    runs.append(report.run)
        except ClusterLost as error:
            lost = error
    sweep = Sweep(instance, job.provenance, tuple(sorted(runs)), time.perf_counter() - started)
    if lost:
        raise ClusterLost(f"{lost} after {len(runs)} of {trials} runs", sweep) from lost
    if len(runs) < trials:
        raise Interrupted(f"interrupted after {len(runs)} of {trials} runs", sweep)
    return sweep


def reports(
    jobs: Sequence[Job],
    todo: Iterable[tuple[int, int]],
    *,
    workers: int | None,
    client: "Client | None",
    stop: threading.Event,
) -> Iterator[Report]:
    """Do the runs in `todo`, each a job's index and the number of a run, here or on a cluster; until `stop`."""
    if client is None:
        workers = whole("workers", os.cpu_count() or 1 if workers is None else workers, at_least=1)
        return on_threads(jobs, todo, workers, stop)
    if workers is not None:
        raise InvalidValue(f"workers must be left out on a Dask cluster, which has its own, got {workers}")
    from surefoot.simulation.cluster import on_cluster

    return on_cluster(jobs, todo, client, stop)


def as_instance(given: Any) -> Instance:
    if isinstance(given, Instance):
        return given
    if isinstance(given, (str, Path)):
        return Instance.load(given)
    if isinstance(given, Problem):
        return Instance(given)
    raise InvalidValue(f"instance must be an Instance, a Problem or the path of a problem file, got {given!r}")
