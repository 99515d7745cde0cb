"""Runs on the threads of this process: compiled kernels let go of the interpreter, so that all cores work."""

import queue
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from surefoot.simulation.job import BEGUN, Begin, Job, Report, done

BREATH = 0.1  # seconds between two looks at whether to go on, about


def on_threads(
    jobs: Sequence[Job], todo: Iterable[tuple[int, int]], workers: int, stop: threading.Event
) -> Iterator[Report]:
    """Do the runs in `todo`, each a job's index and the number of a run, in that order; until `stop`."""
    begins: dict[int, Begin] = {}  # prepared by the first to come: others run while one compiles
    over = threading.Event()
    waiting: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
    for item in todo:
        waiting.put(item)
    reports: queue.SimpleQueue[Report | BaseException | None] = queue.SimpleQueue()

    def work() -> None:
        breath = 1_000  # pulls, doubled until they take long enough
        try:
            while not (stop.is_set() or over.is_set()):
                index, trial = waiting.get_nowait()
                if index not in begins:
                    begins[index] = jobs[index].prepare()
                go_on, so_far = begins[index](trial), BEGUN
                while not (so_far.done or stop.is_set() or over.is_set()):
                    began, before = time.perf_counter(), so_far.pulls
                    so_far = go_on(breath)
                    run = done(trial, so_far) if so_far.done else None
                    by_arm = go_on.pulls_of_arms() if run and jobs[index].by_arm else ()
                    reports.put(Report(index, trial, so_far.pulls - before, run, by_arm))
                    if not so_far.done and time.perf_counter() - began < BREATH / 2:
                        breath *= 2
        except queue.Empty:
            pass
        except BaseException as error:
            reports.put(error)
        finally:
            reports.put(None)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(workers, waiting.qsize()))]
    working = len(threads)
    try:
        for thread in threads:
            thread.start()
        while working:
            report = reports.get()
            if report is None:
                working -= 1
            elif isinstance(report, BaseException):
                raise report
            else:
                yield report
    finally:
        over.set()  # whoever asked may have gone, or one thread may have failed


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
