"""Server-sent events."""

import json
import socket
import sys
import threading
import time
from contextlib import ExitStack

import httpx
import pytest

from surefoot import Study
from surefoot.errors import StorageFailed
from surefoot.service import app, events
from surefoot.service.serve import listen
from surefoot.service.studies import Studies
from surefoot.storage import connect, tokens
from tests.service.faulty import Faulty
from tests.service.serving import served

ONE = "/api/studies/colours"


@pytest.fixture
def study(http):
    http.post("/api/studies", json={"name": "colours", "arms": ["red", "blue"]})
    return http


def heard(lines):
    """The events of a stream: id, type, data."""
    fields = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            if "data" in fields:
                yield int(fields.get("id", 0)), fields["event"], json.loads(fields["data"])
            fields = {}


def take(response, count):
    events = heard(response.iter_lines())
    return [next(events) for _ in range(count)]


def test_the_journal_from_its_beginning_and_then_as_it_grows(study, storage):
    study.post(f"{ONE}/ask", json={"count": 2})
    with study.stream("GET", f"{ONE}/events") as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        events = heard(response.iter_lines())
        assert [next(events)[:2] for _ in range(2)] == [(1, "created"), (2, "asked")]
        study.post(f"{ONE}/tell", json={"results": [{"pull": 2, "reward": 0.5}]})
        assert next(events)[2]["reward"] == 0.5
        Study.open(storage, "colours").tell(1, 0.25)  # by another process, as far as the service knows
        assert next(events)[::2] == (4, Study.open(storage, "colours").events[-1])


def test_a_reader_goes_on_from_the_last_event_it_had(study):
    study.post(f"{ONE}/ask", json={"count": 1})
    study.post(f"{ONE}/close")
    for headers, query in (({"Last-Event-ID": "1"}, {}), ({}, {"since": 1}), ({"Last-Event-ID": "1"}, {"since": 3})):
        with study.stream("GET", f"{ONE}/events", headers=headers, params=query) as response:
            assert [event[:2] for event in take(response, 3)] == [(2, "asked"), (3, "closed"), (4, "decided")]
    answer = study.get(f"{ONE}/events", headers={"Last-Event-ID": "x"})
    assert (answer.status_code, answer.json()["detail"]) == (422, "Last-Event-ID must be a whole number, got 'x'")


def test_who_wants_it_is_sent_the_recommendation_whenever_it_changes(study):
    def until(position):
        """Everything up to the recommendation that takes so many events into account."""
        sent = [next(events)]
        while sent[-1][2].get("position") != position:
            sent.append(next(events))
        return sent

    with study.stream("GET", f"{ONE}/events", params={"recommendation": True}) as response:
        events = heard(response.iter_lines())
        first, (identity, kind, before) = until(1)
        assert (first[:2], identity, kind) == ((1, "created"), 0, "recommendation")
        assert (before["recommended"], before["candidates"]) == (None, ["red", "blue"])
        study.post(f"{ONE}/ask", json={"count": 2})  # changes nothing of it
        assert next(events)[:2] == (2, "asked")
        results = [{"pull": 1, "reward": 0.5}, {"pull": 2, "reward": 1.0}]
        study.post(f"{ONE}/tell", json={"results": results})
        assert until(4)[-1][2]["recommended"] == ["blue"]
        study.post(f"{ONE}/record", json={"results": [{"arm": "red", "reward": 0.25}]})
        *_, (_, _, last) = until(5)
    shown = study.get(ONE).json()
    fields = ("recommended", "recommended_confidence", "recommended_gap", "candidates")
    assert last["recommended"] == ["blue"]
    assert {name: last[name] for name in fields} == {name: shown["decision"][name] for name in fields}
    assert (last["sentence"], last["position"]) == (shown["recommendation"], shown["position"])


def test_nobody_else_is_sent_it_and_nothing_is_worked_out(study, monkeypatch):
    monkeypatch.setattr(Study, "recommendation", property(lambda study: pytest.fail("nobody asked for it")))
    with study.stream("GET", f"{ONE}/events") as response:
        events = heard(response.iter_lines())
        study.post(f"{ONE}/ask", json={"count": 1})
        study.post(f"{ONE}/close")
        assert [next(events)[1] for _ in range(4)] == ["created", "asked", "closed", "decided"]


