"""`surefoot run`: real processes, real files."""

import json
import os
import signal
from pathlib import Path

import pytest

from surefoot import Study
from surefoot.cli import main
from tests.cli.running import BETAS, HEAD, interrupt, run_json, shell, start, write
from tests.work.processes import wait_until

FIELDS = {"status", "arm", "pulls", "confidence", "arms", "study", "resume", "warnings"}


def test_any_mix_of_arms(tmp_path, capsys):
    (tmp_path / "measures_of_mix.py").write_text("def half():\n    return 0.5\n")
    (tmp_path / "d.csv").write_text("\ufeffx,y\n0.1,a\n\n0.2,b\n", encoding="utf-8")
    sources = (
        ("command", shell("echo noise; echo $SUREFOOT_ARM >&2; echo 0.4; echo")),
        ("call", 'call = "measures_of_mix:half"'),
        ("data", 'data = "d.csv:x"'),
        ("drawn", "beta = { mean = 0.9, variance = 0.001 }"),
    )
    code, found, err = run_json(capsys, write(tmp_path, *sources), "--workers", "3")
    assert (code, found["status"], found["arm"], found["study"], found["resume"]) == (0, "best", "drawn", "p", None)
    assert set(found) >= FIELDS
    assert err == ""
    assert [row["name"] for row in found["arms"]] == ["command", "call", "data", "drawn"]
    assert found["arms"][0]["mean"] == pytest.approx(0.4)
    study = Study.open(tmp_path / "p.db", "p")
    assert study.pulls == found["pulls"]
    assert study.worker_of(1) == "surefoot run"
    before = study.position
    assert main(["run", str(tmp_path / "p.toml")]) == 0  # decided: nothing is measured again
    assert Study.open(tmp_path / "p.db", "p").position == before


def test_an_arm_that_rises_steadily_is_warned_of(tmp_path, capsys):
    (tmp_path / "rising.py").write_text("made = []\ndef better():\n    made.append(1)\n    return len(made) / 1000\n")
    file = write(tmp_path, ("learns", 'call = "rising:better"'), ("coin", "bernoulli = 0.05"))
    _, found, _ = run_json(capsys, file, "--max-pulls", "600")
    assert [warning["arm"] for warning in found["warnings"]][:1] == ["learns"]


def test_an_arm_that_drifts_is_warned_of(tmp_path, capsys):
    better = "    made.append(1)\n    return float(7 * len(made) % 10 < (2 if len(made) < 150 else 8))\n"
    (tmp_path / "learning.py").write_text(f"made = []\ndef better():\n{better}")
    arms = ("learns", 'call = "learning:better"'), ("coin", "bernoulli = 0.2")
    file = write(tmp_path, *arms, head="rewards = [0, 1]\n")
    code, found, err = run_json(capsys, file)
    assert [warning["arm"] for warning in found["warnings"]][:1] == ["learns"]
    assert err.startswith(
        "surefoot: The results of arm 'learns' do not look like independent draws of one distribution: "
    )
    assert f"Warning: {found['warnings'][0]['sentence']}" in found["sentence"]
    assert main(["status", file, "--json"]) == code
    captured = capsys.readouterr()
    assert json.loads(captured.out)["warnings"] == found["warnings"]
    assert captured.err == err


def test_text_table_and_picture(tmp_path, capsys):
    file, picture = write(tmp_path, *BETAS), tmp_path / "p.png"
    assert main(["run", file, "--picture", str(picture)]) == 0
    out = capsys.readouterr().out
    assert "good is best: its mean is" in out
    assert "the best" in out
    assert f"The picture is in {picture}." in out
    assert picture.stat().st_size > 10_000


