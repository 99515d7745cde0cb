"""What every storage must do. They are enumerated from the registry: see conftest.py."""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from surefoot import Pull, Study
from surefoot.errors import Conflict, InvalidValue, NoSuchStudy
from surefoot.storage import Snapshot, connect
from tests.storage.helpers import begin, state, untimed
from tests.study.helpers import drive, fresh, measure

ROOT = Path(__file__).parents[2]

# --- studies


def test_studies_are_created_listed_opened_and_deleted(storage):
    assert storage.studies() == []
    first, second = begin(storage, "one"), begin(storage, "two", seed=7)
    second.tell(second.ask()[0], 0.5)
    one, two = storage.studies()
    assert (one.name, one.events, two.name, two.events) == ("one", 1, "two", 3)
    assert one.created == one.changed <= two.created <= two.changed
    assert Study.open(storage, "two").pulls == 1
    storage.delete("two")
    assert [entry.name for entry in storage.studies()] == ["one"]
    for call in (lambda: Study.open(storage, "two"), lambda: storage.delete("two")):
        with pytest.raises(NoSuchStudy, match="there is no study 'two' in"):
            call()
    for call in (second.ask, second.close, second.refresh, lambda: second.tell(1, 0.5)):
        with pytest.raises(NoSuchStudy, match="was deleted"):
            call()
    assert begin(storage, "two").pulls == 0
    first.ask()


@pytest.mark.parametrize(
    "name",
    [
        "it's",
        'a "quoted" one',
        "'; DROP TABLE surefoot_studies; --",
        "<script>alert(1)</script>",
        "50% %s ? :x \\",
        "étude 研究 🎲",
    ],
)
def test_names_are_text(storage, name):
    study = begin(storage, name)
    study.ask(worker=name, request=name)
    assert [entry.name for entry in storage.studies()] == [name]
    assert Study.open(storage, name).events[1]["worker"] == name
    storage.delete(name)
    assert storage.studies() == []


@pytest.mark.parametrize("name", ["", " ", "two\nlines", "nul\0", "\x1b[31mred", "\ud800", "x" * 201, 7])
def test_names_that_could_not_stand_in_a_list_are_refused(name):
    storage = connect("memory://")
    with pytest.raises(InvalidValue, match="the name of a study must be printable text on one line of at most 200"):
        begin(storage, name)
    study = begin(storage)
    with pytest.raises(InvalidValue, match="worker must be printable text"):
        study.ask(worker=name)
    with pytest.raises(InvalidValue, match="request must be printable text"):
        study.ask(request=name)


def test_the_same_study_may_be_created_again_and_no_other(storage):
    begin(storage, lease=60).ask()
    assert len(begin(storage, lease=60).pending) == 1
    changes = {
        "seed": (1, "seed is 0, not 1"),
        "lease": (61, r"lease is 60\.0, not 61\.0"),
        "delta": (0.2, r"delta is 0\.1, not 0\.2"),
        "risk": ("none", "risk is 'variance <= 0.04', not 'none'"),
        "policy": ("va-uniform", "policy is 'top-two', not 'va-uniform'"),
        "max_pulls": (9, "max_pulls is None, not 9"),
    }
    for field, (value, sentence) in changes.items():
        with pytest.raises(Conflict, match=f"there is a study 'study' already, whose {sentence}"):
            begin(storage, **{"lease": 60, field: value})
    with pytest.raises(
        InvalidValue, match="got delta but no arms: leave out delta to open a study that exists, or give arms to create"
    ):
        Study.open(storage, "study", delta=0.1)
    with pytest.raises(InvalidValue, match="lease must be a number above 0, got 0"):
        begin(storage, "other", lease=0)


# --- journals


