"""What is wrong with a command is said in a sentence on standard error, with exit code 2; nothing is a traceback."""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.cli import main
from surefoot.cli.main import parser

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "steady.toml")


def refused(capsys, *arguments):
    """What is said of arguments that are refused."""
    try:
        code = main(list(arguments))
    except SystemExit as exit:
        code = exit.code
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, "")
    assert captured.err.startswith("surefoot: ")
    return captured.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["run", "x", "--timout", "5"],
            "there is no option --timout here; did you mean --timeout? (`surefoot run --help`",
        ),
        (["run", "x", "--timout=5"], "there is no option --timout here; did you mean --timeout?"),
        (["run", "x", "--time", "5"], "there is no option --time here; did you mean --timeout?"),  # not for --timeout
        (["token", "list", "--jsn"], "there is no option --jsn here; did you mean --json?"),
        (["run", "x", "y"], "there is no argument y here"),
        (["simluate", "x"], "got 'simluate'; did you mean simulate?"),
        (["token", "creat", "x"], "got 'creat'; did you mean create?"),
        (["import", "x", "--goal", "mx"], "--goal must be one of max, min, got 'mx'; did you mean max?"),
        (["simulate", "x", "--trials", "1_0"], "--trials must be a whole number, got '1_0'"),
        (["simulate", "x", "--trials", "٣"], "--trials must be a whole number, got '٣'"),
        (["simulate", "x", "--trials", "2.5"], "--trials must be a whole number, got '2.5'"),
        (["simulate", "x", "--delta", "0.0_5"], "--delta must be a number, got '0.0_5'"),
        (["analyze", "x", "--rewards", "0", "١"], "--rewards must be a number, got '١'"),
        (["run", "x", "--name", ""], "--name must be some text, got ''"),
        (["run", "x", "--db", ""], "--db must be some text, got ''"),
        (["run", "x", "--picture", ""], "--picture must be some text, got ''"),
        (["run", ""], "FILE must be some text, got ''"),
        (["token", "create", ""], "NAME must be some text, got ''"),
        (["analyze", "x", "--rewards", "0", "1", "--columns", "a", ""], "--columns must be some text, got ''"),
        (["simulate", EXAMPLE, "--policy", "top-tow"], "; did you mean top-two?"),
        (["simulate", EXAMPLE, "--bounds", "tigth"], "; did you mean tight?"),
        (["run"], "the following arguments are required: FILE (`surefoot run --help` explains)"),
    ],
)
def test_what_is_misspelled_is_refused_with_what_was_probably_meant(arguments, sentence, capsys):
    assert sentence in refused(capsys, *arguments)


def test_a_negative_number_is_a_number_however_it_is_written(capsys):
    assert "the log must be a readable file: x" in refused(capsys, "analyze", "x", "--rewards", "-1e3", "-.5")


@pytest.mark.parametrize("command", ["run", "simulate", "hardness", "plan"])
@pytest.mark.parametrize("place", [".", "/"])
def test_a_folder_is_no_problem_file(command, place, capsys):
    assert f"the problem must be a readable file: {place}: Is a directory" in refused(capsys, command, place)


def test_a_folder_is_no_log_and_no_problem_to_import_for(tmp_path, capsys):
    (tmp_path / "log.csv").write_text("arm,reward\nA,0.5\n")
    assert "Is a directory" in refused(capsys, "analyze", ".", "--rewards", "0", "1")
    assert "Is a directory" in refused(capsys, "import", str(tmp_path / "log.csv"), "--problem", ".")


@pytest.mark.parametrize("command", ["status", "export", "salvage", "delete"])
def test_a_name_too_long_for_a_file_is_no_study(command, capsys):
    for name in ("x" * 300, "x" * 300 + ".toml"):
        refused(capsys, command, name)


COMMANDS = ["run", "simulate", "hardness", "plan", "status", "export", "salvage", "delete", "analyze", "import"]


@pytest.mark.parametrize(
    "command", [*COMMANDS, "paper --out", "serve --host", "token create", "completion", "list --db"]
)
def test_a_name_that_is_no_text_is_refused_by_every_command(command, capsys):
    said = refused(capsys, *command.split(), os.fsdecode(b"caf\xe9.toml"))
    assert said == "surefoot: every argument must be text in UTF-8, got 'caf\\udce9.toml'\n"


def test_bytes_that_are_no_text_from_a_shell():
    found = subprocess.run([sys.executable, "-m", "surefoot", "run", b"caf\xe9"], capture_output=True)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.startswith(b"surefoot: every argument must be text in UTF-8")


def test_cautions_are_sentences_on_standard_error(tmp_path, capsys):
    log, file = tmp_path / "log.csv", tmp_path / "p.toml"
    log.write_text("arm,reward\nA,0.5\nB,0.25\n")
    file.write_text('rewards = [0, 1]\n[[arms]]\nname = "A"\nbernoulli = 0.5\n[[arms]]\nname = 1\nbernoulli = 0.4\n')
    late = ["--delta", "0.95", "--json"]
    for arguments in (
        ["analyze", str(log), "--rewards", "0", "1", *late],
        ["import", str(log), "--rewards", "0", "1", *late],
        ["simulate", str(file), "--trials", "1", "--max-pulls", "9", "--engine", "interpreted", *late],
        ["hardness", str(file), *late],
    ):
        main(arguments)
        captured = capsys.readouterr()
        said = "surefoot: delta is the probability of a wrong decision, got 0.95: did you mean 0.05?\n"
        assert captured.err.startswith(said)
        json.loads(captured.out)


@pytest.mark.parametrize("command", ["simulate", "hardness", "plan", "run"])
def test_a_tolerance_beyond_the_range_is_refused(command, tmp_path, capsys):
    file = tmp_path / "p.toml"
    file.write_text('tolerance = 2\nrewards = [0, 1]\n[[arms]]\nname = "A"\nbernoulli = 0.5\n')
    assert "tolerance must be below 1, the width of the range of rewards, got 2" in refused(capsys, command, str(file))
    assert list(tmp_path.iterdir()) == [file]


def described(command, called="surefoot"):
    """Every option and argument of a command and of those below it, with what its help says."""
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from described(below, f"{called} {name}")
        else:
            yield f"{called} {'/'.join(action.option_strings) or action.metavar}", action.help or ""


def test_the_help_of_every_option_says_what_it_is_and_not_only_its_default():
    helps = dict(described(parser()))
    assert len(helps) > 100
    assert [option for option, text in helps.items() if not re.match("[-A-Za-z]", text)] == []
