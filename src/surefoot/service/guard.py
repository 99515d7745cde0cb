"""The door: every request is checked here before anything reads its body, and answered with the same headers and a log line.

Outermost, and the only place that knows of tokens, so that no route can forget them.
"""

import json
import logging
import re
import time
from collections.abc import Iterable
from contextlib import nullcontext, suppress
from functools import partial
from random import getrandbits
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from surefoot.errors import SurefootError
from surefoot.service.access import Access, Refused
from surefoot.service.prometheus import Metrics
from surefoot.service.refusals import refusal
from surefoot.service.server_log import LOG, REQUEST, Answered

LARGEST_BODY = 2 * 1024 * 1024  # bytes
STILL_ALLOWED = "surefoot.still_allowed"  # in the scope, for answers that take long
WITH_DATA = ("/api", "/metrics")  # what the addresses begin with that need a token
READING = ("GET", "HEAD", "OPTIONS")
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
OWN_NAMES = ("localhost", "127.0.0.1", "::1")

HEADERS = {
    # Plotly writes style attributes; scripts are our own files only, and nothing comes from elsewhere.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

ENCODED = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
DATA_HEADERS = [*ENCODED, (b"cache-control", b"no-store")]
PAGE_HEADERS = [*ENCODED, (b"cache-control", b"no-cache")]


class TooLarge(HTTPException):
    """A body that goes on beyond what is read. (Of a kind that passes through what reads it.)"""

    def __init__(self) -> None:
        super().__init__(413, f"a request must be at most {LARGEST_BODY:,} bytes, got more", {"Connection": "close"})


class Guard:
    def __init__(self, app: ASGIApp, access: Access, metrics: Metrics, names: Iterable[str] = ()) -> None:
        self.app, self.access, self.metrics, self.names = app, access, metrics, {*OWN_NAMES, *names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        visit = Visit(scope, send)
        try:
            await self.check(scope, visit)
            await self.app(scope, limited(receive), visit.send)
        except Refused as refused:
            await visit.refuse(refused.status, refused.detail)
        except TooLarge as error:
            await visit.refuse(error.status_code, error.detail)
        except Exception as error:
            await visit.refuse(*refusal(error))
        finally:
            visit.log(self.metrics)

    async def check(self, scope: Scope, visit: "Visit") -> None:
        writes = scope["method"] not in READING
        has_data = scope["path"].startswith(WITH_DATA)
        with (
            nullcontext() if has_data else suppress(SurefootError)
        ):  # a page comes up without the storage, and waits for it
            await self.refresh()
        self.check_host(visit)
        if writes:
            check_origin(visit)
        if has_data:
            token = self.access.check(authorization := visit.header(b"authorization"), writes)
            scope[STILL_ALLOWED] = partial(self.still_allowed, authorization)
            if token:
                visit.token = token.name
                if self.access.unnoted(token):
                    await run_in_threadpool(self.access.note, token)
        length = visit.header(b"content-length", "0")
        if not length.isascii() or not length.isdigit():
            raise Refused(400, f"the header Content-Length must be a whole number, got {length[:40]!r}")
        if int(length[:20]) > LARGEST_BODY:
            raise Refused(413, f"a request must be at most {LARGEST_BODY:,} bytes, got {length[:40]}")
        has_body = length != "0" or b"transfer-encoding" in visit.headers
        if writes and has_body and not is_json(visit.header(b"content-type")):
            raise Refused(415, "a request's body must be JSON: send the header 'Content-Type: application/json'")

    async def refresh(self) -> None:
        if self.access.is_stale:
            await run_in_threadpool(self.access.refresh)

    async def still_allowed(self, header: str | None) -> bool:
        """May whoever began to read go on? An error of the storage if nobody can tell."""
        try:
            await self.refresh()
            self.access.check(header, writes=False)
        except Refused:
            return False
        return True

    def check_host(self, visit: "Visit") -> None:
        """Without tokens, a page from elsewhere that calls this machine by a name of its own must not get through."""
        if self.access.is_open and (name := host(visit.header(b"host"))) not in self.names:
            raise Refused(
                403,
                f"without tokens this service only answers requests to {' or '.join(sorted(self.names))}, got {name!r}",
            )


class Visit:
    """One request: what it was answered, and when."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope, self.out = scope, send
        self.started = time.perf_counter()
        self.status: int | None = None
        self.token: str | None = None
        self.headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))  # of two of one name, the first
        # What it is called in the log and in its answer: as whoever sent it says, if that is a plain word.
        given = self.header(b"x-request-id")
        self.identity = given if REQUEST_ID.fullmatch(given) else f"{getrandbits(64):016x}"
        REQUEST.set(self.identity)

    def header(self, name: bytes, default: str = "") -> str:
        value = self.headers.get(name)
        return default if value is None else value.decode("latin-1")

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = message.get("headers", [])
            present = {name for name, _ in given}
            added = DATA_HEADERS if self.scope["path"].startswith(WITH_DATA) else PAGE_HEADERS
            given = [*given, (b"x-request-id", self.identity.encode())]
            message["headers"] = [*given, *(header for header in added if header[0] not in present)]
        await self.out(message)

    async def refuse(self, status: int, detail: str) -> None:
        if self.status is not None:  # too late to say anything
            return
        body = json.dumps({"detail": detail}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        if status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        if status == 413:  # the rest of the body is not read
            headers.append((b"connection", b"close"))
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    def log(self, metrics: Metrics) -> None:
        spent = time.perf_counter() - self.started
        scope, (client, *_) = self.scope, self.scope.get("client") or ("",)
        method, path, milliseconds = scope["method"], scope["path"], round(1e3 * spent, 2)
        if LOG.isEnabledFor(logging.INFO):
            LOG.handle(
                Answered(method=method, path=path, status=self.status, ms=milliseconds, client=client, token=self.token)
            )
        if self.status is not None:
            metrics.note(method, getattr(scope.get("route"), "path", None), self.status, spent)


def limited(receive: Receive) -> Receive:
    """The body, as long as it is not too long."""
    got = 0

    async def take() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b""))
        if got > LARGEST_BODY:
            raise TooLarge
        return message

    return take


def check_origin(visit: Visit) -> None:
    """A browser says which page a request comes from: only one of ours may change anything."""
    if b"origin" not in visit.headers:
        return
    origin = visit.header(b"origin")
    try:
        netloc = urlsplit(origin).netloc
    except ValueError as error:
        raise Refused(400, f"the header Origin must be http://… or https://…, got {origin[:200]!r}") from error
    if netloc != visit.header(b"host"):
        raise Refused(403, f"only this service's own pages may do that, got a request from a page of {origin[:200]!r}")


def host(header: str) -> str:
    """The name in a Host header."""
    name = header.rpartition(":")[0] if header.rpartition(":")[2].isdigit() else header
    return name.strip("[]").lower()


def is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json"
