"""Studies that are kept, from the command line: list, status, export, import, delete; and completion."""

import argparse
import csv
import json
import shutil
import sqlite3
import subprocess

import pytest

from surefoot import Study
from surefoot.cli import main
from surefoot.cli.stored import in_short

PROBLEM = """\
risk = "variance <= 0.04"
rewards = [0, 1]
[[arms]]
name = "good"
beta = { mean = 0.8, variance = 0.01 }
[[arms]]
name = "poor"
beta = { mean = 0.2, variance = 0.01 }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.toml").write_text(PROBLEM)
    return tmp_path


def run(capsys, *arguments):
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def run_json(capsys, *arguments):
    code, out, _ = run(capsys, *arguments, "--json")
    return code, json.loads(out)


def test_list_shows_the_studies_of_a_file_or_of_the_folder(capsys, folder):
    assert run(capsys, "list")[:2] == (0, "There are no studies in the .db files of this folder.\n")
    run(capsys, "run", "p.toml", "--max-pulls", "6")
    run(capsys, "run", "p.toml", "--name", "again", "--max-pulls", "4")
    sqlite3.connect("other.db").execute("CREATE TABLE theirs (x)").connection.close()
    (folder / "text.db").write_text("this is no database at all, whatever its name may say")
    before = (folder / "other.db").read_bytes()
    code, found = run_json(capsys, "list")
    assert code == 0
    shown = [(entry["study"], entry["db"], entry["status"], entry["pulls"]) for entry in found["studies"]]
    assert shown == [("p", "p.db", "undecided", 6), ("again", "p.db", "undecided", 4)]
    assert (folder / "other.db").read_bytes() == before
    assert [entry["limits"] for entry in found["studies"]] == [["variance <= 0.04"]] * 2
    assert run_json(capsys, "list", "--db", "p.db")[1] == found
    _, out, _ = run(capsys, "list")
    assert "undecided after 6 pulls" in out


def test_an_entry_of_the_list_knows_one_limit_from_several():
    entry = {"status": "infeasible", "arm": None, "pulls": 1200, "limits": ["variance <= 0.04"]}
    assert in_short(entry) == "no arm keeps the limit after 1,200 pulls"
    assert (
        in_short(entry | {"limits": ["variance <= 0.04", "mean >= 0.1"]}) == "no arm keeps all limits after 1,200 pulls"
    )


def test_arms_have_their_goal_and_their_limits(capsys):
    good, poor = run_json(capsys, "run", "p.toml")[1]["arms"]
    assert good["goal"] == {
        "quantity": "mean",
        "value": good["mean"],
        "lower": good["mean_lower"],
        "upper": good["mean_upper"],
    }
    (limit,) = good["limits"]
    assert limit == {
        "limit": "variance <= 0.04",
        "value": good["risk"],
        "lower": good["risk_lower"],
        "upper": good["risk_upper"],
        "verdict": "feasible",
        "evidence": 1.0,
    }
    assert poor["limits"][0]["verdict"] == poor["verdict"]
    run(capsys, "export", "p", "--out", "log.csv")
    columns = ("--arm", "arm", "--reward", "reward", "--rewards", "0", "1")
    (found, _) = run_json(capsys, "analyze", "log.csv", *columns)[1]["arms"]
    assert (found["goal"]["value"], found["limits"]) == (pytest.approx(good["mean"]), [])
    assert found["risk"] is None


def test_status_says_what_run_said(capsys):
    _, ran = run_json(capsys, "run", "p.toml")
    code, found = run_json(capsys, "status", "p.toml")
    assert code == 0
    assert {key: found[key] for key in ("status", "arm", "pulls", "confidence", "arms", "study")} == {
        key: ran[key] for key in ("status", "arm", "pulls", "confidence", "arms", "study")
    }
    for way in (["p"], ["p.db"], ["p", "--db", "p.db"], ["p.toml", "--db", "sqlite:///p.db"]):
        assert run(capsys, "status", *way)[0] == 0
    code, out, _ = run(capsys, "status", "p")
    assert "good is best" in out


def test_status_of_an_undecided_study_is_3(capsys):
    run(capsys, "run", "p.toml", "--max-pulls", "6")
    assert run(capsys, "status", "p")[0] == 3


def test_export_in_every_format_has_the_same_rewards(capsys, folder):
    run(capsys, "run", "p.toml", "--max-pulls", "30")
    code, out, _ = run(capsys, "export", "p")
    rows = list(csv.DictReader(out.splitlines()))
    assert code == 0
    assert [int(row["pull"]) for row in rows] == list(range(1, 31))
    assert set(rows[0]) == {"pull", "arm", "reward", "time", "worker"}
    told = {event["pull"]: event["reward"] for event in Study.open("p.db", "p").events if event["type"] == "told"}
    assert {int(row["pull"]): float(row["reward"]) for row in rows} == told
    code, found = run_json(capsys, "export", "p")
    assert [reward["reward"] for reward in found["rewards"]] == list(told.values())
    assert found["problem"].startswith("goal")
    code, found = run_json(capsys, "export", "p", "--out", "x.parquet")
    assert found == {"study": "p", "format": "parquet", "out": "x.parquet", "rewards": 30}
    from pyarrow import parquet

    assert parquet.read_table("x.parquet").column("reward").to_pylist() == list(told.values())
    assert run(capsys, "export", "p", "--out", "x.csv")[1] == "30 results of p are in x.csv.\n"
    assert (folder / "x.csv").read_text() == out


def test_rewards_are_exported_in_the_order_they_were_asked_for_and_only_those_that_count(capsys):
    study = Study.open("s.db", "s", ["A", "B"], rewards=(0, 1))
    first, second, third = study.ask(3)
    study.tell(second, 0.25)
    study.record("B", 0.75)
    study.tell(first, 0.5)
    study.abandon(third)
    study.close()
    study.record("A", 1.0)  # late
    _, out, _ = run(capsys, "export", "s")
    rows = [(row["pull"], row["reward"]) for row in csv.DictReader(out.splitlines())]
    assert rows == [("1", "0.5"), ("2", "0.25"), ("", "0.75")]


def test_an_exported_study_imported_stands_as_it_did(capsys):
    run(capsys, "run", "p.toml", "--max-pulls", "30")
    run(capsys, "export", "p", "--out", "x.csv")
    code, found = run_json(capsys, "import", "x.csv", "--problem", "p.toml", "--db", "new.db")
    assert (code, found["imported"], found["study"]) == (3, 30, "p")
    before = run_json(capsys, "status", "p")[1]
    assert found["arms"] == before["arms"]
    code, found = run_json(capsys, "run", "p.toml", "--db", "new.db")  # and it goes on live
    assert (code, found["arm"]) == (0, "good")
    assert found["pulls"] > 30


def test_import_of_a_log_in_either_form(capsys, folder):
    (folder / "long.csv").write_text("\ufeffwho;what\na;0,1\nb;0,9\na;\nb;0,8\n", encoding="utf-8")
    options = ["--rewards", "0", "1", "--risk", "std <= 0.3", "--delta", "0.1"]
    code, found = run_json(capsys, "import", "long.csv", "--arm", "who", "--reward", "what", *options)
    assert (code, found["db"], found["study"], found["imported"], found["skipped"]) == (3, "long.db", "long", 3, 1)
    study = Study.open("long.db", "long")
    assert [row.mean for row in study.table()] == pytest.approx([0.1, 0.85])
    assert study.problem.delta == 0.1
    (folder / "wide.csv").write_text("a,b\n0.1,0.9\n,0.8\n")
    code, out, _ = run(capsys, "import", "wide.csv", *options)
    assert out.startswith("3 results were added to the study wide in wide.db (skipped because a value is missing: 1).")
    assert main(["import", "wide.csv", *options]) == 2
    assert "has 3 pulls already: if these results are not among them, --append adds them" in capsys.readouterr().err
    assert run_json(capsys, "import", "wide.csv", "--append")[1]["pulls"] == 6


def test_an_import_names_policy_and_bounds_as_a_run_does(capsys, folder):
    (folder / "log.csv").write_text("good,poor\n0.8,0.2\n")
    for options in (["--problem", "p.toml"], ["--rewards", "0", "1", "--db", "p.db", "--name", "bare"]):
        code, found = run_json(capsys, "import", "log.csv", *options, "--bounds", "sharp")
        first = Study.open("p.db", found["study"]).events[0]
        assert (code, first["policy"], first["bounds"]) == (3, "va-lucb", "sharp")
        code, _, err = run(capsys, "import", "log.csv", *options, "--append", "--bounds", "tight")
        assert code == 2
        assert f"the study '{found['study']}' was begun with --bounds sharp, got tight" in err
        assert run_json(capsys, "import", "log.csv", *options, "--append")[1]["pulls"] == 4
    assert run_json(capsys, "run", "p.toml")[1]["arm"] == "good"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["import", "log.csv"], "the range of the results is missing: give --rewards LO HI"),
        (["import", "none.csv", "--rewards", "0", "1"], "none.csv: No such file"),
        (["import", "log.csv", "--arm", "who", "--rewards", "0", "1"], "log.csv has no column 'who'"),
        (
            ["import", "log.csv", "--rewards", "0", "0.5"],
            "a result of arm 'a' (row 1 of those with a result) must be in [0, 0.5], got 0.7",
        ),
        (["import", "log.csv", "--rewards", "0", "1", "--risk", "x"], "risk 'x' must have `variance`"),
        (["import", "log.csv", "--problem", "p.toml"], "the log has an arm 'a', which is not in the problem"),
        (["import", "log.csv", "--problem", "p.toml", "--delta", "0.1"], "give --problem without --delta"),
        (["import", "log.csv", "--rewards", "0", "1", "--bounds", "loose"], "bounds must be one of"),
        (
            ["import", "log.csv", "--problem", "slack.toml", "--policy", "risk-averse-ucb"],
            "risk-averse-ucb can use only the pulls that it asked for: it takes no results of a log",
        ),
        (["import", "log.csv", "--append"], "there is no study 'log'"),
        (["status", "nope"], "there is no study 'nope'"),
        (["status", "p.toml"], "there is no study 'p'"),
        (["status", "spede.toml"], "there is no file spede.toml, and no file spede.db with its study"),
        (["export", "nope"], "there is no study 'nope'"),
        (["delete", "nope", "--yes"], "there is no study 'nope'"),
        (["list", "--db", "text.db"], "could not be used: file is not a database"),
    ],
)
def test_bad_input_is_a_sentence_and_nothing_is_written(capsys, folder, arguments, sentence):
    (folder / "log.csv").write_text("arm,reward\na,0.7\n")
    (folder / "slack.toml").write_text("tolerance = 0.1\nrisk_slack = 0.1\n" + PROBLEM)
    (folder / "text.db").write_text("this is no database at all, whatever its name may say")
    before = sorted(path.name for path in folder.iterdir())
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert sorted(path.name for path in folder.iterdir()) == before


def test_export_that_cannot_be(capsys):
    run(capsys, "run", "p.toml", "--max-pulls", "4")
    for arguments, sentence in (
        (["--format", "parquet"], "Parquet cannot be printed: give --out FILE"),
        (["--format", "csv", "--json"], "--json prints one JSON object"),
        (["--out", "x.xlsx"], "the file must end in .csv, .json or .parquet, or --format say what it is, got x.xlsx"),
        (["--out", "/nowhere/x.csv"], "cannot write /nowhere/x.csv"),
        (["--out", "/nowhere/x.parquet"], "cannot write /nowhere/x.parquet"),
    ):
        code, _, err = run(capsys, "export", "p", *arguments)
        assert code == 2
        assert sentence in err


def test_delete_asks(capsys, monkeypatch):
    run(capsys, "run", "p.toml", "--max-pulls", "4")
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    code, _, err = run(capsys, "delete", "p")
    assert code == 2
    assert "nobody can answer here: give --yes" in err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda: "n")
    code, _, err = run(capsys, "delete", "p")
    assert code == 130
    assert "with its 4 results? This cannot be undone. [y/N] Nothing was deleted." in err
    assert run(capsys, "status", "p")[0] == 3
    assert run_json(capsys, "delete", "p", "--yes") == (0, {"deleted": "p", "db": "p.db"})
    assert run(capsys, "status", "p")[0] == 2


def test_every_command_has_an_example_and_json():
    from surefoot.cli.main import parser

    def commands(parser):
        found = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        return found[0] if found else {}

    for name, command in commands(parser()).items():
        assert f"example:\n  surefoot {name}" in command.epilog, name
        for last in commands(command).values() or [command]:
            assert name == "serve" or "--json" in last.format_help(), name  # serve answers by HTTP


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(capsys, folder, shell):
    code, script, _ = run(capsys, "completion", shell)
    assert code == 0
    assert "max-pulls" in script
    if shutil.which(shell):
        (folder / "script").write_text(script)
        assert subprocess.run([shell, "-n", "script"]).returncode == 0


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_bash_completes_commands_options_and_files(capsys, folder):
    (folder / "script").write_text(run(capsys, "completion", "bash")[1])

    def completed(*words):
        line = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}"
        script = f"source ./script; {line}; _shtab_surefoot; echo ${{COMPREPLY[@]}}"
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True).stdout.split()

    assert completed("surefoot", "sta") == ["status"]
    assert completed("surefoot", "run", "--max") == ["--max-pulls"]
    assert completed("surefoot", "run", "p.t") == ["p.toml"]


def test_status_has_the_recommendation_of_a_study_that_is_kept(tmp_path, capsys):
    study = Study.open(tmp_path / "kept.db", "kept", ["a", "b"])
    assert main(["status", "kept", "--db", str(tmp_path / "kept.db"), "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert (found["recommended"], found["recommended_confidence"], found["candidates"]) == (None, 0.0, ["a", "b"])
    for _ in range(5):
        study.record_all([("a", 1.0), ("b", 0.5)])
    assert main(["status", "kept", "--db", str(tmp_path / "kept.db"), "--json"]) == 3
    found, now = json.loads(capsys.readouterr().out), study.recommendation
    assert (found["recommended"], found["recommended_confidence"]) == (["a"], now.confidence)
    assert (found["recommended_gap"], found["candidates"]) == (now.gap, ["a", "b"])
