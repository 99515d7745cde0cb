"""The examples run: without timing noise they print what was recorded, with it a table of their arms and how they ended."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("[!_]*.py"))
TIMED = {"backup", "deadline", "servers"}
# Files and compression libraries are those of this Python: the answer is the recorded one, its last digits need not be.
OF_THIS_PYTHON = {"compressors"}
DECISION = re.compile(r"(?P<arm>.+) is best.*; the decision is wrong with probability at most 0\.05\..*")
# What a machine measures while it does other things may end in any way that there is.
ENDED = re.compile(r".*(This took|ndecided after) [\d,]+ pulls.*")


def output(name: str) -> str:
    """What an example prints. Most run in this process, to load the packages they share once."""
    if name not in TIMED:
        study = import_module(name).main()
        return f"{study.table()}\n\n{study.decision}\n"
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py"],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def parts(text: str) -> tuple[list[str], str]:
    """The arms of a printed table, and the sentence below it."""
    table, sentence = text.rstrip("\n").split("\n\n")
    return [re.split(r"  +", line)[0] for line in table.splitlines()[1:]], sentence


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_decides(name, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples")
    recorded = (ROOT / "examples" / f"{name}.txt").read_text()
    found = output(name)
    if name not in TIMED | OF_THIS_PYTHON:
        assert found == recorded
    arms, sentence = parts(found)
    assert ENDED.fullmatch(sentence)
    assert arms == parts(recorded)[0]
    if name not in TIMED:
        assert DECISION.fullmatch(sentence)["arm"] == DECISION.fullmatch(parts(recorded)[1])["arm"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_a_page_with_its_picture_and_its_assumptions(name):
    page = (ROOT / "docs" / "examples" / f"{name}.md").read_text()
    assert f"../images/examples/{name}.png" in page
    assert f"../../examples/{name}.txt" in page
    assert f"../../examples/{name}.py" in page
    assert (ROOT / "docs" / "images" / "examples" / f"{name}.png").exists()
    for heading in ("## What holds by construction, and what is assumed", "## The result", "## The program"):
        assert heading in page
