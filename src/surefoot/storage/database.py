"""Journals in a database: what SQLite and PostgreSQL have in common.

Cold paths speak SQLAlchemy's expressions. A turn at writing speaks plain SQL to the driver, on a connection of SQLAlchemy's
pool: this halves what a durable tell costs besides the disk.
"""

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from hashlib import blake2b
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Connection, Engine, PoolProxiedConnection, Row, delete, insert, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from surefoot.errors import BadJournal, Conflict, NoSuchStudy, StorageFailed
from surefoot.storage import rows, schema
from surefoot.storage.journal import ENDINGS, Entry, Event, Snapshot

T = TypeVar("T")
Execute: TypeAlias = Callable[[str, tuple[Any, ...]], Iterable[Sequence[Any]]]  # a statement with its parameters: rows

PATIENCE = 600.0  # seconds to wait for others before it is said that they hang
CHUNK = 10_000  # events read at a time, so that a long journal is never in memory whole


class Database:
    """Journals in the tables of `schema`. What differs between databases is in the methods that raise or return little."""

    # Locks a journal for writing: position and digest of its last event, and the time where the database has a clock.
    HEAD: str
    EVENTS = "SELECT position, time, kind, pull, request, body, digest FROM surefoot_events WHERE study = ? AND "
    INSERT = (
        "INSERT INTO surefoot_events (position, time, kind, pull, request, body, digest, study) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    )
    KEEP = (
        "INSERT INTO surefoot_snapshots (study, position, version, body, digest, checksum) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (study) DO UPDATE SET position = excluded.position, version = excluded.version, "
        "body = excluded.body, digest = excluded.digest, checksum = excluded.checksum "
        "WHERE surefoot_snapshots.position < excluded.position"
    )
    MOVE = "UPDATE surefoot_studies SET position = ?, digest = ?, changed = ? WHERE id = ?"

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.url = engine.url.render_as_string(hide_password=True)
        self.errors = (SQLAlchemyError, engine.dialect.loaded_dbapi.Error)
        self.prepared = False
        self.writing: AbstractContextManager[Any] = nullcontext()
        open_databases.add(self)

    # --- what differs

    def exists(self) -> bool:
        """Can there be anything in the database?"""
        return True

    def now(self) -> float:
        raise NotImplementedError

    def begin(self, execute: Execute) -> None:
        """Begin to write, as the only one or with a lock to come."""
        raise NotImplementedError

    def together(self, connection: PoolProxiedConnection) -> AbstractContextManager[Any]:
        """Within this, statements need not wait for each other's answers."""
        return nullcontext()

    def sql(self, statement: str) -> str:
        """A statement with the driver's marks for its parameters."""
        return statement

    def busy(self, error: Exception) -> bool:
        """Is it only that others are at it?"""
        return False

    # --- what is the same

    def studies(self) -> list[Entry]:
        table = schema.studies.c
        statement = select(table.name, table.created, table.changed, table.position).order_by(table.id)
        return [Entry(*row) for row in self.read(lambda connection: list(connection.execute(statement)))]

    def create(self, name: str, event: Event) -> None:
        row = rows.to_row(event, 1, b"")
        first = {"name": name, "created": event["time"], "changed": event["time"], "position": 1, "digest": row[-1]}

        def write(connection: Connection) -> None:
            study = connection.scalar(insert(schema.studies).values(first).returning(schema.studies.c.id))
            connection.exec_driver_sql(self.sql(self.INSERT), (*row, study))

        try:
            self.write(write)
        except IntegrityError as error:
            raise Conflict(f"there is a study {name!r} already") from error

    def journal(self, name: str) -> "DatabaseJournal":
        return DatabaseJournal(self, name, self.number(name))

    def delete(self, name: str) -> None:
        study = self.number(name)

        def write(connection: Connection) -> None:
            connection.exec_driver_sql(self.HEAD, (study,))  # waits for whoever has a turn
            for column in (schema.studies.c.id, schema.snapshots.c.study, schema.events.c.study):
                connection.execute(delete(column.table).where(column == study))

        self.write(write)

    def close(self) -> None:
        self.engine.dispose()

    def number(self, name: str) -> int:
        statement = select(schema.studies.c.id).where(schema.studies.c.name == name)
        found = self.read(lambda connection: list(connection.scalars(statement)))
        if not found:
            raise NoSuchStudy(f"there is no study {name!r} in {self.url}")
        return int(found[0])

    def read(self, work: Callable[[Connection], list[T]]) -> list[T]:
        """What a query finds; nothing where nothing was ever written."""
        if self.exists() and self.prepare(create=False):
            return self.patiently(lambda: self.within(work))
        return []

    def write(self, work: Callable[[Connection], None]) -> None:
        """A transaction."""
        self.prepare(create=True)
        self.patiently(lambda: self.transact(work))

    def prepare(self, create: bool) -> bool:
        """Have the tables in the version that this Surefoot knows; whether there are any."""
        if not self.prepared:
            found = self.patiently(lambda: self.within(schema.version))
            if found < len(schema.STEPS) and (found or create):
                self.patiently(lambda: self.transact(schema.migrate))
            self.prepared = bool(found or create)
        return self.prepared

    def within(self, work: Callable[[Connection], T]) -> T:
        with self.engine.connect() as connection:
            return work(connection)

    def transact(self, work: Callable[[Connection], None]) -> None:
        with self.writing, self.engine.connect() as connection:
            self.begin(connection.exec_driver_sql)
            work(connection)
            connection.commit()

    def patiently(self, work: Callable[[], T]) -> T:
        """Do a piece of work, again if others were in the way; what else goes wrong is said in a sentence."""
        started = time.monotonic()
        while True:
            try:
                return work()
            except IntegrityError:
                raise
            except self.errors as error:
                if not self.busy(getattr(error, "orig", error)) or time.monotonic() > started + PATIENCE:
                    raise self.failure(error) from error

    def failure(self, error: Exception) -> StorageFailed:
        """What to say of an error. Its connection may be dead, and others with it: all are made anew."""
        self.engine.dispose()
        reason = str(getattr(error, "orig", error)).strip().replace("\n", " ")
        return StorageFailed(f"{self.url} could not be used: {reason}")

    def forked(self) -> None:
        """In a child process: leave the parent's connections alone."""
        self.engine.dispose(close=False)
        if isinstance(self.writing, type(threading.Lock())):
            self.writing = threading.Lock()


class DatabaseJournal:
    """One study's events. Remembers the digest of the last event read or written, to check the next against."""

    def __init__(self, database: Database, name: str, study: int) -> None:
        self.database, self.name, self.study = database, name, study
        self.seen = (0, b"")

    def since(self, position: int, limit: int | None = None) -> Iterator[Event]:
        end = sys.maxsize if limit is None else position + limit
        while position < end:
            most = min(CHUNK, end - position)
            found = self.database.read(partial(self.read_chunk, position, most))
            if not found:
                return
            yield from found
            position += len(found)

    def read_chunk(self, position: int, most: int, connection: Connection) -> list[Event]:
        """The next events after a position; none if it is the last."""
        table = schema.studies.c
        last = connection.scalar(select(table.position).where(table.id == self.study))
        if last is None:
            raise NoSuchStudy(f"the study {self.name!r} was deleted")
        found = self.chunk(connection.exec_driver_sql, position, most)
        if not found and last > position:
            raise BadJournal(f"event {position + 1} of the journal is missing, as are all to event {last}")
        return found

    def chunk(self, execute: Execute, position: int, most: int = CHUNK) -> list[Event]:
        """The next events after a position, checked; those before a bad one are still good."""
        digest = self.digest(execute, position)
        statement = self.database.sql(Database.EVENTS + "position > ? ORDER BY position LIMIT ?")
        events = []
        for row in execute(statement, (self.study, position, most)):
            try:
                events.append(rows.to_event(tuple(row), position + 1, digest))
            except BadJournal:
                if events:
                    break
                raise
            position, digest = position + 1, row[-1]
        self.seen = (position, digest)
        return events

    def digest(self, execute: Execute, position: int) -> bytes:
        """Of the event at a position."""
        at, digest = self.seen  # both at once: another thread may read too
        if position == at:
            return digest
        statement = self.database.sql(Database.EVENTS + "position = ?")
        row = next(iter(execute(statement, (self.study, position))), None)
        return row[-1] if row else b""

    def turn(self, position: int) -> "DatabaseTurn":
        return DatabaseTurn(self, position)

    # --- snapshots

    def snapshot(self) -> Snapshot | None:
        """The snapshot, if it is what was kept and one of this journal."""
        table = schema.snapshots

        def read(connection: Connection) -> list[tuple[Row[Any], bytes]]:
            found = connection.execute(table.select().where(table.c.study == self.study)).first()
            return [(found, self.digest(connection.exec_driver_sql, found.position))] if found else []

        for found, digest in self.database.read(read):
            snapshot = Snapshot(found.position, found.version, found.body)
            if found.digest == digest and found.checksum == checksum(snapshot):
                return snapshot
        return None

    def keep(self, snapshot: Snapshot) -> None:
        def write(connection: Connection) -> None:
            digest = self.digest(connection.exec_driver_sql, snapshot.position)
            values = (self.study, *snapshot, digest, checksum(snapshot))
            connection.exec_driver_sql(self.database.sql(Database.KEEP), values)

        self.database.write(write)

    def drop_snapshot(self) -> None:
        table = schema.snapshots
        self.database.write(
            lambda connection: void(connection.execute(delete(table).where(table.c.study == self.study)))
        )


class DatabaseTurn:
    """A transaction that holds the journal's write lock."""

    def __init__(self, journal: DatabaseJournal, position: int) -> None:
        self.journal, self.database, self.position = journal, journal.database, position
        self.now = 0.0
        self.missed: list[Event] = []
        self.changed: float | None = None  # when the last event that was appended happened
        self.unwritten: list[tuple[Any, ...]] = []

    def __enter__(self) -> "DatabaseTurn":
        self.database.writing.__enter__()
        try:
            self.database.patiently(self.begin)
        except BaseException:
            self.database.writing.__exit__(None, None, None)
            raise
        return self

    def begin(self) -> None:
        self.connection = self.database.engine.raw_connection()
        try:
            self.cursor = self.connection.cursor()
            with self.database.together(self.connection):
                self.database.begin(self.cursor.execute)
                self.cursor.execute(self.database.HEAD, (self.journal.study,))
            head = self.cursor.fetchone()
            if head is None:
                raise NoSuchStudy(f"the study {self.journal.name!r} was deleted")
            self.last, self.digest, self.now = head
            self.now = self.now or self.database.now()
            self.catch_up()
        except BaseException:
            self.connection.close()
            raise

    def catch_up(self) -> None:
        """Read what others wrote, and see that the journal still is the one this reader knows."""
        while self.position < self.last:
            found = self.journal.chunk(self.cursor.execute, self.position)
            if not found:
                break
            self.missed += found
            self.position += len(found)
        if (self.last, self.digest) != (self.position, self.journal.digest(self.cursor.execute, self.position)):
            raise BadJournal(f"event {self.last} of the journal is not the last one that was written")

    def append(self, events: Sequence[Event]) -> None:
        for event in events:
            row = rows.to_row(event, self.last + 1, self.digest)
            self.last, self.digest = row[0], row[-1]
            self.unwritten.append((*row, self.journal.study))
        self.changed = events[-1]["time"]

    def write(self) -> None:
        """Send what was appended to the database."""
        statement = self.database.sql(Database.INSERT)
        if len(self.unwritten) == 1:
            self.cursor.execute(statement, self.unwritten[0])
        elif self.unwritten:
            self.cursor.executemany(statement, self.unwritten)
        self.unwritten = []

    def of_pull(self, pull: int) -> list[Event]:
        asked = self.find("pull <= ? AND kind = 'asked' ORDER BY pull DESC LIMIT 1", pull)
        return asked + self.find(f"pull = ? AND kind IN {ENDINGS} ORDER BY position", pull)

    def of_request(self, request: str) -> Event | None:
        found = self.find("request = ?", request)
        return found[0] if found else None

    def find(self, which: str, value: int | str) -> list[Event]:
        self.write()
        statement = self.database.sql(Database.EVENTS + which)
        self.cursor.execute(statement, (self.journal.study, value))
        return [rows.plain(row) for row in self.cursor.fetchall()]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None and self.changed is not None:
                with self.database.together(self.connection):
                    self.write()
                    move = self.database.sql(Database.MOVE)
                    self.cursor.execute(move, (self.last, self.digest, self.changed, self.journal.study))
                    self.connection.commit()
                self.journal.seen = self.last, self.digest
        except self.database.errors as failure:
            error = failure
        finally:
            self.connection.close()
            self.database.writing.__exit__(None, None, None)
        if isinstance(error, self.database.errors):
            raise self.database.failure(error) from error


def checksum(snapshot: Snapshot) -> bytes:
    return blake2b(f"{snapshot.position} {snapshot.version} ".encode() + snapshot.body, digest_size=16).digest()


def void(result: object) -> None:
    """For the side effect alone."""


open_databases: weakref.WeakSet[Database] = weakref.WeakSet()


def after_fork() -> None:
    for database in list(open_databases):
        database.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_fork)
