"""`surefoot plan`: the contract of the command."""

import json
import math
import os
import signal
from pathlib import Path

import pytest

from surefoot.cli import main
from surefoot.simulation.sweep import reports
from surefoot.work import plan

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "steady.toml")


def test_json_has_the_keys_of_the_contract(capsys):
    assert main(["plan", EXAMPLE, "--trials", "20", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["pulls"]) == {"mean", "p50", "p90", "p99"}
    assert found["pulls"]["p50"] <= found["pulls"]["p90"] <= found["pulls"]["p99"]
    assert [arm["name"] for arm in found["arms"]][:2] == ["steady", "bold"]
    assert sum(arm["pulls"]["mean"] for arm in found["arms"]) == pytest.approx(found["pulls"]["mean"])
    assert (found["trials"], found["undecided"], found["warnings"]) == (20, 0, [])
    assert [cost["change"] for cost in found["costs"]][1:] == ["delta = 0.005", "variance <= 0.036"]
    assert found["limit_pulls"] == pytest.approx(found["T_star"] * 0.9 * math.log(19))


def test_people_get_a_sentence_two_tables_and_a_picture(tmp_path, capsys):
    picture = tmp_path / "plan.png"
    assert main(["plan", EXAMPLE, "--trials", "10", "--delta", "0.1", "--picture", str(picture)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("A decision takes ")
    assert "10 simulated runs: steady in 10." in out
    assert "delta = 0.01 " in out
    assert "times as many" in out
    assert picture.stat().st_size > 10_000


def test_names_are_no_mathematics_in_the_picture(tmp_path, capsys):
    file, picture = tmp_path / "p.toml", tmp_path / "plan.png"
    arms = "".join(f"[[arms]]\nname = '$x_{{$ {index}'\nbernoulli = {mean}\n" for index, mean in ((1, 0.1), (2, 0.9)))
    file.write_text(f"rewards = [0, 1]\nrisk = 'variance <= 0.2'\n{arms}")
    assert main(["plan", str(file), "--trials", "3", "--picture", str(picture)]) == 0
    assert "one more arm like $x_{$ 1" in capsys.readouterr().out
    assert picture.stat().st_size > 10_000


def test_undecided_is_exit_3(capsys):
    assert main(["plan", EXAMPLE, "--trials", "3", "--max-pulls", "20"]) == 3
    captured = capsys.readouterr()
    assert captured.out.startswith("A decision takes at least 20 pulls")
    assert "3 of 3 runs were ended undecided after 20 pulls" in captured.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["missing.toml"], "missing.toml: No such file"),
        ([EXAMPLE, "--delta", "2"], "delta must be in (0, 1), got 2.0"),
        ([EXAMPLE, "--trials", "0"], "trials must be a whole number"),
        ([EXAMPLE, "--policy", "x"], "policy must be one of"),
    ],
)
def test_bad_input_is_a_sentence(arguments, sentence, capsys):
    assert main(["plan", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sentence in captured.err


@pytest.mark.parametrize("after", [0, 3])
def test_an_interruption_gives_what_there_is(after, monkeypatch, capsys):
    def interrupted(*arguments, **options):
        for finished, report in enumerate(report for report in reports(*arguments, **options) if report.run):
            if finished == after:
                os.kill(os.getpid(), signal.SIGINT)
            if finished < after:
                yield report

    monkeypatch.setattr(plan, "reports", interrupted)
    assert main(["plan", EXAMPLE, "--trials", "50"]) == 130
    captured = capsys.readouterr()
    if after:
        assert "as guessed: 3 of 50 runs had ended at the interruption, and short runs end first" in captured.err
        assert captured.out.startswith("A decision takes at least ")
        assert "3 of 50 simulated runs: steady in 3." in captured.out
    assert main(["plan", EXAMPLE, "--trials", "50", "--json"]) == 130
    captured = capsys.readouterr()
    assert f"interrupted after {after} of 50 runs" in captured.err
    if after:
        found = json.loads(captured.out)
        assert (found["trials"], found["interrupted"], found["costs"]) == (3, True, [])
        assert "short runs end first: a decision takes more pulls than the table says" in found["warnings"][-1]
    else:
        assert captured.out == ""
