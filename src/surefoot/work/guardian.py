"""The processes that watch over commands, so that nothing a command started outlives its pull. Not imported: run by itself.

A run starts one *supervisor*, which is small and therefore quick to fork. For each pull it forks a *guardian*, which starts
the command, waits for its end, kills all that it left behind and says how it ended. A guardian also ends its command when
the run hangs up, and a run hangs up in whatever way it dies: the kernel closes its sockets.

On Linux a guardian inherits all orphans among its descendants, also those with sessions of their own. Elsewhere it kills
the command's process group.
"""

import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NoReturn

PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>
LONGEST_WAIT = 3600.0  # seconds; no system waits for any number of them at once


def supervise(line: socket.socket) -> None:
    """Fork a guardian for each three descriptors that come, until the run hangs up."""
    prctl = linux_prctl()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    wakes = wake_when_a_child_ends()
    guardians: set[int] = set()
    while True:
        ready = readable(line.fileno(), wakes)
        if wakes in ready:
            for child, status in list(reaped(wakes)):
                if child not in guardians or status:  # somebody killed a guardian, and what it watched over is ours now
                    for stray in set(children()) - guardians:
                        kill(stray)
                guardians.discard(child)
        if line.fileno() in ready:
            asked, descriptors, *_ = socket.recv_fds(line, 1, 3)
            if not asked:
                return
            guardians |= forked(line, descriptors, prctl)


def forked(line: socket.socket, descriptors: list[int], prctl: Any) -> set[int]:
    """A guardian; none if there can be no more processes."""
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    listening, out, err = descriptors
    with socket.socket(fileno=listening) as control:
        try:
            if (guardian := os.fork()) == 0:
                line.close()
                guard(control, out, err, prctl)
            return {guardian}
        except OSError as error:
            say(control, why=error.strerror)
            return set()
        finally:
            os.close(out)
            os.close(err)


def guard(control: socket.socket, out: int, err: int, prctl: Any) -> NoReturn:
    """Watch over one command, in a process of its own."""
    try:
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        wakes = wake_when_a_child_ends()
        if request := control.makefile("rb").readline():
            task = json.loads(request)
            begun = time.monotonic()
            command = started(task, out, err)
            os.close(out)
            os.close(err)
            code = ended(command, control, wakes, task["timeout"])
            seconds = (
                time.monotonic() - begun
            )  # here, because the way to the run and back takes longer than many a command
            kill_all(command)
            say(control, code=code, seconds=seconds)
    except (OSError, ValueError) as error:  # a null character in a word is a ValueError
        say(control, why=getattr(error, "strerror", None) or str(error))
    finally:
        os._exit(0)


def started(task: dict[str, Any], out: int, err: int) -> int:
    """The command, in a group of its own. Spawned, which costs less than to fork Python once more."""
    environment = task["environment"]
    os.chdir(task["folder"])
    os.environ["PATH"] = environment.get("PATH", os.defpath)  # where it is looked for
    return os.posix_spawnp(
        task["arguments"][0],
        task["arguments"],
        environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, err, 2)],
        setpgroup=0,
        setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],  # Python ignores them, and what is ignored would stay so
    )


def ended(command: int, control: socket.socket, wakes: int, timeout: float | None) -> int | None:
    """The exit code with which the command ended by itself; None if its time was up or the run hung up."""
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        left = LONGEST_WAIT if deadline is None else deadline - time.monotonic()
        ready = readable(control.fileno(), wakes, seconds=min(max(left, 0.0), LONGEST_WAIT))
        if wakes in ready:
            for child, status in reaped(wakes):
                if child == command:
                    return os.waitstatus_to_exitcode(status)
        if control.fileno() in ready or left <= 0:
            return None


def kill_all(command: int) -> None:
    """Kill the command's group, then our children until there are none: those of a killed child become ours."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(command, signal.SIGKILL)
    patience = 100
    while patience:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        if not sum(map(kill, children())):
            patience -= 1  # they are just dying; or they are another user's by now, as with sudo
        time.sleep(0.001)


def kill(process: int) -> bool:
    """Kill a process, if it may be."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)
        return True
    return False


def readable(*descriptors: int, seconds: float | None = None) -> set[int]:
    """Wait until one of them can be read, or has ended. By `poll`: a run with a thousand files open has larger descriptors
    than `select` takes.
    """
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    return {descriptor for descriptor, _ in poll.poll(None if seconds is None else 1e3 * seconds)}


def wake_when_a_child_ends() -> int:
    """A descriptor that can be read then."""
    wakes, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    return wakes


def reaped(wakes: int) -> Iterator[tuple[int, int]]:
    """The children that have ended, orphans that were handed to us too, with their status."""
    os.read(wakes, 4096)
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            yield ended


def children() -> list[int]:
    """Our own, by the parents that Linux names in /proc; none on other systems, which leave us no orphans."""
    numbers, parent = [], str(os.getpid())
    for name in filter(str.isdecimal, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
            if file.read().rpartition(b")")[2].split()[1].decode() == parent:
                numbers.append(int(name))
    return numbers


def linux_prctl() -> Any:
    """The call of that name; where it or /proc is missing, one that does nothing."""
    try:
        import ctypes

        prctl = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return lambda *arguments: None
    return prctl if os.path.exists("/proc/self/stat") else lambda *arguments: None


def say(control: socket.socket, **words: Any) -> None:
    with suppress(OSError):  # nobody listens any more
        control.sendall(json.dumps(words).encode() + b"\n")


if __name__ == "__main__":
    supervise(socket.socket(fileno=int(sys.argv[1])))
