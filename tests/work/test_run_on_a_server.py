"""Several runs of one study at once, on a real PostgreSQL."""

import json
import subprocess
import sys

from surefoot import Study
from tests.storage.conftest import empty_schema, server  # noqa: F401 (a fixture)

PROBLEM = """\
risk = "variance <= 0.04"
rewards = [0, 1]
[[arms]]
name = "good"
command = ["sh", "-c", "echo 0.8"]
[[arms]]
name = "poor"
command = ["sh", "-c", "echo 0.2"]
"""


def test_two_runs_share_the_pulls_and_end_with_one_decision(server, tmp_path):  # noqa: F811
    (tmp_path / "p.toml").write_text(PROBLEM)
    url = empty_schema(server)
    command = [sys.executable, "-m", "surefoot", "run", str(tmp_path / "p.toml"), "--db", url, "--json"]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    found = [json.loads(run.communicate(timeout=120)[0]) for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert {(each["status"], each["arm"], each["pulls"]) for each in found} == {("best", "good", found[0]["pulls"])}
    study = Study.open(url, "p")
    told = [event["pull"] for event in study.events if event["type"] == "told"]
    assert len(told) == len(set(told))
    assert sum(not event.get("late") for event in study.events if event["type"] == "told") == study.pulls
