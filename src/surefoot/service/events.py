"""A study's journal as server-sent events: each event with its position for an id, so that a reader can go on from there."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import islice

from starlette.concurrency import run_in_threadpool

from surefoot.errors import SurefootError
from surefoot.service.studies import Studies
from surefoot.storage import Event

PAUSE = 0.25  # seconds between two looks at the journal
ALIVE = 15.0  # seconds of silence after which a comment says that all is well
CHUNK = 1_000  # events at a time


async def follow(
    studies: Studies, identity: str, since: int, allowed: Callable[[], Awaitable[bool]]
) -> AsyncIterator[str]:
    """The events after the first `since` ones, and then each as it comes, as long as that is allowed."""

    def look() -> list[Event]:
        return studies(identity, lambda study: list(islice(study.history(since, CHUNK), CHUNK)))

    yield "retry: 1000\n\n"
    silent = 0.0
    while await allowed():
        try:
            events = await run_in_threadpool(look)
        except SurefootError as error:  # deleted, say
            yield f"event: gone\ndata: {json.dumps({'detail': str(error)})}\n\n"
            return
        for event in events:
            since += 1
            yield f"id: {since}\nevent: {event['type']}\ndata: {json.dumps(event)}\n\n"
        if len(events) == CHUNK:
            continue
        silent = 0.0 if events else silent + PAUSE
        if silent >= ALIVE:
            silent = 0.0
            yield ": alive\n\n"
        await asyncio.sleep(PAUSE)
