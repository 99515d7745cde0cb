"""The routes under /api. Each is a call of a study: what is refused, the study refuses, in its own words."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter

from surefoot.service import models
from surefoot.service.events import Watchers
from surefoot.service.journal_routes import add_journal_routes
from surefoot.service.pull_routes import add_pull_routes
from surefoot.service.reading import JsonRoute
from surefoot.service.studies import Studies
from surefoot.service.study_routes import add_study_routes

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": models.Refusal, "description": why}
    for status, why in {
        400: "A header that cannot be read",
        401: "No token, or one that is unknown or revoked",
        403: "The token may only read, or the request comes from a page elsewhere",
        404: "No such study",
        409: "The request contradicts an earlier one",
        413: "Too large",
        415: "Not JSON",
        422: "A value is not valid",
        500: "The journal is damaged, or the service failed",
        503: "The storage cannot be used: try again",
    }.items()
}


def routes(studies: Studies, stopping: Callable[[], bool], watchers: Watchers) -> APIRouter:
    api = APIRouter(prefix="/api/studies", tags=["studies"], route_class=JsonRoute, responses=REFUSALS)
    add_study_routes(api, studies)
    add_pull_routes(api, studies)
    add_journal_routes(api, studies, stopping, watchers)
    return api
