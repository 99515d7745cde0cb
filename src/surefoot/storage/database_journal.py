"""A study's journal in a database, and a turn at writing it.

What opens a study, and a turn, speak plain SQL to the driver, on a connection of SQLAlchemy's pool: each engine would put
expressions into words anew, which is a fifth of the time to open a study, and a half of what a durable tell costs besides
the disk. The rest speaks SQLAlchemy's expressions where they are shorter.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import Connection, Row, delete

from surefoot.errors import BadJournal, NoSuchStudy
from surefoot.storage import entries, rows, schema
from surefoot.storage.journal import ENDINGS, Event, Snapshot

if TYPE_CHECKING:
    from surefoot.storage.database import Database

Execute: TypeAlias = Callable[[str, tuple[Any, ...]], Iterable[Sequence[Any]]]  # a statement with its parameters: rows

CHUNK = 10_000  # events read at a time, so that a long journal is never in memory whole

LAST = "SELECT position, digest FROM surefoot_studies WHERE id = ?"
SNAPSHOT = "SELECT position, version, body, digest, checksum FROM surefoot_snapshots WHERE study = ?"
EVENTS = "SELECT position, time, kind, pull, request, body, digest FROM surefoot_events WHERE study = ? AND "
INTO_EVENTS = "surefoot_events (position, time, kind, pull, request, body, digest, study)"
INSERT = f"INSERT INTO {INTO_EVENTS} VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
KEEP = (
    "INSERT INTO surefoot_snapshots (study, position, version, body, digest, checksum) VALUES (?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (study) DO UPDATE SET position = excluded.position, version = excluded.version, "
    "body = excluded.body, digest = excluded.digest, checksum = excluded.checksum "
    "WHERE surefoot_snapshots.position < excluded.position"
)
MOVE = "UPDATE surefoot_studies SET position = ?, digest = ?, changed = ? WHERE id = ?"


class DatabaseJournal:
    """One study's events. Remembers the digest of the last event read or written, to check the next against."""

    def __init__(self, database: "Database", name: str, study: int) -> None:
        self.database, self.name, self.study = database, name, study
        self.seen = (0, b"")

    @property
    def key(self) -> int:
        return self.study

    def since(self, position: int, limit: int | None = None) -> Iterator[Event]:
        end = sys.maxsize if limit is None else position + limit
        while position < end:
            most = min(CHUNK, end - position)
            events = self.database.read(partial(self.read_chunk, position, most))
            if not events:
                return
            yield from events
            position += len(events)

    def read_chunk(self, position: int, most: int, connection: Connection) -> list[Event]:
        """The next events after a position; none if it is the last, which the study's entry has to agree with."""
        entry = connection.exec_driver_sql(self.database.sql(LAST), (self.study,)).first()
        if entry is None:
            raise NoSuchStudy(f"the study {self.name!r} was deleted")
        last, digest = entry
        events = self.chunk(connection.exec_driver_sql, position, most)
        if not events:
            entries.check(self.name, last, digest)
            if last > position:
                raise BadJournal(
                    f"event {position + 1} of the journal and all after it, up to event {last}, are missing"
                )
            if (last, digest) != (position, self.digest(connection.exec_driver_sql, position)):
                raise not_the_last(last)
        return events

    def chunk(self, execute: Execute, position: int, most: int = CHUNK) -> list[Event]:
        """The next events after a position, checked; those before a bad one are still good."""
        digest = self.digest(execute, position)
        statement = self.database.sql(EVENTS + "position > ? ORDER BY position LIMIT ?")
        events = []
        for row in execute(statement, (self.study, position, most)):
            try:
                events.append(rows.to_event(tuple(row), position + 1, digest))
            except BadJournal:
                if events:
                    break
                raise
            position, digest = position + 1, row[-1]
        self.remember(position, digest)
        return events

    def remember(self, position: int, digest: bytes) -> None:
        """That this event was the last one read or written."""
        self.seen = (position, digest)
        _, before, _ = self.database.known.get(self.study, ("", 0, b""))
        if position > before:
            self.database.known[self.study] = (self.name, position, digest)

    def digest(self, execute: Execute, position: int) -> bytes:
        """Of the event at a position."""
        at, digest = self.seen  # both at once: another thread may read too
        if position == at:
            return digest
        statement = self.database.sql(EVENTS + "position = ?")
        row = next(iter(execute(statement, (self.study, position))), None)
        return row[-1] if row and isinstance(row[-1], bytes) else b""

    def turn(self, position: int) -> "DatabaseTurn":
        return DatabaseTurn(self, position)

    def clock(self) -> float:
        return self.database.now()

    # --- snapshots

    def snapshot(self) -> Snapshot | None:
        """The snapshot, if it is what was kept and one of this journal."""

        def read(connection: Connection) -> list[tuple[Row[Any], bytes]]:
            row = connection.exec_driver_sql(self.database.sql(SNAPSHOT), (self.study,)).first()
            return [(row, self.digest(connection.exec_driver_sql, row.position))] if row else []

        for row, digest in self.database.read(read):
            snapshot = Snapshot(row.position, row.version, row.body)
            if row.digest == digest and row.checksum == checksum(snapshot):
                return snapshot
        return None

    def keep(self, snapshot: Snapshot) -> None:
        def write(connection: Connection) -> None:
            if connection.exec_driver_sql(self.database.HEAD, (self.study,)).first() is None:
                return  # it was deleted
            digest = self.digest(connection.exec_driver_sql, snapshot.position)
            values = (self.study, *snapshot, digest, checksum(snapshot))
            connection.exec_driver_sql(self.database.sql(KEEP), values)

        self.database.write(write)

    def drop_snapshot(self) -> None:
        def write(connection: Connection) -> None:
            connection.execute(delete(schema.snapshots).where(schema.snapshots.c.study == self.study))

        self.database.write(write)


