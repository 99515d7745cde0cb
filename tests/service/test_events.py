"""Server-sent events."""

import json
import threading

import httpx
import pytest

from surefoot import Study

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


def test_a_deleted_study_ends_its_streams(study):
    with study.stream("GET", f"{ONE}/events", params={"since": 1}) as response:
        study.delete(ONE)
        events = list(heard(response.iter_lines()))
    assert [event[1] for event in events] == ["gone"]
    assert study.get(f"{ONE}/events").status_code == 404


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