def test_max_pulls_stops_and_the_command_printed_resumes(tmp_path, capsys):
    file = write(tmp_path, *BETAS)
    code, found, _ = run_json(capsys, file, "--max-pulls", "9", "--seed", "4", "--name", "other one")
    assert (code, found["status"], found["pulls"], found["confidence"]) == (3, "undecided", 9, None)
    assert found["resume"] == f"surefoot run {file} --name 'other one' --seed 4"
    code, resumed, _ = run_json(capsys, file, "--seed", "4", "--name", "other one")
    code, at_once, _ = run_json(capsys, file, "--seed", "4", "--name", "undisturbed")
    assert code == 0
    for key in ("status", "arm", "pulls", "sentence", "arms"):
        assert resumed[key] == at_once[key]
    _, another, _ = run_json(capsys, file, "--seed", "5", "--name", "another seed")
    assert another["arms"] != at_once["arms"]


def test_the_files_own_budget_is_final(tmp_path, capsys):
    file = write(tmp_path, *BETAS, head=HEAD + "max_pulls = 5\n")
    code, found, _ = run_json(capsys, file)
    assert (code, found["pulls"], found["resume"]) == (3, 5, None)


def test_killed_at_any_moment_it_resumes_to_the_same_decision(tmp_path, capsys):
    betas = (("a", "beta = { mean = 0.55, variance = 0.02 }"), ("b", "beta = { mean = 0.51, variance = 0.02 }"))
    file = write(tmp_path, *betas)
    _, undisturbed, _ = run_json(capsys, file, "--db", str(tmp_path / "undisturbed.db"))
    db = tmp_path / "p.db"
    for _ in range(2):
        process, before = start(file), events(db)
        try:
            # On a slow machine it may decide before we look again; killed or ended, the result must be the same.
            wait_until(lambda before=before, process=process: events(db) > before + 25 or process.poll() is not None)
        finally:
            process.kill()
            process.communicate()
    code, resumed, _ = run_json(capsys, file)
    assert code == 0
    for key in ("status", "arm", "pulls", "sentence", "arms"):
        assert resumed[key] == undisturbed[key]


def events(db):
    from surefoot.storage import connect

    return sum(entry.events for entry in connect(db).studies()) if db.exists() else 0


def test_ctrl_c_finishes_the_running_pulls_and_says_how_to_go_on(tmp_path):
    slow = shell("sleep 0.3; echo x >> made; echo 0.5")
    file = write(tmp_path, ("a", slow), ("b", slow))
    process = start(file, "--workers", "2", start_new_session=True)
    wait_until(lambda: (tmp_path / "made").exists())
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=30)
    assert process.returncode == 3
    assert "Undecided after" in out
    assert f"Resume with: surefoot run {file} --workers 2" in out
    assert "Traceback" not in err
    study = Study.open(tmp_path / "p.db", "p")
    assert study.pulls == len((tmp_path / "made").read_text().split())
    assert not study.pending


