"""Run commands, each with all that it starts, and keep the end of what they print."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import Any, NamedTuple

from surefoot.errors import Unsupported
from surefoot.work import guardian

KEPT = 2**16  # bytes of each output
LARGEST_PIPE = 2**20  # bytes that can wait in one


class Ended(NamedTuple):
    """How a command ended: with an exit code; or there is none, because it was stopped or never ran."""

    code: int | None
    out: bytes = b""
    err: bytes = b""
    why: str = ""  # it never ran
    seconds: float = 0.0  # that it ran


class Commands:
    """The commands of a run, which several threads may run at once; guardian.py says how.

    When `run` returns, no process is left of that command; when `stop` returns, none of any.
    """

    def __init__(self) -> None:
        self.stopped = False
        self.changed = threading.Condition()
        self.running: set[socket.socket] = set()  # to the guardians
        self.line: socket.socket | None = None  # to their supervisor
        self.supervisor: subprocess.Popen[bytes] | None = None

    def run(
        self, arguments: tuple[str, ...], folder: Path, environment: dict[str, str], timeout: float | None = None
    ) -> Ended:
        """Run a command to its end, for so many seconds at most."""
        task = {"arguments": arguments, "folder": str(folder), "environment": environment, "timeout": timeout}
        try:
            with self.guardian() as (control, out, err):
                with suppress(OSError):  # a guardian that is gone is noticed by its silence
                    control.sendall(json.dumps(task).encode() + b"\n")
                return followed(control.fileno(), out, err)
        except OSError as error:  # there is no process or descriptor left to be had
            return Ended(None, why=error.strerror or str(error))

    def stop(self) -> None:
        """Stop every command that is running, and begin no other."""
        with self.changed:
            self.stopped = True
            for control in self.running:
                with suppress(OSError):
                    control.shutdown(socket.SHUT_WR)
            self.changed.wait_for(lambda: not self.running)
            self.hang_up()

    @contextmanager
    def guardian(self) -> Iterator[tuple[socket.socket, int, int]]:
        """One that waits for its task: the socket that it listens to, and where to read what its command prints."""
        with ExitStack() as ours:
            with ExitStack() as theirs:
                control, listening = socket.socketpair()
                ours.enter_context(control)
                theirs.enter_context(listening)
                outputs, passed = [], [listening.fileno()]
                for _ in range(2):
                    output, printed = os.pipe()
                    ours.callback(os.close, output)
                    theirs.callback(os.close, printed)
                    os.set_blocking(output, False)
                    outputs.append(output)
                    passed.append(printed)
                with self.changed:
                    if not self.stopped:  # else nobody has the other ends, and the command is over at once
                        self.ask(passed)
                        self.running.add(control)
            try:
                yield control, outputs[0], outputs[1]
            finally:
                with self.changed:
                    self.running.discard(control)
                    self.changed.notify_all()

    def ask(self, descriptors: list[int]) -> None:
        """Have a guardian forked with these descriptors; a supervisor that somebody killed is replaced."""
        if self.line:
            try:
                socket.send_fds(self.line, [b"!"], descriptors)
                return
            except OSError:
                self.hang_up()
        self.line, theirs = socket.socketpair()
        with theirs:
            self.supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", guardian.__file__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the run
            )
        socket.send_fds(self.line, [b"!"], descriptors)

    def hang_up(self) -> None:
        if self.line:
            self.line.close()
            self.line = None
        if self.supervisor:
            self.supervisor.wait()
            self.supervisor = None


def check_system() -> None:
    """Can commands be watched over here?"""
    if not hasattr(os, "fork"):
        raise Unsupported(
            "commands can be run on Linux, macOS and other Unix systems only: on this system, `call` a Python function"
        )


def followed(control: int, out: int, err: int) -> Ended:
    """Read until the guardian is gone, which is after all that it watched over; of each output keep the end."""
    kept = {descriptor: bytearray() for descriptor in (control, out, err)}
    with DefaultSelector() as selector:
        for descriptor in kept:
            selector.register(descriptor, EVENT_READ)
        while control in selector.get_map():
            for key, _ in selector.select():
                if not take(key.fd, kept[key.fd], KEPT):
                    selector.unregister(key.fd)
    for descriptor in (out, err):
        take(descriptor, kept[descriptor], LARGEST_PIPE)
    said = kept[control].splitlines()
    outcome: dict[str, Any] = json.loads(said[0]) if said else {"why": "the process that watched over it was killed"}
    why, seconds = outcome.get("why", ""), outcome.get("seconds", 0.0)
    return Ended(outcome.get("code"), bytes(kept[out]), bytes(kept[err]), why, seconds)


def take(descriptor: int, kept: bytearray, most: int) -> bool:
    """Add what has come to the end that is kept; whether anything has."""
    try:
        piece = os.read(descriptor, most)
    except OSError:  # nothing, for now; or the guardian was killed
        return False
    kept += piece
    del kept[:-KEPT]
    return bool(piece)