@pytest.mark.parametrize(("workers", "lose"), [(1, 0.0), (7, 0.2)])
def test_a_stored_study_is_the_one_in_memory(storage, workers, lose):
    stored, pure = drive(begin(storage), 3, workers, lose), drive(fresh(), 3, workers, lose)
    assert untimed(stored.events) == untimed(pure.events)
    assert stored.decision == pure.decision
    assert state(Study.open(storage, "study")) == state(stored)


def test_opened_anew_at_every_call_is_never_having_stopped(storage):
    generator, pure_generator = np.random.default_rng(5), np.random.default_rng(5)
    pure = fresh(max_pulls=60)
    begin(storage, max_pulls=60)
    while not pure.decided:
        pulls = Study.open(storage, "study").ask(3)
        assert pulls == pure.ask(3)
        for pull in pulls:
            Study.open(storage, "study").tell(pull, measure(pull.arm, generator))
            pure.tell(pull, measure(pull.arm, pure_generator))
    again = Study.open(storage, "study")
    assert (again.decision, again.table()) == (pure.decision, pure.table())
    assert untimed(again.events) == untimed(pure.events)


def test_two_at_one_study_see_what_the_other_did(storage):
    one, two = begin(storage), begin(storage)
    pulls = [pull for _ in range(4) for study in (one, two) for pull in study.ask(2)]
    assert [pull.id for pull in pulls] == list(range(1, 17))
    two.tell_all([(pull, 0.5) for pull in pulls[:8]])
    one.tell_all([(pull, 0.5) for pull in pulls])
    assert (one.pulls, two.pulls) == (16, 8)
    assert two.refresh() == 8
    assert two.refresh() == 0
    assert (state(one), one.position) == (state(two), two.position)
    assert list(one.history(one.position - 1)) == one.events[-1:]
    assert list(one.history(1, 2)) == one.events[1:3]


