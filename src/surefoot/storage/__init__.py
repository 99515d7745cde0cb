"""Where journals are kept: in memory, in a SQLite file, in PostgreSQL."""

from collections.abc import Callable
from os import PathLike, fspath
from typing import TypeAlias

from surefoot.errors import InvalidValue
from surefoot.storage.journal import Entry, Event, Journal, Snapshot, Storage, Turn
from surefoot.storage.memory import Memory

__all__ = ["STORAGES", "Entry", "Event", "Journal", "Memory", "Snapshot", "Storage", "Turn", "Where", "connect"]

Where: TypeAlias = str | PathLike[str] | Storage  # a URL, the path of a file, or a storage itself


# SQLAlchemy takes a while to import, so only the storages that need it do so.


def in_memory(url: str) -> Storage:
    return Memory()


def in_sqlite(url: str) -> Storage:
    from surefoot.storage.sqlite import SQLite

    return SQLite(url.removeprefix("sqlite://").removeprefix("/"))


def in_postgresql(url: str) -> Storage:
    from surefoot.storage.postgresql import PostgreSQL

    return PostgreSQL(url)


STORAGES: dict[str, Callable[[str], Storage]] = {
    "memory": in_memory,
    "sqlite": in_sqlite,
    "postgresql": in_postgresql,
}


def connect(url: Where) -> Storage:
    """Open the storage at a URL or at the path of a file. If a storage is given, it is returned.

    >>> connect("memory://").studies()
    []
    """
    if not isinstance(url, str | PathLike):
        return url
    scheme, separator, _ = (where := fspath(url)).partition("://")
    if not separator:
        return in_sqlite(f"sqlite:///{where}")
    if scheme not in STORAGES:
        raise InvalidValue(
            f"a storage must be a file, sqlite:///file.db, postgresql://user@host/database or memory://, got {scheme}://"
        )
    return STORAGES[scheme](where)
