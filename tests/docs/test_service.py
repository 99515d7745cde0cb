"""docs/service.md, followed as a new user would."""

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from surefoot.cli.main import parser
from surefoot.storage import connect
from tests.service.serving import served

TEXT = (Path(__file__).parents[2] / "docs" / "service.md").read_text()
SHELL = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
HERE = "http://127.0.0.1:8000"


@pytest.fixture
def url(tmp_path):
    with served(connect(tmp_path / "studies.db")) as url:
        yield url


def test_the_client_decides(url, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    generator = random.Random(1)
    means = {"A": 0.3, "B": 0.7, "C": 0.4}
    names = {"token": None, "measure": lambda arm: min(max(generator.gauss(means[arm], 0.05), 0.0), 1.0)}
    exec(code.replace(HERE, url), names)
    assert capsys.readouterr().out.startswith("B is best")


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_every_curl_is_answered_as_it_says(url):
    (script,) = [block for block in SHELL if "curl" in block]
    script = "set -e\n" + script.replace(HERE, url).replace("curl -s", "curl -s -w '\\n' --fail-with-body")
    found = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stdout
    said = '{"pulls": [{"id": 1, "arm": "red"}, {"id": 2, "arm": "blue"}], "decided": false}'
    assert said in TEXT
    assert said.replace(" ", "") in found.stdout
    assert '"recent"' in found.stdout


def test_every_command_exists():
    for line in re.findall(r"^surefoot (.*)$", "".join(SHELL), re.MULTILINE):
        parser().parse_args(line.split())
