"""Many clients for a long time, the service killed and started again in the middle: nothing lost, nothing twice.

`python -m benchmarks.soak --minutes 5`. Some clients die with pulls in hand, some tell twice, some tell late.
"""

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.service import ARMS, FIELDS, Service
from surefoot import Study, connect

CLIENTS = 16
LEASE = 2.0  # seconds


def client(url: str, seed: int, until: float, found: Any) -> None:
    """Ask and tell as real workers do; what was acknowledged."""
    study, generator = connect(url, name="soak", patience=120), random.Random(seed)
    asked: list[int] = []
    told: list[tuple[int, float]] = []
    late: list[tuple[int, float]] = []
    while time.time() < until:
        pulls = study.ask(generator.choice([1, 1, 2, 5, 20]), worker=f"client {seed}")
        asked += [pull.id for pull in pulls]
        generator.shuffle(pulls)
        results: list[tuple[int, float]] = []
        for pull in pulls:
            chance = generator.random()
            result = (pull.id, round(generator.random(), 9))
            if chance < 0.01:
                continue  # dies with it in hand
            (late if chance < 0.02 else results).append(result)
        for batch in [[result] for result in results] if generator.random() < 0.5 else [results]:
            for _ in range(2 if generator.random() < 0.1 else 1):  # now and then twice
                study.tell_all(batch)
            told += batch
        if late and generator.random() < 0.05:
            study.tell_all(late)
            told += late
            late = []
    found.put((asked, told))


def soak(minutes: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        service = Service(f"{folder}/studies.db", f"{folder}/log")
        connect(service.url, name="soak", arms=ARMS, lease=LEASE, **FIELDS)
        found: Any = multiprocessing.Queue()
        until = time.time() + 60 * minutes
        clients = [
            multiprocessing.Process(target=client, args=(service.url, seed, until, found)) for seed in range(CLIENTS)
        ]
        for process in clients:
            process.start()
        time.sleep(30 * minutes)
        service.kill()
        killed = time.time()
        service.start()
        down = time.time() - killed
        answers = [found.get() for _ in clients]
        for process in clients:
            process.join()
        code = service.end()
        return verdict(Study.open(Path(folder) / "studies.db", "soak"), answers) | {
            "minutes": minutes,
            "clients": CLIENTS,
            "seconds_down": down,
            "exit_code": code,
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
        "same_when_folded_anew": again.table() == study.table() and again.decision == study.decision,
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    found = soak(parser.parse_args().minutes)
    for name, value in found.items():
        print(f"{name:<24}{value:>14,}" if isinstance(value, int | float) else f"{name:<24}{value!s:>14}")
    wrong = ("lost", "never_told", "twice", "handed_out_twice", "exit_code")
    good = found["same_when_folded_anew"] and not any(found[name] for name in wrong)
    print("nothing lost, nothing twice" if good else "SOMETHING IS WRONG")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
