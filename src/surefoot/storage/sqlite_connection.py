"""A connection to a SQLite file that knows which files it has open.

SQLite writes to the files that it opened, whatever became of their names: a commit to a file that was removed or replaced
is gone with the process. So whoever writes looks, before and after, whether these are still the files on the disk.
"""

import ctypes
import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

Identity: TypeAlias = tuple[int, ...]  # device and number of a file, which no other has while somebody has it open

MAGIC = b"SQLite format 3\0"
TICK = 3_000_000_000  # nanoseconds; file systems tell times apart that are farther from each other than this
TRIES = 5  # at opening a file that is replaced at the same moment


class Misplaced(sqlite3.OperationalError):
    """There is no file where it was, or another one."""


class Changed(sqlite3.OperationalError):
    """Other files are on the disk than those that are open, or they were written to and must not be: open them anew."""


class Names(NamedTuple):
    """SQLite follows a symbolic link, and has the other two beside what it leads to."""

    main: str
    log: str  # of what was written and is not in the file yet
    shared: str  # index of the log, with the locks of those who use it

    @classmethod
    def of(cls, path: Path) -> "Names":
        real = os.path.realpath(path)
        return cls(str(path), f"{real}-wal", f"{real}-shm")


def identity(name: str) -> Identity | None:
    try:
        status = os.stat(name)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def compare(name: str, file: Identity | None, writing: bool) -> None:
    """Is it the file of this name?"""
    if file is None:
        return
    try:
        status = os.stat(name)
    except OSError:
        raise missing(name) from None
    if status.st_ino != file[1] or status.st_dev != file[0]:
        raise missing(name)
    if writing and status.st_nlink > 1:
        raise sqlite3.OperationalError(
            f"{name} has {status.st_nlink} names (hard links), and writing by several names would damage it: "
            "it can only be read; to write to it, remove the other names"
        )


