"""A stored study damaged at every byte, in its rows and in the file: noticed and named, and what is before it not lost."""

import json
import random
import sqlite3

import pytest
from sqlalchemy import text

from surefoot import Study
from surefoot.cli.main import main
from surefoot.errors import BadJournal, Conflict, SurefootError
from surefoot.storage import connect, rows
from surefoot.storage.journal import Snapshot
from surefoot.study import snapshot
from tests.storage.conftest import empty_schema
from tests.storage.helpers import begin, state, untimed

COLUMNS = "position, time, kind, pull, request, body, digest"


def every_kind(storage):
    """A small study with an event of every kind in its journal."""
    study = begin(storage, lease=600, max_pulls=30)
    pulls = study.ask(5, worker="w", request="r")
    study.tell_all([(pull, 0.5) for pull in pulls[:3]])
    study.heartbeat(pulls[3])
    study.abandon(pulls[3])
    study.record("B", 0.25)
    with study._replica.transaction() as transaction:
        transaction.happen("expired", pull=pulls[4].id)
    study.tell(pulls[4], 0.5)  # late
    study.set_aside("C", "broken")
    study.tell_all([(pull, 0.75) for pull in study.ask(4)])
    study.close()
    events = study.events
    kinds = {
        "created",
        "asked",
        "told",
        "extended",
        "abandoned",
        "recorded",
        "expired",
        "set_aside",
        "closed",
        "decided",
    }
    assert {event["type"] for event in events} == kinds
    return events


def stored_rows(path):
    connection = sqlite3.connect(path)
    found = connection.execute(f"SELECT {COLUMNS} FROM surefoot_events ORDER BY position").fetchall()
    connection.close()
    return found


def flipped(value, place, bit):
    """A value with one bit of it flipped."""
    if isinstance(value, bytes):
        return value[:place] + bytes([value[place] ^ 1 << bit]) + value[place + 1 :]
    if isinstance(value, str):
        return value[:place] + chr(ord(value[place]) ^ 1 << bit % 5) + value[place + 1 :]
    if isinstance(value, float):
        return float.fromhex((value + 2.0 ** (bit - 20)).hex())
    return value ^ 1 << bit


def flips(row):
    """Every place of every column, one bit each; positions have tests of their own."""
    for column, value in enumerate(row):
        if column and value is not None:
            for place in range(len(value) if isinstance(value, str | bytes) else 1):
                yield column, place


def test_no_bit_of_any_row_goes_unnoticed(folder):
    every_kind(folder / "x.db")
    before = b""
    for row in stored_rows(folder / "x.db"):
        for column, place in flips(row):
            for bit in range(8):
                bad = (*row[:column], flipped(row[column], place, bit), *row[column + 1 :])
                if bad != row:
                    with pytest.raises(BadJournal, match=f"event {row[0]} of the journal is not what was written"):
                        rows.to_event(bad, row[0], before)
        before = row[-1]


def test_nothing_and_the_text_none_are_two_things(folder):
    """Of every row, in either direction; a request may be called so all the same."""
    study = begin(folder / "x.db")
    assert study.ask(2, request="None") == study.ask(2, request="None")
    study.tell_all([(pull, 0.5) for pull in study.ask(2)])
    assert Study.check(folder / "x.db", "study") == 5
    before, changed = b"", 0
    for row in stored_rows(folder / "x.db"):
        for column in (3, 4):
            if row[column] in (None, "None"):
                bad = (*row[:column], "None" if row[column] is None else None, *row[column + 1 :])
                with pytest.raises(BadJournal, match=f"event {row[0]} of the journal is not what was written"):
                    rows.to_event(bad, row[0], before)
                changed += 1
        before = row[-1]
    assert changed == 6


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, folder):
    """A storage with a table that can be tampered with."""
    return folder / "x.db" if request.param == "sqlite" else empty_schema(request.getfixturevalue("server"))


def change(database, statement, **values):
    storage = connect(database)
    with storage.engine.begin() as connection:
        connection.execute(text(statement), values)
    storage.close()


