"""Calls of a study that come at the same time: they are made together, and written by one commit.

Those that come while a commit is under way wait for the next one. So the more come, the more share a commit; and each is
answered only after the commit that has it. A worker that was answered often calls again at once. So if others wait by then,
they wait a moment longer for it: half as many commits have the same calls. Where calls take long, a commit is little of it,
and nobody waits.
"""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from surefoot.service.prometheus import Metrics
from surefoot.service.pull_calls import Call
from surefoot.service.studies import Studies

MOST = 64  # calls of one commit, so that nobody waits long for others
MOMENT = 0.001  # seconds for those who were answered to call again
LONG = 0.01  # seconds
THREADS = 40  # as many studies are written at the same time


class Waiting:
    """The calls of a study that wait, while a thread works for it."""

    def __init__(self) -> None:
        self.calls: list[tuple[Call, asyncio.Future[Any]]] = []
        self.enough = 0  # calls, for which `gathered` is waited for
        self.gathered: asyncio.Future[None] | None = None

    def add(self, call: Call, future: "asyncio.Future[Any]") -> None:
        self.calls.append((call, future))
        if len(self.calls) >= self.enough:
            self.go_on()

    async def gather(self, enough: int) -> None:
        """Wait for so many calls, but a moment only."""
        loop = asyncio.get_running_loop()
        self.enough, self.gathered = enough, loop.create_future()
        timer = loop.call_later(MOMENT, self.go_on)
        try:
            await self.gathered
        finally:
            timer.cancel()

    def go_on(self) -> None:
        if self.gathered is not None and not self.gathered.done():
            self.gathered.set_result(None)


class CallQueue:
    """Of each study, the calls that wait. One thread makes them."""

    def __init__(self, studies: Studies, metrics: Metrics) -> None:
        self.studies, self.metrics = studies, metrics
        self.waiting: dict[str, Waiting] = {}  # of the studies that a thread works for
        self.working: set[asyncio.Task[None]] = set()
        # To hand work over takes half of what it takes with the pool that routes have.
        self.threads = ThreadPoolExecutor(THREADS, "calls")

    async def make(self, identity: str, call: Call) -> Any:
        """What a call answers, once it is written."""
        future = asyncio.get_running_loop().create_future()
        if identity not in self.waiting:
            self.waiting[identity] = Waiting()
            self.working.add(task := asyncio.create_task(self.work(identity)))
            task.add_done_callback(self.working.discard)
        self.waiting[identity].add(call, future)
        return await future

    async def work(self, identity: str) -> None:
        loop, waiting = asyncio.get_running_loop(), self.waiting[identity]
        try:
            while calls := waiting.calls[:MOST]:
                del waiting.calls[:MOST]
                began = time.monotonic()
                answers = await loop.run_in_executor(
                    self.threads, self.studies.make, identity, [call for call, _ in calls]
                )
                took = time.monotonic() - began
                self.metrics.calls += len(calls)
                self.metrics.commits += 1
                for (_, future), answer in zip(calls, answers, strict=True):
                    if future.done():
                        continue  # nobody waits for it any more
                    if isinstance(answer, Exception):
                        future.set_exception(answer)
                    else:
                        future.set_result(answer)
                if 0 < len(waiting.calls) < MOST and took < LONG:
                    await waiting.gather(min(len(waiting.calls) + len(calls), MOST))
        finally:
            del self.waiting[identity]
