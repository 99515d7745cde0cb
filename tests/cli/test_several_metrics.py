"""The command line on problems of several metrics: run, status, export, import, analyze, simulate and plan."""

import csv
import json
import sys

import pytest

from surefoot.cli.main import main

PROBLEM = """
goal = "max mean(accuracy)"
limits = ["quantile(0.9, latency) <= 2", "probability(failed > 0) <= 0.3"]
tolerance = 0.1
delta = 0.2

[metrics]
accuracy = "binary"
latency = "any"
failed = "binary"

[[arms]]
name = "small"
metrics.accuracy.bernoulli = 0.5
metrics.latency.lognormal = { median = 0.4, sigma = 0.3 }
metrics.failed.bernoulli = 0.01

[[arms]]
name = "large"
metrics.accuracy.bernoulli = 0.9
metrics.latency.exponential = { mean = 0.4 }
metrics.failed.bernoulli = 0.02

[[arms]]
name = "slow"
metrics.accuracy.bernoulli = 0.95
metrics.latency.uniform = [2, 6]
metrics.failed.bernoulli = 0.02
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.toml").write_text(PROBLEM)
    return "p.toml"


def said(capsys, *arguments):
    code = main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_run_status_export_import_and_analyze_say_the_same(file, capsys, tmp_path):
    code, found = said(capsys, "run", file)
    assert (code, found["answer"], found["arm"]) == (0, ["large"], "large")
    row = next(arm for arm in found["arms"] if arm["name"] == "slow")
    assert row["goal"]["quantity"] == "mean(accuracy)"
    assert [limit["limit"] for limit in row["limits"]] == [
        "quantile(0.9, latency) <= 2",
        "probability(failed > 0) <= 0.3",
    ]
    assert row["mean"] is None
    assert row["risk"] is None
    assert said(capsys, "status", file)[1]["arms"] == found["arms"]

    assert main(["export", file, "--out", "log.csv"]) == 0
    with open("log.csv") as log:
        rows = list(csv.DictReader(log))
    assert list(rows[0]) == ["pull", "arm", "accuracy", "latency", "failed", "time", "worker"]
    assert len(rows) == found["pulls"]

    capsys.readouterr()
    code, again = said(capsys, "import", "log.csv", "--problem", file, "--db", "other.db")
    assert (code, again["arm"], again["imported"]) == (0, "large", found["pulls"])
    code, analyzed = said(capsys, "analyze", "log.csv", "--problem", file)
    assert (code, analyzed["arm"]) == (0, "large")
    assert [arm["limits"] for arm in analyzed["arms"]] == [arm["limits"] for arm in again["arms"]]


def test_a_wide_log_has_a_column_for_each_arm_and_metric(file, capsys, tmp_path):
    (tmp_path / "noarms.toml").write_text(PROBLEM.split("[[arms]]")[0])
    heads = [f"{arm}:{metric}" for arm in ("a:b", "c") for metric in ("accuracy", "latency", "failed")]
    lines = [",".join(heads), *(["1,0.5,0,0,0.5,0"] * 60), ",0.5,0,0,0.5,0"]
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    code, found = said(capsys, "analyze", "wide.csv", "--problem", "noarms.toml")
    assert (code, found["arm"], found["skipped"]) == (0, "a:b", 1)
    assert [arm["pulls"] for arm in found["arms"]] == [60, 61]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("arm,accuracy,latency\nsmall,1,2\n", "must have the columns arm, accuracy, latency, failed"),
        ("arm,accuracy,latency,failed\nsmall,1,2,0.5\n", "failed of a result of arm 'small' (row 1"),
        ("arm,accuracy,latency,failed\nother,1,2,0\n", "the log has an arm 'other', which is not in the problem"),
    ],
)
def test_a_log_that_does_not_fit_is_refused(file, capsys, tmp_path, text, sentence):
    (tmp_path / "log.csv").write_text(text)
    assert main(["analyze", "log.csv", "--problem", file]) == 2
    assert sentence in capsys.readouterr().err


def test_a_problem_file_is_the_whole_problem(file, capsys, tmp_path):
    (tmp_path / "log.csv").write_text("arm,accuracy,latency,failed\nsmall,1,2,0\n")
    assert main(["analyze", "log.csv", "--problem", file, "--delta", "0.1"]) == 2
    assert "give --problem without --delta" in capsys.readouterr().err


def command(code):
    return json.dumps([sys.executable, "-c", code])


def test_commands_print_an_object_and_are_measured(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.toml").write_text(f"""
goal = "max mean(score)"
limits = ["quantile(0.5, seconds) <= 30"]
max_pulls = 6
[metrics]
score = [0, 1]
size = "any"
seconds = {{ any = true, measure = "seconds" }}
[[arms]]
name = "A"
command = {command('import json; print("hello"); print(json.dumps(dict(score=0.5, size=3)))')}
[[arms]]
name = "bad"
command = {command("print(0.5)")}
""")
    code, found = said(capsys, "run", "c.toml", "--retries", "0")
    assert code == 3
    assert {arm["name"]: arm["verdict"] for arm in found["arms"]} == {"A": "open", "bad": "excluded"}
    assert "must be a JSON object with a number for each of score, size" in found["arms"][1]["words"]
    main(["export", "c.toml", "--out", "c.csv"])
    with open("c.csv") as log:
        row = next(csv.DictReader(log))
    assert (row["score"], row["size"]) == ("0.5", "3.0")
    assert 0.0 < float(row["seconds"]) < 30.0


def test_a_command_that_only_fails_or_not_is_measured_by_that(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.toml").write_text(f"""
goal = "min mean(failed)"
max_pulls = 4
[metrics]
failed = {{ binary = true, measure = "failed" }}
[[arms]]
name = "fails"
command = {command("raise SystemExit(1)")}
[[arms]]
name = "works"
command = {command("pass")}
""")
    _, found = said(capsys, "run", "f.toml")
    assert {arm["name"]: arm["goal"]["value"] for arm in found["arms"]} == {"fails": 1.0, "works": 0.0}


def test_simulate_and_hardness_take_several_metrics(file, capsys):
    code, found = said(capsys, "simulate", file, "--trials", "20", "--max-pulls", "2000")
    assert code == 0
    assert found["decisions"]["best"] == {"large": 20}
    code, found = said(capsys, "hardness", file)
    assert (code, found["T_star"]) == (0, None)


def test_rows_of_data_keep_how_metrics_depend_on_each_other(tmp_path, capsys, monkeypatch):
    """Of two metrics that are never 1 at once, each is 1 in half of the rows."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("accuracy,latency,failed\n1,0,0\n0,1,0\n")
    arms = "".join(f'[[arms]]\nname = "{name}"\ndata = "rows.csv"\n' for name in "AB")
    (tmp_path / "r.toml").write_text(PROBLEM.split("[[arms]]")[0] + arms)
    said(capsys, "run", "r.toml", "--max-pulls", "100")
    main(["export", "r.toml", "--out", "r.csv"])
    capsys.readouterr()
    with open("r.csv") as log:
        rows = [(row["accuracy"], row["latency"]) for row in csv.DictReader(log)]
    assert set(rows) == {("1.0", "0.0"), ("0.0", "1.0")}
    assert said(capsys, "simulate", "r.toml", "--trials", "3")[1]["correct"] == 3
