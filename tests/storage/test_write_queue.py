"""Processes that write to one SQLite file take turns: whoever had one comes after those who wait."""

import multiprocessing
import os
import sys
import time

import pytest

from surefoot import Study
from surefoot.storage import connect

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system says who waits for a lock in /proc/locks")


@pytest.fixture
def path(tmp_path):
    Study.open(tmp_path / "studies.db", "s", ["a", "b"])
    return tmp_path / "studies.db"


def is_waited_for(file):
    """Does somebody wait for a lock on a file?"""
    inode = f":{os.stat(file).st_ino} "
    with open("/proc/locks") as locks:
        return any("->" in line and inode in line for line in locks)


def take_a_turn(path, mark):
    with connect(path).writing:
        mark.write_text("had its turn")


def test_whoever_had_a_turn_comes_after_those_who_wait(path, tmp_path):
    keep = connect(path)
    keep.studies()  # the log stays as long as somebody has the file open
    queue, mark = keep.writing, tmp_path / "mark"
    other = multiprocessing.get_context("spawn").Process(target=take_a_turn, args=(path, mark))
    with queue:
        other.start()
        deadline = time.monotonic() + 60
        while not is_waited_for(f"{path}-wal"):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert not mark.exists()
    with queue:
        assert mark.read_text() == "had its turn"
    other.join()
    assert other.exitcode == 0


def forked_child(path, done):
    Study.open(path, "s").ask(1)
    done.set()


def test_a_child_that_is_forked_in_the_middle_of_a_turn_keeps_nobody_waiting(path):
    storage = connect(path)
    study, context = Study.open(storage, "s"), multiprocessing.get_context("fork")
    done = context.Event()
    with storage.writing:
        child = context.Process(target=forked_child, args=(path, done))
        child.start()
        assert not done.is_set()
    study.ask(1)
    child.join()
    assert child.exitcode == 0
    study.refresh()
    assert [event["type"] for event in study.events] == ["created", "asked", "asked"]


def test_without_a_log_there_is_no_order_and_writing_works(tmp_path):
    storage = connect(tmp_path / "new.db")
    assert not (tmp_path / "new.db-wal").exists()
    study = Study.open(storage, "s", ["a", "b"])
    study.tell(study.ask(1)[0], 0.5)
    assert Study.open(tmp_path / "new.db", "s").pulls == 1
