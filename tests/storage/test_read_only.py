"""Studies where nothing can be written: they are read, and nothing is left beside them."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from surefoot import Study
from surefoot.errors import StorageFailed
from surefoot.storage import connect
from surefoot.storage.database_journal import DatabaseJournal
from tests.storage.helpers import begin
from tests.storage.test_damage import SAMPLES

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="takes root, who can be another user and mount file systems"
)

# Reads the study of x.db in every way, and tries to write; as a user to whom permissions apply, and who may not even read
# the interpreter's files: all that is needed is loaded by looking at a study elsewhere first.
LOOK = """
import contextlib, io, json, os, sys, tempfile
from surefoot import Study
from surefoot.cli.main import main
from surefoot.errors import StorageFailed
user, folder = int(sys.argv[1]), sys.argv[2]

def look():
    before = set()
    with contextlib.suppress(PermissionError):
        before = set(os.listdir("."))
    study = Study.open("x.db", "study")
    storage, said = study._replica.journal.database, []
    for call in (lambda: study.tell(7, 0.5), study.ask, lambda: Study.open(storage, "new", ["A", "B"]), storage.ready):
        try:
            call()
            said.append("")
        except StorageFailed as error:
            said.append(str(error))
    with contextlib.redirect_stdout(io.StringIO()) as out:
        codes = [main(["status", "study", "--db", "x.db"]), main(["list"]), main(["list", "--db", "x.db"])]
        codes.append(main(["export", "study", "--db", "x.db"]))
    listed = sum(line.startswith("study ") for line in out.getvalue().splitlines())
    return [study.pulls, len(study.table()), codes, listed, said, sorted({*os.listdir(".")} - before)]

with tempfile.TemporaryDirectory() as elsewhere:
    os.chdir(elsewhere)
    Study.open("x.db", "study", ["A", "B"]).ask(9)
    look()
    with contextlib.suppress(StorageFailed):
        Study.open("nowhere/x.db", "study", ["A"])
    os.chdir(folder)
if user:
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
print(json.dumps(look()))
"""


def look(folder, user=65534, mounted=False, expected=0):
    command = [sys.executable, "-c", LOOK, str(user), str(folder)]
    if mounted:
        mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
        command = ["unshare", "-m", "sh", "-c", mount, str(folder), *command]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == expected, found.stderr
    return found


def check(found, pulls=2):
    seen, rows, codes, listed, said, left = json.loads(found.stdout)
    assert (seen, rows, codes, listed, left) == (pulls, 3, [3, 0, 0, 0], 2, [])
    assert [
        text for text in said if "could not be used: attempt to write a readonly database; it can be" not in text
    ] == []


@pytest.fixture
def place():
    """A folder that others may look into, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


@pytest.fixture
def study(place):
    study = begin(connect(place / "x.db"))
    pulls = study.ask(9)
    study.tell_all([(pull, 0.5) for pull in pulls[:2]])
    return study


def close(study):
    study._replica.journal.database.close()


def allow(place, folder=0o755, file=0o644):
    place.chmod(folder)
    for path in place.iterdir():
        path.chmod(file)


needs_mount = pytest.mark.skipif(
    subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0, reason="may not mount here"
)


@needs_mount
@pytest.mark.parametrize("live", [False, True])
def test_a_read_only_file_system(place, study, live):
    if not live:
        close(study)
    check(look(place, user=0, mounted=True))
    study.tell(3, 0.5)  # by who can write
    check(look(place, user=0, mounted=True), 3)


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("folder", [0o755, 0o777])
def test_a_file_or_a_folder_without_permission(place, study, folder, live):
    """Nothing is left in a folder that may be written to: it would be in the way of who may write to the file."""
    if not live:
        close(study)
    allow(place, folder=folder)
    check(look(place))
    study.tell(3, 0.5)
    allow(place, folder=folder)
    check(look(place), 3)


