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
from surefoot.experiments.verification.effort import Effort
from surefoot.experiments.verification.plan import Task, seed_of

if TYPE_CHECKING:
    from distributed import Client

BREATH = 0.2  # seconds between two looks at whether to go on


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
                ended, waiting = wait(waiting, BREATH, FIRST_COMPLETED)
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
    from distributed import as_completed

    from surefoot.simulation.cluster import agreed_slots

    agreed_slots(client, str(client.scheduler.address if client.scheduler else client))
    futures = [client.submit(do, task, effort, seed, pure=False, priority=-order) for order, task in enumerate(tasks)]
    finished = as_completed(futures, loop=client.loop)
    try:
        while not (stop.is_set() or finished.is_empty()):
            if not finished.has_ready():
                time.sleep(BREATH)
                continue
            for future in finished.next_batch(block=False):
                yield future.result()
    except (OSError, TimeoutError) as error:
        raise ClusterLost("the Dask scheduler was lost", None) from error
    finally:
        if client.status == "running":
            client.cancel(futures, force=True)
