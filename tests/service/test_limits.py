"""What must not get through: too much, too deep, not JSON, from elsewhere; and names that are more than text."""

import http.client
import json
from contextlib import suppress

import httpx
import pytest

from surefoot import Study
from surefoot.service.guard import LARGEST_BODY
from surefoot.service.models import MOST_PULLS, MOST_RESULTS
from surefoot.storage import tokens
from surefoot.study.address import identity
from tests.service.serving import served

JSON = {"Content-Type": "application/json"}
NASTY = [
    "a/b/../c",
    "\"quoted\" and 'quoted'",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "'; DROP TABLE surefoot_studies; --",
    "%2e%2e%2f %s {name}",
    "...",
    "日本語 🎲 naïve",
    "~41",
]


@pytest.fixture
def study(http):
    http.post("/api/studies", json={"name": "s", "arms": ["a", "b"]})
    return http


def refused(response, status):
    assert response.status_code == status, response.text
    return response.json()["detail"]


def test_a_huge_body_is_refused_before_it_is_read(url):
    """By what it says of itself: nothing of the body was sent when the answer comes."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
    connection.putrequest("POST", "/api/studies")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(10**12))
    connection.endheaders()
    answer = connection.getresponse()
    assert answer.status == 413
    assert "at most 2,097,152 bytes" in json.loads(answer.read())["detail"]
    connection.close()


def test_a_huge_body_that_does_not_say_so_is_refused_while_it_is_read(http):
    sent = 0

    def endless():
        nonlocal sent
        while sent < 50 * LARGEST_BODY:
            sent += 65536
            yield b" " * 65536

    with suppress(httpx.WriteError):  # the connection may be closed on us meanwhile
        assert refused(http.post("/api/studies", content=endless(), headers=JSON), 413)
    assert sent < 50 * LARGEST_BODY


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"results":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"results": [{"pull": 1, "reward": NaN}]}', "NaN is no number there"),
        (b'{"results": [{"pull": 1, "reward": -Infinity}]}', "-Infinity is no number there"),
        (b'{"results": [{"pull": 1, "reward": 1e999}]}', "results[0].reward: input should be a finite number"),
        (b'{"results": [{"pull": 1, "reward": ' + b"9" * 10_000 + b"}]}", "must be JSON"),
        (b'{"results": [{"pull": ' + b"9" * 400 + b', "reward": 1}]}', "results[0].pull"),
        (b'{"results": [', "a request's body must be JSON: Expecting value"),
        (b"\xff\xfe\x00", "must be JSON"),
        (b"\x80abc", "must be JSON"),
        (b"[]", "the request's body: input should be a valid dictionary"),
        (b'{"results": [{"pull": true, "reward": 0.5}]}', "results[0].pull: input should be a valid integer"),
        (b'{"results": [{"pull": 1, "reward": "0.5"}]}', "results[0].reward: input should be a valid number"),
        (b'{"results": [{"pull": 1, "reward": null}]}', "results[0].reward: input should be a valid number"),
    ],
)
def test_what_is_not_json_or_not_a_tell_is_refused_in_a_sentence(study, body, sentence):
    assert sentence in refused(study.post("/api/studies/s/tell", content=body, headers=JSON), 422)


def test_text_that_is_no_text_is_refused(study):
    body = b'{"name": "\\ud800", "arms": ["a"]}'
    assert "name" in refused(study.post("/api/studies", content=body, headers=JSON), 422)
    body = b'{"name": "n", "arms": ["a\\u0000"]}'
    assert "an arm's name must be some printable text" in refused(
        study.post("/api/studies", content=body, headers=JSON), 422
    )


def test_batches_have_limits(study):
    assert "count" in refused(study.post("/api/studies/s/ask", json={"count": MOST_PULLS + 1}), 422)
    results = [{"pull": 1, "reward": 0.5}] * (MOST_RESULTS + 1)
    assert "results: list should have at most 10000 items" in refused(
        study.post("/api/studies/s/tell", json={"results": results}), 422
    )


def test_a_body_must_say_that_it_is_json(study):
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        answer = study.post("/api/studies/s/tell", content=b'{"results": []}', headers={"Content-Type": kind})
        assert "Content-Type: application/json" in refused(answer, 415)


def test_a_page_elsewhere_can_do_nothing(study, url):
    for origin in ("https://elsewhere.example", "null", "http://127.0.0.1:1"):
        assert "own pages" in refused(study.post("/api/studies/s/close", headers={"Origin": origin}), 403)
    assert study.post("/api/studies/s/close", headers={"Origin": url}).status_code == 200


def test_without_tokens_the_service_answers_to_its_own_names_only(storage):
    with served(storage, names=["lab.example"]) as url:
        port = url.rpartition(":")[2]
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", "LOCALHOST", "[::1]:80", "lab.example"):
            assert httpx.get(f"{url}/api/studies", headers={"Host": host}).status_code == 200
        for host in ("rebound.example", f"rebound.example:{port}", "127.0.0.1.rebound.example", ""):
            answer = httpx.get(f"{url}/api/studies", headers={"Host": host})
            assert "without tokens this service answers to" in refused(answer, 403)


def test_with_tokens_any_name_will_do(storage):
    token = tokens.create(storage, "lab")
    with served(storage) as url:
        headers = {"Host": "lab.example", "Authorization": f"Bearer {token}"}
        assert httpx.get(f"{url}/api/studies", headers=headers).status_code == 200


@pytest.mark.parametrize("path", ["/", "/studies/s", "/docs", "/api/studies", "/nowhere", "/static/study.js"])
def test_every_answer_has_the_headers_that_keep_browsers_careful(http, path):
    headers = http.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py"])
def test_only_static_files_are_served(url, path):
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status == 404
    assert b"import" not in answer.read()
    connection.close()


@pytest.mark.parametrize("name", NASTY)
def test_names_of_every_kind_come_back_as_they_are(http, storage, name):
    made = http.post("/api/studies", json={"name": name, "arms": [name, "other"]})
    assert made.status_code == 201
    path = f"/api/studies/{made.json()['id']}"
    assert made.json()["id"] == identity(name)
    pull = http.post(f"{path}/ask", json={"worker": name, "request": name}).json()["pulls"][0]
    assert pull["arm"] == name
    http.post(f"{path}/tell", json={"results": [{"pull": pull["id"], "reward": 0.5}]})
    assert http.get(path).json()["name"] == name
    assert http.get(path).json()["recent"][0]["arm"] == name
    assert http.get("/api/studies").json()["studies"][0]["name"] == name
    assert Study.open(storage, name).pulls == 1
    assert http.get(path).headers["content-type"] == "application/json"
    assert http.delete(path).status_code == 204


def test_a_client_cannot_write_lines_of_the_log(process, tmp_path):
    connection = http.client.HTTPConnection(process.url.removeprefix("http://"), timeout=10)
    connection.request("GET", "/api/studies/a%0a%7b%22forged%22%3a1%7d%1b%5b2J")
    assert connection.getresponse().status == 422
    connection.close()
    assert process.terminate() == 0
    text = (tmp_path / "log").read_text()
    assert "\x1b" not in text
    lines = [json.loads(line) for line in text.splitlines()]
    assert not any("forged" in line for line in lines)
    assert any(line.get("path", "").startswith('/api/studies/a\n{"forged"') for line in lines)
