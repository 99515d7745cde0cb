"""The command line on limits against a baseline: run, status, export, import, analyze, hardness, simulate and plan."""

import json

import pytest

from surefoot.cli.main import main

PROBLEM = """
goal = "max mean(accuracy)"
limits = ["quantile(0.5, latency) <= 1.5 * baseline", "mean(accuracy) >= baseline - 0.2"]
baseline = "current"
tolerance = 0.1
delta = 0.2
max_pulls = 3000

[metrics]
accuracy = "binary"
latency = "any"

[[arms]]
name = "current"
metrics.accuracy.bernoulli = 0.5
metrics.latency.uniform = [1, 2]

[[arms]]
name = "small"
metrics.accuracy.bernoulli = 0.9
metrics.latency.uniform = [1, 2]

[[arms]]
name = "large"
metrics.accuracy.bernoulli = 0.95
metrics.latency.uniform = [3, 6]
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.toml").write_text(PROBLEM)
    return "p.toml"


def said(capsys, *arguments):
    code = main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_run_status_export_import_and_analyze_say_the_same(file, capsys):
    code, found = said(capsys, "run", file)
    assert (code, found["answer"]) == (0, ["small"])
    assert "within 1.5 * baseline (the difference to 1.5 * baseline is" in found["sentence"]
    _, status = said(capsys, "status", file)
    assert status["arms"] == found["arms"]
    assert main(["export", file, "--out", "log.csv"]) == 0
    capsys.readouterr()
    _, analyzed = said(capsys, "analyze", "log.csv", "--problem", file)
    _, imported = said(capsys, "import", "log.csv", "--problem", file, "--db", "sqlite:///other.db")
    current, _, large = found["arms"]
    assert [limit["value"] for limit in current["limits"]] == [None, None]
    assert large["limits"][0]["limit"] == "quantile(0.5, latency) <= 1.5 * baseline"
    assert (large["verdict"], large["limits"][0]["verdict"]) == ("infeasible", "infeasible")
    assert 0.0 < large["limits"][0]["lower"] < large["limits"][0]["value"] < large["limits"][0]["upper"]
    assert [arm["limits"] for arm in analyzed["arms"]] == [arm["limits"] for arm in found["arms"]]
    assert [arm["limits"] for arm in imported["arms"]] == [arm["limits"] for arm in found["arms"]]


@pytest.mark.long
def test_what_is_right_in_simulations_counts_the_limits_against_the_baseline(file, capsys):
    code, found = said(capsys, "simulate", file, "--trials", "5")
    assert (code, found["right_answers"], found["correct"]) == (0, ["small"], 5)
    _, planned = said(capsys, "plan", file, "--trials", "3")
    changes = [cost["change"] for cost in planned["costs"]]
    assert "quantile(0.5, latency) <= 1.45 * baseline" in changes
    assert "mean(accuracy) >= baseline - 0.18" in changes


def test_no_hardness_is_known(file, capsys):
    code, found = said(capsys, "hardness", file)
    assert (code, found["limit_pulls"], found["T_star"], found["H_VA"]) == (0, None, None, None)
