"""Works that any version of Surefoot can do, by its public names alone; and a process that does them when told to.

`python -m benchmarks.works` reads names of works, a line each, and answers each with the seconds of one round, per unit, as
JSON: those of the processor, and those of the clock. PYTHONPATH says with which Surefoot, and the first line that is
written says where that is.
"""

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np

import surefoot
from benchmarks.storage import Surefoot
from surefoot import Beta, Instance, Study, simulate
from surefoot.storage import connect

Work: TypeAlias = Callable[[], int]  # a round, begun anew each time; how many units it was

SIMULATED = 300_000  # pulls in a round
LIVE = 1_000
OPENED = 10_000  # pulls of the study that is opened
REST = 5.0  # seconds since a name in a folder changed


def simulating(policy: str, bounds: str, means: list[float], variance: float, limit: float) -> Work:
    arms = {str(index): Beta(mean=mean, variance=variance) for index, mean in enumerate(means)}
    instance = Instance(arms, risk=f"variance <= {limit}", delta=1e-3)

    def work() -> int:
        sweep = simulate(instance, policy, bounds, trials=1, workers=1, max_pulls=SIMULATED, progress=False)
        return int(sweep.summary()["pulls"]["mean"])

    return work


def two_close(policy: str, bounds: str) -> Work:
    return simulating(policy, bounds, [0.6, 0.6, *[0.3] * 18], 0.02, 0.2)


def at_the_limit(policy: str, bounds: str) -> Work:
    return simulating(policy, bounds, [0.5] * 20, 0.04, 0.0401)


def asking_and_telling(arms: int) -> Work:
    """On one study in memory, which is never decided; each arm has had its first pull."""
    generator = np.random.default_rng(arms)
    means, noise = generator.uniform(0.3, 0.6, arms).tolist(), generator.normal(0.0, 0.19, LIVE).tolist()
    study = Study([str(index) for index in range(arms)], risk="variance <= 0.04", delta=1e-50)
    while study.pulls < arms:
        study.tell_all([(pull, means[int(pull.arm)]) for pull in study.ask(1_000)])

    def work() -> int:
        told = 0
        while told < LIVE:
            for pull in study.ask():
                study.tell(pull, min(max(means[int(pull.arm)] + noise[told % LIVE], 0.0), 1.0))
                told += 1
        return told

    return work


def importing(folder: Path) -> Work:
    """From bytecode, as everybody imports what is installed: without it, the length of the sources would be measured."""
    compiled = os.environ | {"PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    compiled.pop("PYTHONDONTWRITEBYTECODE", None)

    def work() -> int:
        command = [sys.executable, "-c", "import surefoot; surefoot.Study"]
        assert os.spawnve(os.P_WAIT, sys.executable, command, compiled) == 0
        return 1

    return work


def telling(folder: Path) -> Work:
    """On a file whose folder is at rest, as it is but for a study's first seconds: until then, each tell looks at every file
    of the database, because the times of files do not tell changes apart that follow each other so soon.
    """
    (place := folder / "told").mkdir()
    ours = Surefoot(f"sqlite:///{place}/told.db")
    wait_for_rest(place)
    return lambda: len(ours.tells())


def wait_for_rest(folder: Path) -> None:
    while (young := folder.stat().st_ctime + REST - time.time()) > 0.0:
        time.sleep(young)


def opening(folder: Path, snapshot: bool) -> Work:
    path = folder / f"{snapshot}.db"
    study = Study.open(path, "long", ["A", "B", "C"], risk="variance <= 0.2", delta=1e-50)
    while study.pulls < OPENED:
        study.tell_all([(pull, (pull.id % 1000) / 1000) for pull in study.ask(1_000)])
    connect(path).close()

    def work() -> int:
        if not snapshot:
            connect(path).journal("long").drop_snapshot()
        assert Study.open(path, "long").pulls == study.pulls
        return 1

    return work


WORKS: dict[str, Callable[[Path], Work]] = {
    "simulated pull, top-two with tight, two arms close": lambda _: two_close("top-two", "tight"),
    "simulated pull, top-two with tight, variance at the limit": lambda _: at_the_limit("top-two", "tight"),
    "simulated pull, va-lucb with sharp, two arms close": lambda _: two_close("va-lucb", "sharp"),
    "simulated pull, va-lucb with paper, two arms close": lambda _: two_close("va-lucb", "paper"),
    "ask and tell in memory, 10 arms": lambda _: asking_and_telling(10),
    "ask and tell in memory, 1,000 arms": lambda _: asking_and_telling(1_000),
    "importing surefoot and its Study": importing,
    "a tell on SQLite": telling,
    f"opening a study of {OPENED:,} pulls on SQLite": lambda folder: opening(folder, True),
    f"opening a study of {OPENED:,} pulls without its snapshot": lambda folder: opening(folder, False),
}


def processor() -> float:
    """Seconds of the processor so far, of this process and of those it waited for: what other work changes least."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main() -> None:
    Path("build").mkdir(exist_ok=True)
    print(surefoot.__path__[0], flush=True)
    prepared: dict[str, Work] = {}
    with tempfile.TemporaryDirectory(dir="build") as folder:  # on a disk, where temporary files may be in memory
        for line in sys.stdin:
            name = line.rstrip("\n")
            if name not in prepared:
                prepared[name] = WORKS[name](Path(folder))
                prepared[name]()  # what is compiled or loaded once
            worked, began = processor(), time.perf_counter()
            units = prepared[name]()
            ended, now = processor(), time.perf_counter()
            print(json.dumps({"processor": (ended - worked) / units, "clock": (now - began) / units}), flush=True)


if __name__ == "__main__":
    main()
