"""Journals in PostgreSQL, for many machines."""

from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Connection, PoolProxiedConnection, create_engine, make_url
from sqlalchemy.exc import SQLAlchemyError

from surefoot.errors import InvalidValue, Unsupported
from surefoot.storage.database import Database
from surefoot.storage.database_journal import INTO_EVENTS, Execute
from surefoot.storage.rows import StudyRow

MANY = 12  # rows, from which on it is quicker to copy them, though that is a round trip of its own
TYPES = ("int8", "float8", "text", "int8", "text", "text", "bytea", "int8")  # of a row's columns
MIGRATING = 0x5F00  # the advisory lock of those who make tables: there is no row yet to lock


class PostgreSQL(Database):
    """Keeps journals in PostgreSQL: a lock on its row gives each study one writer at a time; the server has the clock."""

    CLOCK = "extract(epoch FROM clock_timestamp())::float8"
    HEAD = f"SELECT position, digest, {CLOCK} FROM surefoot_studies WHERE id = %s FOR UPDATE"

    def __init__(self, url: str) -> None:
        try:
            import psycopg  # noqa: F401
        except ImportError as error:
            raise Unsupported("PostgreSQL needs psycopg: pip install 'surefoot[postgres]'") from error
        try:
            address = make_url(url).set(drivername="postgresql+psycopg")
        except (SQLAlchemyError, ValueError) as error:
            raise InvalidValue(
                "a PostgreSQL storage must be postgresql://user@host/database, got an address of another form"
            ) from error
        # Whatever the server's own encoding is: what it cannot hold, it refuses.
        super().__init__(create_engine(address, max_overflow=-1, connect_args={"client_encoding": "utf8"}))

    def now(self) -> float:
        seconds = self.patiently(
            lambda: self.within(lambda it: it.exec_driver_sql(f"SELECT {self.CLOCK}").scalar_one())
        )
        return float(seconds)

    def begin(self, execute: Execute) -> None:
        """The driver begins a transaction with the first statement."""
        if not self.prepared:
            execute(f"SELECT pg_advisory_xact_lock({MIGRATING})", ())

    def begin_to_read(self, connection: Connection) -> None:
        connection.execution_options(isolation_level="REPEATABLE READ")

    def together(self, connection: PoolProxiedConnection) -> AbstractContextManager[Any]:
        """One round trip instead of one for each statement."""
        pipeline: AbstractContextManager[Any] = connection.driver_connection.pipeline()  # type: ignore[union-attr]
        return pipeline

    def insert_many(self, cursor: Any, events: list[StudyRow]) -> list[StudyRow]:
        if len(events) < MANY:
            return events
        with cursor.copy(f"COPY {INTO_EVENTS} FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(TYPES)
            for row in events:
                copy.write_row(row)
        return []

    def sql(self, statement: str) -> str:
        return statement.replace("?", "%s")
