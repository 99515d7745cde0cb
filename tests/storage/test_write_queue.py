"""Processes that write to one SQLite file take turns: whoever had one comes after those who wait."""

import multiprocessing
import os
import signal
import sys
import time

import pytest

from surefoot import Study
from surefoot.storage import connect, write_queue

fcntl = pytest.importorskip("fcntl")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system says who waits for a lock in /proc/locks")


@pytest.fixture
def path(tmp_path):
    Study.open(tmp_path / "studies.db", "s", ["a", "b"])
    return tmp_path / "studies.db"


def is_at_the_head(process, file):
    """Is a process the next in the line for a file?"""
    inode = f":{os.stat(file).st_ino} "
    with open("/proc/locks") as locks:
        return any(f"FLOCK  ADVISORY  WRITE {process.pid} " in line and inode in line for line in locks)


def take_a_turn(path, mark):
    write_queue.STUCK = 60.0  # it does not leave the line, however long the other one takes
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
        while not is_at_the_head(other, f"{path}-wal"):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert not mark.exists()
    with queue:
        assert mark.read_text() == "had its turn"
    other.join()
    assert other.exitcode == 0


def has_the_turn(file):
    inode = f":{os.stat(file).st_ino} "
    with open("/proc/locks") as locks:
        return any(f"POSIX  ADVISORY  WRITE {os.getpid()} " in line and inode in line for line in locks)


def test_one_writer_alone_has_the_turn_and_no_place_to_wait_at(path):
    keep = connect(path)
    keep.studies()
    with keep.writing:
        assert has_the_turn(f"{path}-wal")
        assert keep.writing.place is None
    assert not has_the_turn(f"{path}-wal")


def forked_child(path, done):
    Study.open(path, "s").ask(1)
    done.set()


def test_a_child_that_is_forked_in_the_middle_of_a_turn_keeps_nobody_waiting(path, monkeypatch):
    monkeypatch.setattr(write_queue, "STUCK", 60.0)
    storage = connect(path)
    study, context = Study.open(storage, "s"), multiprocessing.get_context("fork")
    done = context.Event()
    with storage.writing:
        child = context.Process(target=forked_child, args=(path, done))
        child.start()
        assert not done.is_set()
    assert done.wait(30)  # it has its turn now: no lock is left with it that it waits for itself
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


def stop_in_the_line(path, lock, locked):
    """As a process that the system stops when it has got a lock."""
    file = os.open(f"{path}-wal", os.O_RDWR)
    lock(file, fcntl.LOCK_EX)
    locked.set()
    os.kill(os.getpid(), signal.SIGSTOP)


@pytest.mark.parametrize("lock", [fcntl.flock, fcntl.lockf], ids=["at the head", "in its turn"])
def test_a_process_that_is_stopped_in_the_line_keeps_nobody_waiting(path, lock):
    keep = connect(path)
    keep.studies()
    context = multiprocessing.get_context("spawn")
    locked, done = context.Event(), context.Event()
    stopped = context.Process(target=stop_in_the_line, args=(path, lock, locked))
    writer = context.Process(target=forked_child, args=(path, done), daemon=True)
    stopped.start()
    try:
        assert locked.wait(60)
        writer.start()
        assert done.wait(60)  # or else for ever
    finally:
        stopped.kill()
        stopped.join()
    writer.join()
    assert [event["type"] for event in Study.open(path, "s").events] == ["created", "asked"]


def test_who_left_a_line_that_does_not_move_writes_out_of_turn_until_it_moves_again(path):
    keep = connect(path)
    study = Study.open(keep, "s")
    file = os.open(f"{path}-wal", os.O_RDWR)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)  # nobody will hand it on
        study.ask(1)
        place = keep.writing.place
        study.ask(1)
        assert keep.writing.place is place  # it stands in line once, and this ask did not wait for it
        assert not place.has_come.is_set()
    finally:
        os.close(file)
    assert place.is_over.wait(60)
    study.ask(1)
    assert keep.writing.place is None  # there was nobody in front
    assert [event["type"] for event in study.events] == ["created"] + ["asked"] * 3


def test_turns_have_one_connection_and_one_log_and_neither_is_kept_open(path):
    storage = connect(path)
    study = Study.open(storage, "s")
    study.ask(1)
    (connection,), log = storage.idle, storage.writing.file
    study.ask(1)
    assert storage.idle == [connection]
    assert storage.writing.file == log
    assert os.path.samestat(os.fstat(log), os.stat(f"{path}-wal"))
    storage.close()
    assert not storage.idle
    assert storage.writing.file is None
    study.ask(1)
    assert [event["type"] for event in study.events] == ["created"] + ["asked"] * 3


def test_a_log_that_is_to_be_closed_in_the_middle_of_a_turn_is_closed_at_its_end(path):
    storage = connect(path)
    storage.studies()
    with storage.writing:
        storage.writing.close()
        assert has_the_turn(f"{path}-wal")
    assert storage.writing.file is None
