"""The application: routes, pages and what errors are answered with, behind the guard."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

import surefoot
from surefoot.errors import BadJournal, Conflict, NoSuchStudy, StorageFailed, SurefootError
from surefoot.service import api, models, pages
from surefoot.service.access import Access
from surefoot.service.guard import UNUSABLE, Guard
from surefoot.service.logs import LOG
from surefoot.service.reading import sentence
from surefoot.service.studies import Studies
from surefoot.storage import Storage

STATUS: dict[type[SurefootError], int] = {Conflict: 409, NoSuchStudy: 404, StorageFailed: 503, BadJournal: 500}
ABOUT = """
Ask for pulls, tell their rewards, read the decision. Errors are `{"detail": "a sentence"}`. A call may be made again if
its answer was lost: a tell counts once, and an ask with a `request` has one answer.
"""


def create_app(storage: Storage, names: Iterable[str] = (), stopping: Callable[[], bool] = lambda: False) -> FastAPI:
    """The service over a storage. It answers to `names` besides the machine's own; event streams end once `stopping`."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        storage.close()

    app = FastAPI(
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
    app.include_router(api.routes(Studies(storage), stopping), dependencies=[bearer])

    @app.get("/health", response_model=models.Health, responses={503: {"model": models.Refusal}}, tags=["service"])
    def health() -> JSONResponse:
        """Can the storage be read and written?"""
        storage.ready()
        return JSONResponse({"status": "ok", "version": surefoot.__version__})

    pages.add_to(app)
    app.add_middleware(Guard, access=Access(storage), names=names)
    return app


async def refused(request: Request, error: Exception) -> JSONResponse:
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 422)
    if status >= 500:
        LOG.error(str(error))
    return JSONResponse({"detail": UNUSABLE if isinstance(error, StorageFailed) else str(error)}, status)


async def unreadable(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return JSONResponse({"detail": sentence(error)}, 422)


async def not_found(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    words = {404: f"there is nothing at {request.url.path!r}", 405: f"{request.method} is not for this address"}
    return JSONResponse({"detail": words.get(error.status_code, error.detail)}, error.status_code, error.headers)
