"""However `surefoot run` ends, nothing that it started is left, and it can go on."""

import json
import os
import pty
import signal
import subprocess
import sys
import uuid

import pytest

from surefoot import Study
from tests.work.processes import LEAVES, marked, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans to a guardian")

PROBLEM = 'rewards = [0, 1]\n[[arms]]\nname = "quick"\ncommand = ["echo", "0.5"]\n[[arms]]\nname = "slow"\n'
WAITS = LEAVES + "echo > begun; while [ ! -e end ]; do sleep 0.01; done; echo 0.5"
ENDS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture
def mark():
    return f"SUREFOOT_TEST={uuid.uuid4().hex}"


@pytest.fixture
def run(tmp_path, mark):
    """A run that has begun a slow pull, all of whose processes are marked."""
    runs, before = (
        [],
        signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )  # which it would ignore if the tests are under nohup

    def start(*before, **options):
        (tmp_path / "p.toml").write_text(f"{PROBLEM}command = {json.dumps(['sh', '-c', WAITS])}\n")
        environment = os.environ | dict([mark.split("=")])
        command = [*before, sys.executable, "-m", "surefoot", "run", str(tmp_path / "p.toml")]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        runs.append(subprocess.Popen(command, env=environment, text=True, **streams))
        wait_until((tmp_path / "begun").exists)
        return runs[0]

    yield start
    signal.signal(signal.SIGHUP, before)
    for process in runs:
        process.kill()
        process.communicate()


def pulls(folder):
    """How many were told, and of which arms some were not."""
    study = Study.open(folder / "p.db", "p")
    return study.pulls, [pull.arm for pull in study.pending]


@pytest.mark.parametrize("number", ENDS)
def test_a_signal_finishes_the_pulls_that_run(run, mark, tmp_path, number):
    process = run()
    process.send_signal(number)
    assert any("the running pulls will finish" in line for line in process.stderr)
    (tmp_path / "end").touch()
    assert process.wait(30) == 3
    assert marked(mark) == {}
    assert "Resume with: surefoot run" in process.stdout.read()
    assert pulls(tmp_path) == (2, [])


@pytest.mark.parametrize("number", ENDS)
def test_a_second_signal_stops_at_once(run, mark, tmp_path, number):
    process = run()
    process.send_signal(number)
    assert any("the running pulls will finish" in line for line in process.stderr)
    process.send_signal(number)
    assert process.wait(30) == 3
    assert marked(mark) == {}
    said = process.stderr.read()
    assert "failed" not in said
    assert "Traceback" not in said
    assert pulls(tmp_path) == (1, ["slow"])


def test_a_run_that_is_killed_takes_all_with_it(run, mark, tmp_path):
    process = run()
    process.kill()
    process.wait()
    wait_until(lambda: not marked(mark))
    assert pulls(tmp_path) == (1, ["slow"])


def test_a_terminal_that_closes_ends_the_run(run, mark, tmp_path):
    leader, follower = pty.openpty()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), follower)
    process = run("setsid", "--ctty", "--wait", **streams)
    os.close(follower)
    os.close(leader)
    (tmp_path / "end").touch()
    wait_until(lambda: not marked(mark))
    assert pulls(tmp_path) == (2, [])
    assert process.wait(30) == 3


def test_under_nohup_a_terminal_that_closes_does_not_matter(run, mark, tmp_path):
    process = run("nohup")
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    assert any("the running pulls will finish" in line for line in process.stderr)
    (tmp_path / "end").touch()
    assert process.wait(30) == 3
    assert pulls(tmp_path) == (2, [])
