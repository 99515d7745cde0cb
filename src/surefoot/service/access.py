"""Who may do what: bearer tokens, as they stand in the storage."""

import hmac
import time
from contextlib import suppress

from surefoot.errors import StorageFailed
from surefoot.storage import Storage, tokens
from surefoot.storage.tokens import Token

FRESH = 1.0  # seconds for which the list is believed: so long a revoked token may still work
NOTED = 60.0  # seconds between two notes of a token's use


class Refused(Exception):
    """A request that may not be made."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


class Access:
    """Without a token in the storage everybody may do everything; with one, even a revoked one, nobody without a token."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.tokens: list[Token] = []
        self.is_open = True
        self.read_at = -FRESH
        self.noted: dict[str, float] = {}

    @property
    def is_stale(self) -> bool:
        return time.monotonic() - self.read_at > FRESH

    def refresh(self) -> None:
        """Read the list anew."""
        self.tokens = tokens.listed(self.storage)
        self.is_open = self.is_open and not self.tokens  # never again, should they vanish
        self.read_at = time.monotonic()

    def check(self, header: str | None, writes: bool) -> Token | None:
        """Whose request it is; Refused if it may not be made."""
        if self.is_open:
            return None
        scheme, _, given = (header or "").partition(" ")
        if scheme.lower() != "bearer" or not given.strip():
            raise Refused(401, "this service needs a token: send the header 'Authorization: Bearer TOKEN'")
        digest, own = tokens.digest(given.strip()), None
        for token in self.tokens:  # all of them, so that the time it takes says nothing
            if hmac.compare_digest(token.digest, digest):
                own = token
        if own is None:
            raise Refused(401, "this token does not exist")
        if own.revoked is not None:
            raise Refused(401, "this token was revoked")
        if writes and own.scope != "write":
            raise Refused(403, "this token may only read")
        return own

    def unnoted(self, token: Token) -> bool:
        """Is the last use of a token that was noted too long ago?"""
        now = time.monotonic()
        if now - self.noted.get(token.name, -NOTED) < NOTED:
            return False
        self.noted[token.name] = now
        return True

    def note(self, token: Token) -> None:
        with suppress(StorageFailed):  # for information only
            tokens.note_use(self.storage, token.name, time.time())
