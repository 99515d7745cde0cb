"""The example of a problem file with items and commands runs, and takes what its page says."""

import json
import shutil
import sys
from pathlib import Path

from surefoot.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_example_decides_on_the_same_words(tmp_path, monkeypatch, capsys):
    for name in ("spelling.toml", "spelling.txt", "_spelling.py"):
        shutil.copy(EXAMPLES / name, tmp_path)
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(python.parent), prepend=":")
    assert main(["run", str(tmp_path / "spelling.toml"), "--workers", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["status"], found["arm"]) == ("best", "matching blocks")
    assert found["pulls"] < 130  # a third of all words with all rules


def test_each_word_of_the_list_is_misspelled_in_its_own_way():
    lines = (EXAMPLES / "spelling.txt").read_text().splitlines()
    pairs = [line.split() for line in lines]
    assert all(len(pair) == 2 and pair[0] != pair[1] for pair in pairs)
    assert len({meant for _, meant in pairs}) == len(lines)
