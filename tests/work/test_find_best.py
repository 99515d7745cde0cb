"""find_best: callables driven to a decision."""

import random
import threading
from contextlib import closing
from types import SimpleNamespace

import pytest

from surefoot import Study, display, find_best
from surefoot.errors import Conflict, Interrupted, InvalidValue, MeasureFailed, SurefootError
from surefoot.storage import connect
from surefoot.storage.sqlite import SQLite
from surefoot.work.runner import Effort, Runner


def measures(seed=0):
    generator, lock = random.Random(seed), threading.Lock()

    def around(mean):
        def measure():
            with lock:
                return min(max(generator.gauss(mean, 0.1), 0.0), 1.0)

        return measure

    return {"A": around(0.3), "B": around(0.7), "C": around(0.4)}


@pytest.mark.parametrize("workers", [1, 4])
def test_finds_the_best(workers, capsys):
    seen = []
    study = find_best(
        measures(), workers=workers, risk="variance <= 0.04", watch=lambda study: seen.append(study.pulls)
    )
    assert study.decision.arm == "B"
    assert not study.pending
    assert seen[-1] == study.pulls
    assert capsys.readouterr().err == ""


def test_progress_on_standard_error(capsys, monkeypatch):
    monkeypatch.setattr(display, "SELDOM", 0.0)
    monkeypatch.setattr(display, "REST", 0.0)  # however long the first line takes
    find_best(measures(), risk="variance <= 0.04", progress=True)
    captured = capsys.readouterr()
    assert "3 pulls" in captured.err
    assert "leader B" in captured.err
    assert captured.out == ""


def test_a_budget(capsys):
    study = find_best(measures(), risk="variance <= 0.04", max_pulls=9, workers=2)
    assert study.decision.status == "undecided"
    assert study.pulls == 9


def broken():
    raise OSError("no such device")


@pytest.mark.parametrize("workers", [1, 3])
def test_an_arm_that_fails_too_often_in_a_row_is_excluded_and_the_others_go_on(workers):
    study = find_best(measures() | {"B": broken}, risk="variance <= 0.04", workers=workers, retries=1)
    assert study.aside == {"B": "OSError: no such device"}
    assert (study.decision.arm, study.table()[1].failures) == ("C", 1)
    assert "Excluded because it could not be measured: B (1 pull failed)." in str(study.decision)
    assert not study.pending


def test_a_pull_that_fails_now_and_then_is_tried_again():
    calls, sound = [], measures()["B"]

    def unreliable():
        calls.append(1)
        if len(calls) % 3:
            raise TimeoutError("no answer")
        return sound()

    study = find_best(measures() | {"B": unreliable}, risk="variance <= 0.04")
    assert study.decision.arm == "B"
    assert study.table()[1].failures == 2 * study.table()[1].pulls
    assert find_best(measures() | {"B": unreliable}, retries=1).aside == {"B": "TimeoutError: no answer"}


def test_a_result_that_cannot_be_excludes_its_arm_at_once():
    study = find_best(measures() | {"B": lambda: 7}, risk="variance <= 0.04")
    assert study.aside == {"B": "a result of arm 'B' must be in [0, 1], got 7"}
    assert study.decision.arm == "C"


def test_what_fails_is_said_where_something_is_shown(capsys):
    find_best(measures() | {"B": broken}, risk="variance <= 0.04", retries=0)
    find_best(measures() | {"B": broken}, risk="variance <= 0.04", retries=0, progress=False)
    assert capsys.readouterr().err == ""
    find_best(measures() | {"B": broken}, risk="variance <= 0.04", retries=0, progress=True)
    assert capsys.readouterr().err == "surefoot: B is excluded: OSError: no such device\n"


def test_where_no_arm_can_be_measured_the_error_says_why_and_where_the_study_is(tmp_path):
    with pytest.raises(MeasureFailed, match="no arm could be measured: measuring arm 'A' failed: OSError") as failure:
        find_best({"A": broken, "B": broken})
    assert "in memory only: `study` of this error has it" in str(failure.value)
    assert isinstance(failure.value.__cause__, OSError)
    assert set(failure.value.study.aside) == {"A", "B"}
    file = tmp_path / "studies.db"
    with pytest.raises(
        MeasureFailed,
        match=r"Study\.open\('sqlite:///.*studies\.db', 'devices'\) opens the study. Its arms stay excluded",
    ):
        find_best({"A": broken}, storage=file, name="devices")
    assert Study.open(file, "devices").aside == {"A": "OSError: no such device"}


def interrupted():
    raise KeyboardInterrupt


def test_interruption_hands_the_study_over():
    with pytest.raises(Interrupted, match=r"interrupted after 1 pulls\. The study is in memory only") as stopped:
        find_best(measures() | {"B": interrupted}, risk="variance <= 0.04")
    assert not stopped.value.study.decided
    assert not stopped.value.study.pending
    assert stopped.value.finished is stopped.value.study  # by its name of old


