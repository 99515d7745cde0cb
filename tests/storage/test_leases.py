"""Leases on every storage: pulls that expire, and clocks that jump."""

import time
from unittest.mock import Mock

import pytest

from surefoot import Pull, Study
from surefoot.errors import Conflict, InvalidValue
from surefoot.study.replica import Transaction
from tests.storage.helpers import begin, put_clock, set_clock, state, untimed


def test_a_pull_not_told_within_its_lease_expires_and_a_fresh_one_takes_its_place(storage, monkeypatch):
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    lost, kept = study.ask(2)
    other = Study.open(storage, "study")
    set_clock(monkeypatch, storage, 1060.0)
    assert other.heartbeat(kept)
    set_clock(monkeypatch, storage, 1060.1)
    (fresh_pull,) = other.ask(1)
    assert fresh_pull == Pull(3, lost.arm)
    assert [event["type"] for event in study.events] == ["created", "asked", "extended", "expired", "asked"]
    assert not study.heartbeat(lost)
    study.tell(lost, 0.25)
    study.tell(lost, 0.25)
    with pytest.raises(Conflict, match=r"pull 1 was told as 0\.25 and cannot be told as 0\.5"):
        study.tell(lost, 0.5)
    with pytest.raises(Conflict, match="pull 1 was told before and cannot be abandoned"):
        study.abandon(lost)
    assert untimed(study.events)[-1] == {"type": "told", "pull": 1, "reward": 0.25, "late": True}
    study.tell_all([(kept, 0.5), (fresh_pull, 0.5)])
    assert study.pulls == 2
    assert state(Study.open(storage, "study")) == state(study)


def test_whatever_touches_the_study_lets_pulls_expire(storage, monkeypatch):
    """A refused call too: what had to expire has expired, and is in the journal."""
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    (pull,) = study.ask()
    set_clock(monkeypatch, storage, 1061.0)
    with pytest.raises(InvalidValue):
        study.tell(pull, 7.0)
    assert [event["type"] for event in study.events] == ["created", "asked", "expired"]
    study.tell(pull, 0.5)
    assert (study.pulls, study.events[-1]["late"]) == (0, True)
    assert state(Study.open(storage, "study")) == state(study)


def test_without_a_lease_pulls_never_expire_and_heartbeats_leave_no_trace(storage):
    study = begin(storage)
    first, second = study.ask(2)
    assert study.heartbeat_all([first, second.id]) == [True, True]
    study.tell(first, 0.5)
    assert study.heartbeat_all([first, second]) == [False, True]
    with pytest.raises(InvalidValue, match="pull 3 does not exist: pulls 1 to 2 have been asked for"):
        study.heartbeat(3)
    assert len(study.events) == 3


def test_expired_pulls_give_their_budget_back(storage, monkeypatch):
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60, max_pulls=4)
    assert len(study.ask(9)) == 4
    assert study.ask(9) == []
    set_clock(monkeypatch, storage, 1061.0)
    pulls = study.ask(9)
    assert [pull.id for pull in pulls] == [5, 6, 7, 8]
    study.tell_all([(pull, 0.5) for pull in pulls])
    assert study.decided
    assert study.pulls == 4


def test_leases_run_by_a_real_clock(storage):
    study = begin(storage, lease=1)
    (pull,) = study.ask()
    time.sleep(1.1)
    assert not study.heartbeat(pull)


DAY = 86_400.0


def test_a_clock_put_forward_and_back_neither_ends_leases_nor_stops_them(storage, monkeypatch):
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    (lost,) = study.ask(1)
    put_clock(storage, 1000.0 + DAY)
    (kept,) = study.ask(1)
    assert study.pending == [lost, kept]
    assert study.events[-1]["time"] == 1000.0 + DAY
    set_clock(monkeypatch, storage, 1050.0)
    assert study.heartbeat(kept)
    assert study.events[-1]["time"] == 1050.0
    set_clock(monkeypatch, storage, 1061.0)
    assert study.heartbeat(kept)
    assert study.pending == [kept]
    set_clock(monkeypatch, storage, 1122.0)
    assert not study.heartbeat(kept)
    assert state(Study.open(storage, "study")) == state(study)


def test_a_jump_says_nothing_of_what_others_did_since_the_last_look(storage, monkeypatch):
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    other = Study.open(storage, "study")
    (pull,) = study.ask(1)
    for late in (1050.0, 1060.0):
        set_clock(monkeypatch, storage, late)
        put_clock(storage, late + DAY)
        assert other.heartbeat_all([]) == []
        assert other.pending == [pull]
    set_clock(monkeypatch, storage, 1060.1)
    assert other.heartbeat_all([]) == []
    assert other.pending == []


def test_what_others_did_is_as_old_as_the_clock_says(storage, monkeypatch):
    """Also if nobody has looked since long before."""
    set_clock(monkeypatch, storage, 1000.0)
    study, other, third = (begin(storage, lease=60) for _ in range(3))
    set_clock(monkeypatch, storage, 2000.0)
    study.ask(1)
    set_clock(monkeypatch, storage, 2030.0)
    assert third.refresh() == 1
    set_clock(monkeypatch, storage, 2060.1)
    assert other.ask(1)[0].id == third.ask(1)[0].id - 1 == 2
    assert [event["type"] for event in study.events].count("expired") == 1


def test_who_opens_a_study_goes_by_the_clock(storage, monkeypatch):
    """What the journal says of the future happened before what came next, or has just happened."""
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    put_clock(storage, 1000.0 + DAY)
    study.ask(1)
    put_clock(storage, 1010.0)
    study.ask(1)
    put_clock(storage, 1010.0 + DAY)
    study.ask(1)
    for late, left in ((1070.0, [1, 2, 3]), (1070.1, [3])):
        put_clock(storage, late)
        opened = Study.open(storage, "study")
        opened.heartbeat_all([])
        assert [pull.id for pull in opened.pending] == left
    assert opened.events[-1]["time"] == 1070.1
    set_clock(monkeypatch, storage, 1060.1)
    opened.heartbeat_all([])
    assert opened.pending == []


def test_a_state_that_is_folded_anew_is_not_fooled_either(storage, monkeypatch):
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    pulls = study.ask(2)
    put_clock(storage, 1000.0 + DAY)
    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "append", Mock(side_effect=OSError("gone")))
        with pytest.raises(OSError, match="gone"):
            study.ask(1)
    assert study.heartbeat_all(pulls) == [True, True]


def test_old_events_taken_into_another_journal_are_as_old_as_they_say(storage, monkeypatch):
    set_clock(monkeypatch, storage, 1000.0)
    study = begin(storage, lease=60)
    study.ask(1)
    again = Study.from_events(study.events)
    again.refresh()
    again.heartbeat_all([])
    assert again.pending == []
    assert len(study.pending) == 1
