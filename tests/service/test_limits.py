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
from surefoot.study.url_id import identity
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
        (b'{"results": [{"pull": 1, "reward": NaN}]}', "JSON, which has no number NaN"),
        (b'{"results": [{"pull": 1, "reward": -Infinity}]}', "JSON, which has no number -Infinity"),
        (
            b'{"results": [{"pull": 1, "reward": 1e999}]}',
            "results[0].reward must be a finite number, got one that is too large",
        ),
        (
            b'{"results": [{"pull": 1, "reward": ' + b"9" * 10_000 + b"}]}",
            "must be a finite number, got one that is too large",
        ),
        (b'{"results": [{"pull": ' + b"9" * 400 + b', "reward": 1}]}', "results[0].pull"),
        (
            b'{"results": [{"pull": ' + b"9" * 10_000 + b', "reward": 1}]}',
            "must be a whole number, got one that is too large",
        ),
        (b'{"results": [{"pull": 1.0, "reward": 1}]}', "results[0].pull must be a whole number, got 1.0"),
        (b'{"results": [{"pull": "1", "reward": 1}]}', 'results[0].pull must be a whole number, got "1"'),
        (b'{"results": [{"pull": "\\ud800", "reward": 1}]}', 'results[0].pull must be a whole number, got "\\ud800"'),
        (b'{"results": [{"pull": 9e18, "reward": 1}]}', "results[0].pull must be a whole number, got 9e+18"),
        (
            b'{"results": [{"pull": 5000000000000000000, "reward": 1}]}',
            "results[0].pull must be at most 4611686018427387904",
        ),
        (b'{"results": [{"pull": 1, "reward": 01}]}', "must be JSON"),
        (b'{"results": [{"pull": 1, "reward": .5}]}', "must be JSON"),
        (b'{"results": [{"pull": 1, "reward": +1}]}', "must be JSON"),
        (b'{"results": [{"pull": 1, "reward": 1, "reward": 0}]}', 'must have each field once, got "reward" twice'),
        (b'{"results": [], "results": []}', 'must have each field once, got "results" twice'),
        (b'{"results": [{"pull": 1, "rewrd": 1}]}', "results[0].rewrd is not a field here: did you mean reward?"),
        (
            b'{"results": [{"pull": 1, "reward": 1, "x": 1}]}',
            "results[0].x is not a field here: the fields are pull, reward, values, failed",
        ),
        (b'{"result": []}', "result is not a field here: did you mean results?"),
        (b'{"results": [{"reward": 1}]}', "results[0].pull is missing"),
        (b'{"results": [7]}', "results[0] must be an object in braces, got 7"),
        (b'{"results": {}}', "results must be a list, got {}"),
        (b"", "the request's body is missing"),
        ('{"results": []}'.encode("utf-16"), "must be JSON in UTF-8"),
        (b'{"results": [', "a request's body must be JSON: Expecting value"),
        (b"\xff\xfe\x00", "must be JSON"),
        (b"\x80abc", "must be JSON"),
        (b"[]", "the request's body must be an object in braces, got []"),
        (b'{"results": [{"pull": true, "reward": 0.5}]}', "results[0].pull must be a whole number, got true"),
        (b'{"results": [{"pull": 1, "reward": "0.5"}]}', 'results[0].reward must be a finite number, got "0.5"'),
        (
            b'{"results": [{"pull": 1, "reward": null}]}',
            "a result must have a reward, or values, or say why the pull failed, got none of them (pull 1)",
        ),
    ],
)
def test_what_is_not_json_or_not_a_tell_is_refused_in_a_sentence(study, body, sentence):
    assert sentence in refused(study.post("/api/studies/s/tell", content=body, headers=JSON), 422)


def test_a_whole_number_of_many_digits_is_a_number_where_any_is_meant(http):
    """1e25 with all its digits is the same number."""
    http.post("/api/studies", json={"name": "s", "arms": ["a", "b"], "rewards": "gaussian"})
    http.post("/api/studies/s/ask")
    body = b'{"results": [{"pull": 1, "reward": 10000000000000000000000000}]}'
    assert http.post("/api/studies/s/tell", content=body, headers=JSON).status_code == 200
    assert http.get("/api/studies/s").json()["recent"][0]["reward"] == 1e25


def test_true_and_false_are_1_and_0_as_a_reward_and_no_number_elsewhere(study):
    study.post("/api/studies/s/ask", json={"count": 2})
    results = [{"pull": 1, "reward": True}, {"pull": 2, "reward": False}]
    assert study.post("/api/studies/s/tell", json={"results": results}).json()["pulls"] == 2
    results = [{"arm": "a", "reward": True}]
    assert study.post("/api/studies/s/record", json={"results": results}).json()["pulls"] == 3
    assert [result["reward"] for result in study.get("/api/studies/s").json()["recent"]] == [1.0, 0.0, 1.0]
    answer = study.post("/api/studies", json={"name": "t", "arms": ["a"], "delta": True})
    assert refused(answer, 422) == "delta must be a finite number, got true"