class DatabaseTurn:
    """A transaction that holds the journal's write lock."""

    def __init__(self, journal: DatabaseJournal, position: int) -> None:
        self.journal, self.database, self.position = journal, journal.database, position
        self.now = 0.0
        self.missed: list[Event] = []
        self.changed: float | None = None  # when the last event that was appended happened
        self.unwritten: list[rows.StudyRow] = []

    def __enter__(self) -> "DatabaseTurn":
        self.database.writing.__enter__()
        try:
            self.database.patiently(self.begin)
        except BaseException:
            self.database.writing.__exit__(None, None, None)
            raise
        return self

    def begin(self) -> None:
        self.connection = self.database.borrow()
        self.cursor = self.connection.cursor()
        try:
            with self.database.together(self.connection):
                self.database.begin(self.cursor.execute)
                self.cursor.execute(self.database.HEAD, (self.journal.study,))
            self.database.check(self.connection, writing=True)
            head = self.cursor.fetchone()
            if head is None:
                raise NoSuchStudy(f"the study {self.journal.name!r} was deleted")
            self.last, self.digest, self.now = head
            entries.check(self.journal.name, self.last, self.digest)
            self.now = self.now or self.database.now()
            self.catch_up()
        except BaseException:
            self.let_go()
            raise

    def let_go(self) -> None:
        """A statement that is not closed would keep the files of a closed connection open."""
        self.cursor.close()
        self.database.give_back(self.connection)

    def catch_up(self) -> None:
        """Read what others wrote, and see that the journal still is the one this reader knows."""
        while self.position < self.last:
            events = self.journal.chunk(self.cursor.execute, self.position)
            if not events:
                break
            self.missed += events
            self.position += len(events)
        if (self.last, self.digest) != (self.position, self.journal.digest(self.cursor.execute, self.position)):
            raise not_the_last(self.last)

    def append(self, events: Sequence[Event]) -> None:
        fresh = list(rows.to_rows(events, self.last, self.digest))
        self.last, self.digest = fresh[-1][0], fresh[-1][-1]
        self.unwritten += [(*row, self.journal.study) for row in fresh]
        self.changed = events[-1]["time"]

    def write_many(self) -> None:
        """Send what was appended to the database, as far as there are rows enough for the quick way."""
        self.unwritten = self.database.insert_many(self.cursor, self.unwritten)

    def write(self) -> None:
        """Send what was appended to the database."""
        self.write_many()
        if len(self.unwritten) == 1:
            self.cursor.execute(self.database.sql(INSERT), self.unwritten[0])
        elif self.unwritten:
            self.cursor.executemany(self.database.sql(INSERT), self.unwritten)
        self.unwritten = []

    def of_pull(self, pull: int) -> list[Event]:
        asked = self.find("pull <= ? AND kind = 'asked' ORDER BY pull DESC LIMIT 1", pull)
        return asked + self.find(f"pull = ? AND kind IN {ENDINGS} ORDER BY position", pull)

    def of_request(self, request: str) -> Event | None:
        events = self.find("request = ?", request)
        return events[0] if events else None

    def find(self, which: str, value: int | str) -> list[Event]:
        self.write()
        statement = self.database.sql(EVENTS + which)
        self.cursor.execute(statement, (self.journal.study, value))
        return [self.checked(tuple(row)) for row in self.cursor.fetchall()]

    def checked(self, row: rows.Row) -> Event:
        """The event of a row, wherever it stands."""
        return rows.to_event(row, row[0], self.journal.digest(self.cursor.execute, row[0] - 1))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                if self.changed is not None:
                    self.write_many()  # by itself: PostgreSQL copies no rows where statements go together
                    with self.database.together(self.connection):
                        self.write()
                        move = self.database.sql(MOVE)
                        self.cursor.execute(move, (self.last, self.digest, self.changed, self.journal.study))
                        self.connection.commit()
                self.database.confirm(self.connection)
                self.journal.remember(self.last, self.digest)
        except self.database.errors as failure:
            error = failure
        finally:
            self.let_go()
            self.database.writing.__exit__(None, None, None)
        if isinstance(error, self.database.errors):
            raise self.database.failure(error) from error


def not_the_last(position: int) -> BadJournal:
    return BadJournal(
        f"the study's entry says that its journal ends with event {position}, but the event that was written last is another"
    )


def checksum(snapshot: Snapshot) -> bytes:
    if not isinstance(snapshot.body, bytes):
        return b""
    return blake2b(f"{snapshot.position} {snapshot.version} ".encode() + snapshot.body, digest_size=16).digest()
