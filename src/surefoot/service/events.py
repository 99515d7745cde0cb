"""A study's journal as server-sent events: each event with its position for an id, so that a reader can go on from there.

What the journal does not have is said by events without an id: `waiting` and `resumed`, around a time in which the storage
cannot be used; `gone` and `damaged`, which end the stream.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

from starlette.concurrency import run_in_threadpool

from surefoot.errors import BadJournal, NoSuchStudy, StorageFailed
from surefoot.service.refusals import refusal
from surefoot.storage import Event, Journal

PAUSE = 0.25  # seconds between two looks at the journal
ALIVE = 15.0  # seconds of silence after which a comment says that all is well
CHUNK = 1_000  # events at a time


async def follow(
    journal: Journal, study: str, since: int, allowed: Callable[[], Awaitable[bool]]
) -> AsyncIterator[str]:
    """The events after the first `since` ones, and then each as it comes, as long as that is allowed.

    It is one study's journal: if that is deleted, the stream ends, whatever else is created by the same name.
    """
    yield "retry: 1000\n\n"
    silent, waiting = 0.0, False
    while True:
        events: list[Event] = []
        try:
            if not await allowed():
                return
            events = await run_in_threadpool(partial(read, journal, since))
        except StorageFailed as error:
            if not waiting:
                waiting = True
                yield message("waiting", {"detail": refusal(error, study).detail})
        except (NoSuchStudy, BadJournal) as error:
            kind = "gone" if isinstance(error, NoSuchStudy) else "damaged"
            yield message(kind, {"detail": refusal(error, study).detail})
            return
        else:
            if waiting:
                waiting = False
                yield message("resumed", {"detail": "the storage can be used again"})
        for event in events:
            since += 1
            yield f"id: {since}\n{message(event['type'], event)}"
        if len(events) == CHUNK:
            continue
        silent = 0.0 if events else silent + PAUSE
        if silent >= ALIVE:
            silent = 0.0
            yield ": alive\n\n"
        await asyncio.sleep(PAUSE)


def read(journal: Journal, since: int) -> list[Event]:
    return list(journal.since(since, CHUNK))


def message(kind: str, data: Event) -> str:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"