def test_a_flipped_row_is_named_wherever_it_is_and_the_others_are_rescued(database):
    events = every_kind(database)
    generator = random.Random(4)
    original = connect(database).journal("study")
    originals = original.database.read(
        lambda connection: list(connection.execute(text(f"SELECT {COLUMNS} FROM surefoot_events ORDER BY position")))
    )
    for row in map(tuple, originals):
        for column, place in generator.sample(list(flips(row)), 1):
            name = COLUMNS.split(", ")[column]
            update = f"UPDATE surefoot_events SET {name} = :value WHERE position = :position"
            change(database, update, value=flipped(row[column], place, 0), position=row[0])
            with pytest.raises(BadJournal, match=f"event {row[0]} of the journal is not what was written"):
                Study.open(database, "study")
            if row[0] == 1:
                with pytest.raises(BadJournal, match="nothing of the study 'study' can be read: event 1"):
                    Study.salvage(database, "study")
            else:
                assert Study.salvage(database, "study").events == events[: row[0] - 1]
            change(database, update, value=row[column], position=row[0])
    assert Study.open(database, "study").events == events


@pytest.mark.parametrize("column", ["position", "digest"])
def test_an_entry_that_disagrees_with_its_journal_is_noticed_by_who_only_reads(database, column):
    events = every_kind(database)
    last = len(events)
    change(database, f"UPDATE surefoot_studies SET {column} = :value", value=3 if column == "position" else b"12345678")
    with pytest.raises(BadJournal, match=f"ends with event {3 if column == 'position' else last}, but the event that"):
        Study.open(database, "study")
    assert Study.salvage(database, "study").events == events


@pytest.mark.parametrize(
    "damage",
    ["position = 'abc'", "position = -1", "position = x'00'", "digest = 'text'", "digest = 1000000000000000"],
)
def test_an_entry_of_another_type_is_named_and_its_events_are_rescued(folder, damage):
    path = folder / "x.db"
    events = every_kind(path)
    begin(path, "other")
    reader = Study.open(path, "study")
    change(path, f"UPDATE surefoot_studies SET {damage} WHERE name = 'study'")
    sentence = f"the entry of the study 'study' is damaged: its {damage.split()[0]} is "
    for call in (Study.open, Study.check):
        with pytest.raises(BadJournal, match=sentence):
            call(path, "study")
    with pytest.raises(BadJournal, match=sentence):
        reader.tell(1, 0.5)
    assert Study.salvage(path, "study").events == events
    assert [(entry.name, entry.fault != "") for entry in connect(path).studies()] == [("study", True), ("other", False)]


@pytest.mark.parametrize("damage", ["changed = 'def'", "changed = 1e300", "created = 9e999", "name = x'00ff'"])
def test_a_damaged_entry_does_not_hide_the_others_in_a_list(folder, damage, capsys):
    path = folder / "x.db"
    begin(path)
    begin(path, "other")
    change(path, f"UPDATE surefoot_studies SET {damage} WHERE name = 'study'")
    assert main(["list", "--db", str(path), "--json"]) == 0
    bad, good = json.loads(capsys.readouterr().out)["studies"]
    assert (bad["status"], good["study"], good["status"]) == ("unreadable", "other", "undecided")
    assert f"is damaged: its {damage.split()[0]} is " in bad["sentence"]
    assert main(["list", "--db", str(path)]) == 0
    assert "is damaged" in capsys.readouterr().out


def test_reordered_and_doubled_rows(folder):
    """Any two rows exchanged, and any row put in the place of another."""
    events = every_kind(folder / "x.db")
    originals = stored_rows(folder / "x.db")
    for one, other in ((2, 3), (3, 4), (5, 12), (2, len(originals))):
        for exchanged in (True, False):
            contents = {one: originals[other - 1], other: originals[one - 1] if exchanged else originals[other - 1]}
            connection = sqlite3.connect(folder / "x.db")
            connection.execute("DROP INDEX surefoot_events_request")
            for position, row in contents.items():
                fields = [*row[1:], position]
                connection.execute(
                    "UPDATE surefoot_events SET time = ?, kind = ?, pull = ?, request = ?, body = ?, digest = ? "
                    "WHERE position = ?",
                    fields,
                )
            connection.commit()
            with pytest.raises(BadJournal, match=f"event {one} of the journal is not what was written"):
                Study.open(folder / "x.db", "study")
            assert Study.salvage(folder / "x.db", "study").events == events[: one - 1]
            for position in contents:
                connection.execute(
                    "UPDATE surefoot_events SET time = ?, kind = ?, pull = ?, request = ?, body = ?, digest = ? "
                    "WHERE position = ?",
                    [*originals[position - 1][1:], position],
                )
            connection.execute("CREATE UNIQUE INDEX surefoot_events_request ON surefoot_events (study, request)")
            connection.commit()
            connection.close()
    assert Study.open(folder / "x.db", "study").events == events


