"""The pulls of a study: to ask for them, tell and record results, and say what became of the others."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import JSONResponse

from surefoot.service import models
from surefoot.service.models import Identity
from surefoot.service.pull_calls import asking, exchanging, recorded, telling
from surefoot.service.studies import Studies


def add_pull_routes(api: APIRouter, studies: Studies) -> None:
    # The first three are served by `fast_lane`, unless something is wrong with the body.

    @api.post("/{identity}/ask", summary="Ask for pulls", response_model=models.Asked)
    def ask(identity: Identity, body: models.Ask | None = None) -> Any:
        return JSONResponse(studies.with_study(identity, asking(body or models.Ask())))

    @api.post(
        "/{identity}/tell",
        summary="Tell results, or that pulls failed",
        description="All are taken or none. The same pull may be told again with the same result.",
        response_model=models.Progress,
    )
    def tell(identity: Identity, body: models.Tell) -> Any:
        return JSONResponse(studies.with_study(identity, telling(body)))

    @api.post(
        "/{identity}/exchange",
        summary="Tell results, then ask for pulls",
        description="A tell and an ask in one request: both are done, or neither. If you send the same request id "
        "again, you get the same answer, and the results count once.",
        response_model=models.Exchanged,
    )
    def exchange(identity: Identity, body: models.Exchange) -> Any:
        return JSONResponse(studies.with_study(identity, exchanging(body)))

    @api.post(
        "/{identity}/record", summary="Record results of pulls that were not asked for", response_model=models.Progress
    )
    def record(identity: Identity, body: models.Record) -> Any:
        results = [recorded(result) for result in body.results]
        return JSONResponse(studies.progress(identity, lambda study: study.record_all(results)))

    @api.post("/{identity}/abandon", summary="Give a pull up", response_model=models.Progress)
    def abandon(identity: Identity, body: models.Abandon) -> Any:
        return JSONResponse(studies.progress(identity, lambda study: study.abandon(body.pull)))

    @api.post(
        "/{identity}/heartbeat",
        summary="Say that pulls are still running, so that their leases begin anew",
        response_model=models.Heard,
    )
    def heartbeat(identity: Identity, body: models.Heartbeat) -> Any:
        return JSONResponse({"counts": studies.with_study(identity, lambda study: study.heartbeat_all(body.pulls))})

    @api.get("/{identity}/pulls", summary="List the pulls in flight", response_model=models.Pulls)
    def in_flight(identity: Identity) -> Any:
        pulls = studies.with_study(identity, lambda study: (study.refresh(), study.pending)[1])
        return JSONResponse({"pulls": [pull.plain() for pull in pulls]})

    @api.get("/{identity}/pulls/{pull}", summary="Say who asked for a pull", response_model=models.PullWorker)
    def worker(identity: Identity, pull: Annotated[int, Path(description="The id of the pull.")]) -> Any:
        return JSONResponse({"id": pull, "worker": studies.with_study(identity, lambda study: study.worker_of(pull))})
