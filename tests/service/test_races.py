"""Studies that are created, deleted and created again while others use them: never a 500, never somebody else's journal."""

import json
import threading

import httpx
import pytest

from surefoot import Study
from surefoot.storage import connect
from tests.service.faulty import Interleaved
from tests.service.serving import served

COLOURS = {"name": "colours", "arms": ["red", "blue"]}
OTHERS = {"name": "colours", "arms": ["green", "grey", "gold"]}
ONE = "/api/studies/colours"


@pytest.fixture
def storage(tmp_path):
    return Interleaved(tmp_path / "studies.db")


@pytest.fixture
def elsewhere(storage):
    """The same studies, for another process."""
    return connect(storage.path)


def recreate(storage, **fields):
    storage.delete("colours")
    Study.open(storage, "colours", **{"arms": OTHERS["arms"]} | fields)


@pytest.mark.parametrize("step", ["create", "number", "journal"])
def test_a_study_deleted_while_it_is_created_is_created_again(http, storage, elsewhere, step):
    storage.after[step] = lambda: elsewhere.delete("colours")
    answer = http.post("/api/studies", json=COLOURS)
    assert answer.status_code == 201
    assert answer.json()["position"] == 1
    assert http.get(ONE).status_code == 200


@pytest.mark.parametrize("step", ["number", "journal"])
def test_a_study_that_was_there_and_is_deleted_meanwhile_is_there_again(http, storage, elsewhere, step):
    http.post("/api/studies", json=COLOURS)
    http.post(f"{ONE}/ask")
    storage.after[step] = lambda: elsewhere.delete("colours")
    answer = http.post("/api/studies", json=COLOURS)
    assert answer.status_code in (200, 201)  # it was there already, and it is new
    assert answer.json()["pending"] == 0


@pytest.mark.parametrize("step", ["create", "number", "journal"])
def test_another_study_that_takes_the_name_meanwhile_is_not_taken_for_ours(http, storage, elsewhere, step):
    storage.after[step] = lambda: recreate(elsewhere)
    answer = http.post("/api/studies", json=COLOURS)
    assert answer.status_code == 409
    assert "there is a study 'colours' already" in answer.json()["detail"]


def test_a_study_that_is_deleted_each_time_is_a_conflict(http, storage, elsewhere, monkeypatch):
    def create(name, event):
        Interleaved.create(storage, name, event)
        elsewhere.delete(name)

    monkeypatch.setattr(storage, "create", create)
    answer = http.post("/api/studies", json=COLOURS)
    assert answer.status_code == 409
    assert answer.json()["detail"].startswith("the study 'colours' was deleted each time that it was created")


def test_a_study_that_somebody_creates_first_is_not_new(http, storage, elsewhere):
    storage.after["studies"] = lambda: Study.open(elsewhere, "colours", COLOURS["arms"])
    assert http.get("/api/studies").json() == {"studies": [], "total": 0}
    assert http.post("/api/studies", json=COLOURS).status_code == 200


@pytest.mark.parametrize("what", ["ask", "tell", "record", "close", "heartbeat", "abandon"])
def test_a_call_of_a_study_that_was_replaced_is_a_call_of_the_new_one(http, elsewhere, what):
    body = {
        "ask": {"count": 1},
        "tell": {"results": [{"pull": 1, "reward": 0.5}]},
        "record": {"results": [{"arm": "green", "reward": 0.5}]},
        "heartbeat": {"pulls": [1]},
        "abandon": {"pull": 1},
    }.get(what)
    http.post("/api/studies", json=COLOURS)
    http.post(f"{ONE}/ask", json={"count": 2})
    elsewhere.delete("colours")
    assert http.post(f"{ONE}/{what}", json=body).status_code == 404
    http.post("/api/studies", json=COLOURS)
    http.post(f"{ONE}/ask", json={"count": 2})
    recreate(elsewhere)
    Study.open(elsewhere, "colours").ask(3)
    assert http.post(f"{ONE}/{what}", json=body).status_code == 200


def test_a_study_deleted_while_it_is_listed_is_left_out(http, storage, elsewhere):
    http.post("/api/studies", json=COLOURS)
    http.post("/api/studies", json=COLOURS | {"name": "shapes"})
    storage.after["studies"] = lambda: elsewhere.delete("colours")
    found = http.get("/api/studies").json()
    assert [(entry["name"], entry["status"]) for entry in found["studies"]] == [("shapes", "running")]
    assert found["total"] == 1


def test_a_study_replaced_since_it_was_listed_is_listed_as_it_is(http, elsewhere):
    http.post("/api/studies", json=COLOURS)
    assert http.get("/api/studies").json()["studies"][0]["arms"] == 2
    recreate(elsewhere)
    (entry,) = http.get("/api/studies").json()["studies"]
    assert (entry["status"], entry["arms"]) == ("running", 3)


def events(lines):
    """The types of a stream's events, and their ids."""
    fields = {}
    for line in lines:
        name, _, value = line.partition(": ")
        fields[name] = value
        if not line and "event" in fields:
            yield fields.get("id"), fields["event"], json.loads(fields["data"])
            fields = {}


def test_a_stream_is_about_one_study_and_not_about_the_next_of_its_name(http, elsewhere):
    http.post("/api/studies", json=COLOURS)
    http.post(f"{ONE}/ask", json={"count": 2})
    with http.stream("GET", f"{ONE}/events") as response:
        heard = events(response.iter_lines())
        assert [next(heard)[1] for _ in range(2)] == ["created", "asked"]
        recreate(elsewhere)
        assert next(heard) == (None, "gone", {"detail": "there is no study 'colours'"})
        assert next(heard, None) is None
    answer = http.get(f"{ONE}/events", headers={"Last-Event-ID": "2"})
    assert answer.status_code == 409
    assert answer.json()["detail"].startswith("event 2 does not exist: this study has 1 events.")


def test_a_stream_begun_while_its_study_is_replaced_ends_or_is_the_new_ones(http, storage, elsewhere):
    http.post("/api/studies", json=COLOURS)
    http.post(f"{ONE}/ask", json={"count": 2})
    storage.after["journal"] = lambda: recreate(elsewhere)
    answer = http.get(f"{ONE}/events", params={"since": 1})
    assert [event[1] for event in events(answer.text.split("\n"))] == ["gone"]


def test_many_who_create_and_delete_the_same_study(tmp_path):
    """Real threads: every answer is one of those that are documented for this, and what is left is sound."""
    statuses, rounds = set(), 25

    def work(url, number):
        with httpx.Client(base_url=url, timeout=60) as http:
            for turn in range(rounds):
                body = COLOURS if (number + turn) % 3 else OTHERS
                answers = [
                    http.post("/api/studies", json=body),
                    http.post(f"{ONE}/ask", json={"count": 1}),
                    http.get(ONE),
                    http.get("/api/studies"),
                    http.delete(ONE),
                ]
                statuses.update((answer.status_code, answer.request.method) for answer in answers)
                found.extend(answer.text for answer in answers if answer.status_code >= 500)

    found = []
    storage = connect(tmp_path / "studies.db")
    with served(storage) as url:
        workers = [threading.Thread(target=work, args=(url, number)) for number in range(6)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert found == []
        assert {status for status, _ in statuses} <= {200, 201, 204, 404, 409}
        httpx.post(f"{url}/api/studies", json=COLOURS)
    storage = connect(tmp_path / "studies.db")
    for entry in storage.studies():
        assert Study.check(storage, entry.name) == entry.events
