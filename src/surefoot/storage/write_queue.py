"""Who wants to write to a file waits in line, among the threads of a process and among processes.

SQLite lets whoever looks first have its lock, and those who wait look more and more rarely: a process may wait for seconds
while others take turn after turn. So they first wait for a lock of the system on the log, which the system hands on in turn.
It is for order only: that one alone writes, SQLite's lock sees to.
"""

import os
import threading
from contextlib import suppress
from types import TracebackType

try:
    import fcntl
except ImportError:  # not on Windows: there is no order among processes
    fcntl = None  # type: ignore[assignment]


class WriteQueue:
    """The line for one file, by the name of its log."""

    def __init__(self, log: str) -> None:
        self.log = log
        self.threads = threading.Lock()
        self.file: int | None = None

    def __enter__(self) -> None:
        self.threads.acquire()
        try:
            self.wait()
        except BaseException:
            self.leave()
            raise

    def wait(self) -> None:
        if fcntl is None:
            return
        with suppress(OSError):  # there is no log yet, or none that may be opened: then there is no order
            self.file = os.open(self.log, os.O_RDWR)
            fcntl.flock(
                self.file, fcntl.LOCK_EX
            )  # the head of the line: whoever had a turn comes after who waits there
            fcntl.lockf(self.file, fcntl.LOCK_EX)  # the turn
            fcntl.flock(self.file, fcntl.LOCK_UN)

    def leave(self) -> None:
        """Unlocked by name, because a child process that was forked meanwhile may have the file open, too."""
        file, self.file = self.file, None
        if file is not None:
            with suppress(OSError):
                fcntl.lockf(file, fcntl.LOCK_UN)
                fcntl.flock(file, fcntl.LOCK_UN)
            os.close(file)
        self.threads.release()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()
