"""What each thing costs the service: the figures from which docs/scale.md computes what one service and one database hold.

In processor time, which what else the machine does changes little; two services share nothing but the database.
"""

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.service import (
    ARMS,
    BATCH,
    CALLS,
    CLIENTS,
    FIELDS,
    Call,
    Client,
    Service,
    begun,
    postgresql,
    take_turn,
    timed,
)
from benchmarks.streams import processor_seconds, resident, stream

READERS = 100  # streams that are sent every event
EVENTS = 2_000
STUDIES = 200


def exchanging(batch: int) -> Call:
    """A worker that tells what it was asked for, and asks, in one request."""
    held: list[dict[str, Any]] = []

    def call(client: Client) -> list[float]:
        answer, seconds = timed(client, "/api/studies/study/exchange", {"results": held, "count": batch})
        held[:] = [{"pull": pull["id"], "reward": 0.5} for pull in answer["pulls"]]
        return [seconds]

    return call


@contextmanager
def service_on(what: str) -> Iterator[tuple[Service, Callable[[], float]]]:
    """A service, and the processor seconds of its database server."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        url = stack.enter_context(postgresql()) if what == "PostgreSQL" else f"{folder}/studies.db"
        service = begun(Service(url, f"{folder}/log", token=True))
        stack.callback(service.end)
        yield service, (lambda: server_seconds(url)) if what == "PostgreSQL" else lambda: 0.0


def server_seconds(url: str) -> float:
    """Of all processes of a PostgreSQL server, those that have ended included."""
    import psycopg

    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_backend_pid()").fetchone()
        assert row is not None
        first = parent_of(row[0])
        theirs = [int(name) for name in os.listdir("/proc") if name.isdigit() and parent_of(int(name)) == first]
        return processor_seconds(first, with_ended=True) + sum(map(processor_seconds, theirs))


def parent_of(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # it has ended
        return -1


def calls(what: str) -> list[dict[str, Any]]:
    """Microseconds of asks, tells and exchanges."""
    rows = []
    with service_on(what) as (service, of_server):
        process, works = service.process.pid, {**CALLS}
        del works["nothing"]
        works |= {"1 pull an exchange": exchanging(1), f"{BATCH} pulls an exchange": exchanging(BATCH)}
        for name, call in works.items():
            before, on_server = processor_seconds(process), of_server()
            done = len(take_turn(service, call).seconds)
            spent = processor_seconds(process) - before, of_server() - on_server
            for who, seconds in zip(("service", "server"), spent, strict=True):
                if who == "service" or what == "PostgreSQL":
                    label = f"{what}, {CLIENTS} clients: microseconds of the {who}, {name}"
                    rows.append({"what": label, "value": 1e6 * seconds / done})
    return rows


def delivery() -> dict[str, Any]:
    """Microseconds to send an event to one more stream, where events come a hundred at a time."""
    spent = []
    for readers in (1, READERS):
        with service_on("SQLite") as (service, _), ExitStack() as stack:
            client, process = Client(service.port, service.token), service.process.pid
            streams = [stack.enter_context(stream(service)) for _ in range(readers)]
            last = f"id: {2 * len(ARMS) + EVENTS}\n".encode()

            def drain(connection: Any, last: bytes = last) -> None:
                words = b""
                while last not in words:
                    words = words[-100:] + connection.recv(2**20)

            threads = [threading.Thread(target=drain, args=(connection,)) for connection in streams]
            for thread in threads:
                thread.start()
            before = processor_seconds(process)
            for _ in range(EVENTS // BATCH + 1):
                results = [{"arm": ARMS[0], "reward": 0.5}] * BATCH
                client.post("/api/studies/study/record", {"results": results})
            for thread in threads:
                thread.join()
            spent.append(processor_seconds(process) - before)
    each = 1e6 * (spent[1] - spent[0]) / (READERS - 1) / EVENTS
    return {"what": f"microseconds of an event to one more stream, {BATCH} events at a time", "value": each}


def studies() -> list[dict[str, Any]]:
    """What a study of 20 arms takes in memory."""
    with service_on("SQLite") as (service, _):
        client, process = Client(service.port, service.token), service.process.pid
        before, seconds = resident(process), processor_seconds(process)
        for number in range(STUDIES):
            client.post("/api/studies", {"name": f"study {number}", "arms": ARMS, **FIELDS})
        took = (processor_seconds(process) - seconds) / STUDIES
        size = (resident(process) - before) / STUDIES
    return [
        {"what": f"milliseconds of the service to create a study of {len(ARMS)} arms", "value": 1e3 * took},
        {"what": f"kilobytes of memory of a study of {len(ARMS)} arms that is in use", "value": size / 1e3},
    ]


def measure() -> list[dict[str, Any]]:
    return [*calls("SQLite"), *calls("PostgreSQL"), delivery(), *studies()]