def test_a_kept_study_goes_on_by_the_same_call(tmp_path):
    kept = {"storage": tmp_path / "studies.db", "name": "colours", "risk": "variance <= 0.04"}
    with pytest.raises(Interrupted, match=r"Study\.open\('sqlite:///.*studies\.db', 'colours'\) opens the study"):
        find_best(measures() | {"B": interrupted}, **kept)
    study = find_best(measures(), **kept)
    assert study.decision.arm == "B"
    assert Study.open(kept["storage"], "colours").decision == study.decision
    assert {row.worker for row in study.results()} == {"find_best"}


def test_a_pull_that_another_process_left_behind_is_made(tmp_path):
    kept = {"storage": tmp_path / "studies.db", "name": "colours", "risk": "variance <= 0.04"}
    before = Study.open(kept["storage"], "colours", ["A", "B", "C"], risk="variance <= 0.04")
    (left,) = before.ask(1, worker="find_best")
    study = find_best(measures(), **kept)
    assert left.id in {row.pull for row in study.results()}


def test_an_error_of_the_storage_says_where_the_study_is(tmp_path):
    file = tmp_path / "studies.db"

    def delete():
        with closing(connect(file)) as storage:
            storage.delete("colours")
        return 0.5

    with pytest.raises(SurefootError) as failure:
        find_best(measures() | {"A": delete}, storage=file, name="colours")
    assert "Study.open('sqlite:///" in failure.value.__notes__[0]


def stops(study):
    raise ValueError("of the user's own")


def leaves():
    raise SystemExit(3)


@pytest.mark.parametrize(("own", "error"), [({"watch": stops}, ValueError), ({"measures": {"A": leaves}}, SystemExit)])
def test_an_error_of_the_users_own_says_where_the_study_is(own, error, tmp_path):
    with pytest.raises(error) as failure:
        find_best(**{"measures": measures(), "storage": tmp_path / "studies.db", "name": "colours"} | own)
    assert failure.value.__notes__[0].startswith("Study.open('sqlite:///")
    with pytest.raises(error) as failure:
        find_best(**{"measures": measures()} | own)
    assert failure.value.__notes__ == ["The study was in memory only."]


def test_wants_a_mapping_of_callables():
    with pytest.raises(InvalidValue, match="must be a mapping of names to callables"):
        find_best({"A": 3})
    with pytest.raises(InvalidValue, match="storage and name must be given together, got a name and no storage"):
        find_best(measures(), name="colours")
    with pytest.raises(InvalidValue, match="retries must be a whole number"):
        find_best(measures(), retries=-1)
    with pytest.raises(InvalidValue, match="workers must be a whole number"):
        find_best(measures(), workers=0)


@pytest.mark.parametrize("workers", [1, 3])
def test_each_worker_has_one_thread_which_ends_with_the_call(workers):
    threads = set()

    def measure():
        threads.add(threading.current_thread())
        return 0.5

    find_best({"A": measure, "B": measure}, max_pulls=30, workers=workers)
    assert 1 <= len(threads) <= workers
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_a_result_is_told_and_the_next_pull_asked_for_by_one_commit(tmp_path, monkeypatch):
    commits = []

    def confirm(self, connection, confirmed=SQLite.confirm):
        confirmed(self, connection)
        commits.append(1)

    monkeypatch.setattr(SQLite, "confirm", confirm)
    study = find_best(measures(), risk="variance <= 0.04", max_pulls=30, storage=tmp_path / "s.db", name="s")
    assert study.pulls == 30
    assert 30 < len(commits) < 40  # twice as many, if each had one


@pytest.mark.parametrize("first", [0, 1])
def test_results_that_came_with_an_interruption_are_kept(first):
    study = Study(["A", "B"])
    runner = Runner(study, SimpleNamespace(of={}, stop=lambda: None), Effort(workers=2))
    pulls = study.ask(2)
    runner.running = {pull.id: pull for pull in pulls}
    results = [(pulls[0], 0.5), (pulls[1], KeyboardInterrupt())]
    with pytest.raises(KeyboardInterrupt):
        runner.exchange(results if first else results[::-1])
    assert [event["type"] for event in study.events] == ["created", "asked", "told"]


def test_results_are_told_even_if_another_run_has_begun():
    def lost():
        raise Conflict("another run")

    study = Study(["A", "B"])
    runner = Runner(study, SimpleNamespace(of={}, stop=lambda: None), Effort(), keep_lock=lost)
    (pull,) = study.ask(1)
    runner.running = {pull.id: pull}
    with pytest.raises(Conflict):
        runner.exchange([(pull, 0.5)])
    assert [event["type"] for event in study.events] == ["created", "asked", "told"]
