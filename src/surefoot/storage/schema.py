"""The tables, and how a database written by an older Surefoot comes to have them."""

from collections.abc import Callable

from sqlalchemy import BigInteger, Column, Connection, Index, Integer, LargeBinary, MetaData, Table, Text
from sqlalchemy import Double as Real

from surefoot.errors import BadTables

metadata = MetaData()

# `position` and `digest` are those of the last event: events cut off the end are noticed.
studies = Table(
    "surefoot_studies",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created", Real, nullable=False),
    Column("changed", Real, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    sqlite_autoincrement=True,  # the number of a deleted study is never used again
)

events = Table(
    "surefoot_events",
    metadata,
    Column("study", BigInteger, primary_key=True, autoincrement=False),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("time", Real, nullable=False),
    Column("kind", Text, nullable=False),
    Column("pull", BigInteger),  # that the event is about, or the first of those it handed out
    Column("request", Text),
    Column("body", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)


def index(name: str, column: Column[str] | Column[int], unique: bool = False) -> Index:
    some = column.is_not(None)
    return Index(name, events.c.study, column, unique=unique, sqlite_where=some, postgresql_where=some)


index("surefoot_events_pull", events.c.pull)
index("surefoot_events_request", events.c.request, unique=True)

snapshots = Table(
    "surefoot_snapshots",
    metadata,
    Column("study", BigInteger, primary_key=True, autoincrement=False),
    Column("position", BigInteger, nullable=False),
    Column("version", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),  # of the event at that position
    Column("checksum", LargeBinary, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

versions = Table("surefoot_schema", metadata, Column("version", Integer, primary_key=True, autoincrement=False))

# Of a token only its digest is kept; a revoked one stays, so that its name is not used again.
tokens = Table(
    "surefoot_tokens",
    metadata,
    Column("name", Text, primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("scope", Text, nullable=False),
    Column("created", Real, nullable=False),
    Column("used", Real),
    Column("revoked", Real),
)


def create(connection: Connection) -> None:
    metadata.create_all(connection, tables=[studies, events, snapshots, versions])


def create_tokens(connection: Connection) -> None:
    metadata.create_all(connection, tables=[tokens])


# Step k makes version k + 1 out of version k. A step, once released, is never changed: a later one is added.
STEPS: list[Callable[[Connection], None]] = [create, create_tokens]


def version(connection: Connection) -> int:
    """Of the database's tables; 0 if it has none yet."""
    has_table, number = connection.dialect.has_table, None
    # All are made at once: whoever sees one of ours and then looks for the version finds it.
    ours = any(has_table(connection, table.name) for table in (studies, events))
    if has_table(connection, versions.name):
        number = connection.scalar(versions.select())
    elif not ours:
        return 0
    if not isinstance(number, int) or number < 1:
        raise BadTables(
            f"the journal's tables must have a version of 1 to {len(STEPS)}, got {number!r}: the database is damaged"
        )
    if number > len(STEPS):
        raise BadTables(
            f"the journal's tables must be of version {len(STEPS)} or older, got {number}: a newer Surefoot wrote them; "
            "update this one"
        )
    return number


def migrate(connection: Connection) -> None:
    """Bring the tables up to date; the caller holds the lock and commits."""
    number = version(connection)
    for step in STEPS[number:]:
        step(connection)
    connection.execute(versions.delete())
    connection.execute(versions.insert().values(version=len(STEPS)))