def test_ctrl_c_twice_stops_at_once_and_loses_nothing(tmp_path):
    quick, stuck = shell("echo 0.5"), shell("echo $$ > stuck; sleep 100")
    file = write(tmp_path, ("a", quick), ("b", stuck))
    process = start(file)
    wait_until(lambda: (tmp_path / "stuck").exists() and (tmp_path / "stuck").read_text().strip())
    interrupt(process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 3
    assert "Traceback" not in err
    assert "Resume with:" in out
    study = Study.open(tmp_path / "p.db", "p")
    assert study.pulls == 1
    assert [pull.arm for pull in study.pending] == ["b"]
    stuck = (tmp_path / "stuck").read_text().strip()
    assert not Path(f"/proc/{stuck}/cmdline").exists() or not Path(f"/proc/{stuck}/cmdline").read_text()


def test_interrupted_with_nothing_to_resume_is_130(tmp_path):
    file = write(tmp_path, ("a", shell("echo x > begun; sleep 100")))
    process = start(file, "--db", "memory://")
    wait_until(lambda: (tmp_path / "begun").exists())
    interrupt(process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130


def test_one_run_at_a_time_in_a_file(tmp_path, capsys):
    file = write(tmp_path, ("a", shell("echo x > begun; sleep 100")), ("b", shell("sleep 100")))
    process = start(file)
    try:
        wait_until(lambda: (tmp_path / "begun").exists())
        assert main(["run", file]) == 2
        assert "another surefoot run is working on the study 'p'" in capsys.readouterr().err
    finally:
        interrupt(process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def test_a_changed_file_is_a_conflict_that_says_what_to_do(tmp_path, capsys, monkeypatch):
    file = write(tmp_path, *BETAS)
    assert main(["run", file, "--max-pulls", "4", "--json"]) == 3
    write(tmp_path, *BETAS, head=HEAD + "delta = 0.1\n")
    capsys.readouterr()
    assert main(["run", file]) == 2
    err = capsys.readouterr().err
    assert "whose delta is 0.05, not 0.1" in err
    assert f"--name, or delete this one: surefoot delete p --db {tmp_path / 'p.db'}" in err
    write(tmp_path, *BETAS)
    monkeypatch.chdir(tmp_path)  # it is the same study from elsewhere
    assert main(["run", "p.toml", "--json"]) == 0


def test_policy_and_bounds_are_those_the_study_was_begun_with(tmp_path, capsys):
    file = write(tmp_path, *BETAS)
    assert main(["run", file, "--policy", "successive-elimination", "--bounds", "sharp", "--max-pulls", "4"]) == 3
    first = Study.open(tmp_path / "p.db", "p").events[0]
    assert (first["policy"], first["bounds"]) == ("successive-elimination", "sharp")
    capsys.readouterr()
    for option, named, kept in (("bounds", "tight", "sharp"), ("policy", "top-two", "successive-elimination")):
        assert main(["run", file, f"--{option}", named]) == 2
        err = capsys.readouterr().err
        assert f"the study 'p' was begun with --{option} {kept}, got {named}: leave out --{option}" in err
    assert Study.open(tmp_path / "p.db", "p").pulls == 4
    assert main(["run", file, "--bounds", "sharp", "--max-pulls", "8"]) == 3
    assert main(["run", file]) == 0  # without names it goes on as it was begun
    assert main(["run", file, "--name", "other", "--max-pulls", "4"]) == 3
    first = Study.open(tmp_path / "p.db", "other").events[0]
    assert (first["policy"], first["bounds"]) == ("top-two", "tight")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("", "arm 'odd': it must have a command, call, data or distribution to be run, got nothing"),
        ('call = "no_such_module:f"', "arm 'odd': call must name a function that can be imported"),
        ('call = "math:pi"', "arm 'odd': call must name a function, got 'math:pi', which is float"),
        ('data = "no.csv:x"', "data must name a readable file"),
        ('data = "p.toml:x"', "must have a column 'x'"),
        ("uniform = [0, 2]", "uniform must fit into rewards in [0, 1]"),
    ],
)
def test_bad_sources_are_refused_before_anything_is_written(tmp_path, capsys, source, sentence):
    assert main(["run", write(tmp_path, *BETAS, ("odd", source))]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["p.toml"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--workers", "0"], "workers must be a whole number of at least 1, got 0"),
        (["--retries", "-1"], "retries must be a whole number of at least 0, got -1"),
        (["--max-pulls", "0"], "max-pulls must be a whole number of at least 1, got 0"),
        (["--timeout", "0"], "timeout must be a number above 0, got 0.0"),
        (["--picture", "x.gif"], "--picture must be a PNG, SVG or PDF file"),
        (["--db", "mysql://x"], "a storage must be a file"),
        (["--bounds", "loose"], "bounds must be one of tight, sharp, paper, lil, subgaussian, got 'loose'"),
        (["--policy", "top-two", "--bounds", "sharp"], "top-two with bounds 'sharp' cannot decide"),
        (["--name", " "], "the name of a study must be printable text"),
    ],
)
def test_bad_options(tmp_path, capsys, arguments, sentence):
    assert main(["run", write(tmp_path, *BETAS), *arguments]) == 2
    assert sentence in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["p.toml"]
