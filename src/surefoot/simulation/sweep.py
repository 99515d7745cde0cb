"""Sweeps: many runs of one policy against one instance, on all cores, the same bits whatever their number."""

import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TypeAlias

import numpy as np

from surefoot import __version__
from surefoot.core.assembly import assemble
from surefoot.core.program import Program
from surefoot.errors import Interrupted, one_of, whole
from surefoot.simulation import kernel
from surefoot.simulation.instance import Instance
from surefoot.simulation.kernel import Progress
from surefoot.simulation.progress import Bar
from surefoot.simulation.results import Provenance, Run, Sweep

Advance: TypeAlias = Callable[..., Progress]

ENGINES = ("compiled", "interpreted")
GENEROUS = 100_000_000  # pulls of one run, when nobody set a limit
BEGUN = Progress(0, 0, 0, -1, False)
BREATH = 1_000_000  # pulls between two looks at the clock: a tenth of a second


def simulate(
    instance: Instance,
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
    """Run a policy `trials` times against simulated arms.

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
    instance = instance.but(delta=delta, max_pulls=max_pulls)
    question = instance.question(policy)
    program = instance.problem.program(policy, bounds, question)
    compiled = one_of("engine", engine, ENGINES) == "compiled"
    advance: Advance = load(program, compiled).advance
    budget = instance.problem.max_pulls or GENEROUS
    draws = instance.draws()

    def begin(trial: int) -> Callable[[], Progress]:
        """Run `trial`, a breath at each call."""
        state = program.start(question, packed=compiled)
        generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(trial,)))
        so_far = BEGUN

        def breathe() -> Progress:
            nonlocal so_far
            so_far = advance(state, draws, generator, so_far, so_far.pulls + BREATH, budget)
            return so_far

        return breathe

    provenance = Provenance(
        version=__version__, policy=policy, bounds=bounds, seed=seed, trials=trials, engine=engine, max_pulls=budget
    )
    runs: list[Run] = []
    started = time.perf_counter()
    with Bar(trials, shown=progress) as bar, noticing_interrupts() as interrupted:
        try:
            advance(
                program.start(question, packed=compiled), draws, np.random.default_rng(0), BEGUN, 0, budget
            )  # compile
            started = time.perf_counter()
            runs = run_all(begin, trials, workers, bar, interrupted)
        except BaseException:
            if not interrupted.is_set():
                raise
    sweep = Sweep(instance, provenance, tuple(runs), time.perf_counter() - started)
    if len(runs) < trials:
        raise Interrupted(f"interrupted after {len(runs)} of {trials} runs", sweep)
    return sweep


def load(program: Program, compiled: bool) -> ModuleType:
    """The loop with this program in it."""
    if not compiled:
        return assemble(kernel, program.parts)
    from surefoot.compiled import compile_program  # numba takes half a second to import

    return compile_program(kernel, program.parts)


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
    begin: Callable[[int], Callable[[], Progress]], trials: int, workers: int, bar: Bar, interrupted: threading.Event
) -> list[Run]:
    """The finished runs in order: all of them, or fewer after Ctrl-C."""
    numbers = itertools.count()
    done: dict[int, Run] = {}
    failures: list[BaseException] = []

    def work() -> None:
        try:
            while not (interrupted.is_set() or failures) and (trial := next(numbers)) < trials:
                breathe = begin(trial)
                so_far = breathe()
                while not (so_far.done or interrupted.is_set() or failures):
                    bar.pulled(BREATH)
                    so_far = breathe()
                if so_far.done:
                    done[trial] = Run(trial, int(so_far.status), int(so_far.arm), int(so_far.pulls))
                    bar.finished(so_far.pulls % BREATH)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(workers, trials))]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(0.1)
                bar.refresh()
    except KeyboardInterrupt:
        interrupted.set()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]
    return [done[trial] for trial in sorted(done)]
