"""Answers that are sent whole.

uvicorn writes the head of an answer and then its body. Each write is a call of the system, and wakes whoever waits for the
answer, who then waits once more: a quarter of the time that a short request took.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class OneWrite:
    """A transport that sends together what is written within one turn of the event loop."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self.transport, self.loop = transport, loop
        self.parts: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)

    def write(self, data: bytes) -> None:
        if not self.parts:
            self.loop.call_soon(self.send)
        self.parts.append(data)

    def send(self) -> None:
        if self.parts:
            data, self.parts = b"".join(self.parts), []
            self.transport.write(data)

    def close(self) -> None:
        self.send()
        self.transport.close()


class WholeAnswers(HttpToolsProtocol):
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(OneWrite(transport, self.loop))  # type: ignore[arg-type]
