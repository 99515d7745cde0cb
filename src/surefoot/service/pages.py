"""The pages: files as they are, with no data in them. What they show they fetch, with a token if one is needed."""

from importlib.util import find_spec
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse
from starlette.staticfiles import StaticFiles

from surefoot.errors import Unsupported

STATIC = Path(__file__).parent / "static"


def add_to(app: FastAPI) -> None:
    plotly = plotly_file()

    def page(name: str) -> FileResponse:
        return FileResponse(STATIC / name)

    @app.get("/", include_in_schema=False)
    def studies() -> FileResponse:
        return page("studies.html")

    @app.get("/studies/{identity}", include_in_schema=False)
    def study(identity: str) -> FileResponse:
        return page("study.html")

    @app.get("/docs", include_in_schema=False)
    def docs() -> FileResponse:
        return page("docs.html")

    @app.get("/static/plotly.js", include_in_schema=False)
    def drawing() -> FileResponse:
        return FileResponse(plotly, media_type="text/javascript", headers={"Cache-Control": "max-age=86400"})

    app.mount("/static", StaticFiles(directory=STATIC))


def plotly_file() -> Path:
    """plotly.js, as the Python package brings it."""
    spec = find_spec("plotly")
    if spec is None or not spec.submodule_search_locations:
        raise Unsupported("the service needs plotly: pip install 'surefoot[service]'")
    return Path(spec.submodule_search_locations[0]) / "package_data" / "plotly.min.js"