def test_a_study_of_the_same_name_is_not_taken_for_it(study, storage):
    studies = Studies(storage)
    key = storage.journal("colours").key
    assert studies.recommended("colours", key)["recommended"] is None
    study.delete(ONE)
    study.post("/api/studies", json={"name": "colours", "arms": ["green", "blue"]})
    assert studies.recommended("colours", key) is None


def test_a_deleted_study_ends_its_streams(study):
    with study.stream("GET", f"{ONE}/events", params={"since": 1}) as response:
        study.delete(ONE)
        events = list(heard(response.iter_lines()))
    assert [event[1] for event in events] == ["gone"]
    assert study.get(f"{ONE}/events").status_code == 404


def locked(*_):
    raise StorageFailed("sqlite:///studies.db could not be used: database is locked")


def test_a_storage_that_fails_for_a_while_is_waited_for(tmp_path):
    storage = Faulty(tmp_path / "studies.db")
    Study.open(storage, "colours", ["red", "blue"])
    with served(storage) as url, httpx.stream("GET", f"{url}{ONE}/events", timeout=30) as response:
        events = heard(response.iter_lines())
        assert next(events)[1] == "created"
        for _ in range(2):
            storage.error = StorageFailed("sqlite:///studies.db could not be used: database is locked")
            position, kind, data = next(events)
            assert (position, kind) == (0, "waiting")  # no id: where a reader goes on from stays the same
            assert "could not be used" in data["detail"]
            storage.error = None
            assert next(events)[1] == "resumed"
        Study.open(storage, "colours").ask(1)
        assert next(events)[:2] == (2, "asked")
        storage.delete("colours")
        assert next(events)[1:] == ("gone", {"detail": "there is no study 'colours'"})


def test_who_may_read_goes_on_once_the_tokens_can_be_read_again(storage, monkeypatch):
    """While nobody can tell whether a token was revoked, nothing is sent; and if it was, the stream ends."""
    token = tokens.create(storage, "lab", "read")
    Study.open(storage, "colours", ["red", "blue"])
    headers = {"Authorization": f"Bearer {token}"}
    with served(storage) as url, httpx.stream("GET", f"{url}{ONE}/events", headers=headers, timeout=30) as response:
        events = heard(response.iter_lines())
        assert next(events)[1] == "created"
        with monkeypatch.context() as patch:
            patch.setattr(tokens, "listed", locked)
            assert next(events)[1] == "waiting"
            Study.open(storage, "colours").ask(1)
        assert [next(events)[1] for _ in range(2)] == ["resumed", "asked"]
        tokens.revoke(storage, "lab")
        assert next(events, None) is None


def test_a_damaged_journal_ends_the_stream_and_is_not_called_deleted(study, storage):
    with study.stream("GET", f"{ONE}/events") as response:
        events = heard(response.iter_lines())
        assert next(events)[1] == "created"
        storage.write(lambda connection: connection.exec_driver_sql("UPDATE surefoot_studies SET position = 7"))
        position, kind, data = next(events)
        assert (position, kind) == (0, "damaged")
        assert data["detail"].startswith("the journal of the study 'colours' is damaged and cannot be read")
        assert next(events, None) is None
    answer = study.get(f"{ONE}/events")
    assert (answer.status_code, answer.json()) == (500, data)


def test_a_storage_in_memory_fails_like_any_other(monkeypatch):
    storage = connect("memory://")
    Study.open(storage, "colours", ["red", "blue"])
    journal = storage.journal("colours")
    with served(storage) as url, httpx.stream("GET", f"{url}{ONE}/events", timeout=30) as response:
        events = heard(response.iter_lines())
        assert next(events)[1] == "created"
        with monkeypatch.context() as patch:
            patch.setattr(journal, "since", locked)
            assert next(events)[1] == "waiting"
        assert next(events)[1] == "resumed"


