"""Calls that share a commit, and an exchange: a tell and an ask in one."""

import pytest

from surefoot import Study
from surefoot.errors import Conflict, InvalidValue
from surefoot.storage import Memory, connect


class Broken(Exception):
    pass


@pytest.fixture(params=["memory", "sqlite"])
def storage(request, tmp_path):
    return Memory() if request.param == "memory" else connect(tmp_path / "studies.db")


@pytest.fixture
def study(storage):
    return Study.open(storage, "s", ["a", "b"], risk="variance <= 0.2")


def test_calls_share_one_commit(tmp_path, monkeypatch):
    storage = connect(tmp_path / "studies.db")
    study, commits, confirm = Study.open(storage, "s", ["a", "b"]), [], storage.confirm
    monkeypatch.setattr(storage, "confirm", lambda connection: commits.append(confirm(connection)))
    with study.together():
        for pull in study.ask(4):
            study.tell(pull, 0.5)
        assert commits == []
        assert Study.open(tmp_path / "studies.db", "s").pulls == 0  # nobody else has it yet
    assert len(commits) == 1
    assert Study.open(tmp_path / "studies.db", "s").pulls == 4


def test_the_journal_is_that_of_single_calls(storage, study):
    single = Study.open(storage, "t", ["a", "b"], risk="variance <= 0.2")
    for _ in range(5):
        with study.together():
            pulls = study.ask(3)
            study.tell_all([(pull, 0.25) for pull in pulls])
        assert single.ask(3) == pulls
        single.tell_all([(pull, 0.25) for pull in pulls])
    timeless = [[{**event, "time": 0} for event in each.events] for each in (study, single)]
    assert timeless[0] == timeless[1]
    assert Study.open(storage, "s").table() == single.table()


def test_a_call_that_is_refused_changes_nothing_and_others_follow(storage, study):
    first, second = study.ask(2)
    with study.together():
        study.tell(first, 0.5)
        with pytest.raises(Conflict, match=r"was told as 0.5 and cannot be told as 0.75"):
            study.tell_all([(second, 0.5), (first, 0.75)])
        asked = study.ask(1, request="r")
        assert study.ask(1, request="r") == asked  # found, though it is not committed yet
        study.tell(asked[0], 0.5)
    assert [pull.id for pull in Study.open(storage, "s").pending] == [second.id]
    assert study.pulls == 2


def test_an_error_that_leaves_it_undoes_all(storage, study):
    first, _ = study.ask(2)
    before = study.events

    def broken():
        with study.together():
            study.tell(first, 0.5)
            study.ask(5, request="r")
            raise Broken

    with pytest.raises(Broken):
        broken()
    assert study.events == before
    assert (study.pulls, len(study.pending)) == (0, 2)
    study.tell(first, 0.75)  # it was never told, and the study goes on
    assert [pull.id for pull in study.ask(1, request="r")] == [3]
    again = Study.open(storage, "s")
    assert (again.events, again.table()) == (study.events, study.table())


def test_an_exchange_tells_and_then_asks(study):
    pulls = study.ask(2)
    fresh = study.exchange([(pull, 0.5) for pull in pulls], 3, worker="lab", request="r")
    assert (study.pulls, study.pending) == (2, fresh)
    assert study.worker_of(fresh[0]) == "lab"
    assert study.exchange([(pull, 0.5) for pull in pulls], 3, worker="lab", request="r") == fresh
    assert (study.pulls, study.pending) == (2, fresh)


@pytest.mark.parametrize(
    ("results", "count", "worker", "error"),
    [
        ([(1, 0.5), (2, 7.0)], 1, None, InvalidValue),
        ([(1, 0.5), (9, 0.5)], 1, None, InvalidValue),
        ([(1, 0.5), (1, 0.75)], 1, None, Conflict),
        ([(1, 0.5)], 0, None, InvalidValue),
        ([(1, 0.5)], 1, "two\nlines", InvalidValue),
    ],
)
def test_an_exchange_is_done_whole_or_not_at_all(study, results, count, worker, error):
    study.ask(2)
    before = study.events
    with pytest.raises(error):
        study.exchange(results, count, worker=worker)
    assert study.events == before
