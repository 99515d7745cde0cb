"""`surefoot run`, `simulate` and `find_best` on items."""

import json

import pytest

from surefoot import Study, find_best
from surefoot.cli import main
from tests.cli.running import run_json

HEAD = 'design = "items"\nrewards = [0, 1]\ndelta = 0.2\n'


def problem(tmp_path, items, **arms):
    rows = [f'[[arms]]\nname = "{name}"\n{source}\n' for name, source in arms.items()]
    (tmp_path / "p.toml").write_text(f"{HEAD}[items]\n{items}\n{''.join(rows)}")
    return tmp_path / "p.toml"


def test_commands_and_callables_are_given_the_item(tmp_path, capsys, monkeypatch):
    (tmp_path / "prompts.txt").write_text("".join(f"item number {number}\n" for number in range(60)))
    (tmp_path / "measures_of_items.py").write_text("def last(item):\n    return 0.3 if item[:4] == 'item' else 1.0\n")
    file = problem(
        tmp_path,
        'list = "prompts.txt"',
        command='command = ["python3", "-c", "import os, sys; print(0.8 if sys.argv[1] == \'<\' + '
        "os.environ['SUREFOOT_ITEM'] + '>' else 0)\", \"<{item}>\"]",
        call='call = "measures_of_items:last"',
    )
    monkeypatch.chdir("/")  # the list lies beside the problem file, wherever the run is started
    code, found, _ = run_json(capsys, str(file), "--workers", "3")
    assert (code, found["arm"]) == (0, "command")
    assert found["arms"][0]["mean"] == pytest.approx(0.8)
    assert found["arms"][1]["mean"] == pytest.approx(0.3)
    rows = Study.open(tmp_path / "p.db", "p").results()
    assert {row.item for row in rows} <= {f"item number {number}" for number in range(60)}
    assert main(["run", str(file)]) == 0  # decided, and opened again by the same command


def test_a_word_of_a_command_stays_as_it_is_without_items(tmp_path, capsys):
    (tmp_path / "p.toml").write_text(
        'rewards = [0, 1]\ndelta = 0.3\n[[arms]]\nname = "a"\n'
        'command = ["python3", "-c", "import sys; print(0.9 if sys.argv[1] == \'{item}\' else 0)", "{item}"]\n'
        '[[arms]]\nname = "b"\ndiscrete = { values = [0.1] }\n'
    )
    code, found, _ = run_json(capsys, str(tmp_path / "p.toml"))
    assert (code, found["arm"]) == (0, "a")


def test_a_list_that_is_used_up_ends_undecided(tmp_path, capsys):
    file = problem(tmp_path, "count = 3", a="discrete = { values = [0.5] }", b="discrete = { values = [0.4] }")
    code, found, _ = run_json(capsys, str(file))
    assert (code, found["status"], found["pulls"]) == (3, "undecided", 6)
    assert found["recommended"] == ["a"]


def test_a_table_is_simulated(tmp_path, capsys):
    rows = [f"{0.6 + (k % 3) / 10},{0.4 + (k % 3) / 10}" for k in range(90)]
    (tmp_path / "scores.csv").write_text("\n".join(["a,b", *rows]))
    (tmp_path / "p.toml").write_text(
        f'{HEAD}[items]\ndata = "scores.csv"\n[[arms]]\nname = "a"\n[[arms]]\nname = "b"\n'
    )
    assert main(["simulate", str(tmp_path / "p.toml"), "--trials", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["correct"], found["wrong"], found["policy"]) == (4, 0, "top-two")
    assert main(["hardness", str(tmp_path / "p.toml"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["limit_pulls"] is None


def test_callables_of_find_best_take_the_item():
    seen = []

    def measure(item):
        seen.append(item)
        return 0.9

    study = find_best({"a": measure, "b": lambda item: 0.2}, design="items", items=["x", "y"] * 20, progress=False)
    assert study.decision.arm == "a"
    assert set(seen) == {"x", "y"}


def test_a_finite_list_always_decides(tmp_path, capsys):
    """By the table that the results would make; another run of the same command finds the decision there."""
    (tmp_path / "scores_of_items.py").write_text(
        "def a(item):\n    return [0, 1, 1][item]\n\ndef b(item):\n    return [1, 0, 0][item]\n"
    )
    calls = {name: f'call = "scores_of_items:{name}"' for name in "ab"}
    file = problem(tmp_path, "count = 3\nfinite = true", **calls)
    for _ in range(2):
        code, found, _ = run_json(capsys, str(file), "--seed", "4")
        assert (code, found["status"], found["arm"]) == (0, "best", "a")
    assert Study.open(tmp_path / "p.db", "p").problem.items.finite
