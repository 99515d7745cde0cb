"""A SQLite file that is removed, moved or replaced while it is in use: what is acknowledged is in the file of that name."""

import contextlib
import gc
import os
import shutil
import sqlite3
import subprocess
import sys
import time

import pytest

from surefoot import Study
from surefoot.errors import BadJournal, StorageFailed
from surefoot.storage import connect, sqlite_connection
from tests.storage.helpers import begin, state
from tests.storage.sqlite_files import copy, each, empty, move, remove, study_storage, tell

SUFFIXES = [("",), ("-wal",), ("-shm",), ("-wal", "-shm"), ("", "-wal", "-shm"), ("", "-wal"), ("", "-shm")]


def at(moment, storage, act):
    """Do something once, at a moment of the next turn."""
    name = {"before it is begun": "begin", "before the commit": "sql", "after the commit": "confirm"}[moment]
    wrapped = getattr(storage, name)

    def call(*arguments):
        setattr(storage, name, wrapped)
        act()
        return wrapped(*arguments)

    setattr(storage, name, call)


@pytest.fixture
def storage(study):
    return study_storage(study)


@pytest.mark.parametrize("moment", ["before it is begun", "before the commit", "after the commit"])
@pytest.mark.parametrize("suffixes", SUFFIXES, ids="+".join)
@pytest.mark.parametrize("act", [remove, move, empty, copy])
def test_what_is_acknowledged_is_in_the_file_of_that_name(study, storage, path, act, suffixes, moment, told):
    check_acknowledged(study, storage, path, act, suffixes, moment, told)


@pytest.mark.parametrize("moment", ["before it is begun", "before the commit", "after the commit"])
@pytest.mark.parametrize("suffixes", [("",), ("-wal",), ("-shm",)], ids="+".join)
@pytest.mark.parametrize("act", [remove, copy])
def test_the_same_where_no_name_in_the_folder_has_changed_for_long(
    study, storage, path, act, suffixes, moment, told, monkeypatch
):
    """Then the folder is looked at instead of the files."""
    monkeypatch.setattr(sqlite_connection, "TICK", 50_000_000)
    time.sleep(0.1)
    study.tell(20, 0.5)
    with storage.engine.raw_connection() as connection:
        assert connection.driver_connection.settled
    check_acknowledged(study, storage, path, act, suffixes, moment, told)


def check_acknowledged(study, storage, path, act, suffixes, moment, told):
    before, after = set(), set()
    tell(study, [1, 2, 3], before)
    at(moment, storage, lambda: each(act, path, suffixes))
    refused = tell(study, [4, 5, 6, 7, 8], after)
    assert all("could not be used: " in sentence for sentence in refused.values())
    if moment == "after the commit":
        assert 4 in refused
    if "" in suffixes and act is not copy:
        assert not after
        assert act is empty or not path.exists()
    storage.close()
    assert after <= told(path)
    if after:  # whoever goes on has lost nothing
        assert before <= told(path)


@pytest.mark.parametrize("suffixes", [("",), ("", "-wal", "-shm")], ids="+".join)
def test_a_file_that_is_moved_back_goes_on(study, path, suffixes, told):
    acknowledged = set()
    tell(study, [1, 2, 3], acknowledged)
    each(move, path, suffixes)
    for call in (
        lambda: study.tell(4, 0.5),
        study.ask,
        study.refresh,
        lambda: Study.open(study_storage(study), "study"),
    ):
        with pytest.raises(StorageFailed, match="the file was removed or moved away; put it back"):
            call()
    assert not path.exists()
    for suffix in suffixes:
        moved = path.with_name(f"{path.name}{suffix}.moved")
        moved.rename(str(moved).removesuffix(".moved"))
    assert not tell(study, [4, 5], acknowledged)
    assert told(path) == acknowledged == {1, 2, 3, 4, 5}
    assert state(Study.open(path, "study")) == state(study)


