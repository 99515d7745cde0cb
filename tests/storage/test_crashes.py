"""Processes that are killed, disks that are full, databases that go away, many at once: nothing is lost, nothing twice."""

import contextlib
import os
import random
import select
import signal
import threading
import time
import traceback

import pytest
from sqlalchemy import create_engine, event, text

from surefoot import Study
from surefoot.errors import StorageFailed
from surefoot.storage import connect
from surefoot.study import snapshot
from tests.storage.conftest import empty_schema
from tests.storage.helpers import begin, state, untimed
from tests.study.helpers import MEANS, fresh

KILLS = int(os.environ.get("KILLS", "60"))  # `make storm` has more of them
HARD = {"risk": "none", "delta": 1e-60, "max_pulls": 20_000}  # 14,441 pulls: more than any of these tests makes


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, folder):
    """Of a storage that outlives a process."""
    if request.param == "sqlite":
        return f"sqlite:///{folder}/studies.db"
    return empty_schema(request.getfixturevalue("server"))


def reward(pull):
    """Depends on the pull alone, so that whoever makes it gets the same."""
    return min(max(random.Random(pull.id).gauss(MEANS[pull.arm], 0.3), 0.0), 1.0)


def forked(work):
    """Run `work` in a child that has this process's modules loaded; its number, and what it writes."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return child, reader
    try:
        os.close(reader)
        work(writer)
        os._exit(0)
    except BaseException:
        os.write(writer, f"failed {traceback.format_exc()!r}\n".encode())
        os._exit(1)


def read_lines(reader, enough=None):
    """What a child wrote, until it ends or has written enough lines."""
    found = b""
    while enough is None or found.count(b"\n") < enough:
        if not select.select([reader], [], [], 60)[0]:
            raise TimeoutError("a child is stuck")
        if not (part := os.read(reader, 1 << 16)):
            break
        found += part
    return found


def worker(url, acknowledge):
    """Take over the pulls in flight, then ask for more, until it is decided."""
    study = Study.open(url, "study")
    while not study.decided:
        for pull in study.pending or study.ask():
            study.tell(pull, reward(pull))
            os.write(acknowledge, f"{pull.id} {reward(pull)!r}\n".encode())


@pytest.fixture
def often(monkeypatch):
    """Snapshots so often that some are being written when the process is killed."""
    monkeypatch.setattr(snapshot, "between", lambda problem: 10)


@pytest.mark.parametrize(("url", "kills"), [("sqlite", KILLS), ("postgresql", KILLS // 3)], indirect=["url"])
def test_killed_at_random_points_and_never_stopped_are_the_same(often, url, kills):
    begin(url, **HARD)
    generator, acknowledged = random.Random(1), {}
    for _ in range(kills):
        child, reader = forked(lambda writer: worker(url, writer))
        lines = read_lines(reader, enough=generator.randrange(5))  # after so many acknowledgements,
        time.sleep(generator.uniform(0.0, 0.01))  # in the midst of opening, asking, telling, a snapshot
        os.kill(child, signal.SIGKILL)
        lines += read_lines(reader)
        os.close(reader)
        os.waitpid(child, 0)
        for line in lines.decode().splitlines():
            assert not line.startswith("failed"), line
            pull, value = line.split()
            assert acknowledged.setdefault(int(pull), float(value)) == float(value)
    halfway = Study.open(url, "study")
    assert len(acknowledged) > kills / 2
    assert not halfway.decided
    told = [(event["pull"], event["reward"]) for event in halfway.events if event["type"] == "told"]
    assert len(told) == len(dict(told))
    assert acknowledged.items() <= dict(told).items()
    pure = fresh(**HARD)
    while not pure.decided:
        for pull in pure.ask():
            pure.tell(pull, reward(pull))
    assert untimed(pure.events)[: halfway.position] == untimed(halfway.events)
    assert pure.decision.arm == "B"
    resumed = Study.from_events(halfway.events)  # the rest need not be waited for on a disk
    while not resumed.decided:
        for pull in resumed.pending or resumed.ask():
            resumed.tell(pull, reward(pull))
    assert untimed(resumed.events) == untimed(pure.events)
    assert state(resumed)["arms"] == state(pure)["arms"]
    assert resumed.decision == pure.decision


@pytest.mark.parametrize(("url", "workers"), [("sqlite", 20), ("postgresql", 8)], indirect=["url"])
def test_many_processes_at_one_study(url, workers):
    """All of them create it, ask, tell and tell again; no pull goes to two, and nobody hears of a lock."""

    def work(writer):
        study = begin(url, lease=1000, **HARD)
        for _ in range(6):
            pulls = study.ask(3)
            study.tell_all([(pull, reward(pull)) for pull in reversed(pulls)])
            study.tell(pulls[0], reward(pulls[0]))
            os.write(writer, b"".join(b"%d\n" % pull.id for pull in pulls))

    children = [forked(work) for _ in range(workers)]
    lines = [line for _, reader in children for line in read_lines(reader).decode().splitlines()]
    for child, reader in children:
        os.close(reader)
        os.waitpid(child, 0)
    assert not [line for line in lines if line.startswith("failed")]
    study = Study.open(url, "study")
    assert sorted(map(int, lines)) == list(range(1, 18 * workers + 1))
    told = [event for event in study.events if event["type"] == "told"]
    assert len(told) == 18 * workers
    assert study.pulls == len([event for event in told if "late" not in event])
    assert state(Study.from_events(study.events)) == state(study)


def test_a_full_disk_is_said_and_nothing_acknowledged_is_lost(folder):
    storage = connect(folder / "x.db")
    study = begin(storage, **HARD)
    full = True

    def limit(connection, record):
        if full:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(storage.engine, "connect", limit)
    storage.close()
    acknowledged = []

    def go_on():
        for _ in range(300):
            pulls = study.ask(5)
            study.tell_all([(pull, reward(pull)) for pull in pulls])
            acknowledged.extend(pulls)

    for _ in range(3):
        with pytest.raises(StorageFailed, match=r"x\.db could not be used: database or disk is full"):
            go_on()
    full = False
    storage.close()
    for again in (study, Study.open(storage, "study")):
        told = {event["pull"] for event in again.events if event["type"] == "told"}
        assert told == {pull.id for pull in acknowledged}
        assert again.pulls == len(told)
    assert state(study) == state(again)
    study.tell_all([(pull, reward(pull)) for pull in study.pending or study.ask(3)])
    assert study.pulls > len(acknowledged)


def cut_off(storage):
    """Close the connection that will be used next."""
    if "postgresql" in storage.url:
        engine = create_engine(storage.engine.url)
        with engine.connect() as connection, contextlib.suppress(Exception):
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            connection.execute(text(f"{others} AND backend_type = 'client backend'"))
        engine.dispose()
    else:
        (connection,) = storage.idle
        connection.driver_connection.close()


def test_a_database_closed_underneath_is_said_and_the_study_goes_on(url):
    storage = connect(url)
    study = begin(storage)
    for _ in range(5):
        (pull,) = study.ask(1)
        cut_off(storage)
        with pytest.raises(StorageFailed, match="could not be used: "):
            study.tell(pull, 0.5)
        study.tell(pull, 0.5)
    assert study.pulls == 5
    assert state(Study.open(url, "study")) == state(study)


def test_an_error_at_the_very_commit_leaves_memory_where_the_disk_is(folder, monkeypatch):
    """Whatever interrupts a turn: the study is what the journal says, and goes on."""
    storage = connect(folder / "x.db")
    study = begin(storage)
    pulls = study.ask(6)
    for interruption in (KeyboardInterrupt, MemoryError):

        def interrupted(self, interruption=interruption):
            raise interruption

        with monkeypatch.context() as patched:
            patched.setattr("sqlalchemy.pool.base._ConnectionFairy.commit", interrupted, raising=False)
            with pytest.raises(interruption):
                study.tell(pulls[0], 0.5)
        assert study.pulls == 0
        assert state(study) == state(Study.open(storage, "study"))
    study.tell_all([(pull, 0.5) for pull in pulls])
    assert study.pulls == 6


def test_a_study_survives_a_fork(url):
    study = begin(url)
    study.ask()

    def work(writer):
        os.write(writer, b"%d\n" % study.ask(1)[0].id)

    ids = [1]
    for _ in range(3):
        child, reader = forked(work)
        ids += map(int, read_lines(reader).split())
        os.close(reader)
        os.waitpid(child, 0)
        ids += [pull.id for pull in study.ask(1)]
    assert ids == [1, 2, 3, 4, 5, 6, 7]


def test_who_waits_for_the_lock_waits_without_an_error(folder, monkeypatch):
    """Longer than SQLite waits by itself."""
    monkeypatch.setattr("surefoot.storage.sqlite.BUSY", 0.05)
    begin(folder / "x.db")
    holder, waiter = connect(folder / "x.db"), Study.open(folder / "x.db", "study")
    answers = []
    with holder.journal("study").turn(1):
        thread = threading.Thread(target=lambda: answers.append(waiter.ask()))
        thread.start()
        thread.join(0.5)
        assert thread.is_alive()
    thread.join(30)
    assert [pull.id for pull in answers[0]] == [1]
