"""Journals in PostgreSQL, for many machines."""

from sqlalchemy import create_engine, make_url

from surefoot.errors import Unsupported
from surefoot.storage.database import Database, Execute

MIGRATING = 0x5F00  # the advisory lock of those who make tables: there is no row yet to lock


class PostgreSQL(Database):
    """One writer at a time for each study, by a lock on its row; the server's clock is everybody's."""

    CLOCK = "extract(epoch FROM clock_timestamp())::float8"
    HEAD = f"SELECT position, digest, {CLOCK} FROM surefoot_studies WHERE id = %s FOR UPDATE"

    def __init__(self, url: str) -> None:
        try:
            import psycopg  # noqa: F401
        except ImportError as error:
            raise Unsupported("PostgreSQL needs psycopg: pip install 'surefoot[postgres]'") from error
        super().__init__(create_engine(make_url(url).set(drivername="postgresql+psycopg"), max_overflow=-1))

    def now(self) -> float:
        return float(
            self.read(lambda connection: list(connection.exec_driver_sql(f"SELECT {self.CLOCK}").scalars()))[0]
        )

    def begin(self, execute: Execute) -> None:
        """The driver begins a transaction with the first statement."""
        if not self.prepared:
            execute(f"SELECT pg_advisory_xact_lock({MIGRATING})", ())

    def head(self, execute: Execute, study: int) -> tuple[int, bytes, float] | None:
        for position, digest, now in execute(self.HEAD, (study,)):
            return position, digest, now
        return None

    def sql(self, statement: str) -> str:
        return statement.replace("?", "%s")
