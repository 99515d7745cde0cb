"""The HTTP contract."""

import os
import shutil
from functools import partial

import httpx
import pytest
import uvicorn

from surefoot import Study
from surefoot.cli.main import main
from surefoot.storage import connect
from surefoot.study.creation import created
from tests.service.serving import served
from tests.storage.helpers import set_clock

COLOURS = {"name": "colours", "arms": ["red", "blue"], "risk": "variance <= 0.04", "lease": 600}
ONE = "/api/studies/colours"


@pytest.fixture
def study(http):
    assert http.post("/api/studies", json=COLOURS).status_code == 201
    return http


def tell(http, *results):
    return http.post(f"{ONE}/tell", json={"results": [{"pull": pull, "reward": reward} for pull, reward in results]})


def detail(response, status):
    assert response.status_code == status, response.text
    assert list(response.json()) == ["detail"]
    return response.json()["detail"]


def test_a_study_from_its_creation_to_its_decision(study):
    while not (asked := study.post(f"{ONE}/ask", json={"count": 8, "worker": "one"}).json())["decided"]:
        answer = tell(study, *((pull["id"], {"red": 0.2, "blue": 0.7}[pull["arm"]]) for pull in asked["pulls"]))
        assert answer.status_code == 200
    assert asked == {"pulls": [], "decided": True}
    found = study.get(ONE).json()
    assert found["decided"]
    assert (found["decision"]["status"], found["decision"]["arm"]) == ("best", "blue")
    assert found["decision"]["sentence"].startswith("blue is best")
    assert [arm["ruled_out"] for arm in found["arms"]] == [True, False]
    (listed,) = study.get("/api/studies").json()["studies"]
    assert (listed["name"], listed["status"], listed["arm"]) == ("colours", "best", "blue")


def test_what_is_shown_is_what_the_study_says(study, storage):
    tell(study, *((pull["id"], 0.5) for pull in study.post(f"{ONE}/ask", json={"count": 4}).json()["pulls"]))
    here, there = Study.open(storage, "colours"), study.get(ONE).json()
    assert there["decision"]["sentence"] == str(here.decision)
    assert [arm["words"] for arm in there["arms"]] == [row.words for row in here.table()]
    assert (there["pulls"], there["pending"], there["position"]) == (4, 0, here.position)
    assert there["limit"] == {"name": "variance", "value": 0.04, "is_floor": False}
    assert there["limits"] == [there["limit"] | {"limit": "variance <= 0.04", "metric": "reward", "slack": 0.0}]
    assert there["nearest_limit"] == 0
    assert there["arms"] == [row.as_object() for row in here.table()]
    assert there["problem"]["policy"] == "top-two"
    assert there["problem"]["lease"] == 600
    assert [result["pull"] for result in there["recent"]] == [4, 3, 2, 1]
    assert {result["arm"] for result in there["recent"]} == {"red", "blue"}
    assert {(result["reward"], result["values"]["reward"]) for result in there["recent"]} == {(0.5, 0.5)}


def test_warnings_are_shown(study, storage):
    assert study.get(ONE).json()["warnings"] == []
    results = [{"arm": "red", "reward": 0.1 if n < 200 else 0.9} for n in range(400)]
    assert study.post(f"{ONE}/record", json={"results": results}).status_code == 200
    found = study.get(ONE).json()
    assert [(warning["kind"], warning["arm"]) for warning in found["warnings"]] == [
        ("drift", "red"),
        ("bounds", "red"),
        ("verdict", "red"),
    ]
    assert f"Warning: {found['warnings'][0]['sentence']}" in found["decision"]["sentence"]
    assert found["warnings"] == [notice._asdict() for notice in Study.open(storage, "colours").warnings]


def test_creating_the_same_study_again_is_fine_and_another_one_is_a_conflict(study):
    assert study.post("/api/studies", json=COLOURS).status_code == 200
    assert "whose delta is 0.05, not 0.1" in detail(study.post("/api/studies", json=COLOURS | {"delta": 0.1}), 409)


def test_a_study_of_old_that_nobody_could_create_today_is_fine_too(http, storage):
    old = created(storage, COLOURS["arms"], risk=COLOURS["risk"], lease=0.5, new=False)
    storage.create("colours", old)
    assert http.post("/api/studies", json=COLOURS | {"lease": 0.5}).status_code == 200
    answer = http.post("/api/studies", json=COLOURS | {"lease": 0.5, "name": "new"})
    assert "lease must be at least 1 second" in detail(answer, 422)