def test_threads_share_a_study_and_a_storage(storage):
    shared, asked = begin(storage, max_pulls=120), []

    def work(study):
        while pulls := study.ask(1):
            asked.extend(pulls)
            study.tell(pulls[0], 0.5)

    studies = [shared, shared, *(Study.open(storage, "study") for _ in range(3))]
    threads = [threading.Thread(target=work, args=(study,)) for study in studies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(pull.id for pull in asked) == list(range(1, len(asked) + 1))
    again = Study.open(storage, "study")
    assert again.pulls + sum(event.get("late", False) for event in again.events) == len(asked) >= 3


def test_pulls_of_long_ago_are_still_known(storage):
    study = begin(storage)
    first, second, third = study.ask(3)
    study.tell_all([(first, 0.25), (second, 0.5)])
    study.abandon(third)
    for again in (study, Study.open(storage, "study")):
        before = again.position
        again.tell_all([(first, 0.25), (second.id, 0.5)])
        with pytest.raises(Conflict, match=r"pull 1 was told as 0\.25 and cannot be told as 0\.5"):
            again.tell(first, 0.5)
        with pytest.raises(Conflict, match="pull 3 was abandoned and cannot be told any more"):
            again.tell(third, 0.5)
        with pytest.raises(Conflict, match="pull 1 was told before and cannot be abandoned"):
            again.abandon(first)
        with pytest.raises(InvalidValue, match="pull 2 is one of arm 'B', got one of arm 'C'"):
            again.tell(Pull(2, "C"), 0.5)
        with pytest.raises(InvalidValue, match=r"a result of arm 'B' must be in \[0, 1\], got 7"):
            again.tell(second, 7)
        with pytest.raises(InvalidValue, match="pull 4 does not exist: pulls 1 to 3 have been asked for"):
            again.tell(4, 0.5)
        assert again.position == before


def test_a_batch_with_one_bad_reward_leaves_no_trace(storage):
    study = begin(storage)
    pulls = study.ask(3)
    with pytest.raises(Conflict):
        study.tell_all([(pulls[0], 0.5), (pulls[1], 0.5), (pulls[0], 0.6)])
    with pytest.raises(InvalidValue):
        study.record_all([("A", 0.5), ("B", 1.5)])
    assert [event["type"] for event in study.events] == ["created", "asked"]
    assert state(Study.open(storage, "study")) == state(study)


@pytest.mark.parametrize("count", [1, 2, 11, 12, 19, 20, 21, 45])
def test_a_turn_keeps_all_that_was_appended_or_nothing(storage, count):
    study = begin(storage)
    journal, position = storage.journal("study"), study.position
    now = study.events[0]["time"] + 0.125
    events = [
        {
            "type": "asked",
            "time": now,
            "pull": place + 1,
            "arms": [0],
            "request": f"50% \\ {place}",
            "worker": "研究\t\\N",
        }
        if place % 3
        else {"type": "told", "time": now, "pull": place, "reward": place / 7}
        for place in range(1, count + 1)
    ]

    def fail(after_reading):
        with storage.journal("study").turn(position) as turn:
            turn.append(events)
            if after_reading:
                assert turn.of_request(f"50% \\ {count}") == (events[-1] if count % 3 else None)
            raise ZeroDivisionError

    for after_reading in (False, True):  # a turn that is read from sends what was appended, though it may still fail
        with pytest.raises(ZeroDivisionError):
            fail(after_reading)
        assert list(storage.journal("study").since(position)) == []
    with journal.turn(position) as turn:
        for some in filter(None, (events[:1], events[1:])):
            turn.append(some)
            assert turn.of_request("50% \\ 1") == events[0]
    assert list(storage.journal("study").since(position)) == events


def test_a_request_repeats_its_answer(storage):
    study = begin(storage)
    pulls = study.ask(3, request="r-1", worker="w")
    study.tell(pulls[0], 0.5)
    assert Study.open(storage, "study").ask(3, request="r-1") == pulls
    assert study.ask(5, request="r-1") == pulls
    assert study.ask(3, request="r-2")[0].id == 4
    (asked,) = untimed(study.events[1:2])
    assert asked == {"type": "asked", "pull": 1, "arms": [0, 1, 2], "request": "r-1", "worker": "w"}


# --- snapshots and connections


def test_the_newest_snapshot_is_kept(storage):
    begin(storage).ask()
    journal = storage.journal("study")
    assert journal.snapshot() is None
    new, old = Snapshot(2, "v", b"\0new"), Snapshot(1, "v", b"\0old")
    journal.keep(old)
    journal.keep(new)
    assert journal.snapshot() == new
    journal.keep(old)
    assert journal.snapshot() == new
    storage.journal("study").drop_snapshot()
    assert journal.snapshot() is None


def test_a_storage_may_be_closed_and_used_again(storage):
    study = begin(storage)
    storage.close()
    study.ask()
    assert Study.open(storage, "study").position == 2


def test_a_storage_must_be_one_that_is_known():
    for url in ("mysql://localhost/x", "http://x", "sqlit:///x.db"):
        with pytest.raises(InvalidValue, match=r"a storage must be a file, sqlite:///file\.db, postgresql://"):
            connect(url)
    for url in ("", "sqlite://", "sqlite:///", ":memory:"):
        with pytest.raises(InvalidValue, match="a SQLite storage must be a file; memory:// is the storage without one"):
            connect(url)


def test_a_storage_that_the_suite_does_not_know_fails_it():
    code = """
import sys, pytest
from surefoot import storage
storage.STORAGES["new"] = storage.in_memory
which = ["tests/storage/test_contract.py", "-k", "are_created and (new or memory)"]
sys.exit(pytest.main(["-rA", "-p", "no:cacheprovider", *which]))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (found.returncode, "deleted[memory]" in found.stdout) == (1, True), found.stdout
    assert "the storage 'new' is not tested: it has no line in EMPTY of tests/storage/conftest.py" in found.stdout


def test_who_keeps_nothing_waits_for_no_database():
    code = "import sys, surefoot; surefoot.Study(['A']).ask(); assert 'sqlalchemy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
