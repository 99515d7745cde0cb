"""Where the storage is, no client hears: whatever the storage raises, wherever, the words are the service's own."""

import json
import logging

import httpx
import pytest

from surefoot import Study
from surefoot.errors import BadJournal, BadTables, NoSuchStudy, StorageFailed
from surefoot.service import create_app
from surefoot.storage import tokens
from tests.service.faulty import Faulty
from tests.service.serving import served

SECRET = "postgresql://me@db.internal/lab"
BODIES = {
    "/api/studies": {"name": "new", "arms": ["a", "b"]},
    "/tell": {"results": [{"pull": 1, "reward": 0.5}]},
    "/record": {"results": [{"arm": "a", "reward": 0.5}]},
    "/exchange": {"results": [{"pull": 1, "reward": 0.5}]},
    "/abandon": {"pull": 1},
    "/heartbeat": {"pulls": [1]},
    "/exclude": {"arm": "a", "why": "no such program"},
}
ERRORS = {
    StorageFailed: (503, "the storage could not be used"),
    NoSuchStudy: (404, "there is no "),
    BadJournal: (500, "damaged and cannot be read"),
    BadTables: (500, "damaged and cannot be read"),
    OSError: (500, "something went wrong in the service: its log says what"),
}
OPERATIONS = [
    (method, path) for path, methods in create_app(Faulty("unused.db")).openapi()["paths"].items() for method in methods
]


@pytest.fixture
def storage(tmp_path):
    storage = Faulty(tmp_path / "studies.db")
    Study.open(storage, "s", ["a", "b"]).ask(2)
    return storage


def send(http, method, path):
    body = next((body for ending, body in BODIES.items() if path.endswith(ending)), None)
    return http.request(method, path.format(identity="s", pull=1), json=body)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("is_read_before", [True, False])
def test_no_answer_says_where_the_storage_is(http, storage, error, is_read_before, caplog):
    """Of all that the OpenAPI document has, with the study in memory and without."""
    assert len(OPERATIONS) >= 12
    status, words = ERRORS[error]
    for method, path in OPERATIONS:
        if is_read_before:
            storage.error = None
            assert http.get("/api/studies/s").status_code == 200
        storage.error = error(f"{SECRET} could not be used: FATAL: no such role")
        answer = send(http, method, path)
        assert "internal" not in answer.text, (method, path)
        assert list(answer.json()) == ["detail"]
        if error is NoSuchStudy and (method, path) == ("post", "/api/studies"):
            assert answer.status_code in (404, 409)  # it cannot be created, because it is deleted each time
        else:
            assert answer.status_code == status, (method, path)
            assert words in answer.json()["detail"]
    if status >= 500:
        assert SECRET in caplog.text  # here it has to be


@pytest.mark.parametrize(
    ("error", "kind"), [(StorageFailed, "waiting"), (BadJournal, "damaged"), (NoSuchStudy, "gone")]
)
def test_no_stream_says_where_the_storage_is(http, storage, error, kind):
    with http.stream("GET", "/api/studies/s/events", params={"since": 2}) as response:
        lines = response.iter_lines()
        next(lines)
        storage.error = error(f"{SECRET} could not be used")
        heard = [next(line for line in lines if line) for _ in range(2)]
        assert heard[0] == f"event: {kind}"
        assert "internal" not in heard[1]
        assert list(json.loads(heard[1].removeprefix("data: "))) == ["detail"]


@pytest.mark.parametrize("error", [StorageFailed, BadTables, OSError])
def test_nor_does_an_answer_of_who_checks_the_tokens(storage, monkeypatch, error):
    tokens.create(storage, "lab")

    def fail(*_):
        raise error(f"{SECRET} could not be used")

    with served(storage) as url:
        monkeypatch.setattr(tokens, "listed", fail)
        answer = httpx.get(f"{url}/api/studies")
        assert answer.status_code == ERRORS[error][0]
        assert "internal" not in answer.text


def test_a_refusal_that_would_tell_is_caught(http, storage, monkeypatch):
    """The control: these tests notice a service that passes the storage's words on."""
    monkeypatch.setattr("surefoot.service.app.refusal", lambda error, study: (503, str(error)))
    storage.error = StorageFailed(SECRET)
    assert "internal" in http.get("/health").text


@pytest.fixture(autouse=True)
def propagating():
    """A test of `surefoot serve` may have turned it off."""
    logger = logging.getLogger("surefoot.service")
    before, logger.propagate = logger.propagate, True
    yield
    logger.propagate = before
