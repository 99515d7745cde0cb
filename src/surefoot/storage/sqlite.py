"""Journals in a SQLite file, safe for many processes of one machine."""

import os
import sqlite3
import time
import weakref
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from sqlalchemy import URL, PoolProxiedConnection, create_engine
from sqlalchemy import Connection as Session

from surefoot.errors import InvalidValue, StorageFailed, encoded
from surefoot.storage import rows, schema
from surefoot.storage.database import Database, open_databases
from surefoot.storage.database_journal import INSERT, Execute
from surefoot.storage.sqlite_connection import (
    Changed,
    Connection,
    Identity,
    Misplaced,
    Names,
    access,
    foreign_table,
    identity,
    opened,
    size,
)
from surefoot.storage.write_queue import WriteQueue

BUSY = 0.05  # seconds that SQLite waits for the lock by itself, looking more and more rarely; then the wait begins anew
MANY = 60  # rows of one statement, each in half of the time that it takes alone
INSERT_MANY = INSERT + ", (?, ?, ?, ?, ?, ?, ?, ?)" * (MANY - 1)


class SQLite(Database):
    """One writer at a time, by BEGIN IMMEDIATE; those who wait stand in line, and the next is woken without polling."""

    HEAD = "SELECT position, digest, NULL FROM surefoot_studies WHERE id = ?"

    def __init__(self, path: str | Path) -> None:
        if not str(path) or str(path) == ":memory:":
            raise InvalidValue("a SQLite storage must be a file; memory:// is the storage without one")
        self.path = Path(encoded("a SQLite storage", str(path))).absolute()
        self.files: tuple[Identity | None, ...] = ()  # those that were used last
        self.recognised: Identity | None = None  # the file that is open and known to be ours
        self.idle: list[PoolProxiedConnection] = []  # between two turns
        itself = weakref.ref(self)

        def creator() -> Connection:
            """SQLAlchemy keeps the pool of a connection that is borrowed, and so this function. If it kept the storage,
            which keeps what it borrowed, nothing would ever be closed.
            """
            storage = itself()
            assert storage is not None
            return storage.open()

        engine = create_engine(
            URL.create("sqlite", database=str(path)),
            creator=creator,
            max_overflow=-1,
            pool_reset_on_return="rollback",
        )
        super().__init__(engine)
        self.queue_up()

    def queue_up(self) -> None:
        """Begin to stand in line anew."""
        self.writing: WriteQueue = WriteQueue(Names.of(self.path).log)

    def exists(self) -> bool:
        try:
            self.path.stat()
        except PermissionError:
            return True  # as far as one may know; SQLite says what is wrong
        except (OSError, ValueError):
            return False  # also where no file can be of this name
        return True

    def prepare(self, create: bool) -> bool:
        """A new file is its owner's alone, as are those that SQLite puts beside it, which have the same mode."""
        if create and not self.prepared:
            self.patiently(lambda: access(Names.of(self.path)))
            with suppress(OSError):  # it is there, or SQLite will say what is wrong
                os.close(os.open(os.path.realpath(self.path), os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        return super().prepare(create)

    def migrate(self, connection: Session) -> None:
        driver = connection.connection.driver_connection
        assert isinstance(driver, Connection)
        if theirs := foreign_table(driver):
            raise sqlite3.DatabaseError(
                f"it is the database of another program: it has {theirs!r} and no table of Surefoot; give another file"
            )
        super().migrate(connection)

    def now(self) -> float:
        return time.time()

    def begin(self, execute: Execute) -> None:
        execute("BEGIN IMMEDIATE", ())

    def begin_to_read(self, connection: Session) -> None:
        connection.exec_driver_sql("BEGIN")

    def busy(self, error: Exception) -> bool:
        if isinstance(error, Changed):
            self.let_go()
            return True
        code: int = getattr(error, "sqlite_errorcode", 0)
        return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

    def insert_many(self, cursor: Any, events: list[rows.StudyRow]) -> list[rows.StudyRow]:
        full = len(events) - len(events) % MANY
        for start in range(0, full, MANY):
            cursor.execute(INSERT_MANY, tuple(chain.from_iterable(events[start : start + MANY])))
        return events[full:]

    def is_read_only(self) -> bool:
        return not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK))

    # --- the file, and no other

    def open(self) -> Connection:
        if self.prepared and not self.exists():
            raise Misplaced("the file was removed or moved away; put it back, and the studies go on")
        self.check_log()
        connection = opened(self.path, BUSY)
        try:
            if self.prepared and self.recognised != connection.files[0]:
                self.recognise(connection)
                self.recognised = connection.files[0]
        except BaseException:
            connection.close()
            raise
        self.files = connection.files
        return connection

    def check_log(self) -> None:
        """SQLite would take the log of a file that was moved away for one of the file that is in its place."""
        names = Names.of(self.path)
        if self.files and self.files[0] != identity(names.main) and size(names.log):
            if self.files[1] == identity(names.log):
                raise Misplaced(
                    f"another file is in its place, but {names.log} belongs to the file that was there before; put that "
                    "file back, or end this program and start it again to use the file that is there now"
                )

    def recognise(self, connection: Connection) -> None:
        """Is it the database that was used before? The number of a file does not tell once nobody has it open."""
        tables = "SELECT count(*) FROM sqlite_master WHERE name IN (?, ?)"
        (count,) = connection.execute(tables, (schema.studies.name, schema.events.name)).fetchone()
        if count < 2:
            raise Misplaced(
                "another file is in its place, and it has no studies; put the file back that was there before"
            )
        for study, (name, position, digest) in list(self.known.items()):
            event = connection.execute(RECOGNISED, {"study": study, "position": position, "digest": digest}).fetchone()
            if event is None:
                raise Misplaced(
                    f"another file or an older copy is in its place: it lacks event {position} of the study {name!r}, "
                    "which was acknowledged; put the file back that was there before"
                )

    def check(self, connection: PoolProxiedConnection, writing: bool) -> None:
        driver = connection.driver_connection
        assert isinstance(driver, Connection)
        driver.check(writing)

    def confirm(self, connection: PoolProxiedConnection) -> None:
        try:
            self.check(connection, writing=False)
        except Changed as error:
            raise Misplaced(str(error)) from error

    # --- one connection serves turn after turn: a way through the pool takes longer than all looks at the files

    def borrow(self) -> PoolProxiedConnection:
        try:
            return self.idle.pop()
        except IndexError:
            return super().borrow()

    def give_back(self, connection: PoolProxiedConnection) -> None:
        driver = connection.driver_connection
        if driver is None or driver.in_transaction:
            super().give_back(connection)  # the pool rolls back
        else:
            self.idle.append(connection)

    def empty(self) -> None:
        """Have every connection that nobody uses in the pool."""
        while self.idle:
            self.idle.pop().close()

    def let_go(self) -> None:
        """Of all files: as long as one connection of a process has an index open, SQLite gives it to the others too."""
        for other in list(open_databases):
            if isinstance(other, SQLite) and other.path == self.path:
                other.close()

    def failure(self, error: Exception) -> StorageFailed:
        if isinstance(getattr(error, "orig", error), Misplaced):
            self.let_go()
        self.recognised = None
        self.empty()
        self.writing.close()
        return super().failure(error)

    def reason(self, error: Exception) -> str:
        code: int = getattr(error, "sqlite_errorcode", 0)
        return super().reason(error) + ADVICE.get(code & 0xFF, "")

    def close(self) -> None:
        self.recognised = None
        self.empty()
        self.writing.close()
        super().close()

    def forked(self) -> None:
        self.recognised = None
        self.empty()
        self.queue_up()
        super().forked()


ADVICE = {
    sqlite3.SQLITE_READONLY: "; it can be read, but this user cannot write to the file, its folder or its file system",
    sqlite3.SQLITE_NOTADB: "; name another file, or one that does not exist yet",
    sqlite3.SQLITE_CANTOPEN: "; its folder must exist, and this user must be allowed to write to both",
}

# A study that others deleted need not be there: its number was given, and will not be again.
RECOGNISED = """
SELECT 1 FROM surefoot_events WHERE study = :study AND position = :position AND digest = :digest
UNION ALL
SELECT 1 FROM sqlite_sequence WHERE name = 'surefoot_studies' AND seq >= :study
AND NOT EXISTS (SELECT 1 FROM surefoot_studies WHERE id = :study)
"""
