"""Many processes that ask and tell on one SQLite file, as fast as they can: do they get equal shares?"""

import multiprocessing
import tempfile
import time
from typing import Any

from benchmarks.storage import ARMS
from surefoot import Study

PROCESSES = 50
SECONDS = 20.0


def work(path: str, ready: Any, go: Any, found: Any) -> None:
    """What one process got done: its tells, and the longest that an ask took."""
    study, tells, longest = Study.open(path, "study"), 0, 0.0
    ready.release()
    go.wait()
    until = time.perf_counter() + SECONDS
    while (began := time.perf_counter()) < until:
        pulls = study.ask(1)
        longest = max(longest, time.perf_counter() - began)
        study.tell(pulls[0], 0.5)
        tells += 1
    found.put((tells, longest))


def measure() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        path, context = f"{folder}/studies.db", multiprocessing.get_context("fork")
        Study.open(path, "study", ARMS, risk="variance <= 0.04", delta=1e-50)
        ready, go, found = context.Semaphore(0), context.Event(), context.Queue()
        processes = [context.Process(target=work, args=(path, ready, go, found)) for _ in range(PROCESSES)]
        for process in processes:
            process.start()
        for _ in processes:
            ready.acquire()
        go.set()
        shares = [found.get() for _ in processes]
        for process in processes:
            process.join()
    tells, longest = zip(*shares, strict=True)
    name = f"SQLite, {PROCESSES} processes"
    return [
        {"what": f"{name}: tells per second, of all", "value": sum(tells) / SECONDS},
        {"what": f"{name}: tells of the process that has fewest", "value": min(tells)},
        {"what": f"{name}: tells of the process that has most", "value": max(tells)},
        {"what": f"{name}: most over fewest", "value": max(tells) / max(min(tells), 1), "aim": "<= 5"},
        {"what": f"{name}: seconds of the longest ask", "value": max(longest), "aim": "<= 5"},
    ]
