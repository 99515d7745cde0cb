"""Logs: one JSON object a line, on standard error."""

import asyncio
import json
import logging
import sys
import time
from contextlib import suppress
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import msgspec

LOG = logging.getLogger("surefoot.service")
REQUEST: ContextVar[str | None] = ContextVar("request", default=None)  # the id of the one that is being answered
SOON = 0.1  # seconds

ANSWERED = vars(logging.LogRecord(LOG.name, logging.INFO, __file__, 0, "request", (), None))


class Answered(logging.LogRecord):
    """A request that was answered. What logging finds out for each record anew took a tenth of the time of a request."""

    def __init__(self, **fields: Any) -> None:
        now = time.time()
        vars(self).update(ANSWERED, created=now, msecs=now % 1 * 1e3, fields=fields)


@lru_cache(1)
def second(number: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(number))


class Lines(logging.Formatter):
    """A record as JSON in ASCII: whatever a client sent, it cannot write a line of its own or move the cursor."""

    def format(self, record: logging.LogRecord) -> str:
        when = second(int(record.created))
        line = {"time": f"{when}.{int(record.msecs):03d}Z", "level": record.levelname.lower()}
        line |= {"message": record.getMessage(), **getattr(record, "fields", {})}
        if request := REQUEST.get():
            line["request"] = request
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return in_ascii(line)


def in_ascii(line: dict[str, Any]) -> str:
    """The text that `json.dumps` makes, usually in less time."""
    try:
        text = msgspec.json.format(msgspec.json.encode(line), indent=0)
    except UnicodeEncodeError:  # half a character
        return json.dumps(line)
    return text.decode() if text.isascii() and b"\x7f" not in text else json.dumps(line)


class WrittenSoon(logging.Handler):
    """Lines that come within a moment are written together: a call of the system for each took a tenth of a request.
    Warnings and errors are written at once, and everything is when the process exits.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.loop: asyncio.AbstractEventLoop | None = None  # which will write them

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self.lines.append(self.format(record))
        except Exception:
            self.handleError(record)
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # before the service runs, or in another thread
            loop = None
        if loop is None or record.levelno > logging.INFO:
            self.flush()
        elif loop is not self.loop:
            self.loop = loop
            loop.call_later(SOON, self.flush)

    def flush(self) -> None:
        self.acquire()
        try:
            lines, self.lines, self.loop = self.lines, [], None
            if lines and sys.stderr is not None:
                with suppress(OSError, ValueError):  # nobody reads them any more
                    sys.stderr.write("\n".join([*lines, ""]))  # which is line-buffered: one call of the system
        finally:
            self.release()


def to_standard_error() -> None:
    handler = WrittenSoon()
    handler.setFormatter(Lines())
    for logger in (LOG, logging.getLogger("uvicorn")):
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO)
