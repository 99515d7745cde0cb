"""Journals that were tampered with, cut short, or written by a Surefoot of another day."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url

from surefoot import Study
from surefoot.cli.main import main
from surefoot.errors import BadJournal, InvalidValue, NoSuchStudy, StorageFailed
from surefoot.storage import connect, tokens
from tests.storage.helpers import begin, state, untimed
from tests.study.helpers import drive

SAMPLES = Path(__file__).parent / "samples"


def change(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("statements", "sentence", "good"),
    [
        (["UPDATE surefoot_events SET body = replace(body, '0.', '0.1') WHERE position = 5"], "event 5 .* not what", 4),
        (["UPDATE surefoot_events SET pull = 7 WHERE position = 9"], "event 9 of the journal is not what was", 8),
        (
            ["UPDATE surefoot_events SET time = time + 1 WHERE position = 9"],
            "event 9 of the journal is not what was",
            8,
        ),
        (
            ["DELETE FROM surefoot_events WHERE position = 7"],
            "event 7 of the journal is missing: event 8 comes next",
            6,
        ),
        (["DELETE FROM surefoot_events WHERE position > 9"], "event 10 of the journal and all after it, up to", 9),
        (
            [
                "UPDATE surefoot_events SET position = -5 WHERE position = 5",
                "UPDATE surefoot_events SET position = 5 WHERE position = 6",
                "UPDATE surefoot_events SET position = 6 WHERE position = -5",
            ],
            "event 5 of the journal is not what was written, or does not belong after",
            4,
        ),
        (
            [
                "DELETE FROM surefoot_events WHERE position = 7",
                "INSERT INTO surefoot_events SELECT study, 7, time, kind, pull, request, body, digest "
                "FROM surefoot_events WHERE position = 5",
            ],
            "event 7 of the journal is not what was written",
            6,
        ),
    ],
    ids=["flipped", "another pull", "another time", "taken out", "cut off", "swapped", "doubled"],
)
def test_damage_is_noticed_and_what_is_before_it_is_not_lost(folder, statements, sentence, good):
    path = folder / "x.db"
    events = drive(begin(path, max_pulls=20)).events
    change(path, *statements)
    with pytest.raises(BadJournal, match=sentence):
        Study.open(path, "study")
    salvaged = Study.salvage(path, "study")
    assert salvaged.events == events[:good]
    assert state(salvaged) == state(Study.from_events(events[:good]))
    assert salvaged.ask()


def test_damage_is_noticed_by_who_has_the_study_open(folder):
    path = folder / "x.db"
    study = begin(path)
    pulls = study.ask(4)
    study.tell_all([(pull, 0.5) for pull in pulls[:2]])
    change(path, "DELETE FROM surefoot_events WHERE position = 4", "UPDATE surefoot_studies SET position = 3")
    with pytest.raises(BadJournal, match="journal ends with event 3, but the event that was written last is another"):
        study.tell(pulls[2], 0.5)


def test_tables_of_a_newer_version_are_refused(folder):
    path = folder / "x.db"
    begin(path)
    change(path, "UPDATE surefoot_schema SET version = 99")
    with pytest.raises(
        BadJournal, match="tables must be of version 2 or older, got 99: a newer Surefoot wrote them; update this one"
    ):
        Study.open(path, "study")


MEND = (
    "CREATE TABLE IF NOT EXISTS surefoot_schema (version INTEGER PRIMARY KEY)",
    "DELETE FROM surefoot_schema",
    "INSERT INTO surefoot_schema VALUES (2)",
)


@pytest.mark.parametrize(
    ("statement", "got"),
    [
        ("UPDATE surefoot_schema SET version = 0", "0"),
        ("UPDATE surefoot_schema SET version = -1", "-1"),
        ("DELETE FROM surefoot_schema", "None"),
        ("DROP TABLE surefoot_schema", "None"),
    ],
)
def test_tables_without_a_version_are_damaged_and_not_empty(folder, monkeypatch, capsys, statement, got):
    path = folder / "x.db"
    events = drive(begin(path, max_pulls=20)).events
    begin(folder / "y.db")
    change(path, statement)
    sentence = f"tables must have a version of 1 to 2, got {got}: the database is damaged"
    for call in (Study.open, Study.check, Study.salvage, begin):
        with pytest.raises(BadJournal, match=sentence):
            call(path, "study")
    assert main(["list", "--db", str(path)]) == 2
    assert sentence in capsys.readouterr().err
    monkeypatch.chdir(folder)
    assert main(["list", "--json"]) == 0
    bad, good = json.loads(capsys.readouterr().out)["studies"]
    assert (bad["db"], bad["status"], good["study"]) == ("x.db", "unreadable", "study")
    assert sentence in bad["sentence"]
    change(path, *MEND)  # as docs/journal.md says
    assert Study.open(path, "study").events == events


def test_what_is_no_database_is_refused(folder):
    text = folder / "notes.txt"
    text.write_text("not a database, " * 100)
    with pytest.raises(StorageFailed, match=r"notes\.txt could not be used: file is not a database; name another file"):
        begin(text)
    with pytest.raises(StorageFailed, match="unable to open database file; its folder must exist"):
        begin(folder)
    with pytest.raises(StorageFailed, match="could not be used: unable to open database file"):
        begin(folder / "nowhere" / "x.db")


def test_looking_into_another_programs_database_leaves_it_alone(folder):
    change(folder / "x.db", "CREATE TABLE theirs (x)")
    before = (folder / "x.db").read_bytes()
    assert connect(folder / "x.db").studies() == []
    with pytest.raises(NoSuchStudy):
        Study.open(folder / "x.db", "study")
    assert (folder / "x.db").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["x.db"]


def test_nothing_is_written_to_another_programs_database(folder, capsys):
    change(folder / "x.db", "CREATE TABLE theirs (x)")
    before = (folder / "x.db").read_bytes()
    sentence = "x.db could not be used: it is the database of another program: it has 'theirs' and no table of Surefoot"
    storage = connect(folder / "x.db")
    for call in (lambda: begin(storage), lambda: begin(folder / "x.db"), lambda: tokens.create(storage, "mine")):
        with pytest.raises(StorageFailed, match=f"{sentence}; give another file"):
            call()
    assert main(["token", "create", "mine", "--db", str(folder / "x.db")]) == 2
    assert sentence in capsys.readouterr().err
    assert (folder / "x.db").read_bytes() == before


def test_our_tables_may_have_others_beside_them(folder):
    study = begin(folder / "x.db")
    study.ask(3)
    change(folder / "x.db", "CREATE TABLE theirs (x)", "CREATE VIEW ours AS SELECT * FROM surefoot_events")
    study.tell(1, 0.5)
    assert Study.open(folder / "x.db", "study").pulls == 1
    assert begin(folder / "x.db", "another").ask()


@pytest.mark.parametrize(("encoding", "holds"), [("SQL_ASCII", True), ("LATIN1", False)])
def test_a_postgresql_of_another_encoding_keeps_a_text_or_refuses_it(server, encoding, holds):
    engine = create_engine(server.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        create = (
            f"CREATE DATABASE {encoding.lower()} ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
        )
        connection.exec_driver_sql(create)
    engine.dispose()
    storage = connect(make_url(server).set(database=encoding.lower()).render_as_string(hide_password=False))
    study = begin(storage)
    study.ask(worker="plain")
    if holds:
        study.ask(worker="研究")
        assert Study.open(storage, "study").events[2]["worker"] == "研究"
    else:
        with pytest.raises(StorageFailed, match="has no equivalent in encoding"):
            study.ask(worker="研究")
        assert [event["type"] for event in Study.open(storage, "study").events] == ["created", "asked"]
    storage.close()


def test_addresses_of_postgresql_that_cannot_be():
    with pytest.raises(InvalidValue, match="a PostgreSQL storage must be postgresql://user@host/database, got"):
        connect("postgresql://host:port:more/x")
    with pytest.raises(StorageFailed, match=r"postgresql\+psycopg://me:\*\*\*@127\.0\.0\.1:1/x could not be used: "):
        begin("postgresql://me:secret@127.0.0.1:1/x")


def test_opening_what_is_not_there_leaves_no_file(folder):
    storage = connect(folder / "typo.db")
    with pytest.raises(LookupError, match="there is no study 'study' in sqlite:///"):
        Study.open(storage, "study")
    assert storage.studies() == []
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("sample", sorted(path.name for path in SAMPLES.glob("*.db")))
def test_journals_of_every_version_open(folder, sample):
    """The sample and what was in it were written by `python -m tests.storage.sample`, and are never written again."""
    path = folder / sample
    shutil.copy(SAMPLES / sample, path)
    expected = json.loads((SAMPLES / sample).with_suffix(".json").read_text())
    study = Study.open(path, "sample")
    assert study.events == expected["events"]
    assert [[row.name, row.pulls, row.mean] for row in study.table()] == expected["table"]
    assert sorted([pull.id, pull.arm] for pull in study.pending) == expected["pending"]
    pulls = study.ask(2, worker="of today")
    study.tell(pulls[0], 0.5)
    assert state(Study.open(path, "sample")) == state(study)
    finished = Study.open(path, "finished")
    assert untimed(finished.events)[-1]["type"] == "decided"
    assert [finished.decision.status, finished.decision.arm] == expected["decision"]


def test_there_is_a_sample_of_this_version():
    assert (SAMPLES / "version1.db").exists()
