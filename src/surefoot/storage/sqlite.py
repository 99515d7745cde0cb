"""Journals in a SQLite file, safe for many processes of one machine."""

import os
import sqlite3
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, create_engine, event

from surefoot.errors import InvalidValue, encoded
from surefoot.storage.database import Database
from surefoot.storage.database_journal import Execute

BUSY = 1.0  # seconds that SQLite waits for the lock by itself; then the wait begins anew, so that nobody starves


class SQLite(Database):
    """One writer at a time, by BEGIN IMMEDIATE; in one process by a lock, which wakes the next without polling."""

    HEAD = "SELECT position, digest, NULL FROM surefoot_studies WHERE id = ?"

    def __init__(self, path: str | Path) -> None:
        if not str(path) or str(path) == ":memory:":
            raise InvalidValue("a SQLite storage must be a file; memory:// is the storage without one")
        self.path = Path(encoded("a SQLite storage", str(path)))
        engine = create_engine(
            URL.create("sqlite", database=str(path)),
            connect_args={"timeout": BUSY, "check_same_thread": False},
            max_overflow=-1,
            pool_reset_on_return="rollback",
        )
        event.listen(engine, "connect", configure)
        super().__init__(engine)
        self.writing = threading.Lock()

    def exists(self) -> bool:
        return os.path.exists(self.path)  # False too where no file can be of this name

    def prepare(self, create: bool) -> bool:
        """A new file is its owner's alone, as are those that SQLite puts beside it, which have the same mode."""
        if create and not self.prepared:
            with suppress(OSError):  # it is there, or SQLite will say what is wrong
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        return super().prepare(create)

    def now(self) -> float:
        return time.time()

    def begin(self, execute: Execute) -> None:
        execute("BEGIN IMMEDIATE", ())

    def busy(self, error: Exception) -> bool:
        code: int = getattr(error, "sqlite_errorcode", 0)
        return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def configure(connection: sqlite3.Connection, record: Any) -> None:
    """Write ahead, and have every commit on the disk before it is acknowledged."""
    connection.isolation_level = None  # transactions begin where we say so
    while (mode := write_ahead(connection)) != "wal":
        if mode:
            raise sqlite3.OperationalError(f"it cannot be written ahead here, its journal mode is {mode!r}")
        time.sleep(0.01)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")


def write_ahead(connection: sqlite3.Connection) -> str:
    """The journal mode, WAL if it can be; empty if others are at it."""
    try:
        return str(connection.execute("PRAGMA journal_mode = WAL").fetchone()[0])
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return ""
