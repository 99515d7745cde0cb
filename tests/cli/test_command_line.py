"""The command line's contract."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot import __version__, display
from surefoot.cli import main
from surefoot.work import demo

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "steady.toml")


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "surefoot", *arguments], capture_output=True, text=True)


def test_json_has_the_keys_of_the_contract_and_nothing_else_is_printed(capsys):
    assert main(["simulate", EXAMPLE, "--trials", "3", "--engine", "interpreted", "--seed", "5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {
        "policy",
        "bounds",
        "delta",
        "trials",
        "seed",
        "pulls",
        "correct",
        "wrong",
        "undecided",
        "decisions",
    } <= set(found)
    assert {"seconds", "ns_per_pull"} <= set(found)
    assert set(found["pulls"]) == {"mean", "sd", "min", "max"}
    assert found["decisions"] == {"best": {"steady": 3}, "infeasible": 0, "undecided": 0}
    assert (found["policy"], found["bounds"], found["delta"], found["seed"]) == ("top-two", "tight", 0.05, 5)


def test_people_get_sentences(capsys):
    assert main(["simulate", EXAMPLE, "--trials", "2", "--engine", "interpreted", "--policy", "va-uniform"]) == 0
    out = capsys.readouterr().out
    assert "steady is best in 2 of 2 runs" in out
    assert "va-uniform with sharp bounds" in out


def test_budget_and_csv(capsys, tmp_path):
    csv = tmp_path / "runs.csv"
    arguments = ["simulate", EXAMPLE, "--trials", "2", "--engine", "interpreted", "--max-pulls", "9", "--csv", str(csv)]
    assert main(arguments) == 3
    captured = capsys.readouterr()
    assert "2 of 2 runs ended undecided after 9 pulls" in captured.err
    assert csv.read_text().count("\n") == 3


def test_help_says_after_how_many_pulls_a_run_ends_undecided(capsys):
    from surefoot.simulation.job import GENEROUS

    with pytest.raises(SystemExit):
        main(["simulate", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert f"so many pulls (default: the file's, or {GENEROUS // 10**6} million)" in said


def test_help_names_every_policy_and_family(capsys, monkeypatch):
    from surefoot.core.registry import BOUNDS, POLICIES

    monkeypatch.setenv("COLUMNS", "1000")  # no line is broken
    with pytest.raises(SystemExit):
        main(["simulate", "--help"])
    said = capsys.readouterr().out
    for names in (POLICIES, BOUNDS):
        assert ", ".join(names) in said


def test_no_kernels_are_imported_for_what_nobody_asked():
    code = "import sys; from surefoot.cli.main import parser; parser(); assert 'surefoot.core' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["simulate", "missing.toml"], "missing.toml: No such file"),
        (["simulate", EXAMPLE, "--delta", "2"], "delta must be in (0, 1), got 2.0"),
        (["simulate", EXAMPLE, "--policy", "x"], "policy must be one of"),
        (["simulate", EXAMPLE, "--bounds", "x"], "bounds must be one of"),
        (["simulate", EXAMPLE, "--trials", "0"], "trials must be a whole number"),
        (
            ["simulate", EXAMPLE, "--csv", "/nowhere/x.csv", "--trials", "1", "--engine", "interpreted"],
            "cannot write /nowhere/x.csv",
        ),
    ],
)
def test_bad_input_is_exit_2_with_a_sentence_and_nothing_on_standard_output(arguments, sentence, capsys):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.out == ""


def test_version_and_help_import_neither_numba_nor_matplotlib():
    assert run("--version").stdout == f"surefoot {__version__}\n"
    helped = run("--help")
    assert helped.returncode == 0
    assert "simulate" in helped.stdout
    probe = (
        "import sys\nfrom surefoot.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('numba', 'matplotlib', 'numpy') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True).stdout
    assert out.endswith("[]\n")


def test_no_command_is_bad_usage():
    assert run().returncode == 2


def test_demo_decides_and_draws(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(display, "SELDOM", 0.0)  # a line of progress, however fast the machine
    picture = tmp_path / "demo.png"
    assert main(["demo", "--picture", str(picture), "--seed", "1"]) == 0
    captured = capsys.readouterr()
    assert "All compressors are tried on the same " in captured.out
    assert " is best: its mean is" in captured.out
    assert picture.stat().st_size > 10_000
    assert "pulls" in captured.err


def test_demo_as_json(capsys):
    assert main(["demo", "--json"]) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert found["status"] == "best"
    assert found["pulls"] < 0.9 * len(demo.files()) * len(demo.COMPRESSORS)  # of all files with all compressors
    assert captured.err == ""
