"""One run at a time of a study in a file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.cli import main
from surefoot.errors import Conflict, StorageFailed
from surefoot.work.run import Work
from surefoot.work.runner import Effort, Runner
from tests.work.processes import wait_until

PROBLEM = 'rewards = [0, 1]\n[[arms]]\nname = "a"\nbernoulli = 0.5\n[[arms]]\nname = "b"\nbernoulli = 0.5\n'


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A problem file with a study, in a folder and a file that have other names too."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "p.toml").write_text(PROBLEM)
    with Work(folder / "p.toml").open():
        pass
    (tmp_path / "other folder").symlink_to(folder)
    (tmp_path / "other.db").symlink_to("folder/p.db")
    monkeypatch.chdir(tmp_path)
    return folder / "p.toml"


def elsewhere(place):
    return f"{Path.cwd()}/{place}"


@pytest.mark.parametrize(
    "db",
    [
        lambda: None,
        lambda: "folder/p.db",
        lambda: "folder/../folder/p.db",
        lambda: elsewhere("other folder/p.db"),
        lambda: "other.db",
        lambda: "sqlite:///folder/p.db",
        lambda: f"sqlite:///{elsewhere('other.db')}",
    ],
)
def test_the_lock_is_the_same_by_whatever_path(file, monkeypatch, db):
    with Work(file).open():
        monkeypatch.setenv("TMPDIR", str(file.parent))
        with pytest.raises(Conflict, match="another surefoot run is working on the study 'p'"), Work(file, db()).open():
            pass
    with Work(file, db()).open():
        pass


def test_studies_of_one_file_and_those_in_memory_do_not_wait_for_each_other(file):
    with Work(file).open(), Work(file, name="another").open() as (study, _):
        assert study.ask()
    with Work(file, "memory://").open(), Work(file, "memory://").open():
        pass


def test_the_lock_goes_with_a_process_that_is_killed(file):
    script = """if True:
        import sys, time
        from pathlib import Path
        from surefoot.work.run import Work
        with Work(Path(sys.argv[1])).open():
            Path("begun").touch()
            time.sleep(100)
    """
    process = subprocess.Popen([sys.executable, "-c", script, str(file)])
    wait_until(Path("begun").exists)
    with pytest.raises(Conflict), Work(file).open():
        pass
    process.kill()
    process.wait()
    with Work(file).open():
        pass


def test_a_lock_that_was_deleted_is_made_anew(file):
    """A second run could begin for as long as the first one went on."""
    (lock,) = file.parent.glob("*.lock")
    work = Work(file)
    with work.open():
        lock.unlink()
        work.keep_lock()
        assert lock.exists()
        with pytest.raises(Conflict, match="another surefoot run is working on the study 'p'"), Work(file).open():
            pass
        work.keep_lock()
    with Work(file).open():
        pass


def test_a_run_whose_lock_was_deleted_stops_if_another_has_begun(file):
    (lock,) = file.parent.glob("*.lock")
    first, second = Work(file), Work(file)
    with first.open() as (study, left_over):
        lock.unlink()
        with second.open() as (other, _):
            runner = Runner(study, first.measures(), Effort(), keep_lock=first.keep_lock)
            with pytest.raises(Conflict, match="another surefoot run is working on the study 'p'"):
                runner.make(left_over)
            assert other.ask(1)
            second.keep_lock()
    with Work(file).open():
        pass


def test_a_lock_that_cannot_be_opened_is_a_sentence(file, capsys):
    (lock,) = file.parent.glob("*.lock")
    assert lock.stat().st_mode & 0o777 == 0o600
    lock.unlink()
    lock.mkdir()
    assert main(["run", str(file)]) == 2
    assert f"the lock of the study 'p' cannot be opened: {lock}: Is a directory\n" in capsys.readouterr().err


def test_a_lock_that_belongs_to_somebody_else_is_a_sentence(file, monkeypatch):
    def refused(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("surefoot.work.run.FileLock.acquire", refused)
    with pytest.raises(
        StorageFailed,
        match=r"Permission denied; if no run is working on the study, the owner of this file can delete it",
    ):
        Work(file).open().__enter__()


def test_whoever_may_write_to_the_database_may_lock_it(file):
    (lock,) = file.parent.glob("*.lock")
    lock.unlink()
    file.with_suffix(".db").chmod(0o660)
    before = os.umask(0o077)
    try:
        with Work(file).open():
            assert lock.stat().st_mode & 0o777 == 0o660
    finally:
        os.umask(before)


def test_nothing_needs_the_locks_of_one_system(tmp_path):
    """Where there is no such module, as on Windows, everything works but for the order of those who write to a file."""
    program = """
import sys
sys.modules["fcntl"] = None
from surefoot import find_best
study = find_best({"A": lambda: 0.2, "B": lambda: 0.7}, max_pulls=4, storage=sys.argv[1], name="s")
print(study.pulls)
"""
    command = [sys.executable, "-c", program, str(tmp_path / "s.db")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "4\n"