def test_a_request_has_one_answer(study):
    body = {"count": 3, "request": "r-1"}
    first = study.post(f"{ONE}/ask", json=body).json()
    assert study.post(f"{ONE}/ask", json=body).json() == first
    assert study.post(f"{ONE}/ask", json={"count": 1}).json()["pulls"][0]["id"] == 4


def test_an_ask_needs_no_body(study):
    assert len(study.post(f"{ONE}/ask").json()["pulls"]) == 1


def test_a_tell_counts_once_and_contradicts_nothing(study):
    study.post(f"{ONE}/ask", json={"count": 2})
    assert tell(study, (1, 0.5)).json() == {"decided": False, "pulls": 1}
    assert tell(study, (1, 0.5)).json() == {"decided": False, "pulls": 1}
    assert detail(tell(study, (1, 0.6)), 409) == "pull 1 was told as 0.5 and cannot be told as 0.6"


def test_a_batch_is_taken_whole_or_not_at_all(study):
    study.post(f"{ONE}/ask", json={"count": 2})
    assert "must be in [0, 1], got 7" in detail(tell(study, (1, 0.5), (2, 7.0)), 422)
    assert detail(tell(study, (1, 0.5), (9, 0.5)), 422).startswith(
        "pull 9 does not exist: pulls 1 to 2 have been asked for"
    )
    assert study.get(ONE).json()["pulls"] == 0


def test_a_pull_not_heard_of_expires_and_a_heartbeat_keeps_it(http, storage, monkeypatch):
    set_clock(monkeypatch, storage, 1000.0)
    http.post("/api/studies", json=COLOURS | {"lease": 60})
    http.post(f"{ONE}/ask", json={"count": 2})
    for late in (1040.0, 1080.0):
        set_clock(monkeypatch, storage, late)
        heard = http.post(f"{ONE}/heartbeat", json={"pulls": [1]})
    assert heard.json() == {"counts": [True]}
    assert http.get(ONE).json()["pending"] == 1  # the other has expired, though nobody asked
    assert tell(http, (2, 0.5)).json()["pulls"] == 0
    assert http.get(ONE).json()["recent"][0]["late"]
    assert http.post(f"{ONE}/ask", json={"count": 1}).json()["pulls"][0]["id"] == 3


def test_abandoning_recording_closing_and_deleting(study):
    study.post(f"{ONE}/ask", json={"count": 1})
    assert study.post(f"{ONE}/abandon", json={"pull": 1}).status_code == 200
    assert "abandoned" in detail(tell(study, (1, 0.5)), 409)
    recorded = study.post(f"{ONE}/record", json={"results": [{"arm": "red", "reward": 0.25}]})
    assert recorded.json() == {"decided": False, "pulls": 1}
    assert "arm must be one of 'red', 'blue', got 'green'" in detail(
        study.post(f"{ONE}/record", json={"results": [{"arm": "green", "reward": 0.25}]}), 422
    )
    assert study.post(f"{ONE}/close").json() == {"decided": True, "pulls": 1}
    decision = study.get(ONE).json()["decision"]
    assert (decision["status"], decision["confidence"]) == ("undecided", None)
    assert study.delete(ONE).status_code == 204
    assert "there is no study 'colours'" in detail(study.get(ONE), 404)
    assert "there is no study 'colours'" in detail(study.delete(ONE), 404)


def test_a_study_deleted_and_created_by_another_process_is_the_new_one(study, storage):
    study.post(f"{ONE}/ask", json={"count": 2})
    other = connect(storage.path)
    other.delete("colours")
    assert study.get(ONE).status_code == 404
    Study.open(other, "colours", ["green", "grey"])
    assert study.post(f"{ONE}/ask", json={"count": 1}).json()["pulls"] == [{"id": 1, "arm": "green"}]


