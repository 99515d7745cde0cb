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
    EXCHANGES,
    FIELDS,
    Client,
    Service,
    begun,
    busy,
    postgresql,
    processor_seconds,
    take_turn,
)
from benchmarks.streams import resident, stream

READERS = 100  # streams that are sent every event
EVENTS = 2_000
STUDIES = 200


@contextmanager
def service_on(what: str) -> Iterator[tuple[Service, Callable[[], float]]]:
    """A service, and the processor seconds of its database server."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        url = stack.enter_context(postgresql()) if what == "PostgreSQL" else f"{folder}/studies.db"
        service = busy(begun(Service(url, f"{folder}/log", token=True)))
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
        for name, call in (CALLS | EXCHANGES).items():
            before = of_server()
            turn = take_turn(service, call)
            spent = {"service": turn.processor, "server": (of_server() - before) / len(turn.seconds)}
            for who, seconds in spent.items():
                if name != "nothing" and (who == "service" or what == "PostgreSQL"):
                    label = f"{what}, {CLIENTS} clients: microseconds of the {who}, {name}"
                    rows.append({"what": label, "value": 1e6 * seconds})
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
