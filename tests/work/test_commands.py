"""Commands: what they print, how they end, and that nothing is left of them."""

import gc
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from surefoot import Problem
from surefoot.work.commands import KEPT, Commands
from surefoot.work.measures import Measures, PullFailed
from tests.work.processes import LEAVES, marked, wait_until

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans to a guardian")


@pytest.fixture
def commands():
    commands = Commands()
    yield commands
    commands.stop()


@pytest.fixture
def mark():
    return f"SUREFOOT_TEST={uuid.uuid4().hex}"


@pytest.fixture
def shell(commands, mark, tmp_path):
    """Run a script, all of whose processes are marked."""
    environment = os.environ | dict([mark.split("=")])
    return lambda script, timeout=None: commands.run(("sh", "-c", script), tmp_path, environment, timeout)


def test_a_run_may_have_a_thousand_files_open(shell):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 1_200
    if hard != resource.RLIM_INFINITY and hard < wanted + 100:
        pytest.skip("this system allows fewer files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted + 100), hard))
    files = [os.open(os.devnull, os.O_RDONLY) for _ in range(wanted)]
    try:
        assert shell("echo 0.5").out == b"0.5\n"
    finally:
        for file in files:
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def measured(folder, script):
    """The reward that a script brings."""
    command = json.dumps(["sh", "-c", script])
    measures = Measures(Problem.loads(f'rewards = [0, 1]\n[[arms]]\nname = "a"\ncommand = {command}\n'), folder)
    try:
        return measures.of["a"](1)
    finally:
        measures.stop()


# --- what it is and prints


def test_a_command_has_the_folder_the_environment_and_no_input(commands, tmp_path):
    environment = os.environ | {"WORD": "\udcff two"}
    ended = commands.run(("sh", "-c", 'pwd; echo "$WORD"; cat; echo e >&2; exit 3'), tmp_path, environment)
    assert ended[:4] == (3, f"{tmp_path}\n".encode() + b"\xff two\n", b"e\n", "")


def test_signals_that_python_ignores_are_not_ignored_in_a_command(shell):
    assert shell("kill -PIPE $$; echo ignored").code == -signal.SIGPIPE


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("./not-there",), "No such file or directory"),
        (("not-there-either",), "No such file or directory"),
        (("./file",), "Permission denied"),
        (("sh", "a\0b"), "embedded null byte"),
    ],
)
def test_why_a_command_cannot_be_started(commands, tmp_path, arguments, why):
    (tmp_path / "file").touch(mode=0o600)
    assert commands.run(arguments, tmp_path, dict(os.environ)) == (None, b"", b"", why, 0.0)


def test_of_much_output_the_end_is_kept(shell):
    ended = shell("yes a | head -n 100000; echo 0.5; yes b | head -n 100000 >&2; echo last >&2; exit 1")
    assert ended.code == 1
    assert (len(ended.out), len(ended.err)) == (KEPT, KEPT)
    assert ended.out.endswith(b"a\na\n0.5\n")
    assert ended.err.endswith(b"b\nb\nlast\n")


def test_much_output_does_not_cost_much_memory(tmp_path):
    script = """if True:
        import pathlib, resource
        from tests.work.test_commands import measured
        folder = pathlib.Path()
        measured(folder, "echo 0.5")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(measured(folder, "head -c 200000000 /dev/zero; echo; echo 0.25"))
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
    """
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    reward, megabytes = map(float, found.stdout.split())
    assert reward == 0.25
    assert megabytes < 20


@pytest.mark.parametrize(
    ("script", "reward"),
    [
        ("yes a | head -n 100000; echo 0.5", 0.5),
        (r"printf '10 %%\r100 %%\r0.5\r\n\n  \n'", 0.5),
        (r"printf '\377\376\n0.5'", 0.5),
    ],
)
def test_the_reward_is_the_last_line_that_is_not_blank(tmp_path, script, reward):
    assert measured(tmp_path, script) == reward


def test_a_last_line_that_does_not_fit_is_no_number(tmp_path):
    with pytest.raises(PullFailed, match="its last line of output must be a number within its last 64 kB, got '…000"):
        measured(tmp_path, "yes 0 | head -n 100000 | tr -d '\\n'; echo .5")


# --- nothing is left


@linux
@pytest.mark.parametrize(
    ("script", "timeout", "code"),
    [
        (LEAVES + "echo 0.5", None, 0),
        (LEAVES + "exit 3", None, 3),
        (LEAVES + "sleep 100", 0.5, None),
        (LEAVES + "exec 1>&- 2>&-; sleep 100", 0.5, None),
        ("trap '' TERM HUP INT; " + LEAVES + "wait", 0.5, None),
    ],
)
def test_nothing_that_a_command_started_outlives_it(shell, mark, script, timeout, code):
    ended = shell(script, timeout)
    assert (ended.code, ended.why) == (code, "")
    assert marked(mark) == {}


@linux
def test_nothing_outlives_a_stop(commands, shell, mark):
    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(shell, LEAVES + "sleep 100") for _ in range(4)]
        wait_until(lambda: len(marked(mark)) >= 4 * 7)
        commands.stop()
        assert marked(mark) == {}
        assert [each.result().code for each in found] == [None] * 4
    assert shell("echo late").code is None


def test_a_stop_during_start_up_is_a_stop(mark, tmp_path):
    environment = os.environ | dict([mark.split("=")])
    for _ in range(20):
        commands = Commands()
        thread = threading.Thread(target=commands.run, args=(("sleep", "100"), tmp_path, environment))
        thread.start()
        commands.stop()
        thread.join()
    assert marked(mark) == {}


@linux
def test_a_supervisor_that_was_killed_is_replaced_and_its_commands_go_on(commands, shell, mark, tmp_path):
    with ThreadPoolExecutor() as pool:
        first = pool.submit(shell, "echo > begun; while [ ! -e end ]; do sleep 0.01; done; echo 0.5")
        wait_until((tmp_path / "begun").exists)
        commands.supervisor.kill()
        commands.supervisor.wait()
        assert shell("echo 0.25").out == b"0.25\n"
        (tmp_path / "end").touch()
        assert first.result()[:4] == (0, b"0.5\n", b"", "")
    assert marked(mark) == {}


@linux
def test_a_guardian_that_was_killed_is_noticed_and_its_command_ends(shell, mark, tmp_path):
    ended = shell("kill -9 $PPID; sleep 100")
    assert (ended.code, ended.why) == (None, "the process that watched over it was killed")
    wait_until(lambda: "sleep 100" not in marked(mark).values())


@linux
def test_many_commands_leave_no_descriptor_and_no_zombie(commands, shell):
    shell("true")

    def standing():
        return len(os.listdir("/proc/self/fd")), len(os.listdir(f"/proc/{commands.supervisor.pid}/fd"))

    gc.collect()  # what other tests left behind would be gone by the end
    before = standing()
    with ThreadPoolExecutor(32) as pool:
        found = list(pool.map(shell, [f"sleep 100 & echo {number}" for number in range(100)]))
    assert [int(ended.out) for ended in found] == list(range(100))
    wait_until(lambda: all(now <= then for now, then in zip(standing(), before, strict=True)))
    children = Path(f"/proc/{commands.supervisor.pid}/task/{commands.supervisor.pid}/children")
    wait_until(lambda: children.read_text() == "")