class Connection(sqlite3.Connection):
    """What it was opened by, and which files it has open; none of the log and its index if it has none."""

    names: Names
    folder: str  # with the main file in it
    files: tuple[Identity | None, ...] = ()
    linked: bool = False  # is the name a symbolic link? SQLite has the log beside what it leads to
    still: tuple[int, ...] = ()  # size and times of a file that is read as one that nobody writes to
    # The folder and when a name in it last changed, if all names were looked at after that. One look at the folder is
    # cheaper than one at each file; and to ask when the log was written makes Linux note that at the next commit.
    settled: tuple[int, ...] = ()

    def check(self, writing: bool) -> None:
        """Is what is read, or written, in the files of these names?"""
        if not self.files:
            return
        try:
            folder = os.stat(self.folder)
        except OSError:
            raise missing(self.names.main) from None
        seen = folder.st_dev, folder.st_ino, folder.st_ctime_ns
        is_settled = seen == self.settled  # no name in it has changed since
        if writing or not is_settled:  # a further name of the file may be in another folder
            compare(self.names.main, self.files[0], writing)
        if self.still and self.still != stillness(self.names):
            raise Changed(f"{self.names.main} was written to while it was read")
        if is_settled:
            return
        compare(self.names.log, self.files[1], writing)
        compare(self.names.shared, self.files[2], writing)
        if os.path.islink(self.names.main) != self.linked:
            raise missing(self.names.main)
        unchanged_for = time.time_ns() - folder.st_ctime_ns
        self.settled = seen if not self.linked and unchanged_for > TICK else ()

    def close(self) -> None:
        """Close it, unless that would destroy what others wrote.

        The last one to close copies the log into the file and removes it. If somebody removed the log or its index, and
        another process has made new ones since, this connection does not know what is in them.
        """
        if self.is_overtaken():
            self.keep_for_ever()
        else:
            self.files = ()
            super().close()

    def is_overtaken(self) -> bool:
        others = zip(self.names[1:], self.files[1:], strict=True) if self.files else ()
        return any(expected and identity(name) not in (expected, None) for name, expected in others)

    def keep_for_ever(self) -> None:
        """Not even the end of the interpreter closes what is referred to by nobody that can be found."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))

    def __del__(self) -> None:
        if self.is_overtaken():
            self.keep_for_ever()


def missing(name: str) -> Changed:
    return Changed(f"{name} was removed, moved or replaced while it was in use: this call is not acknowledged")


def opened(path: Path, patience: float) -> Connection:
    """A connection to a file that is there. If it can only be read, nothing is written beside it either."""
    for _ in range(TRIES):
        names, before, others = Names.of(path), identity(str(path)), open_files()
        mode, still = access(names)
        connection = sqlite3.connect(
            f"{path.as_uri()}?{mode}",
            uri=True,
            timeout=patience,
            check_same_thread=False,
            isolation_level=None,  # transactions begin where we say so
            factory=Connection,
        )
        try:
            logged = configure(connection, os.access(names.main, os.W_OK) and not still)
            identities = tuple(identity(name) for name in names)
            files = identities if logged else (identities[0], None, None)
            if before == files[0] and (not logged or None not in files) and are_open(files, others):
                connection.names, connection.files, connection.still = names, files, still
                connection.folder = os.path.dirname(names.main)
                connection.linked = os.path.islink(names.main)
                connection.check(writing=False)
                return connection
        except Changed:
            pass  # once more
        except BaseException as error:
            elsewhere = isinstance(error, sqlite3.OperationalError) and not are_open((identity(names.main),), others)
            connection.close()
            if not elsewhere:  # or else what went wrong is about another file
                raise
        connection.close()
    raise Misplaced(
        f"{names.main} or a file that SQLite has beside it is not the one that this process has open: "
        "it was removed or replaced while it was in use; end the programs that use it and start them again"
    )


def access(names: Names) -> tuple[str, tuple[int, ...]]:
    """How to open a file, and its stillness if that is to be as one that nobody writes to.

    Whoever writes has a log and its index beside the file: who may read them takes part. Without them SQLite would make
    them, which it cannot where nothing may be written, and must not where only the file may not: they would be in the
    way of those who may. A log without its file SQLite would remove.
    """
    if size(names.log) and not size(names.main):
        raise Misplaced(
            f"{names.main} is missing or empty, but {names.log} has results that belong to it; put the file back, "
            "or move its -wal away too"
        )
    taking_part = os.path.exists(names.log) and os.path.exists(names.shared)
    folder = os.path.dirname(names.log)
    if taking_part or not os.path.exists(names.main) or all(os.access(name, os.W_OK) for name in (names.main, folder)):
        return "mode=rw", ()
    still = stillness(names)
    if still[-1]:
        raise sqlite3.OperationalError(
            f"the last results are in {names.log}, and SQLite can read them only if it can create {names.shared}: "
            "copy the file and its -wal to a folder that you may write to"
        )
    return "mode=ro&immutable=1", still


def stillness(names: Names) -> tuple[int, ...]:
    """What changes when a file is written to; the last number is the size of its log."""
    status = os.stat(names.main)
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, size(names.log)


def size(name: str) -> int:
    """In bytes; 0 if there is no such file."""
    try:
        return os.stat(name).st_size
    except OSError:
        return 0


def open_files() -> dict[int, Identity]:
    """What this process has open; nothing where that cannot be found out."""
    identities: dict[int, Identity] = {}
    if os.path.isdir("/dev/fd"):
        for number in map(int, os.listdir("/dev/fd")):
            with suppress(OSError):  # closed by another thread, or the list itself
                status = os.fstat(number)
                identities[number] = status.st_dev, status.st_ino
    return identities


def are_open(files: tuple[Identity | None, ...], before: dict[int, Identity]) -> bool:
    """Does this process have these files open, and no other database that it did not have before?

    A look at the names alone, before and after opening, does not notice a file that was there in between only.
    """
    now = open_files()
    fresh = [number for number, file in now.items() if file not in files and before.get(number) != file]
    return not now or ({*files} - {None} <= {*now.values()} and not any(map(is_database, fresh)))


def is_database(number: int) -> bool:
    try:
        return os.pread(number, len(MAGIC), 0) == MAGIC
    except OSError:  # no file, or closed by another thread
        return False


def configure(connection: sqlite3.Connection, writable: bool) -> bool:
    """Write ahead, and have every commit on the disk before it is acknowledged; whether there is such a log now.

    The file of another program stays as it is.
    """
    mode = patiently(connection, "PRAGMA journal_mode")
    if mode != "wal" and writable and not foreign_table(connection):
        mode = patiently(connection, "PRAGMA journal_mode = WAL")
        if mode != "wal":
            raise sqlite3.OperationalError(
                f"SQLite cannot use a write-ahead log for this file (its journal mode is {mode!r}): put it on a local disk"
            )
    patiently(connection, "SELECT count(*) FROM sqlite_master")  # has the log opened
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")
    return mode == "wal"


def foreign_table(connection: sqlite3.Connection) -> str:
    """A table of another program in a database that has none of ours; empty if there is no such thing."""
    ours = "SELECT 1 FROM sqlite_master WHERE name LIKE 'surefoot\\_%' ESCAPE '\\'"
    theirs = "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT 1"
    return patiently(connection, f"SELECT max(name) FROM ({theirs}) WHERE NOT EXISTS ({ours})") or ""


def patiently(connection: sqlite3.Connection, statement: str) -> str | None:
    """The first value that a statement gives, once others have let go of the file."""
    while True:
        try:
            value = connection.execute(statement).fetchone()[0]
            return value if value is None else str(value)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        time.sleep(0.01)
