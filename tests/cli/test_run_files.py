"""What `surefoot run` and its relatives say of files that cannot be meant: a sentence, and nothing is written."""

import os

import pytest

from surefoot import Study
from surefoot.cli import main
from surefoot.errors import InvalidValue

PROBLEM = 'rewards = [0, 1]\n[[arms]]\nname = "a"\nbernoulli = 0.5\n[[arms]]\nname = "b"\nbernoulli = 0.5\n'
ODD = os.fsdecode(b"\xff.toml")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "p.toml").write_text(PROBLEM)
    (tmp_path / ODD).write_text(PROBLEM)
    (tmp_path / "bad.toml").write_text("x = [")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "."], "the problem must be a readable file: .: Is a directory"),
        (["run", "/"], "the problem must be a readable file: /: Is a directory"),
        (["run", "folder.toml"], "the problem must be a readable file: folder.toml: Is a directory"),
        (["run", "bad.toml"], "bad.toml: the problem must be valid TOML"),
        (["run", "bytes.toml"], "the problem must be a file in UTF-8: bytes.toml"),
        (["run", ODD], "every argument must be text in UTF-8, got"),
        (["run", ODD, "--name", "x", "--db", "x.db"], "every argument must be text in UTF-8, got"),
        (["run", "p.toml", "--db", ODD], "every argument must be text in UTF-8, got"),
        (["run", "p.toml", "--name", ODD], "every argument must be text in UTF-8, got"),
        (["run", "p.toml", "--db", "no/p.db"], "a study must be kept in a folder that exists, got "),
        (["run", "p.toml", "--db", "."], "sqlite:///. could not be used: unable to open database file"),
        (["delete", ODD], "every argument must be text in UTF-8, got"),
        (["salvage", ODD, "--db", "x.db"], "every argument must be text in UTF-8, got"),
    ],
)
def test_a_sentence(capsys, folder, arguments, sentence):
    before = sorted(os.listdir(folder)), sorted(os.listdir(folder.parent))
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"surefoot: {sentence}")
    assert captured.out == ""
    assert (sorted(os.listdir(folder)), sorted(os.listdir(folder.parent))) == before


def test_a_storage_in_python_too():
    with pytest.raises(InvalidValue, match="a SQLite storage must be a file whose name is in UTF-8, got"):
        Study.open(os.fsdecode(b"\xff.db"), "p")