def test_numbers_are_names_of_arms_as_in_python(http, storage):
    """They were refused: "arms[0] must be text in quotes, got 1"."""
    assert http.post("/api/studies", json=COLOURS | {"arms": [1, 2.0, 0.5, "1.0", -3]}).status_code == 201
    results = [{"arm": arm, "reward": 0.5} for arm in (1, "1", 1.0, 0.5, -3)]
    assert http.post(f"{ONE}/record", json={"results": results}).status_code == 200
    found = http.get(ONE).json()["arms"]
    assert [(arm["name"], arm["pulls"]) for arm in found] == [("1", 3), ("2", 0), ("0.5", 1), ("1.0", 0), ("-3", 1)]
    assert Study.open(storage, "colours", [1, 2.0, 0.5, "1.0", -3], risk="variance <= 0.04", lease=600).pulls == 5


@pytest.mark.parametrize("arm", [True, None, 12345678901234567890123, 1e300, [1]])
def test_what_is_neither_text_nor_a_number_with_all_its_digits_names_no_arm(http, arm):
    assert "arms[0] must be text in quotes, got " in detail(
        http.post("/api/studies", json=COLOURS | {"arms": [arm, "b"]}), 422
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"delta": 1.5}, "delta must be in (0, 1), got 1.5"),
        ({"arms": []}, "a problem must have at least one arm, got none"),
        ({"arms": ["a", "a"]}, "each arm must have a name of its own, got 'a' twice"),
        ({"risk": "luck > 3"}, "risk 'luck > 3' must have `variance`, "),
        ({"lease": 0}, "lease must be a number above 0, got 0"),
        ({"name": "two\nlines"}, "the name of a study must be printable text on one line"),
        ({"name": "x" * 201}, "the name of a study must be printable text on one line"),
        ({"policy": "guess"}, "policy must be one of va-lucb, "),
        ({"delta": "small"}, 'delta must be a finite number, got "small"'),
        ({"colour": "red"}, "colour is not a field here: the fields are name, arms, risk, "),
        ({"rewards": [1, 0]}, "the upper end of rewards must be a number above 1, got 0"),
        ({"subgaussian": 1, "rewards": [0, 1]}, "a problem must give rewards or subgaussian, got both"),
        ({"arms": ["a", "b" * 1001]}, "arms[1] must have at most 1,000 characters, got 1,001"),
        ({"subgaussian": -1}, "subgaussian must be in [1e-20, 1e+60], got -1"),
    ],
)
def test_a_study_that_cannot_be_is_refused_in_a_sentence(http, change, sentence):
    assert detail(http.post("/api/studies", json=COLOURS | change), 422).startswith(sentence)
    assert http.get("/api/studies").json() == {"studies": [], "total": 0}


def test_only_so_many_arms_are_shown_and_those_in_play_first(http):
    names = [f"arm {index}" for index in range(50)]
    http.post("/api/studies", json={"name": "colours", "arms": names})
    http.post(f"{ONE}/record", json={"results": [{"arm": "arm 40", "reward": 1.0}] * 3})
    found = http.get(ONE, params={"arms": 5}).json()
    assert (len(found["arms"]), found["arms_total"], found["arms_in_play"]) == (5, 50, 50)
    assert "arm 40" in [arm["name"] for arm in found["arms"]]
    assert 'arms must be at least 0, got "-1"' in detail(http.get(ONE, params={"arms": -1}), 422)


def test_infinite_bounds_are_null(http):
    http.post("/api/studies", json={"name": "colours", "arms": ["a", "b"], "subgaussian": 1.0})
    arm = http.get(ONE).json()["arms"][0]
    assert (arm["mean_lower"], arm["mean_upper"]) == (None, None)


def test_health_and_a_storage_that_cannot_be_used(tmp_path):
    (tmp_path / "studies.db").write_text("this is no database at all, but long enough to be taken for one" * 20)
    with served(connect(tmp_path / "studies.db")) as url:
        found = httpx.get(f"{url}/health")
        assert found.status_code == 503
        assert "could not be used" in found.json()["detail"]


def test_health(http):
    assert http.get("/health").json()["status"] == "ok"


def test_health_of_a_storage_that_is_gone(study, storage):
    for path in storage.path.parent.glob("studies.db*"):
        path.unlink()
    assert "could not be used" in detail(study.get("/health"), 503)
    assert "could not be used" in detail(study.get("/api/studies"), 503)


def answers(study, pull):
    """Of the health and of a tell, in both orders."""
    tell = partial(study.post, f"{ONE}/tell", json={"results": [{"pull": pull, "reward": 0.5}]})
    return [call().status_code for call in (tell, partial(study.get, "/health"), tell)]