def test_a_folder_that_is_renamed_and_back(folder, told):
    (folder / "a").mkdir()
    path, acknowledged = folder / "a" / "x.db", set()
    study = begin(connect(path))
    study.ask(9)
    tell(study, [1], acknowledged)
    (folder / "a").rename(folder / "b")
    (folder / "a").mkdir()
    assert list(tell(study, [2], acknowledged)) == [2]
    (folder / "a").rmdir()
    (folder / "b").rename(folder / "a")
    assert not tell(study, [3], acknowledged)
    (folder / "a").rename(folder / "b")
    (folder / "a").symlink_to(folder / "b")  # the same file, by another way
    assert not tell(study, [4], acknowledged)
    assert told(path) == acknowledged == {1, 3, 4}


@pytest.mark.parametrize("same_number", [False, True])
def test_an_older_copy_in_its_place_is_refused(study, storage, path, folder, same_number, told):
    """Also one that happens to have the number of the file that was there, which a file system may use again."""
    acknowledged = set()
    tell(study, [1], acknowledged)
    with contextlib.closing(sqlite3.connect(path)) as source, contextlib.closing(sqlite3.connect(folder / "old")) as to:
        source.backup(to)
    tell(study, [2, 3], acknowledged)
    storage.close()
    if same_number:
        path.write_bytes((folder / "old").read_bytes())
    else:
        shutil.copy(path, folder / "right")
        os.replace(folder / "old", path)
    sentence = (
        "another file or an older copy is in its place: it lacks event 5 of the study 'study', which was acknowledged"
    )
    for call in (
        lambda: study.tell(4, 0.5),
        study.ask,
        lambda: Study.open(storage, "study"),
        storage.studies,
        storage.ready,
    ):
        with pytest.raises(StorageFailed, match=sentence):
            call()
    if not same_number:
        os.replace(folder / "right", path)
        assert not tell(study, [4], acknowledged)
        assert told(path) == {1, 2, 3, 4}


@pytest.mark.parametrize("other", ["", "CREATE TABLE theirs (x)"])
def test_another_file_in_its_place_is_refused_and_left_alone(study, storage, path, other):
    study.tell(1, 0.5)
    storage.close()
    path.unlink()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(other)
    before = path.read_bytes() if path.exists() else path.touch() or b""
    for call in (
        lambda: study.tell(2, 0.5),
        lambda: begin(storage, "new"),
        lambda: storage.delete("study"),
        storage.ready,
    ):
        with pytest.raises(StorageFailed, match="another file is in its place, and it has no studies"):
            call()
    if other:
        assert path.read_bytes() == before


@pytest.mark.parametrize("other", ["", "empty", "another database", "copy"])
def test_a_log_is_not_taken_for_one_of_another_file(study, storage, path, told, other):
    """SQLite would remove it, or copy it into that file: what is only there would be lost to the one that was moved."""
    acknowledged = set()
    tell(study, [1, 2, 3], acknowledged)
    move(path)
    if other == "empty":
        path.touch()
    elif other == "another database":
        begin(path.with_name("y.db")).ask()
        connect(path.with_name("y.db")).close()
        shutil.copy(path.with_name("y.db"), path)
    elif other == "copy":
        shutil.copy(f"{path}.moved", path)
    assert list(tell(study, [4, 5], acknowledged)) == [4, 5]
    if other in ("", "empty"):  # for who has never seen the file, too
        with pytest.raises(StorageFailed, match=r"x\.db-wal has results that belong to it; put the file back"):
            begin(path)
        assert path.exists() == bool(other)
    os.replace(f"{path}.moved", path)
    assert not tell(study, [4, 5], acknowledged)
    assert told(path) == {1, 2, 3, 4, 5}


def test_a_study_that_others_deleted_is_not_missed(study, storage, path):
    study.tell(1, 0.5)
    storage.close()
    connect(path).delete("study")
    assert storage.studies() == []
    assert begin(storage, "study").pulls == 0


