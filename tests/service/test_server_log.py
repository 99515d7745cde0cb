"""The log: lines of one moment are written together, and nothing that is logged stops a request."""

import asyncio
import json
import logging
from types import SimpleNamespace

import pytest

from surefoot.service import server_log
from surefoot.service.server_log import Lines, WrittenSoon, in_ascii


class Written:
    """A standard error that says what was written by each call."""

    def __init__(self):
        self.calls = []

    def write(self, text):
        self.calls.append(text)


@pytest.fixture
def written(monkeypatch):
    monkeypatch.setattr(server_log, "sys", SimpleNamespace(stderr=(out := Written())))  # pytest puts its own in place
    return out


@pytest.fixture
def log(written):
    handler = WrittenSoon()
    handler.setFormatter(Lines())
    logger = logging.getLogger("surefoot.test_server_log")
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(logging.INFO)
    return logger


def messages(written):
    return [[json.loads(line)["message"] for line in call.splitlines()] for call in written.calls]


@pytest.mark.parametrize("text", ["plain", 'a\n"b"\x1b[2J', "\x7f", "é", "漢\U0001f600", "\udc80", ""])
def test_a_line_is_what_json_makes_of_it(text):
    line = {"path": text, "status": 200, "ms": 1.25, "token": None}
    assert in_ascii(line) == json.dumps(line)


def test_where_nothing_runs_a_line_is_written_at_once(log, written):
    log.info("one")
    log.info("two")
    assert messages(written) == [["one"], ["two"]]


def test_lines_of_one_moment_are_one_write(log, written):
    async def run():
        log.info("one")
        log.info("two")
        assert not written.calls
        await asyncio.sleep(3 * server_log.SOON)
        log.info("three")
        await asyncio.sleep(3 * server_log.SOON)

    asyncio.run(run())
    assert messages(written) == [["one", "two"], ["three"]]


def test_an_error_is_written_at_once_and_what_was_before_it_first(log, written):
    async def run():
        log.info("one")
        log.error("two")
        assert messages(written) == [["one", "two"]]

    asyncio.run(run())


def test_a_loop_that_ended_too_soon_takes_no_line_with_it(log, written):
    async def run(text):
        log.info(text)

    asyncio.run(run("one"))
    asyncio.run(run("two"))
    log.handlers[0].flush()
    assert messages(written) == [["one", "two"]]


def test_what_cannot_be_logged_stops_nobody(log, written, monkeypatch):
    monkeypatch.setattr(logging, "raiseExceptions", False)  # which would print the error
    log.info("%d", "no number")
    log.info("two")
    assert messages(written) == [["two"]]
    server_log.sys.stderr = None
    log.info("nobody reads it")
