"""Studies that a released version began are resumed: by the same command, the same `Study.open`, the same POST."""

import json
import shlex
import shutil

import httpx
import pytest

from surefoot import Study
from surefoot.cli import main
from surefoot.errors import Conflict
from tests.recorded import adapter
from tests.recorded.released import API, FOLDER, STUDIES, arguments, finish, kept, versions
from tests.service.serving import served

VERSIONS = versions()


@pytest.fixture(params=VERSIONS)
def begun(request, tmp_path, monkeypatch):
    """By what the studies of a version were begun, in a folder with a copy of them."""
    shutil.copytree(FOLDER / request.param, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return json.loads((tmp_path / "begun.json").read_text(encoding="utf-8"))


def test_the_first_release_is_there():
    assert "0.1.0" in VERSIONS


def run(capsys, *words):
    code = main([*words, "--json"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out) if code != 2 else captured.err


def test_the_same_command_goes_on_to_a_decision(begun, capsys):
    for command in begun["run"]:
        words = shlex.split(command)
        name = words[words.index("--name") + 1] if "--name" in words else "run"
        before = Study.open("run.db", name)
        events, pulls, left = before.events, before.pulls, len(before.pending)
        code, found = run(capsys, *words)
        assert (code, found["status"], found["pulls"]) == (3, "undecided", pulls + left)
        code, found = run(capsys, *words[: words.index("--max-pulls")])
        assert (code, found["status"]) == (0, "best")
        assert found["pulls"] > pulls + left
        study = Study.open("run.db", name)
        assert study.events[: len(events)] == events
        assert not study.pending
        assert len([event for event in study.events if event["type"] == "created"]) == 1


def test_another_command_is_refused(begun, capsys):
    for command in begun["run"]:
        code, said = run(capsys, *shlex.split(command), "--seed", "99")
        assert code == 2
        assert "is not the problem that the study in run.db was begun with" in said


def test_study_open_with_all_its_arguments_goes_on(begun):
    for name, fields in begun["open"].items():
        with kept() as storage:
            events = Study.open(storage, name).events
            study = Study.open(storage, name, **arguments(fields))
            assert study.events == events
            assert not study.decided
            assert study.pending
            assert adapter.excluded(study)
            assert [pull.id for pull in study.ask(10, worker="one", request="r-1")] == list(range(1, 11))
            finish(study)
            assert study.decided
            assert study.events[: len(events)] == events


def test_study_open_with_other_arguments_is_a_conflict(begun):
    changes = {"seed": 99, "delta": 0.3, "tolerance": 0.9, "lease": 999, "max_pulls": 9999, "arms": ["A", "B"]}
    with kept() as storage:
        for name, fields in begun["open"].items():
            for field, value in changes.items():
                with pytest.raises(Conflict, match=f"there is a study '{name}' already, whose {field} is"):
                    Study.open(storage, name, **arguments(fields | {field: value}))


def test_the_same_post_goes_on(begun):
    with kept() as storage, served(storage) as url, httpx.Client(base_url=url, timeout=30) as http:
        for body in begun["post"]:
            events = Study.open(storage, body["name"]).events
            answer = http.post(API, json=body)
            assert answer.status_code == 200  # it was there already
            at = f"{API}/{answer.json()['id']}"
            assert answer.json()["pulls"] > 0
            assert [pull["id"] for pull in http.post(f"{at}/ask", json={"request": "r-1"}).json()["pulls"]][:2] == [
                1,
                2,
            ]
            (pull,) = http.post(f"{at}/ask", json={"count": 1}).json()["pulls"]
            told = http.post(f"{at}/tell", json={"results": [{"pull": pull["id"], "reward": 0.5}]})
            assert told.json()["pulls"] == answer.json()["pulls"] + 1
            assert Study.open(storage, body["name"]).events[: len(events)] == events
            assert http.post(API, json=body | {"seed": 99}).status_code == 409


def test_journals_are_read_and_go_on(begun, tmp_path):
    paths = sorted(tmp_path.glob("journals/*.jsonl"))
    assert len(paths) > 5
    for path in paths:
        events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        study = Study.from_events(events)
        assert study.events == events
        assert not study.decided
        pulls = study.pulls
        finish(study)
        assert study.decided
        assert study.pulls > pulls


def test_every_study_of_the_files_is_sound(begun):
    names = {"run.db": ["run", "other"], STUDIES: [*begun["open"], *(body["name"] for body in begun["post"])]}
    for file, studies in names.items():
        for name in studies:
            assert Study.check(file, name) > 10
