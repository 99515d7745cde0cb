"""The application: routes, pages and what errors are answered with, behind the guard."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

import surefoot
from surefoot.errors import InvalidValue, SurefootError
from surefoot.service import api, models, pages
from surefoot.service.access import Access
from surefoot.service.events import Watchers
from surefoot.service.fast_lane import FastLane
from surefoot.service.guard import Guard
from surefoot.service.prometheus import Metrics
from surefoot.service.reading import model_in, sentence
from surefoot.service.refusals import refusal
from surefoot.service.studies import MEMORY, Studies
from surefoot.storage import Storage
from surefoot.study.url_id import name_of

ABOUT = """
Ask for pulls, tell their rewards, read the decision. Errors are `{"detail": "a sentence"}`. A call may be made again if
its answer was lost: a tell counts once, and an ask with a `request` has one answer.
"""


def create_app(
    storage: Storage,
    names: Iterable[str] = (),
    stopping: Callable[[], bool] = lambda: False,
    memory: float = MEMORY,
) -> "Service":
    """The service over a storage. It answers to `names` besides the machine's own; event streams end once `stopping`;
    the studies that it has open may take `memory` bytes.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        studies.busy.close()
        storage.close()

    app = Service(
        title="Surefoot",
        description=ABOUT,
        version=surefoot.__version__,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        exception_handlers={
            SurefootError: refused,
            RequestValidationError: unreadable,
            HTTPException: not_found,
        },
    )
    bearer = Depends(HTTPBearer(auto_error=False, description="Needed once there are tokens."))  # the guard checks it
    studies, watchers, metrics = Studies(storage, memory), Watchers(), Metrics()
    app.include_router(api.routes(studies, stopping, watchers), dependencies=[bearer])

    @app.get("/health", response_model=models.Health, responses={503: {"model": models.Refusal}}, tags=["service"])
    def health() -> JSONResponse:
        """Can the storage be read and written?"""
        storage.ready()
        return JSONResponse({"status": "ok", "version": surefoot.__version__})

    @app.get("/metrics", response_class=PlainTextResponse, responses={503: {"model": models.Refusal}}, tags=["service"])
    def measured() -> PlainTextResponse:
        """What the service has done since it started, for Prometheus."""
        gauges = {**studies.gauges(), "streams": ("Event streams that are open.", watchers.streams)}
        return PlainTextResponse(metrics.text(gauges), media_type="text/plain; version=0.0.4; charset=utf-8")

    pages.add_to(app)
    app.door = Guard(FastLane(app.routed, studies, metrics), Access(storage), metrics, names)
    return app


class Service(FastAPI):
    """FastAPI behind the guard, which answers errors too. What FastAPI does before it calls its middleware is left for the
    requests that the fast lane does not take.
    """

    door: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.door(scope, receive, send)

    async def routed(self, scope: Scope, receive: Receive, send: Send) -> None:
        await super().__call__(scope, receive, send)

    def build_middleware_stack(self) -> ASGIApp:
        """Without what answers errors in words of its own, and is outermost."""
        stack = super().build_middleware_stack()
        assert isinstance(stack, ServerErrorMiddleware)
        return stack.app


async def refused(request: Request, error: Exception) -> JSONResponse:
    status, detail = refusal(error, study_of(request))
    return JSONResponse({"detail": detail}, status)


def study_of(request: Request) -> str | None:
    """The name of the study that a request is about, if it is about one."""
    identity = request.path_params.get("identity")
    try:
        return None if identity is None else name_of(identity)
    except InvalidValue:
        return None


async def unreadable(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    body = getattr(request.scope.get("route"), "body_field", None)
    return JSONResponse({"detail": sentence(error, body and model_in(body.field_info.annotation))}, 422)


async def not_found(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    words = {
        404: f"there is nothing at {request.scope['path'][:200]!r}",
        405: f"{request.method} is not allowed at this address",
    }
    return JSONResponse({"detail": words.get(error.status_code, error.detail)}, error.status_code, error.headers)
