"""Journals in a database: what SQLite and PostgreSQL have in common."""

import os
import time
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, PoolProxiedConnection, delete, insert, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from surefoot.errors import Conflict, NoSuchStudy, StorageFailed
from surefoot.storage import entries, rows, schema
from surefoot.storage.database_journal import INSERT, DatabaseJournal, Execute
from surefoot.storage.journal import Entry, Event

NUMBER = "SELECT id FROM surefoot_studies WHERE name = ?"

T = TypeVar("T")

ONE_BY_ONE = nullcontext()  # for statements that are sent, and answered, one after the other
PATIENCE = 600.0  # seconds to wait for others; after that, a message says that they hang


class Database:
    """Keeps journals in the tables of `schema`. A subclass says what differs: how its database locks and fails."""

    # Locks a journal for writing: position and digest of its last event, and the time where the database has a clock.
    HEAD: str

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.url = engine.url.render_as_string(hide_password=True)
        # What SQLite says of a damaged file may not be text.
        self.errors = (SQLAlchemyError, engine.dialect.loaded_dbapi.Error, UnicodeDecodeError)
        self.prepared = False
        self.known: dict[
            int, tuple[str, int, bytes]
        ] = {}  # of each study: name, position and digest of the last event seen
        self.failed = False  # did something go wrong since it was last found to be ready?
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

    def begin_to_read(self, connection: Connection) -> None:
        """Whatever is read next is how things stood at one moment."""
        raise NotImplementedError

    def migrate(self, connection: Connection) -> None:
        """Bring the tables up to date, within a transaction."""
        schema.migrate(connection)

    def check(self, connection: PoolProxiedConnection, writing: bool) -> None:
        """Is what the connection reads and writes still the database that is meant?"""

    def confirm(self, connection: PoolProxiedConnection) -> None:
        """Is what was just committed in the database that is meant? Only then it is acknowledged."""

    def is_read_only(self) -> bool:
        """Is there nothing that could be written?"""
        return False

    def borrow(self) -> PoolProxiedConnection:
        """A connection for a turn."""
        return self.engine.raw_connection()

    def give_back(self, connection: PoolProxiedConnection) -> None:
        """The turn has ended."""
        connection.close()

    def together(self, connection: PoolProxiedConnection) -> AbstractContextManager[Any]:
        """Within this, statements need not wait for each other's answers."""
        return ONE_BY_ONE

    def insert_many(self, cursor: Any, events: list[rows.StudyRow]) -> list[rows.StudyRow]:
        """Insert rows of events in the quickest way for many. Returns those that remain, for statements of a row each."""
        raise NotImplementedError

    def sql(self, statement: str) -> str:
        """A statement with the driver's marks for its parameters."""
        return statement

    def busy(self, error: Exception) -> bool:
        """Is it only that others are at it?"""
        return False

    # --- what is the same

    def studies(self) -> list[Entry]:
        table = schema.studies.c
        columns = table.name, table.created, table.changed, table.position, table.digest
        statement = select(*columns).order_by(table.id)
        return [entries.entry(*row) for row in self.read(lambda connection: list(connection.execute(statement)))]

    def create(self, name: str, event: Event) -> None:
        (row,) = rows.to_rows([event], 0, b"")
        first = {"name": name, "created": event["time"], "changed": event["time"], "position": 1, "digest": row[-1]}

        def write(connection: Connection) -> None:
            study = connection.scalar(insert(schema.studies).values(first).returning(schema.studies.c.id))
            connection.exec_driver_sql(self.sql(INSERT), (*row, study))

        try:
            self.write(write)
        except IntegrityError as error:
            raise Conflict(f"there is a study {name!r} already") from error

    def journal(self, name: str) -> DatabaseJournal:
        return DatabaseJournal(self, name, self.number(name))

    def delete(self, name: str) -> None:
        study = self.number(name)

        def write(connection: Connection) -> None:
            if connection.exec_driver_sql(self.HEAD, (study,)).first() is None:  # waits for whoever has a turn
                raise NoSuchStudy(f"the study {name!r} was deleted")
            for column in (schema.studies.c.id, schema.snapshots.c.study, schema.events.c.study):
                connection.execute(delete(column.table).where(column == study))

        self.write(write)
        self.known.pop(study, None)

    def ready(self) -> None:
        """Nothing is written, unless it failed before: a full disk shows only then."""
        self.studies()
        if self.prepared:
            statement = f"UPDATE {schema.versions.name} SET version = version WHERE {str(self.failed).lower()}"
            self.write(lambda connection: connection.exec_driver_sql(statement))
            self.failed = False

    def close(self) -> None:
        self.engine.dispose()

    def number(self, name: str) -> int:
        statement = self.sql(NUMBER)
        numbers = self.read(lambda connection: list(connection.exec_driver_sql(statement, (name,)).scalars()))
        if not numbers:
            raise NoSuchStudy(f"there is no study {name!r} in {self.url}")
        return int(numbers[0])

    def read(self, work: Callable[[Connection], list[T]]) -> list[T]:
        """What a query finds; nothing where nothing was ever written."""
        if not self.exists():
            if self.prepared:
                raise StorageFailed(f"{self.url} could not be used: the file was removed or moved away; put it back")
            return []
        return self.patiently(lambda: self.within(work)) if self.prepare(create=False) else []

    def write(self, work: Callable[[Connection], object]) -> None:
        """A transaction."""
        self.prepare(create=True)
        self.patiently(lambda: self.transact(work))

    def prepare(self, create: bool) -> bool:
        """Have the tables in the version that this Surefoot knows; whether there are any."""
        if not self.prepared:
            version = self.patiently(lambda: self.within(schema.version))
            if version < len(schema.STEPS) and (create or (version and not self.is_read_only())):
                self.patiently(lambda: self.transact(self.migrate))
            self.prepared = bool(version or create)
        return self.prepared

    def within(self, work: Callable[[Connection], T]) -> T:
        with self.engine.connect() as connection:
            self.check(connection.connection, writing=False)
            self.begin_to_read(connection)
            result = work(connection)
            self.check(connection.connection, writing=False)
            return result

    def transact(self, work: Callable[[Connection], object]) -> None:
        with self.writing, self.engine.connect() as connection:
            self.begin(connection.exec_driver_sql)
            self.check(connection.connection, writing=True)
            work(connection)
            connection.commit()
            self.confirm(connection.connection)

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
        self.failed = True
        return StorageFailed(f"{self.url} could not be used: {self.reason(getattr(error, 'orig', error))}")

    def reason(self, error: Exception) -> str:
        return str(error).strip().replace("\n", " ")

    def forked(self) -> None:
        """In a child process: leave the parent's connections alone."""
        self.engine.dispose(close=False)


open_databases: weakref.WeakSet[Database] = weakref.WeakSet()


def after_fork() -> None:
    for database in list(open_databases):
        database.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_fork)
