"""What happened in a study: its results as a table, and its journal as it grows."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse

from surefoot.errors import Conflict, InvalidValue
from surefoot.service.events import Stream, Watchers
from surefoot.service.guard import STILL_ALLOWED
from surefoot.service.models import Identity
from surefoot.service.studies import Studies
from surefoot.study.url_id import name_of
from surefoot.work.results_csv import write_csv


def add_journal_routes(api: APIRouter, studies: Studies, stopping: Callable[[], bool], watchers: Watchers) -> None:
    @api.get(
        "/{identity}/results.csv",
        summary="Get the results as a table",
        description="A row for each result: pull (empty if nobody asked for it), arm, a column for each metric (reward), "
        "counted (false if it came too late), worker, time. A quote stands before a name that looks like a formula.",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/csv": {}}, "description": "In the order in which pulls were asked for"}},
    )
    def results(identity: Identity) -> Any:
        problem, rows = studies.with_study(identity, lambda study: (study.problem, study.results()))
        return StreamingResponse(write_csv(problem, rows), media_type="text/csv")

    @api.get(
        "/{identity}/events",
        summary="Follow the journal as server-sent events",
        description="Besides the journal's events there are messages without an id. `waiting`: the storage cannot be used; "
        "`resumed`: it can be used again. `gone` (the study was deleted) and `damaged` (its journal cannot be read) end it. "
        "`recommendation`, if you want it: the answer one would give now, with its confidence.",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}, "description": "Each event, when it happens"}},
    )
    def events(
        request: Request,
        identity: Identity,
        since: Annotated[int, Query(ge=0, le=2**62, description="Begin after so many events.")] = 0,
        last_event_id: Annotated[
            str | None, Header(description="The id of the last event that was seen; it is used instead of since.")
        ] = None,
        recommendation: Annotated[bool, Query(description="Send the recommendation too, whenever it changes.")] = False,
    ) -> Any:
        if last_event_id is not None:
            since = event_number(last_event_id)
        journal = studies.journal(identity)  # before its end is looked up, which so is no older one's of the same name
        position = studies.with_study(identity, lambda study: (study.refresh(), study.position)[1])
        if since > position:
            raise Conflict(
                f"event {since} does not exist: this study has {position} events. Was it deleted and created again?"
            )

        async def allowed() -> bool:
            return not stopping() and await request.scope[STILL_ALLOWED]()

        stream, recommend = Stream(since, allowed, recommendation), partial(studies.recommended, identity)
        sent = watchers.follow(journal, name_of(identity), stream, recommend)
        return StreamingResponse(sent, media_type="text/event-stream")


def event_number(text: str) -> int:
    """The number of an event, as its id has it."""
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise InvalidValue(f"Last-Event-ID must be a whole number, got {text!r}")
    return int(text)
