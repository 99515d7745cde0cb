"""Journals in PostgreSQL, for many machines."""

from sqlalchemy import Connection, create_engine, make_url

from surefoot.errors import Unsupported
from surefoot.storage.database import Database

MIGRATING = 0x5F00  # the advisory lock of those who make tables: there is no row yet to lock


class PostgreSQL(Database):
    """One writer at a time for each study, by a lock on its row; the server's clock is everybody's."""

    CLOCK = "SELECT extract(epoch FROM clock_timestamp())::float8"

    def __init__(self, url: str) -> None:
        try:
            import psycopg  # noqa: F401
        except ImportError as error:
            raise Unsupported("PostgreSQL needs psycopg: pip install 'surefoot[postgres]'") from error
        super().__init__(create_engine(make_url(url).set(drivername="postgresql+psycopg"), max_overflow=-1))

    def now(self) -> float:
        return float(self.read(lambda connection: list(connection.exec_driver_sql(self.CLOCK).scalars()))[0])

    def begin(self, connection: Connection) -> None:
        """The driver begins a transaction with the first statement."""
        if not self.prepared:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATING})")

    def head(self, connection: Connection, study: int) -> tuple[int, bytes, float] | None:
        statement = self.sql(self.HEAD).replace(" FROM", ", extract(epoch FROM clock_timestamp())::float8 FROM", 1)
        row = connection.exec_driver_sql(f"{statement} FOR UPDATE", (study,)).first()
        return (row[0], bytes(row[1]), row[2]) if row else None

    def sql(self, statement: str) -> str:
        return statement.replace("?", "%s")
