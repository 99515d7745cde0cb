"""A SQLite file with several names: links, and names that are relative."""

import os

import pytest

from surefoot import Study
from surefoot.errors import StorageFailed
from surefoot.storage import connect
from tests.storage.helpers import begin
from tests.storage.sqlite_files import study_storage, tell


@pytest.fixture
def storage(study):
    return study_storage(study)


def test_a_symbolic_link_that_leads_elsewhere(folder, told):
    link, acknowledged = folder / "link.db", set()
    link.symlink_to(folder / "one.db")
    study = begin(connect(link))
    study.ask(9)
    assert not tell(study, [1, 2], acknowledged)
    begin(connect(folder / "two.db")).ask(3)
    link.unlink()
    link.symlink_to(folder / "two.db")
    assert "another file or an older copy" in tell(study, [3], acknowledged)[3]
    link.unlink()
    link.symlink_to(folder / "one.db")
    assert not tell(study, [3], acknowledged)
    assert told(link) == told(folder / "one.db") == {1, 2, 3}


def test_a_file_that_was_moved_with_a_link_to_it_in_its_place(study, path, told):
    acknowledged = set()
    tell(study, [1, 2], acknowledged)
    moved = path.with_name("moved.db")
    path.rename(moved)
    path.symlink_to(moved)  # the same file by its number, but SQLite looks for the log beside the other name
    tell(study, [3, 4], acknowledged)
    assert acknowledged
    assert told(path) == told(moved) == acknowledged


def test_a_relative_name_means_the_same_file_from_every_folder(folder, monkeypatch, told):
    monkeypatch.chdir(folder)
    study = begin(connect("x.db"))
    monkeypatch.chdir("/")
    study_storage(study).close()
    study.tell(study.ask(1)[0], 0.5)
    assert told(folder / "x.db") == {1}


def test_a_file_with_two_names_is_read_and_not_written(study, storage, path, told):
    study.tell(1, 0.5)
    os.link(path, path.with_name("y.db"))
    sentence = r"x\.db has 2 names \(hard links\), .*it can only be read; to write to it, remove the other names"
    for call in (lambda: study.tell(2, 0.5), lambda: begin(storage, "new"), storage.ready):
        with pytest.raises(StorageFailed, match=sentence):
            call()
    assert Study.open(path, "study").pulls == study.refresh() + 1 == 1
    path.with_name("y.db").unlink()
    study.tell(2, 0.5)
    storage.ready()
    assert told(path) == {1, 2}
