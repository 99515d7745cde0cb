"""Tokens that a service asks for, in the same database as its studies."""

from hashlib import sha256
from secrets import token_urlsafe
from typing import NamedTuple

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from surefoot.errors import Conflict, InvalidValue, Unsupported, label, one_of
from surefoot.storage.database import Database
from surefoot.storage.journal import Storage
from surefoot.storage.schema import tokens

SCOPES = ("read", "write")  # write includes read
PREFIX = "surefoot_"  # so that a token that leaked is recognised
BYTES = 32  # random ones: nobody guesses them, so a plain hash is enough


class Token(NamedTuple):
    """A token as far as it is kept: times are seconds since 1970."""

    name: str
    digest: bytes
    scope: str
    created: float
    used: float | None
    revoked: float | None


def digest(token: str) -> bytes:
    return sha256(token.encode(errors="replace")).digest()


def listed(storage: Storage) -> list[Token]:
    """All tokens there ever were, in order of creation."""
    if not isinstance(storage, Database):
        return []
    statement = select(tokens).order_by(tokens.c.created)
    return [Token(*row) for row in storage.read(lambda connection: list(connection.execute(statement)))]


def create(storage: Storage, name: str, scope: str = "write") -> str:
    """A new token; this is the only time that it is seen."""
    if not isinstance(storage, Database):
        raise Unsupported("tokens are kept beside the studies: give a file or postgresql://…, not a storage in memory")
    label("the name of a token", name)
    one_of("scope", scope, SCOPES)
    token = PREFIX + token_urlsafe(BYTES)
    row = Token(name, digest(token), scope, storage.now(), None, None)
    try:
        storage.write(lambda connection: run(connection, insert(tokens).values(row._asdict())))
    except IntegrityError as error:
        raise Conflict(f"there is a token {name!r} already; the names of revoked ones are not used again") from error
    return token


def revoke(storage: Storage, name: str) -> None:
    """Refuse a token from now on."""
    if name not in [token.name for token in listed(storage)] or not isinstance(storage, Database):
        raise InvalidValue(f"there is no token {name!r}")
    statement = update(tokens).where(tokens.c.name == name, tokens.c.revoked.is_(None)).values(revoked=storage.now())
    storage.write(lambda connection: run(connection, statement))


def note_use(storage: Storage, name: str, when: float) -> None:
    """Remember when a token was last used."""
    if isinstance(storage, Database):
        statement = update(tokens).where(tokens.c.name == name).values(used=when)
        storage.write(lambda connection: run(connection, statement))


def run(connection: Connection, statement: object) -> None:
    connection.execute(statement)  # type: ignore[call-overload]