def test_the_service_ends_cleanly_while_streams_are_open(process):
    httpx.post(f"{process.url}/api/studies", json={"name": "colours", "arms": ["red", "blue"]})
    begun, ended = threading.Barrier(4), []

    def read():
        with httpx.stream("GET", f"{process.url}{ONE}/events", timeout=30) as response:
            lines = response.iter_lines()
            next(lines)
            begun.wait()
            ended.append(list(lines) is not None)  # to its end, with no error

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    begun.wait()
    assert process.terminate() == 0
    for reader in readers:
        reader.join()
    assert ended == [True] * 3


@pytest.fixture
def watchers(monkeypatch):
    found = events.Watchers()
    monkeypatch.setattr(app, "Watchers", lambda: found)
    return found


def wait_until(ready):
    deadline = time.monotonic() + 30
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_one_look_at_the_journal_serves_all_streams(watchers, storage, monkeypatch):
    study = Study.open(storage, "colours", ["red", "blue"])
    looks, reads, look, read = [], [], events.Watcher.look, events.read
    monkeypatch.setattr(events, "PAUSE", 0.02)
    monkeypatch.setattr(
        events.Watcher, "look", lambda self, streams: (looks.append(len(streams)), look(self, streams))[1]
    )
    monkeypatch.setattr(events, "read", lambda journal, since: (reads.append(since), read(journal, since))[1])
    with served(storage) as url, ExitStack() as stack, httpx.Client(limits=httpx.Limits()) as http:
        streams = []
        for _ in range(20):
            response = stack.enter_context(http.stream("GET", f"{url}{ONE}/events", timeout=30))
            streams.append(heard(response.iter_lines()))
            assert next(streams[-1])[1] == "created"
        wait_until(lambda: watchers.streams == 20)
        before = len(looks), len(reads)
        wait_until(lambda: len(looks) > before[0] + 10)
        assert looks[-1] == 20
        assert len(reads) - before[1] <= len(looks) - before[0] + 1
        study.ask(1)
        assert [next(stream)[:2] for stream in streams] == [(2, "asked")] * 20
    wait_until(lambda: watchers.streams == 0)
    assert watchers.watching == {}


def test_a_stream_far_behind_catches_up_while_others_go_on(watchers, storage, monkeypatch):
    monkeypatch.setattr(events, "CHUNK", 10)
    study = Study.open(storage, "colours", ["red", "blue"])
    for pull in study.ask(45):
        study.tell(pull, 0.5)
    with (
        served(storage) as url,
        httpx.stream("GET", f"{url}{ONE}/events?since={study.position}", timeout=30) as new,
        httpx.stream("GET", f"{url}{ONE}/events", timeout=30) as old,
    ):
        assert [event[0] for event in take(old, study.position)] == [*range(1, study.position + 1)]
        study.ask(1)
        assert take(new, 1)[0][:2] == (study.position, "asked")


def test_a_stream_that_nobody_reads_is_cut_off(watchers, storage, monkeypatch):
    monkeypatch.setattr(sys.modules[listen.__module__], "UNREAD", 300)
    arms = [f"{index} {'long ' * 190}" for index in range(10_000)]  # more than sockets hold
    Study.open(storage, "colours", arms)
    with served(storage) as url:
        reader = socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])))
        reader.sendall(f"GET {ONE}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        wait_until(lambda: watchers.streams == 1)
        wait_until(lambda: watchers.streams == 0)
        reader.close()


def test_a_fault_of_ours_ends_the_streams(watchers, storage, monkeypatch):
    Study.open(storage, "colours", ["red", "blue"])
    with served(storage) as url, httpx.stream("GET", f"{url}{ONE}/events", timeout=30) as response:
        stream = heard(response.iter_lines())
        assert next(stream)[1] == "created"
        with monkeypatch.context() as patch:
            patch.setattr(events, "read", lambda journal, since: 1 / 0)
            assert next(stream, None) is None
        with httpx.stream("GET", f"{url}{ONE}/events", timeout=30) as again:
            assert take(again, 1)[0][1] == "created"
