"""`surefoot gate`: the contract of the command."""

import csv
import json
import os
import shlex
import signal
import sys
from pathlib import Path

import pytest

from surefoot.cli import main
from surefoot.cli.main import parser
from tests.cli.test_parser import refused

KEYS = {"verdict", "difference", "pulls", "confidence", "reasons"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def python(code):
    """A command."""
    return shlex.join([sys.executable, "-I", "-S", "-c", code])


def counting(path, values):
    """A command that prints one value after the other, again and again."""
    return python(
        f"import os; p = {str(path)!r}; open(p, 'ab').write(b'.'); v = {values}; print(v[os.path.getsize(p) % len(v)])"
    )


def gate(capsys, *arguments):
    """The exit code and the JSON of a gate."""
    code = main(["gate", *arguments, "--json"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out)


PROBLEM = """\
goal = "{goal}"
rewards = [0, 10]
delta = 0.1
[[arms]]
name = "old"
uniform = [0, 6]
[[arms]]
name = "new"
uniform = [{low}, {high}]
"""


@pytest.mark.parametrize(
    ("goal", "low", "high", "code", "verdict"),
    [("max", 1, 7, 0, "pass"), ("max", 0, 4, 4, "fail"), ("min", 0, 4, 0, "pass"), ("min", 1, 9, 4, "fail")],
)
def test_two_arms_of_a_problem_file(goal, low, high, code, verdict, folder, capsys):
    (folder / "p.toml").write_text(PROBLEM.format(goal=goal, low=low, high=high))
    given = ["p.toml", "--baseline", "old", "--candidate", "new", "--margin", "0.5", "--seed", "1"]
    found_code, found = gate(capsys, *given)
    assert (found_code, found["verdict"]) == (code, verdict)
    assert set(found) >= KEYS
    assert found["confidence"] == pytest.approx(0.9)
    assert found["pulls"] == 2 * found["rounds"]
    assert found["difference"]["lower"] <= found["difference"]["value"] <= found["difference"]["upper"]
    edge = {"max": -0.5, "min": 0.5}[goal]
    inside = found["difference"]["lower"] >= edge if goal == "max" else found["difference"]["upper"] <= edge
    assert inside == (verdict == "pass")
    assert gate(capsys, *given)[1] == found  # the same seed, the same rounds


def test_arms_on_the_same_items_have_a_round_for_each(folder, capsys):
    (folder / "list.txt").write_text("".join(f"item {number}\n" for number in range(40)))
    command = json.dumps(
        [
            "sh",
            "-c",
            'echo "$0 $SUREFOOT_ARM" >> seen; case $SUREFOOT_ARM in new) echo 0.7;; *) echo 0.6; esac',
            "{item}",
        ]
    )
    arms = "".join(f'[[arms]]\nname = "{name}"\ncommand = {command}\n' for name in ("old", "new"))
    (folder / "p.toml").write_text(f'design = "items"\nrewards = [0, 1]\n{arms}[items]\nlist = "list.txt"\n')
    code, found = gate(capsys, "p.toml", "--baseline", "old", "--candidate", "new", "--delta", "0.0001")
    assert (code, found["verdict"], found["rounds"]) == (3, "undecided", 40)
    lines = (folder / "seen").read_text().splitlines()
    rounds = [sorted(lines[step : step + 2]) for step in range(0, 80, 2)]
    assert sorted(rounds) == sorted([f"item {number} new", f"item {number} old"] for number in range(40))
    assert [one[0] for one in rounds] != [f"item {number} new" for number in range(40)]


def test_items_are_drawn_again_and_again_with_replacement_and_a_finite_list_is_refused(folder, capsys):
    arms = "".join(f'[[arms]]\nname = "{name}"\ncommand = ["echo", "0.5"]\n' for name in ("old", "new"))
    head = f'design = "items"\nrewards = [0, 1]\n{arms}[items]\nlist = ["x", "y"]\n'
    given = ["p.toml", "--baseline", "old", "--candidate", "new", "--max-pulls", "12"]
    (folder / "p.toml").write_text(head + "replacement = true\n")
    assert gate(capsys, *given)[1]["rounds"] == 6
    (folder / "p.toml").write_text(head + "finite = true\n")
    assert "a gate takes items for a sample of more, got finite = true" in refused(capsys, "gate", *given)


def test_commands_that_print_results(folder, capsys):
    good, bad = counting(folder / "a", [1, 1, 1, 0]), counting(folder / "b", [0, 0, 0, 1])
    code, found = gate(capsys, "--baseline", bad, "--candidate", good, "--rewards", "0", "1")
    assert (code, found["verdict"], found["compared"], found["goal"]) == (0, "pass", "means", "max")
    code, found = gate(capsys, "--baseline", good, "--candidate", bad, "--rewards", "0", "1", "--delta", "0.2")
    assert (code, found["verdict"], found["confidence"]) == (4, "fail", 0.8)
    assert "the mean of reward of the candidate is lower than that of the baseline" in found["sentence"]


def test_seconds_are_measured_and_compared_round_by_round(capsys):
    code, found = gate(capsys, "--baseline", "sleep 0.2", "--candidate", "true", "--margin", "2%")
    assert (code, found["verdict"], found["metric"], found["compared"]) == (0, "pass", "seconds", "signs")
    assert (found["margin"], found["relative"]) == (0.02, True)
    assert found["rounds"] / 2 < found["within"] <= found["rounds"]  # all of them, where nothing else runs
    assert found["difference"]["value"] < -0.5
    code, found = gate(capsys, "--baseline", "true", "--candidate", "sleep 0.2", "--margin", "0.02")
    assert (code, found["verdict"], found["margin"]) == (4, "fail", 0.02)
    assert found["sentence"].startswith(
        "Fail: in more than half of the rounds the candidate takes more than 2 % longer than the baseline (confidence 95 %"
    )


def test_seconds_by_their_means_with_the_timeout_as_the_range(capsys):
    arguments = ["--baseline", "true", "--candidate", "sleep 5", "--compare", "means"]
    assert "means of seconds cannot be compared, as it has no range: give --timeout" in refused(
        capsys, "gate", *arguments
    )
    code, found = gate(capsys, *arguments, "--timeout", "0.3")
    assert (code, found["verdict"], found["compared"], found["candidate"]["value"]) == (4, "fail", "means", 0.3)
    assert "the candidate takes, on average, longer than the baseline" in found["sentence"]


def test_two_columns_of_a_log(folder, capsys):
    rows = [(10 + step % 3, 9 + step % 3, "x") for step in range(40)]
    (folder / "log.csv").write_text("old,new,note\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows) + "5,,\n")
    arguments = ["log.csv", "--baseline", "old", "--candidate", "new", "--margin", "1%"]
    assert "say whether more or less is better" in refused(capsys, "gate", *arguments)
    code, found = gate(capsys, *arguments, "--goal", "min")
    assert (code, found["verdict"], found["skipped"], found["seed"]) == (0, "pass", 1, None)
    assert gate(capsys, *arguments, "--goal", "max")[0] == 4
    code, found = gate(capsys, *arguments, "--rewards", "0", "20", "--goal", "min")
    assert (code, found["compared"]) == (3, "means")  # an hour of such rows would show it
    assert found["difference"] == {
        "value": pytest.approx(-1),
        "lower": found["difference"]["lower"],
        "upper": found["difference"]["upper"],
        "relative": False,
    }


def test_a_budget_ends_a_gate_that_cannot_know(capsys):
    same = python("print(0.5)")
    code, found = gate(capsys, "--baseline", same, "--candidate", same, "--rewards", "0", "1", "--max-pulls", "9")
    assert (code, found["verdict"], found["pulls"], found["confidence"]) == (3, "undecided", 8, None)
    assert found["sentence"].startswith(
        "Undecided after 4 rounds, 8 pulls: it is not known whether the mean of reward of"
    )


def test_a_slack_lets_a_gate_at_the_margin_end(capsys):
    """At exactly the margin both verdicts are right once there is a slack, and without one there is none."""
    low, high = python("print(0.5)"), python("print(0.6)")
    at_the_margin = ["--baseline", high, "--candidate", low, "--rewards", "0", "1", "--margin", "0.1"]
    assert gate(capsys, *at_the_margin, "--max-pulls", "60")[0] == 3
    code, found = gate(capsys, *at_the_margin, "--slack", "0.4", "--max-pulls", "60")
    assert (code, found["slack"]) == (0, 0.4)
    assert "at most 0.5 below that of the baseline" in found["sentence"]


def test_a_candidate_that_fails_is_worse_than_any_other(capsys):
    code, found = gate(capsys, "--baseline", "true", "--candidate", python("raise SystemExit('no luck')"))
    assert (code, found["verdict"]) == (4, "fail")
    assert found["candidate"] == {"value": None, "failures": found["rounds"]}
    assert found["difference"]["value"] is None
    assert any("pulls: exit code 1: no luck." in reason for reason in found["reasons"])


def test_a_candidate_that_fails_sometimes_does_not_pass_however_quick_it_is(capsys):
    """It is quicker in three of four rounds, which is enough for a pass of one that does not fail."""
    flaky = python("import os; raise SystemExit(int(os.environ['SUREFOOT_PULL']) % 8 > 5)")
    code, found = gate(capsys, "--baseline", "sleep 0.3", "--candidate", flaky, "--seed", "2", "--max-pulls", "160")
    assert (code, found["verdict"]) == (4, "fail")
    assert "the candidate fails more often than the baseline" in found["sentence"]


def test_a_baseline_that_only_fails_is_bad_input(capsys):
    said = refused(capsys, "gate", "--baseline", "false", "--candidate", "true")
    assert "the baseline failed in each of the first 3 rounds, so that there is nothing to compare with" in said
    assert "candidate cannot be run: nothing-there: No such file" in refused(
        capsys, "gate", "--baseline", "true", "--candidate", "nothing-there"
    )


def test_limits_besides(folder, capsys):
    better = ["--baseline", "sleep 0.1", "--candidate", python("print(1)")]
    code, found = gate(capsys, *better, "--limit", "quantile(0.5, seconds) <= 30")
    assert (code, found["verdict"], found["limits"][0]["verdict"]) == (0, "pass", "feasible")
    assert found["sentence"].startswith("Pass: in more than half of the rounds the candidate takes no longer than")
    code, found = gate(capsys, *better, "--limit", "quantile(0.5, seconds) <= 0.000001")
    assert (code, found["verdict"]) == (4, "fail")
    assert "Fail: the candidate breaks quantile(0.5, seconds) <= 1e-06" in found["sentence"]


def test_quantiles_cannot_be_compared_in_rounds(folder, capsys):
    same = ["--baseline", "true", "--candidate", "true"]
    assert "in rounds, mean and probability can be limited against the baseline" in refused(
        capsys, "gate", *same, "--limit", "quantile(0.5, seconds) <= baseline + 1"
    )


def test_limits_against_the_baseline_are_compared_in_rounds(folder, capsys):
    (folder / "p.toml").write_text(
        'goal = "max mean(a)"\nbaseline = "old"\nlimits = ["mean(b) <= baseline + 0.1"]\n[metrics]\na = [0, 1]\nb = [0, 1]\n'
        '[[arms]]\nname = "old"\nmetrics.a.uniform = [0, 0.2]\nmetrics.b.uniform = [0, 0.2]\n'
        '[[arms]]\nname = "new"\nmetrics.a.uniform = [0.8, 1]\nmetrics.b.uniform = [0.8, 1]\n'
    )
    code, found = gate(capsys, "p.toml", "--candidate", "new", "--seed", "1")
    assert (code, found["verdict"]) == (4, "fail")
    assert "the candidate breaks mean(b) <= baseline + 0.1" in found["sentence"]


def test_the_summary_is_appended_and_what_commands_print_is_no_markup(folder, capsys):
    (folder / "summary.md").write_text("before\n")
    noisy = python("raise SystemExit('<b>bold</b> | x')")
    assert main(["gate", "--baseline", "true", "--candidate", noisy, "--summary", "summary.md"]) == 4
    printed = capsys.readouterr().out
    summary = (folder / "summary.md").read_text()
    assert summary.startswith("before\n### Gate: fail\n\nFail: in more than half")
    assert "\\<b\\>bold" in summary
    assert "<b>" not in summary.replace(noisy, "").replace("\\<b\\>", "").split("| what")[0]
    assert printed.startswith("Fail: in more than half of the rounds")
    assert "--summary must be a file that can be written" in refused(
        capsys, "gate", "--baseline", "true", "--candidate", "true", "--summary", "none/x.md"
    )


def test_every_round_is_written_and_can_be_judged_again(folder, capsys):
    code, found = gate(capsys, "--baseline", "sleep 0.1", "--candidate", "true", "--out", "rounds.csv", "--seed", "3")
    rows = list(csv.DictReader((folder / "rounds.csv").read_text().splitlines()))
    assert (code, len(rows)) == (0, found["rounds"])
    assert {row["first"] for row in rows} == {"baseline", "candidate"}
    columns = ["--baseline", "baseline:seconds", "--candidate", "candidate:seconds", "--goal", "min"]
    assert gate(capsys, "rounds.csv", *columns)[1]["verdict"] == "pass"


def test_gates_of_a_ledger_need_more_evidence_to_pass_each_time(folder, capsys):
    (folder / "p.toml").write_text(PROBLEM.format(goal="max", low=1, high=7))
    given = ["p.toml", "--baseline", "old", "--candidate", "new", "--seed", "1", "--ledger", "gates.jsonl"]
    found = [gate(capsys, *given)[1] for _ in range(4)]
    assert [one["ledger"]["gate"] for one in found] == [1, 2, 3, 4]
    assert [one["verdict"] for one in found] == ["pass"] * 4
    assert found[0]["rounds"] < found[-1]["rounds"]
    assert found[-1]["confidence"] == 1 - found[-1]["ledger"]["share"]
    assert len((folder / "gates.jsonl").read_text().splitlines()) == 4


def test_an_interrupted_gate_says_what_it_has_and_has_used_its_share(folder, capsys):
    stop = python(f"import os, signal; os.kill({os.getpid()}, signal.SIGINT)")
    before = signal.getsignal(signal.SIGINT)
    code = main(["gate", "--baseline", "true", "--candidate", stop, "--ledger", "g.jsonl", "--json"])
    captured = capsys.readouterr()
    assert code == 130
    assert json.loads(captured.out)["interrupted"]
    assert captured.err == "surefoot: interrupted\n"
    assert len((folder / "g.jsonl").read_text().splitlines()) == 1
    assert signal.getsignal(signal.SIGINT) == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--candidate", "true"], "a gate compares two commands: give --baseline and --candidate"),
        (["--baseline", "true"], "the following arguments are required: --candidate"),
        (["--baseline", "'", "--candidate", "true"], "--baseline must be a command whose quotes are closed"),
        (["--baseline", " ", "--candidate", "true"], "--baseline must be a command, got ' '"),
        (["--baseline", "a", "--candidate", "b", "--margin", "x"], "margin must be a number such as 0.02"),
        (["--baseline", "a", "--candidate", "b", "--delta", "2"], "delta must be in [1e-100, 1), got 2"),
        (["--baseline", "a", "--candidate", "b", "--metric", "m"], "--metric names a metric of a problem file"),
        (["--baseline", "a", "--candidate", "b", "--timeout", "0"], "timeout must be a number above 0, got 0"),
        (["--baseline", "a", "--candidate", "b", "--max-pulls", "1"], "max-pulls must be a whole number of at least 2"),
        (["--baseline", "a", "--candidate", "b", "--limit", "mean <= 2"], "must say which metric it is about"),
        (["--baseline", "a", "--candidate", "b", "--limit", "mean(seconds) <= 2"], "as seconds has no range"),
        (
            ["--baseline", "a", "--candidate", "b", "--limit", "quantile(0.9, seconds) <= baseline"],
            "limit 'quantile(0.9, seconds) <= baseline' cannot be decided by a gate",
        ),
        (["p.toml", "--candidate", "new"], "p.toml names no baseline: give --baseline, one of old, new"),
        (["p.toml", "--baseline", "old", "--candidate", "nw"], "must be an arm of p.toml, got 'nw'; did you mean new?"),
        (["p.toml", "--baseline", "old", "--candidate", "old"], "baseline and candidate must be two arms"),
        (["p.toml", "--baseline", "old", "--candidate", "new", "--rewards", "0", "1"], "give it without --rewards"),
        (["l.csv", "--candidate", "new"], "a gate compares two columns of a log"),
        (["l.csv", "--baseline", "a", "--candidate", "b", "--seed", "1"], "--seed is about pulls that are made now"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_runs(arguments, sentence, folder, capsys):
    (folder / "p.toml").write_text(PROBLEM.format(goal="max", low=1, high=7))
    assert sentence in refused(capsys, "gate", *arguments, "--ledger", "gates.jsonl")
    assert not (folder / "gates.jsonl").exists()


def test_the_gate_of_the_workflow_is_one(folder):
    workflow = (Path(__file__).parents[2] / "examples" / "gate.yml").read_text()
    _, _, rest = workflow.partition("run: >-\n")
    command = rest.partition("      - uses")[0]
    assert parser().parse_args(shlex.split(command)[1:]).margin == "5%"
