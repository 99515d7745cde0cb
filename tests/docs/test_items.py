"""The Python of the page on items runs, and its problem file is one."""

import re
from pathlib import Path

from surefoot import Problem

PAGE = (Path(__file__).parents[2] / "docs" / "items.md").read_text()


def test_the_python_runs():
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 2
    for code in blocks:
        names: dict[str, object] = {}
        exec(code, names)
        assert names["study"].problem.design == "items"
    assert names["study"].decision.arm == "length"


def test_the_problem_file_is_one(tmp_path):
    (file,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "p.toml").write_text(file)
    (tmp_path / "prompts.txt").write_text("why?\nhow?\n")
    problem = Problem.load(tmp_path / "p.toml")
    assert problem.items.names == ("why?", "how?")
    assert all("{item}" in arm.source.arguments for arm in problem.arms)
