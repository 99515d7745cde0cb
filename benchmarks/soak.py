"""Many clients and event streams for a long time, the service killed once and ended once: nothing lost, nothing twice, and
no memory that only grows.

`make soak MINUTES=10`, or `python -m benchmarks.soak --minutes 10`; with `--postgresql`, the studies are in PostgreSQL. Some
clients die with pulls in hand, some tell twice, some tell late; some use exchanges.
"""

import argparse
import asyncio
import multiprocessing
import os
import random
import re
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from typing import Any

from benchmarks.service import ARMS, Service, postgresql
from benchmarks.streams import resident
from surefoot import Study, connect

CLIENTS = 32
STREAMS = 200
LEASE = 2.0  # seconds
THINKING = 0.2  # seconds that a client has for its pulls, at most
# Of memory, at most, from the first half of the time after the last start to the second. In a soak of less than five minutes
# kernels may be compiled in between, which takes 140 MB, once.
GROWTH = 1.2
ID = re.compile(rb"^id: (\d+)$", re.MULTILINE)


def client(url: str, seed: int, until: float, found: Any) -> None:
    """Ask and tell as real workers do; what was acknowledged."""
    study, generator = connect(url, name="soak", patience=120), random.Random(seed)
    asked: list[int] = []
    told: list[tuple[int, float]] = []
    late: list[tuple[int, float]] = []
    results: list[tuple[int, float]] = []
    while time.time() < until:
        count = generator.choice([1, 1, 2, 5, 20])
        if seed % 2:
            pulls = study.exchange(results, count, worker=f"client {seed}")
            told += results
        else:
            pulls = study.ask(count, worker=f"client {seed}")
        asked += [pull.id for pull in pulls]
        time.sleep(generator.uniform(0.0, THINKING))
        generator.shuffle(pulls)
        results = []
        for pull in pulls:
            chance = generator.random()
            result = (pull.id, round(generator.random(), 9))
            if chance < 0.01:
                continue  # dies with it in hand
            (late if chance < 0.02 else results).append(result)
        if seed % 2:
            continue
        for batch in [[result] for result in results] if generator.random() < 0.5 else [results]:
            for _ in range(2 if generator.random() < 0.1 else 1):  # now and then twice
                study.tell_all(batch)
            told += batch
        if late and generator.random() < 0.05:
            study.tell_all(late)
            told += late
            late = []
    found.put((asked, told))


class Reader:
    """A stream that is read from its first event on, and taken up again where it was cut off."""

    def __init__(self, port: int) -> None:
        self.port, self.last = port, 0
        self.gaps = 0  # events that did not follow the one before
        self.connections = 0

    async def read(self) -> None:
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**24)
                self.connections += 1
                head = f"GET /api/studies/soak/events?since={self.last} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                writer.write(head.encode())
                try:
                    while True:
                        self.see(await reader.readuntil(b"\n\n"))
                finally:
                    writer.close()
            await asyncio.sleep(0.5)

    def see(self, message: bytes) -> None:
        for number in map(int, ID.findall(message)):
            self.gaps += number != self.last + 1
            self.last = number


def read_streams(port: int, final: Any, found: Any) -> None:
    """Until all of them have seen the event that is known to be the last, or for a minute after that."""

    async def run() -> list[Reader]:
        readers = [Reader(port) for _ in range(STREAMS)]
        tasks = [asyncio.create_task(reader.read()) for reader in readers]
        while not final.value:
            await asyncio.sleep(0.5)
        until = time.monotonic() + 60
        while any(reader.last < final.value for reader in readers) and time.monotonic() < until:
            await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        return readers

    readers = asyncio.run(run())
    found.put([(reader.last, reader.gaps, reader.connections) for reader in readers])


def watch_memory(service: Service, until: float) -> list[float]:
    """Megabytes of the service, every second."""
    found = []
    while time.time() < until:
        found.append(resident(service.process.pid) / 1e6)
        time.sleep(1.0)
    return found


def soak(minutes: float, on_postgresql: bool = False) -> dict[str, Any]:
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        database = stack.enter_context(postgresql()) if on_postgresql else f"{folder}/studies.db"
        service = Service(database, f"{folder}/log")
        connect(
            service.url, name="soak", arms=ARMS, risk="none", delta=1e-50, lease=LEASE
        )  # all arms alike: never decided
        began, seconds = time.time(), 60 * minutes
        told: Any = multiprocessing.Queue()
        seen: Any = multiprocessing.Queue()
        final: Any = multiprocessing.Value("q", 0)
        clients = [
            multiprocessing.Process(target=client, args=(service.url, seed, began + seconds, told))
            for seed in range(CLIENTS)
        ]
        streams = multiprocessing.Process(target=read_streams, args=(service.port, final, seen))
        for process in (*clients, streams):
            process.start()
        time.sleep(seconds / 4)
        service.kill()
        service.start()
        time.sleep(max(began + seconds / 2 - time.time(), 0.0))
        ended = service.end()
        service.start()
        memory = watch_memory(service, began + seconds)
        answers = [told.get() for _ in clients]
        study = Study.open(database, "soak")
        final.value = study.position
        read = seen.get()
        for process in (*clients, streams):
            process.join()
        half = len(memory) // 2
        before, after = (statistics.median(part) for part in (memory[:half], memory[half:]))
        return verdict(study, answers) | {
            "streams_that_saw_all": sum(last == study.position for last, _, _ in read),
            "gaps_in_streams": sum(gaps for _, gaps, _ in read),
            "connections_of_streams": sum(connections for _, _, connections in read),
            "memory_mb_before": before,
            "memory_mb_after": after,
            "minutes": minutes,
            "load_average": os.getloadavg()[1],
            "clients": CLIENTS,
            "streams": STREAMS,
            "exit_code": ended or service.end(),
        }


def verdict(study: Study, answers: list[Any]) -> dict[str, Any]:
    """What clients were told against what the journal has."""
    events = study.events
    kept = [(event["pull"], event["reward"]) for event in events if event["type"] == "told"]
    told = [result for _, results in answers for result in results]
    asked = [pull for pulls, _ in answers for pull in pulls]
    again = Study.from_events(events)
    return {
        "asked": len(asked),
        "acknowledged": len(told),
        "lost": len(set(told) - set(kept)),
        "never_told": len(set(kept) - set(told)),
        "twice": len(kept) - len({pull for pull, _ in kept}),
        "handed_out_twice": len(asked) - len(set(asked)),
        "expired": sum(event["type"] == "expired" for event in events),
        "late": sum(event.get("late", False) for event in events),
        "counted": study.pulls,
        "events": len(events),
        "decided": study.decided,
        "same_when_folded_anew": again.table() == study.table() and again.decision == study.decision,
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--postgresql", action="store_true", help="instead of SQLite")
    options = parser.parse_args()
    found = soak(options.minutes, options.postgresql)
    for name, value in found.items():
        print(f"{name:<24}{value:>14,.6g}" if isinstance(value, float) else f"{name:<24}{value!s:>14}")
    wrong = ("lost", "never_told", "twice", "handed_out_twice", "gaps_in_streams", "exit_code", "decided")
    faults = [name for name in wrong if found[name]]
    faults += ["same_when_folded_anew"] * (not found["same_when_folded_anew"])
    faults += ["streams_that_saw_all"] * (found["streams_that_saw_all"] < STREAMS)
    faults += ["memory_mb_after"] * (found["memory_mb_after"] > GROWTH * found["memory_mb_before"])
    print(f"WRONG: {', '.join(faults)}" if faults else "nothing lost, nothing twice, memory flat")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