WORKER = """
import os, sys
from surefoot import Study
study = Study.open(sys.argv[1], "study")
study.tell(9, 0.5)
print("acknowledged", flush=True)
os._exit(0)
"""


@pytest.mark.parametrize("ends", ["closes", "calls", "is collected", "exits"])
@pytest.mark.parametrize("suffixes", [("-shm",), ("-wal", "-shm")], ids="+".join)
def test_who_has_files_that_were_removed_does_not_destroy_what_others_wrote_since(path, suffixes, ends, told):
    """SQLite would copy its own log into the file, and remove the one that the others wrote to."""
    code = f"""
import os, subprocess, sys
from surefoot import Study
from surefoot.errors import StorageFailed
path, worker, ends = sys.argv[1:4]
study = Study.open(path, "study")
storage = study._replica.journal.database
study.tell(1, 0.5)
for suffix in {suffixes!r}:
    os.unlink(path + suffix)
print(subprocess.run([sys.executable, "-c", worker, path], capture_output=True, text=True).stdout)
if ends == "closes":
    storage.close()
elif ends == "calls":
    for pull in (2, 3):
        try:
            study.tell(pull, 0.5)
            raise SystemExit("told what nobody will find")
        except StorageFailed as error:
            assert "removed or replaced while it was in use; end the programs that use it" in str(error), error
elif ends == "is collected":
    del study, storage
"""
    study = begin(path)
    study.ask(9)
    study_storage(study).close()
    found = subprocess.run([sys.executable, "-c", code, path, WORKER, ends], capture_output=True, text=True)
    assert (found.returncode, found.stdout.strip()) == (0, "acknowledged"), found.stderr
    assert 9 in told(path)


def test_a_connection_opened_while_the_file_is_replaced_is_not_used(path, monkeypatch, told):
    """Opened by the name while another file had it, which is back a moment later: no look at the name tells."""
    begin(path).ask(9)
    other = path.with_name("other.db")
    begin(other).ask(9)
    for one in (path, other):
        connect(one).close()
    study = Study.open(path, "study")
    storage = study_storage(study)
    storage.close()
    real, swaps = sqlite3.connect, []

    def swapping(*arguments, **options):
        if swaps:
            return real(*arguments, **options)
        swaps.append(True)
        os.rename(path, f"{path}.away")
        os.rename(other, path)
        connection = real(*arguments, **options)
        os.rename(path, other)
        os.rename(f"{path}.away", path)
        return connection

    monkeypatch.setattr(sqlite3, "connect", swapping)
    study.tell(1, 0.5)
    assert swaps
    assert (told(path), told(other)) == ({1}, set())


def test_other_storages_of_the_process_do_not_hold_it_up(study, storage, path, told):
    """The index that was removed is shared by all connections of a process."""
    others = [Study.open(path, "study") for _ in range(3)]
    acknowledged = set()
    each(remove, path, ("-shm",))
    for pull, one in enumerate([study, *others], 1):
        assert not tell(one, [pull], acknowledged)
    storage.close()
    assert told(path) == acknowledged == {1, 2, 3, 4}


def test_damage_is_not_taken_for_another_file(study, storage, path):
    study.tell(1, 0.5)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE surefoot_events SET body = '{}' WHERE position = 2")
        connection.commit()
    storage.close()
    with pytest.raises(BadJournal, match="event 2 of the journal is not what was written"):
        Study.open(storage, "study")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the files that a process has open")
def test_a_study_that_nobody_refers_to_leaves_no_file_open(folder):
    def there():
        gc.collect()
        return len(os.listdir("/proc/self/fd"))

    def used(number):
        study = Study.open(folder / f"{number}.db", "study", ["A", "B"])
        study.tell(study.ask()[0], 0.5)

    used(0)
    before = there()
    for number in range(1, 11):
        used(number)
    assert there() <= before
