"""Which calls share a commit, by the order in which they come and are answered."""

import asyncio
import threading

import pytest

from surefoot.service import call_queue
from surefoot.service.call_queue import CallQueue
from surefoot.service.prometheus import Metrics


class Commits:
    """Instead of studies: each commit waits until it is let through."""

    def __init__(self):
        self.made, self.gate = [], threading.Semaphore(0)

    def make(self, identity, calls):
        assert self.gate.acquire(timeout=30)
        self.made.append(calls)
        return calls


async def one_answered_and_one_waiting(commits, queue):
    """The first of two calls is answered by a commit of its own, while the other one waits."""
    first = asyncio.create_task(queue.make("s", "first"))
    await asyncio.sleep(0)  # its commit is under way
    await asyncio.sleep(0)
    second = asyncio.create_task(queue.make("s", "second"))
    await asyncio.sleep(0)
    commits.gate.release()
    assert await first == "first"
    return second


@pytest.fixture
def commits(monkeypatch):
    monkeypatch.setattr(call_queue, "LONG", 60.0)  # however slow the machine is
    return Commits()


def test_who_was_answered_and_calls_again_shares_the_next_commit_with_those_who_waited(commits, monkeypatch):
    monkeypatch.setattr(call_queue, "MOMENT", 60.0)

    async def calls():
        queue = CallQueue(commits, Metrics())
        second = await one_answered_and_one_waiting(commits, queue)
        commits.gate.release()
        assert await queue.make("s", "again") == "again"
        assert await second == "second"

    asyncio.run(calls())
    assert commits.made == [["first"], ["second", "again"]]


@pytest.mark.parametrize(("moment", "long"), [(60.0, 0.0), (0.0, 60.0)], ids=["after long calls", "beyond a moment"])
def test_nobody_is_waited_for_where_that_does_not_pay(commits, monkeypatch, moment, long):
    monkeypatch.setattr(call_queue, "MOMENT", moment)
    monkeypatch.setattr(call_queue, "LONG", long)

    async def calls():
        queue = CallQueue(commits, Metrics())
        second = await one_answered_and_one_waiting(commits, queue)
        commits.gate.release()
        assert await second == "second"

    asyncio.run(asyncio.wait_for(calls(), 30))
    assert commits.made == [["first"], ["second"]]


def test_one_caller_alone_waits_for_nobody(commits, monkeypatch):
    monkeypatch.setattr(call_queue, "MOMENT", 60.0)

    async def calls():
        queue = CallQueue(commits, Metrics())
        for call in ("one", "two"):
            commits.gate.release()
            assert await queue.make("s", call) == call
        assert queue.waiting == {}

    asyncio.run(asyncio.wait_for(calls(), 30))
    assert commits.made == [["one"], ["two"]]
