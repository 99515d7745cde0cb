"""Tasks on processes of this machine, or on a Dask cluster: the same results, because each depends on its seed alone."""

import multiprocessing
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from surefoot.errors import ClusterLost
from surefoot.simulation.cluster import Cluster
from verification.search.effort import Effort
from verification.search.plan import Task, seed_of

if TYPE_CHECKING:
    from distributed import Client

POLL = 0.2  # seconds between two looks at whether to go on


def do(task: Task, effort: Effort, seed: int) -> tuple[Task, dict[str, Any], float]:
    """A task, its result, and how many seconds it took."""
    began = time.perf_counter()
    return task, task.run(effort, seed_of(task, seed)), time.perf_counter() - began


def on_processes(
    tasks: Sequence[Task], effort: Effort, seed: int, workers: int, stop: threading.Event
) -> Iterator[tuple[Task, dict[str, Any], float]]:
    """Do the tasks, begun in that order; until `stop`, which ends those underway."""
    context = multiprocessing.get_context("spawn")  # a fork would inherit the locks of a compiler at work
    with ProcessPoolExecutor(workers, context, initializer=leave_interrupts) as pool:
        waiting = {pool.submit(do, task, effort, seed) for task in tasks}
        try:
            while waiting and not stop.is_set():
                ended, waiting = wait(waiting, POLL, FIRST_COMPLETED)
                for future in ended:
                    yield future.result()
        except BrokenProcessPool as error:
            raise ClusterLost("a process was killed", None) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            if waiting:
                for process in multiprocessing.active_children():
                    process.terminate()


def leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; only the first one is to act on it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def on_dask(
    tasks: Sequence[Task], effort: Effort, seed: int, client: "Client", stop: threading.Event
) -> Iterator[tuple[Task, dict[str, Any], float]]:
    """The same on a cluster, whose workers must have the versions that we have."""
    cluster = Cluster(client)
    for order, task in enumerate(tasks):
        cluster.ask(order, do, task, effort, seed)
    for _, answer in cluster.answers(stop):
        yield answer
