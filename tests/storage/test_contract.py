"""What every storage must do. They are enumerated from the registry: see conftest.py."""

import subprocess
import sys
import threading
import time
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from surefoot import Pull, Study
from surefoot.errors import Conflict, InvalidValue, NoSuchStudy
from surefoot.storage import Snapshot, connect
from surefoot.study.replica import Transaction
from tests.storage.helpers import begin, put_clock, set_clock, state, untimed
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
        InvalidValue, match="without arms a study is opened, as it was created, by its name alone, got delta too"
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


def test_a_request_repeats_its_answer(storage):
    study = begin(storage)
    pulls = study.ask(3, request="r-1", worker="w")
    study.tell(pulls[0], 0.5)
    assert Study.open(storage, "study").ask(3, request="r-1") == pulls
    assert study.ask(5, request="r-1") == pulls
    assert study.ask(3, request="r-2")[0].id == 4
    (asked,) = untimed(study.events[1:2])
    assert asked == {"type": "asked", "pull": 1, "arms": [0, 1, 2], "request": "r-1", "worker": "w"}


# --- leases


def test_a_pull_not_told_within_its_lease_expires_and_a_fresh_one_takes_its_place(storage, monkeypatch):
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    lost, kept = study.ask(2)
    other = Study.open(storage, "study")
    set_clock(monkeypatch, storage, 1060.0)
    assert other.heartbeat(kept)
    set_clock(monkeypatch, storage, 1060.1)
    (fresh_pull,) = other.ask(1)
    assert fresh_pull == Pull(3, lost.arm)
    assert [event["type"] for event in study.events] == ["created", "asked", "extended", "expired", "asked"]
    assert not study.heartbeat(lost)
    study.tell(lost, 0.25)
    study.tell(lost, 0.25)
    with pytest.raises(Conflict, match=r"pull 1 was told as 0\.25 and cannot be told as 0\.5"):
        study.tell(lost, 0.5)
    with pytest.raises(Conflict, match="pull 1 was told before and cannot be abandoned"):
        study.abandon(lost)
    assert untimed(study.events)[-1] == {"type": "told", "pull": 1, "reward": 0.25, "late": True}
    study.tell_all([(kept, 0.5), (fresh_pull, 0.5)])
    assert study.pulls == 2
    assert state(Study.open(storage, "study")) == state(study)


def test_whatever_touches_the_study_lets_pulls_expire(storage, monkeypatch):
    """A refused call too: what had to expire has expired, and is in the journal."""
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    (pull,) = study.ask()
    set_clock(monkeypatch, storage, 1061.0)
    with pytest.raises(InvalidValue):
        study.tell(pull, 7.0)
    assert [event["type"] for event in study.events] == ["created", "asked", "expired"]
    study.tell(pull, 0.5)
    assert (study.pulls, study.events[-1]["late"]) == (0, True)
    assert state(Study.open(storage, "study")) == state(study)


def test_without_a_lease_pulls_never_expire_and_heartbeats_leave_no_trace(storage):
    study = begin(storage)
    first, second = study.ask(2)
    assert study.heartbeat_all([first, second.id]) == [True, True]
    study.tell(first, 0.5)
    assert study.heartbeat_all([first, second]) == [False, True]
    with pytest.raises(InvalidValue, match="pull 3 does not exist: pulls 1 to 2 have been asked for"):
        study.heartbeat(3)
    assert len(study.events) == 3


def test_expired_pulls_give_their_budget_back(storage, monkeypatch):
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60, max_pulls=4)
    assert len(study.ask(9)) == 4
    assert study.ask(9) == []
    set_clock(monkeypatch, storage, 1061.0)
    pulls = study.ask(9)
    assert [pull.id for pull in pulls] == [5, 6, 7, 8]
    study.tell_all([(pull, 0.5) for pull in pulls])
    assert study.decided
    assert study.pulls == 4


def test_leases_run_by_a_real_clock(storage):
    study = begin(storage, lease=1)
    (pull,) = study.ask()
    time.sleep(1.1)
    assert not study.heartbeat(pull)


DAY = 86_400.0


def test_a_clock_put_forward_and_back_neither_ends_leases_nor_stops_them(storage, monkeypatch):
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    (lost,) = study.ask(1)
    put_clock(storage, 1000.0 + DAY)
    (kept,) = study.ask(1)
    assert study.pending == [lost, kept]
    assert study.events[-1]["time"] == 1000.0 + DAY
    set_clock(monkeypatch, storage, 1050.0)
    assert study.heartbeat(kept)
    assert study.events[-1]["time"] == 1050.0
    set_clock(monkeypatch, storage, 1061.0)
    assert study.heartbeat(kept)
    assert study.pending == [kept]
    set_clock(monkeypatch, storage, 1122.0)
    assert not study.heartbeat(kept)
    assert state(Study.open(storage, "study")) == state(study)


def test_a_jump_says_nothing_of_what_others_did_since_the_last_look(storage, monkeypatch):
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    other = Study.open(storage, "study")
    (pull,) = study.ask(1)
    for late in (1050.0, 1060.0):
        set_clock(monkeypatch, storage, late)
        put_clock(storage, late + DAY)
        assert other.heartbeat_all([]) == []
        assert other.pending == [pull]
    set_clock(monkeypatch, storage, 1060.1)
    assert other.heartbeat_all([]) == []
    assert other.pending == []


def test_what_others_did_is_as_old_as_the_clock_says(storage, monkeypatch):
    """Also if nobody has looked since long before."""
    set_clock(monkeypatch, storage, 1000.0)
    study, other, third = (begin(storage, lease=60) for _ in range(3))
    set_clock(monkeypatch, storage, 2000.0)
    study.ask(1)
    set_clock(monkeypatch, storage, 2030.0)
    assert third.refresh() == 1
    set_clock(monkeypatch, storage, 2060.1)
    assert other.ask(1)[0].id == third.ask(1)[0].id - 1 == 2
    assert [event["type"] for event in study.events].count("expired") == 1


def test_who_opens_a_study_goes_by_the_clock(storage, monkeypatch):
    """What the journal says of the future happened before what came next, or has just happened."""
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    put_clock(storage, 1000.0 + DAY)
    study.ask(1)
    put_clock(storage, 1010.0)
    study.ask(1)
    put_clock(storage, 1010.0 + DAY)
    study.ask(1)
    for late, left in ((1070.0, [1, 2, 3]), (1070.1, [3])):
        put_clock(storage, late)
        opened = Study.open(storage, "study")
        opened.heartbeat_all([])
        assert [pull.id for pull in opened.pending] == left
    assert opened.events[-1]["time"] == 1070.1
    set_clock(monkeypatch, storage, 1060.1)
    opened.heartbeat_all([])
    assert opened.pending == []


def test_a_state_that_is_folded_anew_is_not_fooled_either(storage, monkeypatch):
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    pulls = study.ask(2)
    put_clock(storage, 1000.0 + DAY)
    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "append", Mock(side_effect=OSError("gone")))
        with pytest.raises(OSError, match="gone"):
            study.ask(1)
    assert study.heartbeat_all(pulls) == [True, True]


def test_old_events_taken_into_another_journal_are_as_old_as_they_say(storage, monkeypatch):
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    study.ask(1)
    again = Study.from_events(study.events)
    again.refresh()
    again.heartbeat_all([])
    assert again.pending == []
    assert len(study.pending) == 1


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
