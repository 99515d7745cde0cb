"""Snapshots: a shortcut to the very same state, and never more than that."""

import json

import numpy as np
import pytest

from surefoot import Study
from surefoot.storage import Memory, Snapshot, connect
from surefoot.study import snapshot
from tests.conftest import PROGRAMS
from tests.contract.test_programs import easy
from tests.storage.helpers import begin, state, untimed
from tests.study.helpers import drive


@pytest.fixture
def often(monkeypatch):
    monkeypatch.setattr(snapshot, "between", lambda fold: 20)


@pytest.mark.parametrize(("policy", "bounds", "kind", "risk"), PROGRAMS)
def test_snapshot_and_tail_are_the_whole_journal(often, policy, bounds, kind, risk):
    """For every program: after each call, with pulls in flight and rewards that wait, to the last bit."""
    slack = {"tolerance": 0.1, "risk_slack": 0.02} if policy == "risk-averse-ucb" else {}
    storage, problem = Memory(), easy(kind, risk, max_pulls=120, **slack).problem
    study = Study.open(storage, "study", problem, policy=policy, bounds=bounds, lease=1000)
    generator, air = np.random.default_rng(1), []
    while not study.decided:
        air += study.ask(5 - len(air))
        pull = air.pop(int(generator.integers(len(air))))
        if generator.random() < 0.1:
            study.abandon(pull)
        else:
            study.tell(pull, float(generator.uniform(0.2, 0.8)))
        if study.position % 9 == 0:
            assert state(Study.open(storage, "study")) == state(study)
    kept = storage.journal("study").snapshot()
    assert kept is not None
    assert study.position - kept.position < 30
    quick = Study.open(storage, "study")
    storage.journal("study").drop_snapshot()
    whole = Study.open(storage, "study")
    assert state(quick) == state(whole) == state(study)
    assert state(Study.from_events(study.events)) == state(study)


def test_snapshots_are_taken_by_who_crosses_the_line(often, folder):
    one, two = begin(folder / "x.db"), begin(folder / "x.db")
    drive(one, workers=3)
    two.refresh()
    assert state(two) == state(one)
    storage = connect(folder / "x.db")
    assert storage.journal("study").snapshot().position > one.position - 25


def other_kind(shapes):
    shapes["asked"][0] = "O"  # references, which nothing in a file can be


def too_many(shapes):
    shapes["asked"][1] = [10**9]


def renamed(shapes):
    shapes["other"] = shapes.pop("asked")


@pytest.mark.parametrize("change", [other_kind, too_many, renamed])
def test_what_is_no_snapshot_is_refused(change):
    study = Study(["A", "B"])
    kept = snapshot.taken(study._replica.state, 1)
    assert snapshot.restored(study.events[0], kept) is not None
    head, _, arrays = kept.body.partition(b"\n")
    shapes, plain = json.loads(head)
    change(shapes)
    body = json.dumps([shapes, plain]).encode() + b"\n" + arrays
    assert snapshot.restored(study.events[0], kept._replace(body=body)) is None


@pytest.mark.parametrize("where", ["body", "checksum", "digest", "version", "position"])
def test_a_broken_snapshot_is_thrown_away(often, folder, where):
    """Flipped bits, another version of the code, another journal: it is as if there were none."""
    storage = connect(folder / "x.db")
    study = drive(begin(storage, max_pulls=60), workers=3)
    kept = storage.journal("study").snapshot()
    value = {"position": kept.position - 1, "version": "another"}.get(where, b"\0" * 8)
    with storage.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE surefoot_snapshots SET {where} = ?", (value,))
    assert where == "version" or storage.journal("study").snapshot() is None
    assert state(Study.open(storage, "study")) == state(study)


@pytest.mark.parametrize("body", [b"", b"PK", b"\x80\x04N.", "halved"])
def test_a_snapshot_that_cannot_be_read_is_thrown_away(folder, body):
    storage = connect(folder / "x.db")
    study = drive(begin(storage, max_pulls=60), workers=3)
    good = snapshot.taken(study._replica.state, study.position)
    storage.journal("study").keep(good._replace(body=good.body[:-100] if body == "halved" else body))
    assert state(Study.open(storage, "study")) == state(study)


@pytest.mark.parametrize("design", ["independent", "items", "rounds"])
def test_pulls_that_come_to_nothing_after_the_end_are_in_the_snapshot(design):
    """Told late, abandoned or failed: nobody waits for them any more, and they still stand where they were."""
    study = Study(["A", "B", "C"], risk="variance <= 0.04", design=design, lease=60)
    flying = study.ask(30)
    study.tell_all([(pull, 0.5) for pull in flying[10:]])  # those wait for the first ten
    study.close()
    assert len(study.pending) == (10 if design != "rounds" else 3)
    for end in (lambda pull: study.tell(pull, 0.5), study.abandon, lambda pull: study.fail(pull, "too late")):
        end(flying.pop(0))
        kept = snapshot.taken(study._replica.state, study.position)
        again = snapshot.restored(study.events[0], kept)
        assert again is not None
        assert snapshot.taken(again, study.position).body == kept.body


def test_snapshots_hold_plain_data_only():
    study = drive(begin(Memory(), max_pulls=30), workers=3)
    body = snapshot.taken(study._replica.state, study.position).body
    assert b"pickle" not in body
    assert snapshot.restored(study.events[0], Snapshot(1, snapshot.version(), body)) is not None


def test_a_journal_by_another_arithmetic_is_taken_as_it_was_written():
    """Asks that this Surefoot would not make, and a decision that it would not reach, are what happened."""
    study = begin(Memory())
    pulls = study.ask(9)
    study.tell_all([(pull, 0.5) for pull in pulls])
    events = study.events
    events.append({"type": "asked", "time": 0.0, "pull": 10, "arms": [2, 2, 2, 2]})
    again = Study.from_events(events)
    assert [pull.arm for pull in again.pending] == ["C"] * 4
    again.tell_all([(pull, 0.5) for pull in again.pending])
    assert [row.pulls for row in again.table()] == [3, 3, 7]
    assert [pull.id for pull in again.ask(2)] == [14, 15]
    decided = {"type": "decided", "time": 0.0, "status": "best", "arm": 2, "pulls": 13}
    after = Study.from_events([*again.events, decided])
    assert after.decided
    assert after.decision.arm == "C"
    assert after.ask() == []
    after.tell(14, 0.5)
    assert untimed(after.events)[-1] == {"type": "told", "pull": 14, "reward": 0.5, "late": True}


def test_a_decision_that_the_journal_lacks_is_written_by_who_calls_next():
    events = drive(begin(Memory())).events
    assert events[-1]["type"] == "decided"
    study = Study.from_events(events[:-1])
    assert study.ask() == []
    assert untimed(study.events) == untimed(events)
