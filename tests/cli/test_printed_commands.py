"""Commands that we print do, when a shell runs them, what is said of them."""

import argparse
import json
import os
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from surefoot import Study
from surefoot.cli import main
from surefoot.cli.main import parser
from surefoot.cli.run import resume_command

ARMS = '[[arms]]\nname = "a"\nbernoulli = 0.5\n[[arms]]\nname = "b"\nbernoulli = 0.5\n'
BROKEN = '[[arms]]\nname = "broken"\ncommand = ["./not-there"]\n'
NAMES = ["plain", "two words", "it's", 'a "quote"', "-dash", "--db", "v1.toml", "v1.db", "$HOME;`id`", "a/b"]
LEFT_OUT = {"help", "json"}  # a report for a program need not be the next one too


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.toml").write_text("rewards = [0, 1]\n" + ARMS)
    return tmp_path


def in_a_shell(command, **options):
    """What happens when somebody pastes a command."""
    script = f'surefoot() {{ {shlex.quote(sys.executable)} -m surefoot "$@"; }}; {command}'
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, **options)


def printed(out):
    return [line.strip() for line in out.splitlines() if line.startswith("  surefoot ")]


def run_parser():
    (commands,) = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    return commands.choices["run"]


def another_value(action):
    """One that is not the default, and is as awkward as may be."""
    if isinstance(action, argparse._StoreTrueAction):
        return []
    if action.choices:
        return [next(choice for choice in action.choices if choice != action.default)]
    return [{int: "-7", float: "0.1234567890123", None: "-it's 2"}[action.type]]


@pytest.mark.parametrize("action", run_parser()._actions, ids=lambda action: action.dest)
def test_every_option_of_a_run_is_in_the_command_that_goes_on(action):
    if action.dest in LEFT_OUT:
        return
    value = another_value(action)
    words = (
        [f"{action.option_strings[0]}={value[0]}" if value else action.option_strings[0]]
        if action.option_strings
        else []
    )
    given = parser().parse_args(["run", *words, "--", "p.toml" if words else value[0]])
    command = shlex.split(resume_command(given))
    assert command[:2] == ["surefoot", "run"]
    found = parser().parse_args(command[1:])
    assert {**vars(found), "command": None} == {**vars(given), "command": None}
    assert getattr(found, action.dest) != action.default


def test_the_guarantee_goes_on_too(capsys):
    assert main(["run", "p.toml", "--bounds", "sharp", "--max-pulls", "4", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["resume"] == "surefoot run p.toml --bounds sharp"
    with open("p.toml", "a") as file:
        file.write(BROKEN)
    options = ["--bounds", "sharp", "--policy", "va-lucb", "--max-pulls", "9", "--picture", "x.png", "--retries", "0"]
    assert main(["run", "p.toml", "--name", "q", *options]) == 3
    delete, same, other = printed(capsys.readouterr().out)
    assert delete == "surefoot delete q --db p.db"
    assert other == f"{same.replace('--name q', '--name q-mended')}"
    assert set(options) <= set(shlex.split(same))  # also the limit of pulls: the new study has none yet
    for command, name in ((other, "q-mended"), (same, "q")):
        if name == "q":
            assert in_a_shell(f"{delete} --yes").returncode == 0
        assert in_a_shell(command).returncode == 3
        study = Study.open("p.db", name)
        assert (study.pulls, study.events[0]["policy"], study.events[0]["bounds"]) == (9, "va-lucb", "sharp")
    assert main(["run", "p.toml", "--name", "q", *options]) == 3
    assert "--name q-mended-2 " in capsys.readouterr().out  # the first one is there already


@pytest.mark.parametrize("name", NAMES)
def test_whatever_a_study_is_called_it_is_the_one_that_goes_on_and_is_deleted(name, capsys):
    with open("p.toml", "a") as file:
        file.write(BROKEN)
    for other in ("p", "v1"):  # neither is meant
        assert main(["run", "p.toml", "--name", other, "--max-pulls", "4", "--retries", "0"]) == 3
    capsys.readouterr()
    assert main(["run", "p.toml", f"--name={name}", "--db=-kept 1.db", "--max-pulls", "4", "--retries", "0"]) == 3
    out = capsys.readouterr().out
    (going_on,) = (line.removeprefix("Resume with: ") for line in out.splitlines() if line.startswith("Resume with: "))
    assert in_a_shell(f"{going_on} --max-pulls 6").returncode == 3
    assert Study.open("-kept 1.db", name).pulls == 6
    delete = printed(out)[0]
    assert in_a_shell(f"{delete.replace('surefoot delete', 'surefoot delete --yes')}").returncode == 0
    assert main(["list", "--db=-kept 1.db", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["studies"] == []
    assert main(["list", "--db", "p.db", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["studies"]) == 2


def test_a_file_whose_name_begins_with_a_dash(capsys, folder):
    os.rename("p.toml", "-p q.toml")
    assert main(["run", "--max-pulls", "4", "--json", "--", "-p q.toml"]) == 3
    resume = json.loads(capsys.readouterr().out)["resume"]
    assert in_a_shell(f"{resume.replace('surefoot run', 'surefoot run --max-pulls 6')}").returncode == 3
    assert Study.open("-p q.db", "-p q").pulls == 6


def test_a_study_called_like_a_file_is_found_before_the_file(capsys):
    for name, pulls in (("p", "4"), ("p.toml", "6")):
        assert main(["run", "p.toml", "--name", name, "--max-pulls", pulls]) == 3
    capsys.readouterr()
    for study, db, pulls in (("p.toml", ["--db", "p.db"], 6), ("p", ["--db", "p.db"], 4), ("p.toml", [], 4)):
        assert main(["status", study, *db, "--json"]) == 3
        assert json.loads(capsys.readouterr().out)["pulls"] == pulls


@pytest.mark.parametrize("arguments", [["run", "p.toml"], ["status", "p"], ["export", "p.toml", "--db", "p.db"]])
def test_a_damaged_study_comes_with_the_command_that_rescues_it(capsys, folder, arguments):
    assert main(["run", "p.toml", "--max-pulls", "4"]) == 3
    with closing(sqlite3.connect("p.db")) as connection:
        connection.execute("DELETE FROM surefoot_events WHERE position = 3")
        connection.commit()
    capsys.readouterr()
    assert main(arguments) == 2
    command = capsys.readouterr().err.strip().rpartition("can keep that part: ")[2]
    assert main(["salvage", "p"]) == 3
    assert printed(capsys.readouterr().out) == [command]
    assert in_a_shell(command).returncode == 3
    assert Study.open("rescued.db", "p").position == 2
