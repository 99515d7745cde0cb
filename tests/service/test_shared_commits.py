"""Requests that come at the same time share a commit: each has its own answer, and none before what it did is kept."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from surefoot import Study
from surefoot.service import fast_lane
from surefoot.service.call_queue import CallQueue
from surefoot.storage.sqlite import SQLite
from surefoot.storage.sqlite_connection import Misplaced
from surefoot.study.engine import Engine
from tests.service.serving import served

ONE = "/api/studies/s"


class Slow(SQLite):
    """Commits wait as long as `gate` is closed; `commits` counts them, and `error` fails them."""

    def __init__(self, path):
        super().__init__(path)
        self.gate, self.reached = threading.Event(), threading.Semaphore(0)
        self.gate.set()
        self.commits, self.error = 0, None

    def confirm(self, connection):
        self.reached.release()
        assert self.gate.wait(30)
        if self.error is not None:
            raise self.error
        super().confirm(connection)
        self.commits += 1


@pytest.fixture
def storage(tmp_path):
    storage = Slow(tmp_path / "studies.db")
    Study.open(storage, "s", ["a", "b"], risk="variance <= 0.2").ask(20)
    return storage


@pytest.fixture
def service(storage, monkeypatch):
    """A client, and a way to have requests made by one commit: they are sent while another one is under way."""
    queues = []

    def queue(*parts):
        queues.append(CallQueue(*parts))
        return queues[-1]

    monkeypatch.setattr(fast_lane, "CallQueue", queue)
    with served(storage) as url, httpx.Client(base_url=url, timeout=30) as http, ThreadPoolExecutor(30) as threads:
        assert http.post(f"{ONE}/tell", json={"results": []}).status_code == 200

        def at_once(requests, meanwhile=lambda: None):
            while storage.reached.acquire(blocking=False):
                pass
            storage.gate.clear()
            first = threads.submit(http.post, f"{ONE}/tell", json={"results": [{"pull": 20, "reward": 0.5}]})
            assert storage.reached.acquire(timeout=30)
            answers = [threads.submit(http.post, ONE + path, json=body) for path, body in requests]
            wait_until(lambda: len(queues[0].waiting["s"].calls) == len(requests))
            meanwhile()
            assert not first.done()
            assert not any(answer.done() for answer in answers)  # nothing is answered before it is kept
            storage.gate.set()
            first.result()
            return [answer.result() for answer in answers]

        yield http, at_once


def wait_until(ready):
    deadline = time.monotonic() + 30
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def told(study):
    return {event["pull"] for event in study.events if event["type"] == "told"}


def tell(pull, reward=0.5):
    return ("/tell", {"results": [{"pull": pull, "reward": reward}]})


def test_all_that_wait_are_written_by_one_commit(service, storage):
    _, at_once = service
    before = storage.commits
    exchange = ("/exchange", {"results": [{"pull": 3, "reward": 0.5}]})
    answers = at_once([tell(1), tell(2), ("/ask", {"count": 2}), exchange])
    assert [answer.status_code for answer in answers] == [200] * 4
    assert storage.commits - before == 2  # one of the request before them, and one of theirs
    kept = Study.open(storage.path, "s")
    assert told(kept) == {1, 2, 3, 20}
    asked = [pull["id"] for answer in answers[2:] for pull in answer.json()["pulls"]]
    assert len(set(asked)) == len(asked) >= 3
    assert set(asked) <= {pull.id for pull in kept.pending}


def test_one_that_is_refused_does_not_stop_the_others(service, storage):
    _, at_once = service
    ask = ("/ask", {"request": "r"})
    answers = at_once([tell(1), tell(1, 0.75), tell(99), ask, ask, tell(2)])
    assert sorted(answer.status_code for answer in answers[:2]) == [200, 409]
    assert "cannot be told as" in "".join(answer.text for answer in answers[:2])
    assert [answer.status_code for answer in answers[2:]] == [422, 200, 200, 200]
    assert answers[3].json() == answers[4].json()
    assert told(Study.open(storage.path, "s")) == {1, 2, 20}


def test_none_is_acknowledged_if_the_commit_fails(service, storage):
    http, at_once = service
    error = Misplaced("the file was removed or moved away")
    answers = at_once([tell(1), tell(2)], meanwhile=lambda: setattr(storage, "error", error))
    assert [answer.status_code for answer in answers] == [503, 503]
    storage.error = None
    assert http.post(f"{ONE}/tell", json=tell(1)[1]).status_code == 200  # as a client does that was told to try again


def test_one_that_breaks_breaks_no_other(service, storage, monkeypatch):
    _, at_once = service

    def breaking(self, pull, reward, told=Engine.tell):
        told(self, pull, reward)
        if pull == 2:
            raise OSError("a fault of ours")

    monkeypatch.setattr(Engine, "tell", breaking)
    answers = at_once([tell(1), tell(2), tell(3), ("/ask", {"count": 1})])
    assert [answer.status_code for answer in answers] == [200, 500, 200, 200]
    kept = Study.open(storage.path, "s")
    assert told(kept) == {1, 3, 20}
    assert len(kept.pending) == 18


def test_a_body_that_is_wrong_is_answered_as_on_every_route(service):
    http, _ = service
    for path in ("tell", "exchange"):
        for body, words in (
            (b'{"results": [{"pull": 1, "reward": NaN}]}', "JSON, which has no number NaN"),
            (b'{"results": [{"pull": 1, "pull": 2}]}', 'each field once, got "pull" twice'),
            (b'{"results": [{"pull": "1", "reward": 0.5}]}', "results[0].pull must be a whole number"),
            (b'{"results": [{"pull": 1}]}', "got none of them (pull 1)"),
            (b'{"result": []}', "did you mean results?"),
            (b"", "body is missing"),
        ):
            answer = http.post(f"{ONE}/{path}", content=body, headers={"Content-Type": "application/json"})
            assert (answer.status_code, words in answer.json()["detail"]) == (422, True), (body, answer.text)
    assert http.post(f"{ONE}/ask").json()["pulls"] != []  # a body may be left out
    assert http.post("/api/studies/none/ask", json={}).json() == {"detail": "there is no study 'none'"}


def test_a_worker_with_a_colon_in_its_name_is_known_by_it(service, storage):
    http, _ = service
    (pull,) = http.post(f"{ONE}/ask", json={"count": 1, "worker": "host:1"}).json()["pulls"]
    assert Study.open(storage.path, "s").worker_of(pull["id"]) == "host:1"
