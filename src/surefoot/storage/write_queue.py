"""Who wants to write to a file waits in line, among the threads of a process and among processes.

SQLite lets whoever looks first have its lock, and those who wait look more and more rarely: a process may wait for seconds
while others take turn after turn. So they first get two locks of the system on the log, which the system hands on in turn:
the head of the line, then the turn. Whoever is at the head has the next turn, and whoever had one comes after it.

It is for order only: that one alone writes, SQLite's lock sees to. A process may be stopped while it has either lock, so
nobody waits long for a line that does not move.
"""

import os
import threading
import time
from contextlib import suppress
from types import TracebackType

try:
    import fcntl
except ImportError:  # not on Windows: there is no order among processes
    fcntl = None  # type: ignore[assignment]

STUCK = 0.5  # seconds in which nobody writes, though somebody is in front
LONGEST = 3.0  # seconds in the line: others may have left it, and write


class WriteQueue:
    """The line for one file, by the name of its log."""

    def __init__(self, log: str) -> None:
        self.log = log
        self.threads = threading.Lock()
        self.file: int | None = None  # the log, open from turn to turn
        self.has_turn = False  # is it locked, because nobody was in front?
        self.is_closed = False  # is the log to be opened anew?
        self.place: Place | None = None

    def __enter__(self) -> None:
        self.threads.acquire()
        try:
            if fcntl is not None and (self.place is None or self.place.is_over.is_set()):
                self.line_up()
        except BaseException:
            self.leave()
            raise

    def line_up(self) -> None:
        """One writer alone, which is the rule, needs no place to wait at."""
        self.place = None
        try:
            if self.file is None:
                self.file = os.open(self.log, os.O_RDWR)
            self.has_turn = is_first(self.file)
            if not self.has_turn:
                file, self.file = self.file, None
                self.place = Place(file)
                self.place.wait()
        except OSError:
            pass  # there is no log yet, or none that may be opened: then there is no order

    def leave(self) -> None:
        if self.has_turn and self.file is not None:
            self.has_turn = False
            fcntl.lockf(self.file, fcntl.LOCK_UN)
        elif self.place is not None and self.place.leave():
            self.place = (
                None  # or else a thread still stands there: as long as it does, this process writes out of turn
            )
        if self.is_closed:
            self.close_file()
        self.threads.release()

    def close(self) -> None:
        """Another log may have the name from now on. During a turn, the file is closed at its end."""
        self.is_closed = True
        if self.threads.acquire(blocking=False):
            self.close_file()
            self.threads.release()

    def close_file(self) -> None:
        self.is_closed = False
        if self.file is not None:
            file, self.file = self.file, None
            os.close(file)

    def __del__(self) -> None:
        self.close_file()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()


def is_first(file: int) -> bool:
    """Take the turn, if nobody is in front."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False  # and at the head of the line
    fcntl.flock(file, fcntl.LOCK_UN)
    return True


class Place:
    """One in the line, with somebody in front. A thread stands there, for a lock of the system has no limit of waiting."""

    def __init__(self, file: int) -> None:
        self.file: int | None = file  # the log
        self.changing = threading.Lock()
        self.is_left = False
        self.has_come = threading.Event()
        self.is_over = threading.Event()

    def wait(self) -> None:
        """Until it is this one's turn, or the line is stuck."""
        file = self.file
        assert file is not None
        threading.Thread(target=self.stand, args=(file,), daemon=True).start()
        limit, written = time.monotonic() + LONGEST, self.written(file)
        while not self.has_come.wait(STUCK) and time.monotonic() < limit:
            before, written = written, self.written(file)
            if written == before:
                return

    def stand(self, file: int) -> None:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
            fcntl.lockf(file, fcntl.LOCK_EX)
            fcntl.flock(file, fcntl.LOCK_UN)
        with self.changing:
            self.has_come.set()
            if self.is_left:
                self.let_go()

    def written(self, file: int) -> int:
        """When somebody last wrote to the log."""
        return os.fstat(file).st_mtime_ns

    def leave(self) -> bool:
        """Whether nobody stands there any more."""
        with self.changing:
            self.is_left = True
            if self.has_come.is_set():
                self.let_go()
            return self.is_over.is_set()

    def let_go(self) -> None:
        """Unlocked by name, because a child process that was forked meanwhile may have the file open, too."""
        file, self.file = self.file, None
        if file is not None:
            with suppress(OSError):
                fcntl.lockf(file, fcntl.LOCK_UN)
                fcntl.flock(file, fcntl.LOCK_UN)
            os.close(file)
        self.is_over.set()
