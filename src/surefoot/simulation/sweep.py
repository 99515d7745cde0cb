"""Sweeps: many runs of one policy against one instance, on all cores, the same bits whatever their number."""

import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from surefoot import __version__
from surefoot.core.assembly import assemble
from surefoot.core.program import Program
from surefoot.errors import Interrupted, InvalidValue, Unsupported, one_of, whole
from surefoot.problem import Problem
from surefoot.simulation import kernel
from surefoot.simulation.instance import Instance
from surefoot.simulation.kernel import Progress
from surefoot.simulation.progress import Bar
from surefoot.simulation.results import Provenance, Run, Sweep

Advance: TypeAlias = Callable[..., Progress]

ENGINES = ("compiled", "interpreted")
GENEROUS = 100_000_000  # pulls of one run, when nobody set a limit
BREATH = 0.1  # seconds between two looks at whether to go on, about
ALLOWED = "kernels may use floats, ints, tuples, math and NumPy scalars; engine='interpreted' runs them as they are"
BEGUN = Progress(0, 0, 0, -1, False)


def simulate(
    instance: Instance | Problem | str | Path,
    policy: str = "va-lucb",
    bounds: str = "sharp",
    trials: int = 20,
    delta: float | None = None,
    seed: int = 0,
    workers: int | None = None,
    max_pulls: int | None = None,
    engine: str = "compiled",
    progress: bool | None = None,
) -> Sweep:
    """Run a policy `trials` times against simulated arms: an instance, a problem with distributions, or its file.

    Run k draws from `numpy.random.default_rng(SeedSequence(seed, spawn_key=(k,)))`, so that results depend on the seed
    alone. `progress` None shows a bar when standard error is a terminal. Ctrl-C raises `Interrupted`, whose `finished`
    is the sweep of the runs done by then.

    >>> from surefoot import Beta, Instance, simulate
    >>> arms = {"A": Beta(mean=0.5, variance=0.01), "B": Beta(mean=0.7, variance=0.1)}
    >>> instance = Instance(arms, risk="variance <= 0.04")
    >>> simulate(instance, trials=10, seed=1).decisions()
    {'best': {'A': 10}, 'infeasible': 0, 'undecided': 0}
    """
    trials = whole("trials", trials, at_least=1)
    seed = whole("seed", seed, at_least=0)
    workers = whole("workers", os.cpu_count() or 1 if workers is None else workers, at_least=1)
    compiled = one_of("engine", engine, ENGINES) == "compiled"
    instance = as_instance(instance).but(delta=delta, max_pulls=max_pulls)
    question = instance.question(policy)
    program = instance.problem.program(policy, bounds, question)
    budget = instance.problem.max_pulls or GENEROUS
    draws = instance.draws()
    advance: Advance

    def begin(trial: int) -> Callable[[int], Progress]:
        """Run `trial`, so many pulls further at each call."""
        state = program.start(question, packed=compiled)
        generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(trial,)))
        so_far = BEGUN

        def go_on(pulls: int) -> Progress:
            nonlocal so_far
            so_far = advance(state, draws, generator, so_far, so_far.pulls + pulls, budget)
            return so_far

        return go_on

    runs: list[Run] = []
    started = time.perf_counter()
    with Bar(trials, shown=progress) as bar, noticing_interrupts() as interrupted:
        try:
            first = (program.start(question, packed=compiled), draws, np.random.default_rng(0), BEGUN, 0, budget)
            advance = ready(program, compiled, first)
            started = time.perf_counter()
            runs = run_all(begin, trials, workers, bar, interrupted)
        except BaseException:
            if not interrupted.is_set():
                raise
    provenance = Provenance(
        version=__version__, policy=policy, bounds=bounds, seed=seed, trials=trials, engine=engine, max_pulls=budget
    )
    sweep = Sweep(instance, provenance, tuple(runs), time.perf_counter() - started)
    if len(runs) < trials:
        raise Interrupted(f"interrupted after {len(runs)} of {trials} runs", sweep)
    return sweep


def as_instance(given: Any) -> Instance:
    if isinstance(given, Instance):
        return given
    if isinstance(given, (str, Path)):
        return Instance.load(given)
    if isinstance(given, Problem):
        return Instance(given)
    raise InvalidValue(f"instance must be an Instance, a Problem or the path of a problem file, got {given!r}")


def ready(program: Program, compiled: bool, nothing_to_do: tuple[Any, ...]) -> Advance:
    """The loop with this program in it; compiled by a call in which there is nothing to do."""
    if not compiled:
        return assemble(kernel, program.parts).advance  # type: ignore[no-any-return]
    from surefoot.compiled import compile_program, forget, reason  # numba takes half a second to import

    advance: Advance = compile_program(kernel, program.parts).advance
    try:
        advance(*nothing_to_do)
    except Exception as error:
        if why := reason(error):
            raise Unsupported(f"a part of this program cannot be compiled: {why}; {ALLOWED}") from None
        forget(kernel, program.parts)  # most likely a cache that was cut off; without it, it works or fails for good
        advance = compile_program(kernel, program.parts).advance
        advance(*nothing_to_do)
    return advance


@contextmanager
def noticing_interrupts() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets: a KeyboardInterrupt alone may be lost inside the compiler."""
    noticed = threading.Event()

    def notice(number: int, frame: object) -> None:
        noticed.set()
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield noticed
        return
    before = signal.signal(signal.SIGINT, notice)
    try:
        yield noticed
    finally:
        signal.signal(signal.SIGINT, before)


def run_all(
    begin: Callable[[int], Callable[[int], Progress]], trials: int, workers: int, bar: Bar, interrupted: threading.Event
) -> list[Run]:
    """The finished runs in order: all of them, or fewer after Ctrl-C."""
    numbers = itertools.count()
    done: dict[int, Run] = {}
    failures: list[BaseException] = []
    ended = threading.Semaphore(0)

    def work() -> None:
        breath = 1_000  # pulls, doubled until they take long enough
        try:
            while not (interrupted.is_set() or failures) and (trial := next(numbers)) < trials:
                go_on, so_far = begin(trial), BEGUN
                while not (so_far.done or interrupted.is_set() or failures):
                    began, before = time.perf_counter(), so_far.pulls
                    so_far = go_on(breath)
                    bar.pulls += so_far.pulls - before
                    if not so_far.done and time.perf_counter() - began < BREATH / 2:
                        breath *= 2
                if so_far.done:
                    done[trial] = Run(trial, int(so_far.status), int(so_far.arm), int(so_far.pulls))
                    bar.done += 1
        except BaseException as error:
            failures.append(error)
        finally:
            ended.release()

    working = min(workers, trials)
    for _ in range(working):
        threading.Thread(target=work, daemon=True).start()
    while working:
        try:
            working -= ended.acquire(timeout=0.1)
            bar.refresh()
        except KeyboardInterrupt:
            interrupted.set()  # and wait for the runs to notice
    if failures:
        raise failures[0]
    return [done[trial] for trial in sorted(done)]
