"""Where journals are kept: in memory, in a SQLite file, in PostgreSQL."""

from os import PathLike, fspath

from surefoot.errors import InvalidValue
from surefoot.storage.journal import Entry, Event, Journal, Snapshot, Storage, Turn
from surefoot.storage.memory import Memory

__all__ = ["Entry", "Event", "Journal", "Memory", "Snapshot", "Storage", "Turn", "connect"]


def connect(url: str | PathLike[str] | Storage) -> Storage:
    """The storage that a URL or the path of a file means; a storage is taken as it is.

    >>> connect("memory://").studies()
    []
    """
    if not isinstance(url, str | PathLike):
        return url
    where = fspath(url)
    scheme, found, rest = where.partition("://")
    if not found or scheme == "sqlite":  # SQLAlchemy takes a while to import: only for who needs it
        from surefoot.storage.sqlite import SQLite

        return SQLite(rest.removeprefix("/") if found else where)
    if scheme in ("postgresql", "postgres"):
        from surefoot.storage.postgresql import PostgreSQL

        return PostgreSQL(where)
    if where == "memory://":
        return Memory()
    raise InvalidValue(
        f"a storage must be a file, sqlite:///file.db, postgresql://user@host/database or memory://, got {where!r}"
    )
