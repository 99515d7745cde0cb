"""`make bench BASE=<commit>`: each version is measured by its own sources, and every work can be done."""

import os
import shutil
from pathlib import Path

import pytest

import surefoot
from benchmarks import base, works
from benchmarks.works import WORKS
from surefoot.storage.sqlite_connection import TICK

SOURCES = Path(surefoot.__path__[0]).parent


@pytest.mark.parametrize("name", WORKS)
def test_every_work_is_done_and_done_again(name, tmp_path, monkeypatch):
    for size in ("SIMULATED", "LIVE", "OPENED"):
        monkeypatch.setattr(works, size, 200)
    monkeypatch.setattr(works, "REST", 0.0)
    work = WORKS[name](tmp_path)
    assert work() == work() > 0


def test_tells_are_measured_once_the_folder_is_at_rest(tmp_path, monkeypatch):
    waits = []

    class Clock:
        now = 0.0

        def time(self):
            return self.now

        def sleep(self, seconds):
            waits.append(seconds)
            self.now = (tmp_path / "told").stat().st_ctime + works.REST

    monkeypatch.setattr(works, "time", Clock())
    works.telling(tmp_path)
    assert len(waits) == 1
    assert TICK < 1e9 * works.REST


def test_an_import_is_measured_from_bytecode(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    works.importing(tmp_path)()
    compiled = {path.name.split(".")[0] for path in (tmp_path / "bytecode").rglob("*.pyc")}
    assert "engine" in compiled
    assert os.environ["PYTHONDONTWRITEBYTECODE"] == "1"


def test_a_version_is_measured_by_its_own_sources(tmp_path):
    shutil.copytree(SOURCES / "surefoot", tmp_path / "surefoot", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "surefoot" / "study" / "__init__.py").write_text("raise SystemExit('another Study')\n")
    with base.version(SOURCES) as here:
        assert base.done(here, "importing surefoot and its Study").keys() == {"processor", "clock"}
    with pytest.raises(SystemExit, match="'' are measured instead of"), base.version(tmp_path):
        pass


def test_a_commit_is_unpacked_beside_the_present_sources():
    found = base.unpacked("HEAD")
    assert (found / "surefoot" / "__init__.py").exists()
    assert found.is_relative_to(base.HERE / "build")


def test_what_is_no_commit_is_refused():
    with pytest.raises(SystemExit, match="BASE must be a commit of this repository, got 'nonsense'"):
        base.unpacked("nonsense")


def test_a_ratio_is_of_rounds_that_took_turns():
    """A machine that slows down meets both alike."""
    assert str(base.ratio([2.0, 30.0, 200.0, 2.0, 1.0], [1.0, 10.0, 100.0, 1.0, 1.0])) == "2.00 (1.50 to 2.50)"
