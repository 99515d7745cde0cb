"""Calls of a study that come at the same time: they are made together, and written by one commit.

Those that come while a commit is under way wait for the next one. So the more come, the more share a commit; and each is
answered only after the commit that has it.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from surefoot.service.prometheus import Metrics
from surefoot.service.pull_calls import Call
from surefoot.service.studies import Studies

MOST = 64  # calls of one commit, so that nobody waits long for others
THREADS = 40  # as many studies are written at the same time


class CallQueue:
    """Of each study, the calls that wait. One thread makes them."""

    def __init__(self, studies: Studies, metrics: Metrics) -> None:
        self.studies, self.metrics = studies, metrics
        self.waiting: dict[str, list[tuple[Call, asyncio.Future[Any]]]] = {}  # of the studies that a thread works for
        self.working: set[asyncio.Task[None]] = set()
        # To hand work over takes half of what it takes with the pool that routes have.
        self.threads = ThreadPoolExecutor(THREADS, "calls")

    async def make(self, identity: str, call: Call) -> Any:
        """What a call answers, once it is written."""
        future = asyncio.get_running_loop().create_future()
        if identity in self.waiting:
            self.waiting[identity].append((call, future))
        else:
            self.waiting[identity] = [(call, future)]
            self.working.add(task := asyncio.create_task(self.work(identity)))
            task.add_done_callback(self.working.discard)
        return await future

    async def work(self, identity: str) -> None:
        loop = asyncio.get_running_loop()
        try:
            while calls := self.waiting[identity][:MOST]:
                del self.waiting[identity][:MOST]
                answers = await loop.run_in_executor(
                    self.threads, self.studies.make, identity, [call for call, _ in calls]
                )
                self.metrics.calls += len(calls)
                self.metrics.commits += 1
                for (_, future), answer in zip(calls, answers, strict=True):
                    if future.done():
                        continue  # nobody waits for it any more
                    if isinstance(answer, Exception):
                        future.set_exception(answer)
                    else:
                        future.set_result(answer)
        finally:
            del self.waiting[identity]