def test_a_file_that_may_be_written_to_in_a_folder_that_may_not(place, study):
    close(study)
    allow(place, file=0o666)
    check(look(place))


def test_the_files_of_a_process_that_was_killed(place, study):
    """The last results are in the log. With its index they are read; without, nobody is shown less than was acknowledged."""
    (place / "copy").mkdir()
    for suffix in ("", "-wal", "-shm"):
        shutil.copy(place / f"x.db{suffix}", place / "copy")
    allow(place / "copy")
    check(look(place / "copy"))
    (place / "copy" / "x.db-shm").unlink()
    found = look(place / "copy", expected=1)
    assert "the last results are in" in found.stderr
    assert "copy the file and its -wal to a folder that you may write to" in found.stderr


def test_tables_of_an_older_version_are_read_as_they_are(place):
    shutil.copy(SAMPLES / "version1.db", place / "x.db")
    allow(place)
    code = """
import os, shutil, sys, tempfile
from surefoot import Study
path, copy = sys.argv[1], tempfile.mktemp()
Study.open(shutil.copy(path, copy), "sample")  # so that all that is needed is loaded
os.setuid(65534)
print(Study.open(path, "sample").pulls)
"""
    found = subprocess.run([sys.executable, "-c", code, place / "x.db"], capture_output=True, text=True)
    assert (found.stdout.strip().isdigit(), sorted(path.name for path in place.iterdir())) == (True, ["x.db"]), found


@pytest.fixture
def unwritable(monkeypatch):
    """As if nothing could be written, for who reads."""
    access = os.access
    monkeypatch.setattr(os, "access", lambda name, mode: mode != os.W_OK and access(name, mode))


def test_what_is_read_as_unwritten_is_read_again_once_somebody_writes(place, study, unwritable, monkeypatch):
    """A writer that was not there when the file was opened, or that comes and goes while it is read."""
    close(study)
    reader = connect(place / "x.db")
    seen = Study.open(reader, "study")
    with contextlib.closing(reader.engine.raw_connection()) as connection:
        assert connection.driver_connection.still
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, place / "x.db"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with writer:
        for pull in (3, 4):
            writer.stdin.write(b"%d\n" % pull)
            writer.stdin.flush()
            assert writer.stdout.readline() == b"told\n"
            assert (seen.refresh(), seen.pulls) == (1, pull)
        with contextlib.closing(reader.engine.raw_connection()) as connection:
            assert not connection.driver_connection.still
        writer.stdin.close()
    reader.close()
    read_chunk = DatabaseJournal.read_chunk

    def written_to(*arguments):
        found = read_chunk(*arguments)
        monkeypatch.setattr(DatabaseJournal, "read_chunk", read_chunk)
        subprocess.run([sys.executable, "-c", WRITER, place / "x.db"], input=b"5\n", check=True, capture_output=True)
        return found

    monkeypatch.setattr(DatabaseJournal, "read_chunk", written_to)
    assert (seen.refresh(), seen.pulls) == (1, 5)


WRITER = """
import sys
from surefoot import Study
study = Study.open(sys.argv[1], "study")
for line in sys.stdin:
    study.tell(int(line), 0.5)
    print("told", flush=True)
study._replica.journal.database.close()
"""


def test_a_folder_that_may_not_be_looked_into_is_no_reason_to_say_that_there_is_no_study(place, study):
    place.chmod(0o744)
    found = look(place, expected=1)
    assert "StorageFailed: sqlite:///x.db could not be used: unable to open database file; its folder" in found.stderr


def test_a_database_of_another_mode_is_read(place, study):
    """As `sqlite3 .recover` makes it."""
    close(study)
    with contextlib.closing(sqlite3.connect(place / "x.db")) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    allow(place)
    check(look(place))
    with pytest.raises(StorageFailed, match="could not be used: "):
        begin(place)
    assert Study.open(place / "x.db", "study").ask(1)
