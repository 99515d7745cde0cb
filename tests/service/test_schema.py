"""Schemathesis, against the OpenAPI document: whatever it sends, no answer is a 5xx or other than documented."""

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from surefoot import Study
from surefoot.errors import Conflict
from surefoot.service import create_app
from surefoot.storage import connect

STORAGE = connect("memory://")
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", create_app(STORAGE, names=["testserver", "localhost"]))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(autouse=True)
def known():
    """A study that is there, with pulls 1 to 5."""
    study = Study.open(STORAGE, "known", ["red", "blue"], risk="variance <= 0.04")
    if not study.pending:
        study.ask(5)


# The stream of events has no end, and has its own tests.
@SCHEMA.exclude(path_regex="/events$").parametrize()
@settings(max_examples=15, suppress_health_check=list(HealthCheck), deadline=None)
def test_every_answer_is_a_documented_one(case):
    if case.path_parameters and len(str(case.path_parameters["identity"])) % 2:
        try:
            Study.open(STORAGE, "known", ["red", "blue"], risk="variance <= 0.04")
        except Conflict:  # it made one of that name itself
            STORAGE.delete("known")
        case.path_parameters["identity"] = "known"
    case.call_and_validate(checks=CHECKS)


def test_a_service_that_breaks_is_caught():
    app = create_app(STORAGE, names=["testserver", "localhost"])

    @app.get("/broken")
    def broken() -> None:
        raise LookupError

    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    with pytest.raises(FailureGroup):
        schema["/broken"]["GET"].Case().call_and_validate(checks=CHECKS)
