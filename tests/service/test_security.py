"""docs/security.md, line by line, as far as it is not in the tests of limits, tokens and the page."""

import stat

import httpx
import pytest

from surefoot import Study
from surefoot.errors import StorageFailed
from surefoot.storage import connect, tokens
from surefoot.work import measures
from tests.service.serving import served

RUNNERS = [
    {"name": "x", "command": ["touch", "/tmp/owned"]},
    {"name": "x", "call": "os:getpid"},
    {"name": "x", "data": "/etc/passwd:root"},
    ["x"],
    True,
]


@pytest.mark.parametrize("arm", RUNNERS)
def test_over_http_an_arm_is_a_name_and_nothing_that_runs(http, storage, arm):
    answer = http.post("/api/studies", json={"name": "n", "arms": ["a", arm]})
    assert answer.status_code == 422
    assert "arms[1] must be text in quotes, got " in answer.json()["detail"]
    assert storage.studies() == []


@pytest.mark.parametrize("field", ["problem", "command", "call", "data", "folder", "db", "storage"])
def test_over_http_no_field_reaches_further(http, field):
    answer = http.post("/api/studies", json={"name": "n", "arms": ["a"], field: "os:getpid"})
    assert answer.status_code == 422
    assert f"{field} is not a field here: " in answer.json()["detail"]


def test_a_name_that_looks_like_a_source_stays_a_name(http, storage, monkeypatch):
    """What is created over HTTP has nothing to measure by, even for whoever runs it here."""
    monkeypatch.setattr(measures, "imported", lambda *_: pytest.fail("imported"))
    name = 'x\', call = "os:getpid"'
    assert http.post("/api/studies", json={"name": "n", "arms": [name, "b"]}).status_code == 201
    assert [arm.source for arm in Study.open(storage, "n").problem.arms] == [None, None]


def test_where_the_storage_is_stays_here(http, storage, monkeypatch):
    for answer in (http.get("/api/studies/nothing"), http.delete("/api/studies/nothing")):
        assert answer.status_code == 404
        assert answer.json()["detail"] == "there is no study 'nothing'"

    def fail():
        raise StorageFailed("postgresql://me@db.internal/lab could not be used: FATAL: no such role")

    monkeypatch.setattr(storage, "studies", fail)
    for path in ("/health", "/api/studies"):
        answer = http.get(path)
        assert answer.status_code == 503
        assert answer.json()["detail"] == "the storage could not be used just now: the service's log says why"


def test_answers_of_the_api_are_kept_nowhere_and_read_by_no_other_page(http):
    answer = http.get("/api/studies", headers={"Origin": "https://elsewhere.example"})
    assert answer.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["x-frame-options"] == "DENY"


def test_tokens_are_hashed_and_in_no_answer(storage, http):
    token = tokens.create(storage, "lab")
    everything = storage.path.read_bytes() + storage.path.with_name(storage.path.name + "-wal").read_bytes()
    assert token.encode() not in everything
    assert token.removeprefix("surefoot_").encode() not in everything
    assert tokens.digest(token) in everything


def test_a_preflight_is_not_answered_for_others(storage):
    with served(storage) as url:
        headers = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "POST"}
        answer = httpx.options(f"{url}/api/studies", headers=headers)
        assert answer.status_code == 405
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_new_file_is_its_owners_alone(tmp_path):
    Study.open(tmp_path / "studies.db", "s", ["a", "b"])
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes.keys() >= {"studies.db", "studies.db-wal"}
    assert set(modes.values()) == {0o600}


def test_the_mode_of_a_file_that_is_there_stays(tmp_path):
    path = tmp_path / "shared.db"
    path.touch()
    path.chmod(0o660)
    storage = connect(path)
    tokens.create(storage, "lab")
    assert stat.S_IMODE(path.stat().st_mode) == 0o660


@pytest.mark.parametrize("damage", ["position = 'abc'", "changed = 'def'", "changed = 9e999", "name = x'00ff'"])
def test_one_damaged_entry_does_not_take_the_list_from_everybody(http, storage, damage):
    for name in ("bad", "good"):
        http.post("/api/studies", json={"name": name, "arms": ["a", "b"]})
    storage.write(
        lambda connection: connection.exec_driver_sql(f"UPDATE surefoot_studies SET {damage} WHERE name = 'bad'")
    )
    answer = http.get("/api/studies")
    assert answer.status_code == 200
    assert [entry["status"] for entry in answer.json()["studies"]] == ["running", "broken"]
    assert http.get("/health").status_code == 200
