"""Drive a study to its decision with callables that measure each arm."""

import sys
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from time import monotonic
from typing import Any

from surefoot.errors import Interrupted, InvalidValue, MeasureFailed, no_result, whole
from surefoot.study.pull import Pull
from surefoot.study.study import Study


def find_best(
    measures: Mapping[str, Callable[[], float]],
    *,
    workers: int = 1,
    progress: bool | None = None,
    watch: Callable[[Study], None] | None = None,
    **fields: Any,
) -> Study:
    """Call the measures until the study of them is decided, and return it.

    A measure that raises, or returns no number (None, NaN, text), ends it with `MeasureFailed`; unless `failure` is given,
    the number that a failed pull counts as.
    `workers` threads call them at once, `progress` None shows a line when standard error is a terminal, `watch` is called
    with the study after each reward. Further fields are those of a problem (risk, rewards, delta, max_pulls, …) and of a
    study (policy, bounds). Ctrl-C raises `Interrupted`, whose `finished` is the study so far.

    >>> from surefoot import find_best
    >>> study = find_best({"A": lambda: 0.2, "B": lambda: 0.7}, risk="variance <= 0.04", rewards=(0, 1))
    >>> study.decision.arm
    'B'
    """
    whole("workers", workers, at_least=1)
    if not isinstance(measures, Mapping) or not all(map(callable, measures.values())):
        raise InvalidValue("find_best takes a mapping of names to callables, such as {'A': measure_a, 'B': measure_b}")
    study = Study(list(measures), **fields)
    measure = dict(zip(study.problem.names, measures.values(), strict=True))
    line = Line(shown=progress)
    pool = ThreadPoolExecutor(workers)
    running: dict[Future[float], Pull] = {}
    try:
        while not study.decided or running:
            if len(running) < workers:
                for pull in study.ask(workers - len(running)):
                    running[pool.submit(measure[pull.arm])] = pull
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                take(study, running.pop(future), future)
                line(study)
                if watch:
                    watch(study)
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted after {study.pulls} pulls", study) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for pull in running.values():
            study.abandon(pull)
        line.end()
    return study


def take(study: Study, pull: Pull, future: Future[float]) -> None:
    """Tell a pull's reward; an error of its callable is reported against its arm."""
    try:
        reward = future.result()
    except Exception as error:
        if study.problem.failure is not None:
            study.fail(pull, f"{type(error).__name__}: {error}")
            return
        study.abandon(pull)
        raise MeasureFailed(f"measuring arm {pull.arm!r} failed: {type(error).__name__}: {error}", study) from error
    except BaseException:
        study.abandon(pull)
        raise
    if study.problem.failure is not None and (why := no_result(reward)):
        study.fail(pull, f"its result {why}")
        return
    try:
        study.tell(pull, reward)
    except InvalidValue as error:
        study.abandon(pull)
        raise MeasureFailed(f"measuring arm {pull.arm!r} returned no reward: {error}", study) from error


class Line:
    """How far a study is, on one line of standard error that is written over."""

    def __init__(self, shown: bool | None) -> None:
        self.shown = sys.stderr.isatty() if shown is None else shown
        self.last = 0.0

    def __call__(self, study: Study) -> None:
        if self.shown and monotonic() - self.last > 0.1:
            self.last = monotonic()
            print(f"\r{study.pulls:,} pulls\033[K", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
