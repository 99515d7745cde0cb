"""Runs on the threads of this process: compiled kernels let go of the interpreter, so that all cores work."""

import queue
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from surefoot.simulation.job import BEGUN, Begin, Job, Report

REPORT_EVERY = 0.1  # seconds, about: after each report a thread sees whether to go on
FIRST_PULLS = 1_000  # between reports; doubled until they take long enough


class Workers:
    """What the threads of a sweep share: what is to do, what was done, and whether to go on."""

    def __init__(self, jobs: Sequence[Job], todo: Iterable[tuple[int, int]], stop: threading.Event) -> None:
        self.jobs, self.stop = jobs, stop
        self.over = threading.Event()  # nobody waits for reports any more
        self.begins: dict[int, Begin] = {}  # prepared by the first to come: others run while one compiles
        self.waiting: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
        for item in todo:
            self.waiting.put(item)
        self.reports: queue.SimpleQueue[Report | BaseException | None] = queue.SimpleQueue()  # None: a thread has ended

    @property
    def go_on(self) -> bool:
        return not (self.stop.is_set() or self.over.is_set())

    def work(self) -> None:
        """Do runs until none is left. In a thread."""
        at_a_time = FIRST_PULLS
        try:
            while self.go_on:
                index, trial = self.waiting.get_nowait()
                at_a_time = self.do(index, trial, at_a_time)
        except queue.Empty:
            pass
        except BaseException as error:
            self.reports.put(error)
        finally:
            self.reports.put(None)

    def do(self, index: int, trial: int, at_a_time: int) -> int:
        """Do a run, so many pulls at a time, and report each time; how many at a time proved right."""
        if index not in self.begins:
            self.begins[index] = self.jobs[index].prepare()
        advance, so_far = self.begins[index](trial), BEGUN
        while self.go_on and not so_far.done:
            began, before = time.perf_counter(), so_far.pulls
            so_far = advance(at_a_time)
            run = advance.ended(trial) if so_far.done else None
            by_arm = advance.pulls_of_arms() if run and self.jobs[index].by_arm else ()
            self.reports.put(Report(index, trial, so_far.pulls - before, run, by_arm))
            if not so_far.done and time.perf_counter() - began < REPORT_EVERY / 2:
                at_a_time *= 2
        return at_a_time


def on_threads(
    jobs: Sequence[Job], todo: Iterable[tuple[int, int]], workers: int, stop: threading.Event
) -> Iterator[Report]:
    """Do the runs in `todo`, each a job's index and the number of a run, in that order; until `stop`."""
    shared = Workers(jobs, todo, stop)
    threads = [threading.Thread(target=shared.work, daemon=True) for _ in range(min(workers, shared.waiting.qsize()))]
    working = len(threads)
    try:
        for thread in threads:
            thread.start()
        while working:
            report = shared.reports.get()
            if report is None:
                working -= 1
            elif isinstance(report, BaseException):
                raise report
            else:
                yield report
    finally:
        shared.over.set()  # whoever asked may have gone, or one thread may have failed


@contextmanager
def noticing_interrupts() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets, for work that ends in good order when it sees it; a second Ctrl-C does not wait."""
    noticed = threading.Event()

    def notice(number: int, frame: object) -> None:
        if noticed.is_set():
            raise KeyboardInterrupt
        noticed.set()

    if threading.current_thread() is not threading.main_thread():
        yield noticed
        return
    before = signal.signal(signal.SIGINT, notice)
    try:
        yield noticed
    finally:
        signal.signal(signal.SIGINT, before)