def test_an_unknown_field_is_refused_with_the_one_that_may_be_meant(study):
    answer = study.post("/api/studies", json={"name": "t", "arms": ["a"], "dleta": 0.1})
    assert refused(answer, 422) == "dleta is not a field here: did you mean delta?"
    assert refused(study.post("/api/studies/s/ask", json={"cuont": 1}), 422).endswith("did you mean count?")


def test_text_must_not_be_empty(study):
    words = "must be printable text on one line of at most 200 characters, got ''"
    answer = study.post("/api/studies", json={"name": "", "arms": ["a"]})
    assert refused(answer, 422) == f"the name of a study {words}"
    for field in ("worker", "request"):
        assert refused(study.post("/api/studies/s/ask", json={field: ""}), 422) == f"{field} {words}"


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
    assert "results must have at most 10,000 entries, got 10,001" in refused(
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


def raw(url, method, path, *headers, body=b""):
    """Status and sentence of an answer to headers that no client would send."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
    connection.putrequest(method, path, skip_host=any(name == "Host" for name, _ in headers))
    for name, value in headers:
        connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    status, text = answer.status, answer.read()
    connection.close()
    return status, json.loads(text)["detail"]


@pytest.mark.parametrize("origin", [b"http://[", b"http://]", b"http://[::1"])
def test_an_origin_that_cannot_be_read_is_refused_in_a_sentence(url, origin):
    status, detail = raw(url, "POST", "/api/studies", ("Origin", origin))
    assert status == 400
    assert detail == f"the header Origin must be http://… or https://…, got {origin.decode()!r}"


def test_other_headers_that_cannot_be_read_are_refused_in_a_sentence(storage):
    """A service with tokens answers to any name, also to one that is no name."""
    token = tokens.create(storage, "lab")
    Study.open(storage, "s", ["a", "b"])
    key = ("Authorization", f"Bearer {token}")
    with served(storage) as url:
        for host in (b"[", b"[::1", b"\xff\xfe", b"a:b:c"):
            assert raw(url, "GET", "/nowhere", key, ("Host", host)) == (404, "there is nothing at '/nowhere'")
        for given in (b"Bearer \xff\xfe\xf0", b"Bearer " + 5_000 * b"x"):
            assert raw(url, "GET", "/api/studies", ("Authorization", given)) == (401, "this token does not exist")
        for given in (b"", b"\xff", b"Basic \xff"):
            status, detail = raw(url, "GET", "/api/studies", ("Authorization", given))
            assert (status, detail[:26]) == (401, "this service needs a token")
        for last in (b"", b"\xb2", b"-1", b"1e3", 30 * b"9"):
            status, detail = raw(url, "GET", "/api/studies/s/events", key, ("Last-Event-ID", last))
            assert (status, detail[:39]) == (422, "Last-Event-ID must be a whole number, g")


def test_a_body_in_pieces_must_say_that_it_is_json_too(url):
    headers = [("Content-Type", "text/plain"), ("Transfer-Encoding", "chunked")]
    status, detail = raw(url, "POST", "/api/studies", *headers, body=b"2\r\n{}\r\n0\r\n\r\n")
    assert status == 415
    assert "Content-Type: application/json" in detail


def test_without_tokens_the_service_answers_to_its_own_names_only(storage):
    with served(storage, names=["lab.example"]) as url:
        port = url.rpartition(":")[2]
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", "LOCALHOST", "[::1]:80", "lab.example"):
            assert httpx.get(f"{url}/api/studies", headers={"Host": host}).status_code == 200
        for host in ("rebound.example", f"rebound.example:{port}", "127.0.0.1.rebound.example", ""):
            answer = httpx.get(f"{url}/api/studies", headers={"Host": host})
            assert "without tokens this service only answers requests to" in refused(answer, 403)


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
    connection.request("GET", "/api/studies/a%0a%7b%22forged%22%3a1%7d%1b%5b2J%7f")
    assert connection.getresponse().status == 422
    connection.close()
    assert process.terminate() == 0
    text = (tmp_path / "log").read_text()
    assert not {"\x1b", "\x7f"} & {*text}
    lines = [json.loads(line) for line in text.splitlines()]
    assert not any("forged" in line for line in lines)
    assert any(line.get("path", "").startswith('/api/studies/a\n{"forged"') for line in lines)
