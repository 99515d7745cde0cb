"""`surefoot run` when pulls fail: tried again, counted, or the arm excluded."""

import shlex
from pathlib import Path

import pytest

from surefoot.cli import main
from tests.cli.running import BETAS, HEAD, run_json, shell, write
from tests.work.processes import wait_until


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
        ('call = "measures_of_failure:fails"', "RuntimeError: no luck"),
        ('call = "measures_of_failure:ends"', "SystemExit: 3"),
        ('call = "measures_of_failure:nothing"', "its result is missing (None)"),
    ],
)
def test_why_an_arm_is_set_aside(tmp_path, capsys, source, why):
    (tmp_path / "measures_of_failure.py").write_text(
        "def fails():\n    raise RuntimeError('no luck')\ndef ends():\n    raise SystemExit(3)\n"
        "def nothing():\n    pass\n"
    )
    file = write(tmp_path, *BETAS, ("odd", source))
    code, found, _ = run_json(capsys, file, "--retries", "0")
    assert (code, found["aside"]) == (0, {"odd": why})


@pytest.mark.parametrize("source", [shell("sleep 60 & sleep 60"), 'call = "measures_of_sleep:sleeps"'])
def test_an_arm_that_takes_too_long_is_set_aside(tmp_path, capsys, source):
    (tmp_path / "measures_of_sleep.py").write_text("import time\ndef sleeps():\n    time.sleep(2)\n")
    code, found, _ = run_json(capsys, write(tmp_path, *BETAS, ("slow", source)), "--timeout", "0.3", "--retries", "0")
    assert (code, found["aside"]) == (0, {"slow": "no result within 0.3 s"})


def test_a_command_that_takes_too_long_is_stopped_with_all_that_it_started(tmp_path, capsys):
    """It is tried again until it had the time to start something, however slow the machine."""
    script = "if [ -s child ]; then exit 1; fi; sleep 100 & echo $! > child; wait"
    file = write(tmp_path, ("slow", shell(script)))
    code, found, _ = run_json(capsys, file, "--timeout", "0.5", "--retries", "20")
    assert (code, found["status"]) == (3, "undecided")
    child = (tmp_path / "child").read_text().strip()

    def gone():
        stat = Path(f"/proc/{child}/stat")
        return not stat.exists() or stat.read_text().split()[2] == "Z"

    wait_until(gone, 10)
