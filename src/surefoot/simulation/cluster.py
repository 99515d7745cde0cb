"""Runs on a Dask cluster: the same bits, because run k depends on the seed and k alone, wherever it is done."""

import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any

from surefoot.errors import ClusterLost, InvalidValue, Unsupported
from surefoot.simulation.job import Job, Report
from surefoot.simulation.sweep_results import Run
from surefoot.simulation.versions import differences, versions

if TYPE_CHECKING:
    from distributed import Client

ANSWER = 10.0  # seconds for a scheduler to answer
WORKERS = 30.0  # seconds for a first worker to be there
POLL = 0.05  # seconds between two looks at whether something is done
TASK = 2.0  # seconds a worker works before it hands in what it did; if it dies, at most this and one run are lost
WHOLE_RUN = 2**62  # pulls


def connect(address: str) -> "Client":
    """A client of the scheduler at this address."""
    try:
        from distributed import Client
    except ImportError as error:
        raise Unsupported("a Dask cluster needs Dask: pip install 'surefoot[dask]'") from error
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # its tracebacks would bury our sentence
    try:
        return Client(address, timeout=ANSWER, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise InvalidValue(f"no Dask scheduler answers at {address!r}: {str(error) or 'timed out'}") from error


class Cluster:
    """What the workers of a scheduler were asked to do, in an order, and their answers as they come."""

    def __init__(self, client: "Client"):
        from distributed import as_completed

        self.client = client
        self.scheduler = str(client.scheduler.address if client.scheduler else client)
        self.slots = agreed_slots(client, self.scheduler)
        self.underway: dict[Any, int] = {}  # futures, with their places in the order
        self.finished = as_completed(loop=client.loop)

    def ask(self, order: int, function: Callable[..., Any], *arguments: Any) -> None:
        future = self.client.submit(function, *arguments, pure=False, priority=-order)
        self.underway[future] = order
        self.finished.add(future)

    def answers(self, stop: threading.Event) -> Iterator[tuple[int, Any]]:
        """Each place in the order with what came of it, also of what is asked meanwhile; until `stop`."""
        from distributed.scheduler import KilledWorker

        try:
            while not (stop.is_set() or self.finished.is_empty()):
                if not self.finished.has_ready():
                    time.sleep(POLL)
                    continue
                for future in self.finished.next_batch(block=False):
                    yield self.underway.pop(future), future.result()
        except KilledWorker as error:
            raise ClusterLost(
                f"every worker that was given the same runs died, the last one {error.last_worker}", None
            ) from error
        except (CancelledError, OSError, TimeoutError) as error:
            raise ClusterLost(f"the Dask scheduler at {self.scheduler} was lost", None) from error
        finally:
            if self.client.status == "running":
                self.client.cancel(list(self.underway), force=True)


def on_cluster(
    jobs: Sequence[Job], todo: Iterable[tuple[int, int]], client: "Client", stop: threading.Event
) -> Iterator[Report]:
    """Do the runs in `todo`, each a job's index and the number of a run, begun in that order; until `stop`."""
    cluster = Cluster(client)
    pieces = list(chunks(todo, cluster.slots))
    for order, (index, trials) in enumerate(pieces):
        cluster.ask(order, runs, jobs[index], trials, versions())
    for order, (ended, left) in cluster.answers(stop):
        index, _ = pieces[order]
        if left:
            cluster.ask(order, runs, jobs[index], left, versions())
        for run in ended:
            yield Report(index, run.trial, run.pulls, run)


def runs(job: Job, trials: Sequence[int], wanted: dict[str, str]) -> tuple[list[Run], Sequence[int]]:
    """As many runs of a job as a worker does in one shift, and those left over."""
    if differ := differences(wanted, versions()):  # a worker that joined after `agreed_slots` looked
        raise Unsupported(f"workers must have the same versions as the client: {differ}")
    begin = job.prepare()
    ended: list[Run] = []
    until = time.monotonic() + TASK
    for trial in trials:
        advance = begin(trial)
        advance(WHOLE_RUN)
        ended.append(advance.ended(trial))
        if time.monotonic() > until:
            break
    return ended, trials[len(ended) :]


def agreed_slots(client: "Client", scheduler: str) -> int:
    """How many runs the cluster can do at once; an error if its workers would not give the bits that we would."""

    def look() -> dict[str, str]:  # travels as code, because a worker may have no surefoot at all
        try:
            from surefoot.simulation.versions import versions
        except ImportError as error:
            return {"surefoot": f"missing ({error})"}
        return versions()

    try:
        client.wait_for_workers(1, timeout=WORKERS)
    except TimeoutError as error:
        raise InvalidValue(f"the Dask scheduler at {scheduler} has no workers; start one with `dask worker`") from error
    ours = versions()
    for worker, theirs in client.run(look).items():
        if differ := differences(ours, theirs):
            raise Unsupported(f"workers must have the same versions as the client; {worker}: {differ}")
    return max(1, sum(map(int, client.nthreads().values())))


def chunks(todo: Iterable[tuple[int, int]], slots: int) -> Iterator[tuple[int, list[int]]]:
    """The runs of each job in pieces: large at first, to cost little, single runs at the end, for no slot to wait long.

    >>> [len(trials) for _, trials in chunks([(0, trial) for trial in range(20)], slots=2)]
    [5, 4, 3, 2, 2, 1, 1, 1, 1]
    """
    for index, items in itertools.groupby(todo, key=lambda item: item[0]):
        trials = [trial for _, trial in items]
        while trials:
            size = -(-len(trials) // (2 * slots))
            yield index, trials[:size]
            trials = trials[size:]
