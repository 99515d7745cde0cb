"""Who may do what."""

import json
import subprocess
import sys
import time

import httpx
import pytest
from sqlalchemy import delete

from surefoot import Study
from surefoot.cli import main
from surefoot.errors import Conflict, InvalidValue, Unsupported
from surefoot.service.access import FRESH
from surefoot.storage import connect, schema, tokens
from tests.service.serving import Process, served

STUDY = {"name": "colours", "arms": ["red", "blue"]}


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def keys(storage):
    """A token that may write and one that may read."""
    return tokens.create(storage, "lab"), tokens.create(storage, "screen", "read")


def test_without_tokens_everybody_may_do_everything(http):
    assert http.post("/api/studies", json=STUDY).status_code == 201


@pytest.mark.parametrize("header", [None, "Bearer", "Bearer wrong", "Basic {write}", "bearer x", "Bearer {write}x"])
def test_wrong_and_missing_tokens_are_refused(storage, keys, header):
    with served(storage) as url:
        headers = {"Authorization": header.format(write=keys[0])} if header else {}
        for method, path in (("GET", "/api/studies"), ("POST", "/api/studies"), ("GET", "/api/studies/a/events")):
            answer = httpx.request(method, url + path, headers=headers, json=STUDY if method == "POST" else None)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert "token" in answer.json()["detail"]


def test_a_read_only_token_reads_and_a_writing_one_writes(storage, keys):
    write, read = keys
    with served(storage) as url, httpx.Client(base_url=url) as http:
        assert http.post("/api/studies", json=STUDY, headers=bearer(write)).status_code == 201
        assert http.get("/api/studies/colours", headers=bearer(read)).status_code == 200
        for method, path in (
            ("POST", ""),
            ("DELETE", "/colours"),
            *[("POST", f"/colours/{what}") for what in ("ask", "tell", "record", "abandon", "heartbeat", "close")],
        ):
            answer = http.request(method, f"/api/studies{path}", headers=bearer(read), json={})
            assert (answer.status_code, answer.json()["detail"]) == (403, "this token may only read")


def test_a_revoked_token_is_refused_and_the_service_stays_closed(storage, keys):
    with served(storage) as url:
        assert httpx.get(f"{url}/api/studies", headers=bearer(keys[0])).status_code == 200
        tokens.revoke(connect(storage.path), "lab")  # by another process
        tokens.revoke(connect(storage.path), "screen")
        time.sleep(FRESH + 0.1)
        answer = httpx.get(f"{url}/api/studies", headers=bearer(keys[0]))
        assert (answer.status_code, answer.json()["detail"]) == (401, "this token was revoked")
        assert httpx.get(f"{url}/api/studies").status_code == 401


def test_a_stream_ends_when_its_token_is_revoked(storage, keys):
    Study.open(storage, "colours", ["red", "blue"])
    with (
        served(storage) as url,
        httpx.stream("GET", f"{url}/api/studies/colours/events", headers=bearer(keys[1]), timeout=20) as response,
    ):
        lines = response.iter_lines()
        assert next(lines).startswith("retry")
        tokens.revoke(connect(storage.path), "screen")
        assert "event: created" in list(lines)  # to its end


def test_a_service_that_had_tokens_never_opens_again(storage, keys):
    with served(storage) as url:
        assert httpx.get(f"{url}/api/studies").status_code == 401
        storage.write(lambda connection: tokens.run(connection, delete(schema.tokens)))
        time.sleep(FRESH + 0.1)
        assert httpx.get(f"{url}/api/studies").status_code == 401


def test_pages_carry_no_data_and_need_no_token(storage, keys):
    with served(storage) as url:
        httpx.post(f"{url}/api/studies", json=STUDY, headers=bearer(keys[0]))
        for path in ("/", "/studies/colours", "/docs", "/openapi.json", "/health"):
            answer = httpx.get(url + path)
            assert answer.status_code == 200
            assert "red" not in answer.text.split()