def whole_file(path):
    """The events of a study of every kind, and the bytes of the file that holds it."""
    storage = connect(path)
    events = every_kind(storage)
    storage.close()
    assert [found.name for found in path.parent.iterdir()] == [path.name]  # nothing waits in the log of writes
    return events, path.read_bytes()


def opened_and_rescued(path):
    """What is read of a file, and what is rescued; None where it is refused in a sentence."""
    found = []
    for read in (Study.open, Study.salvage):
        storage = connect(path)
        try:
            found.append(read(storage, "study").events)
        except SurefootError as error:
            found.append(None)
            assert str(error).strip()  # noqa: PT017
        storage.close()
    for rest in path.parent.glob("x.db-*"):
        rest.unlink()
    return found


def test_no_byte_of_the_file_changes_what_is_read_unnoticed(folder):
    """Bytes flipped all over the file: what opens is what was written, and what is rescued is how it begins."""
    events, whole = whole_file(folder / "x.db")
    generator, noticed, rescued = random.Random(7), 0, 0
    places = [*range(0, 110, 5), *range(4096, len(whole), 4096), *(generator.randrange(len(whole)) for _ in range(200))]
    for place in places:
        (folder / "x.db").write_bytes(flipped(whole, place, generator.randrange(8)))
        opened, salvaged = opened_and_rescued(folder / "x.db")
        assert opened in (None, events)
        assert salvaged is None or salvaged == events[: len(salvaged)]
        noticed += opened is None
        rescued += salvaged is not None
    assert noticed > 20
    assert rescued > len(places) / 2


