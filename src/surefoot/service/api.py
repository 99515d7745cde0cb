"""The routes under /api. Each is a call of a study: what is refused, the study refuses, in its own words."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from surefoot.errors import Conflict, InvalidValue
from surefoot.service import models
from surefoot.service.events import follow
from surefoot.service.guard import STILL_ALLOWED
from surefoot.service.reading import JsonRoute
from surefoot.service.studies import Studies
from surefoot.study import Failed
from surefoot.study.url_id import name_of
from surefoot.work.results_csv import write_csv

Identity = Annotated[
    str, Path(description="The study's id: its name, with ~ and two digits for what a URL cannot hold.")
]

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": models.Refusal, "description": why}
    for status, why in {
        400: "A header that cannot be read",
        401: "No token, or one that is unknown or revoked",
        403: "The token may only read, or the request comes from a page elsewhere",
        404: "No such study",
        409: "It contradicts what was said before",
        413: "Too large",
        415: "Not JSON",
        422: "A value that cannot be",
        500: "The journal is damaged, or the service failed",
        503: "The storage cannot be used: try again",
    }.items()
}


def routes(studies: Studies, stopping: Callable[[], bool]) -> APIRouter:
    api = APIRouter(prefix="/api/studies", tags=["studies"], route_class=JsonRoute, responses=REFUSALS)
    one = "/{identity}"

    @api.get("", summary="The studies, newest first", response_model=models.Entries)
    def listed() -> Any:
        return JSONResponse(studies.listed())

    @api.post(
        "",
        status_code=201,
        summary="Create a study",
        description="If there is the very same study already, that is fine too (200).",
        response_model=models.Standing,
        responses={200: {"model": models.Standing, "description": "It was there already"}},
    )
    def create(creation: models.Creation) -> Any:
        standing, new = studies.create(creation)
        return JSONResponse(standing, 201 if new else 200)

    @api.get(one, summary="How a study stands", response_model=models.Standing)
    def standing(
        identity: Identity,
        arms: Annotated[int, Query(ge=0, le=10**9, description="Of how many arms at most.")] = 1_000,
    ) -> Any:
        return JSONResponse(studies.standing(identity, arms))

    @api.delete(one, status_code=204, summary="Delete a study for good")
    def delete(identity: Identity) -> None:
        studies.delete(identity)

    @api.post(one + "/ask", summary="Ask for pulls", response_model=models.Asked)
    def ask(identity: Identity, body: models.Ask | None = None) -> Any:
        wanted = body or models.Ask()
        pulls, decided = studies.with_study(
            identity,
            lambda study: (
                study.ask(wanted.count, worker=wanted.worker, request=wanted.request),
                study.decided,
            ),
        )
        return JSONResponse({"pulls": [pull._asdict() for pull in pulls], "decided": decided})

    @api.post(
        one + "/tell",
        summary="Tell rewards, or that pulls failed",
        description="All are taken or none. The same pull may be told again with the same result.",
        response_model=models.Progress,
    )
    def tell(identity: Identity, body: models.Tell) -> Any:
        results = [(result.pull, told(result)) for result in body.results]
        return progress(identity, lambda study: study.tell_all(results))

    @api.post(one + "/record", summary="Record rewards that were not asked for", response_model=models.Progress)
    def record(identity: Identity, body: models.Record) -> Any:
        results = [(result.arm, result.reward) for result in body.results]
        return progress(identity, lambda study: study.record_all(results))

    @api.post(one + "/abandon", summary="Give a pull up", response_model=models.Progress)
    def abandon(identity: Identity, body: models.Abandon) -> Any:
        return progress(identity, lambda study: study.abandon(body.pull))

    @api.post(one + "/heartbeat", summary="Say that pulls are still being made", response_model=models.Heard)
    def heartbeat(identity: Identity, body: models.Heartbeat) -> Any:
        return JSONResponse({"counts": studies.with_study(identity, lambda study: study.heartbeat_all(body.pulls))})

    @api.post(one + "/close", summary="End a study, undecided if it is", response_model=models.Progress)
    def close(identity: Identity) -> Any:
        return progress(identity, lambda study: study.close())

    @api.get(
        one + "/results.csv",
        summary="The results, as a table",
        description="A row for each result: pull (empty if nobody asked for it), arm, a column for each metric (reward), "
        "counted (false if it came too late), worker, time. A name that a spreadsheet would compute has a quote before it.",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/csv": {}}, "description": "In the order in which pulls were asked for"}},
    )
    def results(identity: Identity) -> Any:
        found = studies.with_study(identity, lambda study: study.results())
        return StreamingResponse(write_csv(found), media_type="text/csv")

    @api.get(
        one + "/events",
        summary="The journal, as server-sent events",
        description="Besides the journal's events, without an id: `waiting` and `resumed`, around a time in which the "
        "storage cannot be used; `gone` (the study was deleted) and `damaged` (its journal cannot be read), which end it.",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}, "description": "One for each event, as they come"}},
    )
    def events(
        request: Request,
        identity: Identity,
        since: Annotated[int, Query(ge=0, le=2**62, description="Begin after so many events.")] = 0,
        last_event_id: Annotated[
            str | None, Header(description="The id of the last event seen: goes before since.")
        ] = None,
    ) -> Any:
        if last_event_id is not None:
            if not last_event_id.isascii() or not last_event_id.isdigit() or len(last_event_id) > 18:
                raise InvalidValue(f"Last-Event-ID must be a whole number, got {last_event_id!r}")
            since = int(last_event_id)
        journal = studies.journal(identity)  # before its end is looked up, which so is no older one's of the same name
        position = studies.with_study(identity, lambda study: (study.refresh(), study.position)[1])
        if since > position:
            raise Conflict(
                f"this study has {position} events, so that nobody can have seen event {since}: "
                "was it deleted and created again?"
            )

        async def allowed() -> bool:
            return not stopping() and await request.scope[STILL_ALLOWED]()

        return StreamingResponse(follow(journal, name_of(identity), since, allowed), media_type="text/event-stream")

    def progress(identity: str, call: Callable[[Any], object]) -> Response:
        decided, pulls = studies.with_study(identity, lambda study: (call(study), study.decided, study.pulls)[1:])
        return JSONResponse({"decided": decided, "pulls": pulls})

    return api


def told(outcome: models.Outcome) -> float | Failed:
    """What is told of a pull."""
    if outcome.failed is not None and outcome.reward is None:
        return Failed(outcome.failed)
    if outcome.reward is None or outcome.failed is not None:
        got = "neither" if outcome.reward is None else "both"
        raise InvalidValue(f"a result must have a reward, or say why the pull failed, got {got} (pull {outcome.pull})")
    return outcome.reward
