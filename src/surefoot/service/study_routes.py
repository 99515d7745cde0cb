"""A study as a whole: to list, create, read, close and delete it, and to exclude an arm."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from surefoot.service import models
from surefoot.service.models import Identity
from surefoot.service.studies import Studies


def add_study_routes(api: APIRouter, studies: Studies) -> None:
    @api.get("", summary="List the studies, newest first", response_model=models.Entries)
    def listed() -> Any:
        return JSONResponse(studies.listed())

    @api.post(
        "",
        status_code=201,
        summary="Create a study",
        description="If the same study exists already, the answer is that study (200).",
        response_model=models.StudyView,
        responses={200: {"model": models.StudyView, "description": "The study existed already"}},
    )
    def create(creation: models.Creation) -> Any:
        view, new = studies.create(creation)
        return JSONResponse(view, 201 if new else 200)

    @api.get("/{identity}", summary="Get the decision of a study, or how far it is", response_model=models.StudyView)
    def view(
        identity: Identity,
        arms: Annotated[int, Query(ge=0, le=10**9, description="How many arms the answer has, at most.")] = 1_000,
    ) -> Any:
        return JSONResponse(studies.view(identity, arms))

    @api.delete("/{identity}", status_code=204, summary="Delete a study for good")
    def delete(identity: Identity) -> None:
        studies.delete(identity)

    @api.post(
        "/{identity}/exclude",
        summary="Exclude an arm that cannot be measured",
        description="Its pulls in flight are abandoned, and the decision is about the other arms.",
        response_model=models.Progress,
    )
    def exclude(identity: Identity, body: models.Exclusion) -> Any:
        return JSONResponse(studies.progress(identity, lambda study: study.set_aside(body.arm, body.why)))

    @api.post(
        "/{identity}/close", summary="End a study; without a decision it ends undecided", response_model=models.Progress
    )
    def close(identity: Identity) -> Any:
        return JSONResponse(studies.progress(identity, lambda study: study.close()))
