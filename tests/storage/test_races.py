"""Studies of one name that are created, read, written and deleted at once.

Between any two statements of a call somebody else deletes the study, or puts another one in its place: the call gives an
answer, or says that there is no such study, or a conflict; never that the journal is damaged.
"""

import contextlib

import pytest
from sqlalchemy import event

from surefoot import Study
from surefoot.errors import Conflict, NoSuchStudy, StorageFailed
from surefoot.storage import Memory, Snapshot, connect
from surefoot.study import snapshot
from tests.storage.conftest import EMPTY
from tests.storage.helpers import begin


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request):
    return EMPTY[request.param](request)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Whoever comes in between does not wait for those who hold a lock: they are in the same thread."""
    monkeypatch.setattr("surefoot.storage.sqlite.BUSY", 0.0)
    monkeypatch.setattr("surefoot.storage.database.PATIENCE", 0.0)
    monkeypatch.setattr(snapshot, "between", lambda problem: 4)


def told(storage, count=6, **fields):
    study = begin(storage, **fields)
    study.tell_all([(pull, 0.5) for pull in study.ask(count)])
    return study


def delete(storage):
    storage.delete("study")


def put_another(storage):
    storage.delete("study")
    told(storage, 9, seed=7)


CALLS = {
    "open": lambda study, storage: Study.open(storage, "study"),
    "create": lambda study, storage: begin(storage),
    "check": lambda study, storage: Study.check(storage, "study"),
    "salvage": lambda study, storage: Study.salvage(storage, "study"),
    "list": lambda study, storage: storage.studies(),
    "delete": lambda study, storage: storage.delete("study"),
    "ask": lambda study, storage: study.ask(2),
    "tell": lambda study, storage: study.tell(1, 0.5),
    "record": lambda study, storage: study.record_all([("A", 0.5)] * 5),
    "refresh": lambda study, storage: study.refresh(),
    "events": lambda study, storage: study.events,
    "snapshot": lambda study, storage: storage.journal("study").snapshot(),
    "keep": lambda study, storage: storage.journal("study").keep(Snapshot(2, "v", b"")),
}


class Between:
    """Does something at one of the moments when a storage takes a connection or sends a statement."""

    def __init__(self, storage, moment, act):
        self.moment, self.act, self.passed = moment, act, 0
        event.listen(storage.engine, "checkout", self.passes)
        self.borrow, storage.borrow = storage.borrow, self.borrowed
        event.listen(storage.engine, "before_cursor_execute", self.passes)

    def borrowed(self):
        """For a turn: SQLite goes on with the connection of the turn before."""
        self.passes()
        return self.borrow()

    def passes(self, *_):
        self.passed += 1
        if self.passed == self.moment:
            with contextlib.suppress(StorageFailed):  # somebody holds the lock: nothing comes in between here
                self.act()


@pytest.mark.parametrize("act", [delete, put_another])
@pytest.mark.parametrize("call", list(CALLS))
def test_a_study_deleted_in_the_midst_of_a_call_is_not_damaged(url, call, act):
    other = connect(url if "postgresql" not in url else f"{url}%20-clock_timeout%3D20")
    moment = 1
    while True:
        storage = connect(url)
        told(storage)
        study = Study.open(storage, "study")
        between = Between(storage, moment, lambda: act(other))
        with contextlib.suppress(NoSuchStudy, Conflict):
            CALLS[call](study, storage)
        storage.close()
        with contextlib.suppress(NoSuchStudy):
            other.delete("study")
        if between.passed < moment:
            break
        moment += 1
    assert moment > 1
    if call != "list":
        assert not other.read(lambda it: list(it.exec_driver_sql("SELECT study FROM surefoot_snapshots")))
    other.close()


def test_only_one_of_two_deletes_a_study(url):
    storage, other = connect(url), connect(url)
    told(storage)
    between = Between(storage, 3, lambda: delete(other))
    with pytest.raises(NoSuchStudy, match="'study'"):
        storage.delete("study")
    assert between.passed >= 3


class Deleted:
    """A lock in memory, before which somebody deletes the study."""

    def __init__(self, storage, lock):
        self.storage, self.lock = storage, lock

    def acquire(self):
        self.storage.journals.pop("study", None)
        return self.lock.acquire()

    def release(self):
        self.lock.release()

    def __enter__(self):
        self.acquire()

    def __exit__(self, *_):
        self.release()


@pytest.mark.parametrize("call", ["ask", "tell", "delete"])
def test_a_study_in_memory_deleted_by_who_had_the_lock_before(call):
    storage = Memory()
    study = told(storage)
    journal = storage.journal("study")
    journal.lock = Deleted(storage, journal.lock)
    with pytest.raises(NoSuchStudy, match="the study 'study' was deleted"):
        CALLS[call](study, storage)
    assert not journal.lock.lock.locked()
