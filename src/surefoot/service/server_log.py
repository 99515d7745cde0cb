"""Logs: one JSON object a line, on standard error."""

import json
import logging
import sys
import time
from contextvars import ContextVar

LOG = logging.getLogger("surefoot.service")
REQUEST: ContextVar[str | None] = ContextVar("request", default=None)  # the id of the one that is being answered


class Lines(logging.Formatter):
    """A record as JSON in ASCII: whatever a client sent, it cannot write a line of its own or move the cursor."""

    def format(self, record: logging.LogRecord) -> str:
        when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {"time": f"{when}.{int(record.msecs):03d}Z", "level": record.levelname.lower()}
        line |= {"message": record.getMessage(), **getattr(record, "fields", {})}
        if request := REQUEST.get():
            line["request"] = request
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)


def to_standard_error() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    for logger in (LOG, logging.getLogger("uvicorn")):
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO)
