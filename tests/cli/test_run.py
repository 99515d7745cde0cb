"""`surefoot run`: real processes, real files."""

import io
import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from rich.console import Console

from surefoot import Study
from surefoot.cli import main
from surefoot.study.views.study_progress import arm_grid


@pytest.fixture
def tmp_path():
    """In memory where there is such a place: every reward waits for the disk."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        yield Path(name)


HEAD = 'risk = "variance <= 0.04"\nrewards = [0, 1]\n'


def arm(name, source):
    return f'[[arms]]\nname = "{name}"\n{source}\n'


def shell(script):
    return f'command = ["sh", "-c", {json.dumps(script)}]'


def write(folder, *arms, head=HEAD, name="p.toml"):
    path = folder / name
    path.write_text(head + "".join(arm(*each) for each in arms))
    return str(path)


def interrupt(process):
    """Ctrl-C, and wait until it is noticed: lines on how things stand may come before."""
    process.send_signal(signal.SIGINT)
    assert any("the running pulls will finish" in line for line in process.stderr)


def start(*arguments, **options):
    command = [sys.executable, "-m", "surefoot", "run", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


BETAS = (("good", "beta = { mean = 0.8, variance = 0.01 }"), ("poor", "beta = { mean = 0.2, variance = 0.01 }"))
FIELDS = {"status", "arm", "pulls", "confidence", "arms", "study", "resume", "warnings"}


def run_json(capsys, *arguments):
    code = main(["run", *arguments, "--json"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out), captured.err


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


def test_an_arm_that_fails_is_tried_again_then_set_aside_and_the_others_go_on(tmp_path, capsys):
    count = 'echo x >> tries; echo "disk is full" >&2; exit 3'
    file = write(tmp_path, *BETAS, ("broken", shell(count)), ("missing", 'command = ["./not-there"]'))
    assert main(["run", file, "--retries", "1"]) == 0
    captured = capsys.readouterr()
    assert (tmp_path / "tries").read_text() == "x\nx\n"
    assert "broken: pull 3 failed and is tried again: exit code 3: disk is full" in captured.err
    assert "broken is excluded: exit code 3: disk is full" in captured.err
    assert "missing is excluded: ./not-there: No such file or directory" in captured.err
    assert "good is best" in captured.out
    assert (
        "Excluded because they could not be measured: broken (1 pull failed), missing (1 pull failed)." in captured.out
    )
    assert "broken is excluded: exit code 3: disk is full\nmissing is excluded: ./not-there" in captured.out
    assert captured.out.count("  excluded") == 2  # in the table, where errors would leave the others no room


def test_arms_that_were_all_set_aside_come_with_their_errors_and_a_way_on(tmp_path, capsys):
    folder = tmp_path / "with space"
    folder.mkdir()
    wrong, right = 'command = ["./not-there"]', BETAS[0][1]
    file, db = write(folder, ("one", wrong), ("two", wrong)), str(folder / "p.db")
    for _ in range(2):
        assert main(["run", file, "--retries", "0", "--max-pulls", "500"]) == 3
        out = capsys.readouterr().out
        assert "one is excluded: ./not-there: No such file or directory\ntwo is excluded: ./not-there: No" in out
        assert "Resume with" not in out
    assert main(["status", file]) == 3
    assert "two is excluded: ./not-there: No such file or directory" in capsys.readouterr().out
    delete, again, other = (shlex.split(line) for line in out.splitlines() if line.startswith("  surefoot "))
    assert delete == ["surefoot", "delete", "p", "--db", db]
    assert again == ["surefoot", "run", file, "--retries", "0", "--max-pulls", "500"]
    assert other == ["surefoot", "run", file, "--name", "p-mended", "--retries", "0", "--max-pulls", "500"]
    write(folder, ("one", right), ("two", BETAS[1][1]))
    assert main(other[1:]) == 0
    assert main([*delete[1:], "--yes"]) == 0
    assert main(again[1:]) == 0
    assert capsys.readouterr().out.count("one is best") == 2
    assert main(["run", write(folder, ("one", wrong), name="q.toml"), "--retries", "0", "--db", "memory://"]) == 3
    assert "surefoot delete" not in capsys.readouterr().out  # nothing is kept


def test_an_arm_that_fails_now_and_then_is_not_set_aside(tmp_path, capsys):
    script = "if mkdir once 2>/dev/null; then exit 1; fi; echo 0.9"
    code, found, err = run_json(capsys, write(tmp_path, *BETAS, ("shaky", shell(script))))
    assert (code, found["arm"], found["aside"]) == (0, "shaky", {})
    assert "is tried again: exit code 1: it printed nothing" in err
    assert [arm["failures"] for arm in found["arms"]] == [0, 0, 1]
    assert "Pulls that failed were tried again: shaky (1)." in found["sentence"]


EVERY_THIRD = "echo x >> calls; if [ $(($(wc -l < calls) % 3)) = 0 ]; then exit 1; fi; echo 0.9"


def test_where_failures_count_an_arm_that_fails_often_is_seen_to(tmp_path, capsys):
    file = write(tmp_path, *BETAS, ("shaky", shell(EVERY_THIRD)))
    tmp_path.joinpath("p.toml").write_text("failure = 0\n" + tmp_path.joinpath("p.toml").read_text())
    code, found, err = run_json(capsys, file, "--retries", "0")
    shaky = found["arms"][2]
    assert (code, found["aside"]) == (0, {})
    assert found["arm"] != "shaky"
    assert shaky["failures"] == shaky["pulls"] // 3
    assert "shaky: pull 7 failed and counts as 0: exit code 1" in err


@pytest.mark.parametrize(
    ("missing", "why"),
    [
        (shell("echo nan"), "its last line of output must be a number, got 'nan'"),
        ('call = "measures_of_nothing:none"', "its result is missing (None)"),
        ('call = "measures_of_nothing:nan"', "its result is missing (NaN)"),
        ('call = "measures_of_nothing:text"', "its result must be a number, got 'fast'"),
    ],
)
@pytest.mark.parametrize("counts", [True, False])
def test_what_is_no_result_is_a_failure(tmp_path, capsys, missing, why, counts):
    """Its arm was excluded at once, whatever `failure` said."""
    (tmp_path / "measures_of_nothing.py").write_text(
        "def none():\n    pass\ndef nan():\n    return float('nan')\ndef text():\n    return 'fast'\n"
    )
    file = write(tmp_path, *BETAS, ("odd", missing), head=("failure = 0\n" if counts else "") + HEAD)
    code, found, err = run_json(capsys, file)
    odd = found["arms"][2]
    assert code == 0
    assert found["arm"] != "odd"
    if counts:
        assert found["aside"] == {}
        assert odd["failures"] == odd["pulls"] > 0
        assert f"failed and counts as 0: {why}" in err
    else:
        assert found["aside"] == {"odd": why}
        assert (odd["failures"], odd["pulls"]) == (2, 0)
        assert f"failed and is tried again: {why}" in err


def test_a_program_that_is_not_there_is_no_outcome(tmp_path, capsys):
    file = write(tmp_path, *BETAS, ("missing", 'command = ["./not-there"]'))
    tmp_path.joinpath("p.toml").write_text("failure = 0\n" + tmp_path.joinpath("p.toml").read_text())
    code, found, _ = run_json(capsys, file)
    assert (code, found["aside"]) == (0, {"missing": "./not-there: No such file or directory"})
    assert found["arms"][2]["pulls"] == 0


def test_an_arm_left_alone_is_recommended_with_exit_code_3(tmp_path, capsys):
    code, found, _ = run_json(capsys, write(tmp_path, BETAS[0], ("broken", shell("exit 1"))))
    name = BETAS[0][0]
    assert (code, found["status"], found["arm"], found["recommended"]) == (3, "undecided", None, [name])
    assert f"{name} is the only arm that could be measured" in found["sentence"]
    assert found["resume"] is None


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (shell("echo high"), "its last line of output must be a number, got 'high'"),
        (shell("echo 0.1_5"), "its last line of output must be a number, got '0.1_5'"),
        (shell("echo 1.5"), "a result of arm 'odd' must be in [0, 1], got 1.5"),
        (shell("echo nan"), "its last line of output must be a number, got 'nan'"),
        (shell("echo inf"), "a result of arm 'odd' must be in [0, 1], got inf"),
        (shell("kill -9 $$"), "signal 9: it printed nothing"),
        (shell("sleep 60 & sleep 60"), "no result within 0.3 s"),
        ('call = "measures_of_failure:fails"', "RuntimeError: no luck"),
        ('call = "measures_of_failure:ends"', "SystemExit: 3"),
        ('call = "measures_of_failure:sleeps"', "no result within 0.3 s"),
        ('call = "measures_of_failure:nothing"', "its result is missing (None)"),
    ],
)
def test_why_an_arm_is_set_aside(tmp_path, capsys, source, why):
    (tmp_path / "measures_of_failure.py").write_text(
        "import time\ndef fails():\n    raise RuntimeError('no luck')\ndef ends():\n    raise SystemExit(3)\n"
        "def sleeps():\n    time.sleep(2)\ndef nothing():\n    pass\n"
    )
    file = write(tmp_path, *BETAS, ("odd", source))
    code, found, _ = run_json(capsys, file, "--timeout", "0.3", "--retries", "0")
    assert (code, found["aside"]) == (0, {"odd": why})


def test_a_command_that_takes_too_long_is_stopped_with_all_that_it_started(tmp_path, capsys):
    script = "sleep 100 & echo $! > child; wait"
    file = write(tmp_path, ("slow", shell(script)))
    code, found, _ = run_json(capsys, file, "--timeout", "0.5", "--retries", "0")
    assert (code, found["status"]) == (3, "undecided")
    child = (tmp_path / "child").read_text().strip()

    def gone():
        stat = Path(f"/proc/{child}/stat")
        return not stat.exists() or stat.read_text().split()[2] == "Z"

    wait_until(gone, 10)


def test_killed_at_any_moment_it_resumes_to_the_same_decision(tmp_path, capsys):
    betas = (("a", "beta = { mean = 0.55, variance = 0.02 }"), ("b", "beta = { mean = 0.45, variance = 0.02 }"))
    file = write(tmp_path, *betas)
    _, undisturbed, _ = run_json(capsys, file, "--db", str(tmp_path / "undisturbed.db"))
    db = tmp_path / "p.db"
    for _ in range(2):
        process, before = start(file), events(db)
        try:
            wait_until(lambda before=before: events(db) > before + 25)
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


def terminal(*arguments, columns=80, **environment):
    """What a run writes to a terminal of 24 lines."""
    leader, follower = pty.openpty()
    size = {"COLUMNS": str(columns), "LINES": "24", "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "surefoot", "run", *arguments]
    process = subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=follower, env=os.environ | size | environment
    )
    os.close(follower)
    written = b""
    while select.select([leader], [], [], 60)[0]:
        try:
            chunk = os.read(leader, 65536)
        except OSError:
            break
        if not chunk:
            break
        written += chunk
    os.close(leader)
    return process.wait(), written.decode()


def test_in_a_terminal_the_table_is_live_and_fits(tmp_path):
    slow = ("slow", shell("sleep 0.02; echo 0.5"))
    code, shown = terminal(write(tmp_path, *BETAS, slow, ("broken", shell("exit 1"))), NO_COLOR="1")
    assert code == 0
    assert "per second, about" in shown
    assert "more to a decision, leader good, challenger" in shown
    assert "▶ good" in shown
    assert "broken is excluded" in shown
    assert "good is best" in shown
    assert not re.search(r"\x1b\[[\d;]*(3[0-7]|38;5)", shown)  # no colours
    lines = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", shown).replace("\r", "\n").split("\n")
    assert max(len(line) for line in lines if "…" in line and "pull" not in line) <= 80


@pytest.mark.parametrize("width", [80, 120])
def test_without_a_limit_a_terminal_has_no_columns_of_risk(width):
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(arm_grid(Study(["A", "B"]).table(), width, {"A": "▶"}))
    head, _, first, _ = (line.split() for line in console.export_text().strip().splitlines())
    assert " ".join(head) == f"arm pulls mean {'its interval' if width < 110 else 'interval of the mean'} verdict"
    assert first == ["▶", "A", "0", "0.00", "…", "1.00", "not", "yet", "tried"]


def test_many_arms_show_the_few_that_matter(tmp_path, capsys):
    arms = [(f"arm{index}", "bernoulli = 0.5") for index in range(2000)]
    assert main(["run", write(tmp_path, *arms, head="rewards = [0, 1]\n"), "--max-pulls", "20"]) == 3
    out = capsys.readouterr().out
    assert "and 1,970 more arms, ruled out or pulled less often" in out
    assert len(out.splitlines()) < 40