def test_of_a_damaged_log_of_writes_sqlite_reads_the_beginning_and_nothing_tells(folder):
    """As docs/journal.md says: what is left is sound, and how it began."""
    study = begin(folder / "x.db", max_pulls=40)
    for pull in study.ask(30):
        study.tell(pull, 0.5)
    (folder / "copy").mkdir()
    for file in folder.glob("x.db*"):
        whole = file.read_bytes()
        (folder / "copy" / file.name).write_bytes(
            flipped(whole, len(whole) // 2, 3) if file.suffix == ".db-wal" else whole
        )
    (folder / "copy" / "x.db-shm").unlink()
    left = Study.check(folder / "copy" / "x.db", "study")
    assert left < study.position
    assert Study.open(folder / "copy" / "x.db", "study").events == study.events[:left]


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_a_file_cut_short_is_noticed(folder, part):
    events, whole = whole_file(folder / "x.db")
    (folder / "x.db").write_bytes(whole[: int(part * len(whole))])
    opened, salvaged = opened_and_rescued(folder / "x.db")
    assert opened is None or (opened == events and part > 0.9)  # the last page may be one that nobody needs
    assert salvaged is None or salvaged == events[: len(salvaged)]


def test_damage_behind_a_snapshot_is_found_by_a_check(folder, monkeypatch):
    monkeypatch.setattr(snapshot, "between", lambda fold: 5)
    path = folder / "x.db"
    events = every_kind(path)
    change(path, "UPDATE surefoot_events SET body = replace(body, '0.5', '0.6') WHERE position = 3")
    assert Study.open(path, "study").decided  # the state is the snapshot's, which is right
    with pytest.raises(BadJournal, match="event 3 of the journal is not what was written"):
        Study.check(path, "study")
    with pytest.raises(BadJournal, match="event 3 of the journal is not what was written"):
        Study.open(path, "study").tell(1, 0.5)  # what became of the pull is looked up
    change(path, "UPDATE surefoot_events SET body = replace(body, '0.6', '0.5') WHERE position = 3")
    assert Study.check(path, "study") == len(events)


@pytest.mark.parametrize(
    ("which", "sentence"),
    [
        ("kind = 'told' AND pull = 2", "pull 2 is not in flight, but the journal has no event that ended it"),
        ("kind = 'abandoned' AND pull = 4", "pull 4 is not in flight, but the journal has no event that ended it"),
        ("kind = 'asked' AND pull = 1", "pull 2 was asked for, but the journal has no event that handed it out"),
        ("kind = 'asked' AND pull = 6", "pull 7 was asked for, but the journal has no event that handed it out"),
    ],
)
def test_what_a_pull_was_cannot_be_said_anew_where_its_row_is_gone(database, monkeypatch, which, sentence):
    monkeypatch.setattr(snapshot, "between", lambda fold: 5)
    every_kind(database)
    change(database, f"DELETE FROM surefoot_events WHERE {which}")
    study, pull = Study.open(database, "study"), int(sentence.split()[1])
    before = study.position
    for call in (lambda: study.tell(pull, 0.125), lambda: study.abandon(pull), lambda: study.heartbeat(pull)):
        with pytest.raises(BadJournal, match=sentence):
            call()
    if "asked" in which:
        with pytest.raises(BadJournal, match=sentence):
            study.worker_of(pull)
    assert Study.open(database, "study").position == before


def test_a_snapshot_of_another_type_is_none(folder):
    path = folder / "x.db"
    every_kind(path)
    storage = connect(path)
    journal = storage.journal("study")
    journal.keep(Snapshot(2, "x", b"body"))
    change(path, "UPDATE surefoot_snapshots SET body = 7")
    assert journal.snapshot() is None


def test_the_sound_part_is_kept_elsewhere_and_goes_on(folder):
    study = begin(folder / "x.db", max_pulls=40)
    for _ in range(6):
        study.tell_all([(pull, 0.5) for pull in study.ask()])
    events = study.events
    change(folder / "x.db", "UPDATE surefoot_events SET body = body || ' ' WHERE position = 12")
    rescued = Study.salvage(folder / "x.db", "study", to=folder / "rescued.db")
    assert rescued.events == events[:11]
    again = Study.open(folder / "rescued.db", "study")
    assert state(again) == state(Study.from_events(events[:11]))
    for pull in again.pending or again.ask():
        again.tell(pull, 0.5)
    assert untimed(Study.open(folder / "rescued.db", "study").events[:11]) == untimed(events[:11])
    with pytest.raises(Conflict, match="there is a study 'study' already"):
        Study.salvage(folder / "x.db", "study", to=folder / "rescued.db")


def test_an_event_that_cannot_be_ends_what_is_rescued(folder):
    """Its digest is right, as a forger's would be; the fold refuses it."""
    study = begin(folder / "x.db")
    study.tell_all([(pull, 0.5) for pull in study.ask(3)])
    with study._replica.journal.turn(study.position) as turn:
        turn.append([{"type": "told", "time": 1.0, "pull": 99, "reward": 0.5}])
    with pytest.raises(BadJournal, match=r"event 6 of the journal is not valid: pull must be one that was asked for"):
        Study.open(folder / "x.db", "study")
    rescued = Study.salvage(folder / "x.db", "study", to=folder / "y.db")
    assert rescued.position == 5
    assert Study.open(folder / "y.db", "study").ask()


def test_the_command_says_what_is_wrong_and_rescues(folder, capsys):
    every_kind(folder / "x.db")
    command = ["salvage", "study", "--db", str(folder / "x.db")]
    assert main(command) == 0
    assert "All 18 events of study are undamaged." in capsys.readouterr().out
    change(folder / "x.db", "DELETE FROM surefoot_events WHERE position = 7")
    assert main([*command, "--to", str(folder / "y.db")]) == 3
    out = capsys.readouterr().out
    assert "The first 6 events of study are undamaged." in out
    assert "After them: event 7 of the journal is missing: event 8 comes next." in out
    assert f"They are now in {folder / 'y.db'}. Undecided after" in out
    assert main([*command, "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["events"] == 6
    change(folder / "x.db", "DELETE FROM surefoot_events")
    assert main(command) == 2
    assert "salvage" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["status", "export", "run"])
def test_who_cannot_open_a_study_is_told_of_the_rescue(folder, capsys, command):
    problem = folder / "x.toml"
    problem.write_text(
        'rewards = [0, 1]\n[[arms]]\nname = "a"\nbernoulli = 0.5\n[[arms]]\nname = "b"\nbernoulli = 0.5\n'
    )
    assert main(["run", str(problem), "--max-pulls", "4"]) == 3
    change(folder / "x.db", "DELETE FROM surefoot_events WHERE position = 3")
    capsys.readouterr()
    assert main([command, str(problem)]) == 2
    sentence = "event 3 of the journal is missing: event 4 comes next; `surefoot salvage` says how much of the journal"
    assert sentence in capsys.readouterr().err
    change(folder / "x.db", "UPDATE surefoot_schema SET version = 99")
    assert main([command, str(problem)]) == 2
    assert "salvage" not in capsys.readouterr().err  # which could not read it either
