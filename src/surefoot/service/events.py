"""A study's journal as server-sent events: each event with its position for an id, so that a reader can go on from there.

What the journal does not have is said by events without an id: `waiting` and `resumed`, around a time in which the storage
cannot be used; `gone` and `damaged`, which end the stream; `recommendation`, for those who want it, whenever it changes.

However many streams a study has, one watcher looks at its journal for all of them. A stream that has not passed on what it
has gets no more, so that a reader who is slow takes no memory.
"""

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import suppress
from functools import partial
from typing import TypeAlias

from starlette.concurrency import run_in_threadpool

from surefoot.errors import BadJournal, NoSuchStudy, StorageFailed
from surefoot.service.refusals import refusal
from surefoot.storage import Event, Journal

PAUSE = 0.25  # seconds between two looks at the journal
ALIVE = 15.0  # seconds of silence after which a comment says that all is well
CHUNK = 1_000  # events at a time

# The recommendation of the study that has the journal with this key; None if that is gone.
Recommend: TypeAlias = Callable[[Hashable], Event | None]


class Stream:
    """What one reader has yet to be sent."""

    def __init__(self, since: int, allowed: Callable[[], Awaitable[bool]], wants_recommendation: bool = False) -> None:
        self.since, self.allowed = since, allowed  # the last event that it has; may it go on?
        self.recommended: Event | None = {} if wants_recommendation else None  # what it was told last
        self.text = ""  # not sent yet
        self.filled = asyncio.Event()
        self.spoke = time.monotonic()
        self.is_waiting = False  # for the storage, as its reader was told
        self.has_ended = False

    def put(self, text: str) -> None:
        self.text += text
        self.spoke = time.monotonic()
        self.filled.set()

    def end(self, text: str = "") -> None:
        self.has_ended = True
        self.put(text)

    async def sent(self) -> AsyncIterator[str]:
        while True:
            await self.filled.wait()
            if self.text:
                yield self.text  # goes on when the reader's connection has taken it
            if self.has_ended:
                return
            self.text = ""
            self.filled.clear()


class Watcher:
    """Looks at one journal for all who follow it."""

    def __init__(self, journal: Journal, study: str, recommend: Recommend) -> None:
        self.journal, self.study, self.recommend = journal, study, recommend
        self.streams: set[Stream] = set()
        self.wanted = asyncio.Event()  # a look at once: there is somebody new, or far behind

    async def watch(self) -> None:
        while self.streams:
            self.wanted.clear()
            ready = [stream for stream in self.streams if not stream.text and not stream.has_ended]
            try:
                await self.look([stream for stream in ready if await going_on(stream)])
            except StorageFailed as error:
                self.say_waiting(ready, refusal(error, self.study).detail)
            except (NoSuchStudy, BadJournal) as error:
                kind = "gone" if isinstance(error, NoSuchStudy) else "damaged"
                for stream in ready:
                    stream.end(message(kind, {"detail": refusal(error, self.study).detail}))
            except Exception as error:  # a fault of ours: readers come again, and nobody waits for nothing
                refusal(error, self.study)
                for stream in self.streams:
                    stream.end()
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self.wanted.wait(), PAUSE)

    async def look(self, streams: list[Stream]) -> None:
        """Streams that are at the same place have the same text, made once."""
        places = defaultdict(list)
        for stream in streams:
            places[stream.since].append(stream)
        for since, there in places.items():
            events = await run_in_threadpool(partial(read, self.journal, since))
            text = "".join(f"id: {at}\n{message(event['type'], event)}" for at, event in enumerate(events, since + 1))
            for stream in there:
                stream.since = since + len(events)
                if stream.is_waiting:
                    stream.is_waiting = False
                    stream.put(message("resumed", {"detail": "the storage can be used again"}))
                if text:
                    stream.put(text)
                elif time.monotonic() - stream.spoke >= ALIVE:
                    stream.put(": alive\n\n")
            if len(events) == CHUNK:
                self.wanted.set()
            else:
                await self.say_recommended([stream for stream in there if text or stream.recommended == {}])

    async def say_recommended(self, streams: list[Stream]) -> None:
        """To those who want it and have every event: it is worked out for them alone, once for all."""
        wanting = [stream for stream in streams if stream.recommended is not None]
        found = await run_in_threadpool(partial(self.recommend, self.journal.key)) if wanting else None
        if found is None:
            return
        said = {name: value for name, value in found.items() if name != "position"}
        for stream in wanting:
            if stream.recommended != said:
                stream.recommended = said
                stream.put(message("recommendation", found))

    def say_waiting(self, streams: list[Stream], detail: str) -> None:
        for stream in streams:
            if not stream.is_waiting and not stream.text:
                stream.is_waiting = True
                stream.put(message("waiting", {"detail": detail}))


class Watchers:
    """Of each journal that is followed."""

    def __init__(self) -> None:
        self.watching: dict[Hashable, tuple[Watcher, asyncio.Task[None]]] = {}

    async def follow(self, journal: Journal, study: str, stream: Stream, recommend: Recommend) -> AsyncIterator[str]:
        """The events after those that the stream has, and then each as it comes, as long as that is allowed.

        It is one study's journal: if that is deleted, the stream ends, whatever else is created by the same name.
        """
        yield "retry: 1000\n\n"
        key = journal.key
        watcher, task = self.watching.get(key, (None, None))
        if watcher is None or task is None or task.done():
            watcher = Watcher(journal, study, recommend)
            watcher.streams.add(stream)
            self.watching[key] = watcher, asyncio.create_task(watcher.watch())
        watcher.streams.add(stream)
        watcher.wanted.set()
        try:
            async for text in stream.sent():
                yield text
                if text.count("\nid: ") >= CHUNK - 1:  # there may be more
                    watcher.wanted.set()
        finally:
            watcher.streams.discard(stream)
            if not watcher.streams and self.watching.get(key, (None,))[0] is watcher:
                del self.watching[key]

    @property
    def streams(self) -> int:
        """How many there are."""
        return sum(len(watcher.streams) for watcher, _ in self.watching.values())


async def going_on(stream: Stream) -> bool:
    if await stream.allowed():
        return True
    stream.end()
    return False


def read(journal: Journal, since: int) -> list[Event]:
    return list(journal.since(since, CHUNK))


def message(kind: str, data: Event) -> str:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"
