"""The README runs."""

import os
import random
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text()
TOML = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


generator = random.Random(1)


def noisy(mean):
    return min(max(generator.gauss(mean, 0.05), 0.0), 1.0)


@pytest.mark.parametrize("code", PYTHON)
def test_python_examples_run(code, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {
        "measure": lambda arm, item=None: noisy({"A": 0.3, "B": 0.7, "C": 0.4}[arm]),
        "measure_a": lambda: noisy(0.3),
        "measure_b": lambda: noisy(0.7),
    }
    exec(code, names)
    if "study" in names and names["study"].decided:  # the example of several metrics makes one step only
        assert names["study"].decision.arm == "B"


def test_there_are_examples():
    assert len(PYTHON) >= 3


def test_toml_example_is_the_shipped_one_in_short():
    _, shown = TOML
    shipped = (ROOT / "examples" / "steady.toml").read_text()
    assert all(line in shipped for line in shown.splitlines())


def test_example_of_run_decides(tmp_path, monkeypatch, capsys):
    from surefoot.cli import main

    shown, _ = TOML
    (tmp_path / "sorting.toml").write_text(shown)
    measure = tmp_path / "python3"
    measure.write_text("#!/bin/sh\nif [ $2 = sorted ]; then echo 0.4; else echo 2.5; fi\n")
    measure.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert main(["run", str(tmp_path / "sorting.toml"), "--workers", "2"]) == 0
    assert "sorted is best" in capsys.readouterr().out


def test_commands_of_the_readme_exist():
    from surefoot.cli.main import parser

    for line in re.findall(r"\.venv/bin/surefoot (.*)", TEXT):
        parser().parse_args(line.split())
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", TEXT, re.MULTILINE):
        assert f"\n{target}:" in makefile
    for name in re.findall(r"\]\((\S+)\)", TEXT):
        assert os.path.exists(ROOT / name)