def test_health_and_writing_agree(study, storage):
    """A file that was moved, that has two names, that is not the one it was."""
    path, away = storage.path, storage.path.with_name("away.db")
    study.post(f"{ONE}/ask", json={"count": 9})
    assert answers(study, 1) == [200, 200, 200]
    path.rename(away)
    assert answers(study, 2) == [503, 503, 503]
    shutil.copy(away, path)
    os.truncate(path, 0)
    assert answers(study, 2) == [503, 503, 503]
    os.replace(away, path)
    assert answers(study, 2) == [200, 200, 200]
    os.link(path, away)
    assert answers(study, 3) == [503, 503, 503]
    away.unlink()
    assert answers(study, 3) == [200, 200, 200]
    assert study.get(ONE).json()["pulls"] == 3


def test_a_storage_that_cannot_be_made_is_not_served(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: pytest.fail("it listens"))
    nowhere = str(tmp_path / "nowhere" / "x.db")
    assert main(["serve", "--db", nowhere, "--port", "0"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "could not be used: unable to open database file" in captured.err


def test_a_storage_in_memory_can_be_served():
    with served(connect("memory://")) as url:
        assert httpx.post(f"{url}/api/studies", json=COLOURS).status_code == 201
        assert httpx.get(f"{url}{ONE}").json()["name"] == "colours"


def test_addresses_that_do_not_exist(http):
    assert detail(http.get("/nowhere"), 404) == "there is nothing at '/nowhere'"
    assert detail(http.put("/api/studies"), 405) == "PUT is not allowed at this address"
    assert "a study's id must be" in detail(http.get("/api/studies/a~zz"), 422)


def test_a_pull_that_fails_is_tried_again_and_shown(study):
    pull = study.post(f"{ONE}/ask", json={"count": 1}).json()["pulls"][0]
    failed = {"results": [{"pull": pull["id"], "failed": "exit code 1"}]}
    for _ in range(2):  # said twice
        assert study.post(f"{ONE}/tell", json=failed).json() == {"decided": False, "pulls": 0}
    fresh = study.post(f"{ONE}/ask", json={"count": 1}).json()["pulls"][0]
    assert (fresh["arm"], fresh["id"]) == (pull["arm"], 2)
    assert "Pulls that failed were tried again: red (1)." in study.get(ONE).json()["decision"]["sentence"]
    assert [arm["failures"] for arm in study.get(ONE).json()["arms"]] == [1, 0]
    assert "failed before" in detail(tell(study, (pull["id"], 0.5)), 409)


def test_a_pull_that_fails_counts_as_the_study_says(http):
    assert http.post("/api/studies", json=COLOURS | {"failure": 0.25}).status_code == 201
    pull = http.post(f"{ONE}/ask", json={"count": 1}).json()["pulls"][0]
    http.post(f"{ONE}/tell", json={"results": [{"pull": pull["id"], "failed": "timeout"}]})
    found = http.get(ONE).json()
    assert (found["pulls"], found["problem"]["failure"]) == (1, 0.25)
    assert (found["recent"][0]["reward"], found["recent"][0]["failed"]) == (0.25, "timeout")


@pytest.mark.parametrize(
    ("result", "got"), [({}, "none of them"), ({"reward": 0.5, "failed": "timeout"}, "reward and failed")]
)
def test_a_result_is_a_reward_or_a_failure(study, result, got):
    pull = study.post(f"{ONE}/ask", json={"count": 1}).json()["pulls"][0]["id"]
    answer = study.post(f"{ONE}/tell", json={"results": [{"pull": pull, **result}]})
    said = f"a result must have a reward, or values, or say why the pull failed, got {got} (pull 1)"
    assert detail(answer, 422) == said


def test_results_as_a_table(http):
    http.post("/api/studies", json=COLOURS)
    pulls = http.post("/api/studies/colours/ask", json={"count": 2, "worker": "=1+1"}).json()["pulls"]
    http.post("/api/studies/colours/tell", json={"results": [{"pull": pulls[1]["id"], "reward": 0.25}]})
    answer = http.get("/api/studies/colours/results.csv")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    head, row = answer.text.splitlines()
    assert head == "pull,arm,reward,counted,worker,time"
    assert row.startswith(f"2,{pulls[1]['arm']},0.25,true,'=1+1,20")
    assert http.get("/api/studies/none/results.csv").status_code == 404
