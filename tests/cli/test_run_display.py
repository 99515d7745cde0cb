"""What `surefoot run` shows in a terminal."""

import io
import os
import pty
import re
import select
import subprocess
import sys

import pytest
from rich.console import Console

from surefoot import Study
from surefoot.cli import main
from surefoot.study.views.study_progress import arm_grid
from tests.cli.running import BETAS, shell, write


def terminal(*arguments, columns=80, **environment):
    """What a run writes to a terminal of 24 lines."""
    leader, follower = pty.openpty()
    size = {"COLUMNS": str(columns), "LINES": "24", "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "surefoot", "run", *arguments]
    process = subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=follower, env=os.environ | size | environment
    )
    os.close(follower)
    written = b""
    while select.select([leader], [], [], 60)[0]:
        try:
            chunk = os.read(leader, 65536)
        except OSError:
            break
        if not chunk:
            break
        written += chunk
    os.close(leader)
    return process.wait(), written.decode()


def test_in_a_terminal_the_table_is_live_and_fits(tmp_path):
    slow = ("slow", shell("sleep 0.02; echo 0.5"))
    code, shown = terminal(write(tmp_path, *BETAS, slow, ("broken", shell("exit 1"))), NO_COLOR="1")
    assert code == 0
    assert "per second, about" in shown
    assert "more to a decision, leader good, challenger" in shown
    assert "▶ good" in shown
    assert "broken is excluded" in shown
    assert "good is best" in shown
    assert not re.search(r"\x1b\[[\d;]*(3[0-7]|38;5)", shown)  # no colours
    lines = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", shown).replace("\r", "\n").split("\n")
    assert max(len(line) for line in lines if "…" in line and "pull" not in line) <= 80


@pytest.mark.parametrize("width", [80, 120])
def test_without_a_limit_a_terminal_has_no_columns_of_risk(width):
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(arm_grid(Study(["A", "B"]).table(), width, {"A": "▶"}))
    head, _, first, _ = (line.split() for line in console.export_text().strip().splitlines())
    assert " ".join(head) == f"arm pulls mean {'its interval' if width < 110 else 'interval of the mean'} verdict"
    assert first == ["▶", "A", "0", "0.00", "…", "1.00", "not", "yet", "tried"]


def test_many_arms_show_the_few_that_matter(tmp_path, capsys):
    arms = [(f"arm{index}", "bernoulli = 0.5") for index in range(2000)]
    assert main(["run", write(tmp_path, *arms, head="rewards = [0, 1]\n"), "--max-pulls", "20"]) == 3
    out = capsys.readouterr().out
    assert "and 1,970 more arms, ruled out or pulled less often" in out
    assert len(out.splitlines()) < 40