def test_only_a_hash_is_kept(storage, keys):
    for path in storage.path.parent.glob("studies.db*"):
        assert keys[0].encode() not in path.read_bytes()
    found = {token.name: token for token in tokens.listed(storage)}
    assert found["lab"].digest == tokens.digest(keys[0])
    assert len(keys[0]) > 43
    assert keys[0] != keys[1]


def test_the_use_of_a_token_is_noted(storage, keys):
    with served(storage) as url:
        before = time.time()
        httpx.get(f"{url}/api/studies", headers=bearer(keys[1]))
    found = {token.name: token.used for token in tokens.listed(storage)}
    assert found["lab"] is None
    assert found["screen"] >= before - 1


def test_tokens_that_cannot_be(storage, keys):
    with pytest.raises(Conflict, match="there is a token 'lab' already"):
        tokens.create(storage, "lab")
    with pytest.raises(InvalidValue, match="the name of a token must be printable text"):
        tokens.create(storage, "a\nb")
    with pytest.raises(InvalidValue, match="there is no token 'nobody'"):
        tokens.revoke(storage, "nobody")
    with pytest.raises(InvalidValue, match="scope must be one of read, write, got 'all'"):
        tokens.create(storage, "more", "all")
    with pytest.raises(Unsupported, match="give a file or postgresql://…, not a storage in memory"):
        tokens.create(connect("memory://"), "lab")


def test_the_command_line_makes_lists_and_revokes_tokens(tmp_path, capsys):
    where = ["--db", str(tmp_path / "studies.db"), "--json"]
    assert main(["token", "create", "lab", *where]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["name"], made["scope"]) == ("lab", "write")
    assert main(["token", "create", "screen", "--read-only", *where]) == 0
    assert json.loads(capsys.readouterr().out)["scope"] == "read"
    assert main(["token", "revoke", "screen", *where]) == 0
    capsys.readouterr()
    assert main(["token", "list", *where]) == 0
    found = json.loads(capsys.readouterr().out)["tokens"]
    assert [(token["name"], token["revoked"] is not None) for token in found] == [("lab", False), ("screen", True)]
    assert "digest" not in found[0]
    assert main(["token", "list", *where[:2]]) == 0
    assert "lab" in capsys.readouterr().out
    assert main(["token", "revoke", "nobody", *where]) == 2
    assert "there is no token 'nobody'" in capsys.readouterr().err


def test_beyond_this_machine_it_listens_only_with_a_token(tmp_path):
    command = [sys.executable, "-m", "surefoot", "serve", "--db", str(tmp_path / "s.db"), "--host", "0.0.0.0"]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert found.returncode == 2
    assert "there is no token: run `surefoot token create NAME --db URL` first" in found.stderr
    assert found.stdout == ""
    storage = connect(tmp_path / "s.db")
    tokens.create(storage, "lab")
    tokens.revoke(storage, "lab")
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 2


def test_no_token_is_ever_logged(tmp_path):
    token = tokens.create(connect(tmp_path / "studies.db"), "lab")
    process = Process(tmp_path / "studies.db", tmp_path / "log")
    httpx.get(f"{process.url}/api/studies?token={token}", headers=bearer(token))
    assert process.terminate() == 0
    log = (tmp_path / "log").read_text()
    lines = [json.loads(line) for line in log.splitlines()]
    assert [line["token"] for line in lines if line["message"] == "request"] == ["lab"]
    assert token not in log


def test_serving_without_the_extra_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "surefoot.service", None)
    assert main(["serve", "--db", str(tmp_path / "s.db")]) == 2
    assert "pip install 'surefoot[service]'" in capsys.readouterr().err


def test_a_port_that_is_taken_is_said_in_a_sentence(url, tmp_path, capsys):
    port = url.rpartition(":")[2]
    assert main(["serve", "--db", str(tmp_path / "s.db"), "--port", port]) == 2
    assert f"cannot listen on 127.0.0.1 port {port}: " in capsys.readouterr().err
