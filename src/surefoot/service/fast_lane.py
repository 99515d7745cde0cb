"""A short way for the calls that workers make again and again.

A request that is as it should be goes from its body to its study with nothing in between. Any other goes the way of all
routes, whose models say what is wrong with it.
"""

import re
from typing import NamedTuple

from msgspec.json import encode
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from surefoot.errors import InvalidValue, SurefootError
from surefoot.service.call_queue import CallQueue
from surefoot.service.prometheus import Metrics
from surefoot.service.pull_calls import READERS
from surefoot.service.quick_reading import read_well_formed
from surefoot.service.refusals import refusal
from surefoot.service.studies import Studies
from surefoot.study.url_id import name_of

PATH = re.compile(rf"/api/studies/([^/]+)/({'|'.join(READERS)})")


class Route(NamedTuple):
    """What a request is called in the metrics, as the routes of FastAPI are."""

    path: str


class FastLane:
    def __init__(self, app: ASGIApp, studies: Studies, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics
        self.queue = CallQueue(studies, metrics)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or not (found := PATH.fullmatch(scope["path"])):
            await self.app(scope, receive, send)
            return
        identity, what = found.groups()
        try:
            body = await whole(receive)
        except ClientDisconnect:
            return
        reader = READERS[what]
        given = read_well_formed(reader.decoder, body)
        try:
            call = reader.call(given) if given is not None else None
        except InvalidValue:
            call = None
        if call is None:
            await self.app(scope, again(body, receive), send)
            return
        scope["route"] = Route(f"/api/studies/{{identity}}/{what}")
        try:
            status, answer = 200, await self.queue.make(identity, call)
            self.metrics.pulls += len(answer["pulls"]) if what != "tell" else 0
            self.metrics.results += len(getattr(given, "results", ()))
        except SurefootError as error:
            status, detail = refusal(error, named(identity))
            answer = {"detail": detail}
        await respond(send, status, encode(answer))


def named(identity: str) -> str | None:
    try:
        return name_of(identity)
    except InvalidValue:
        return None


async def whole(receive: Receive) -> bytes:
    """The body of a request."""
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def again(body: bytes, receive: Receive) -> Receive:
    """A body that was read, for whoever reads it next."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def take() -> Message:
        return messages.pop() if messages else await receive()

    return take


async def respond(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-length", str(len(body)).encode()), (b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
