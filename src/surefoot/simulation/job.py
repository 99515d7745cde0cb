"""A sweep to be done: plain data that any thread or process can do runs of."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from surefoot import __version__
from surefoot.core.assembly import assemble
from surefoot.core.comparisons import on_items
from surefoot.core.program import Program
from surefoot.core.state import State
from surefoot.errors import one_of, whole
from surefoot.problem import choice
from surefoot.simulation import item_draws, kernel
from surefoot.simulation.generators import run_generator
from surefoot.simulation.instance import Instance
from surefoot.simulation.kernel import Progress
from surefoot.simulation.loading import first_called
from surefoot.simulation.recommended import Recommender
from surefoot.simulation.several_metrics import source
from surefoot.simulation.sweep_results import Provenance, Run

ENGINES = ("compiled", "interpreted")
GENEROUS = 100_000_000  # pulls of one run, when nobody set a limit
BEGUN = Progress(0, 0, 0, -1, False)

Advance: TypeAlias = Callable[..., Progress]
Begin: TypeAlias = Callable[[int], "Underway"]  # from the number of a run


class Underway:
    """A begun run: so many pulls further at each call. A thread ends one before it begins another, or leaves it for good."""

    def __init__(
        self,
        advance: Advance,
        state: State,
        draws: Any,
        generator: np.random.Generator,
        max_pulls: int,
        recommend: Recommender | None = None,
    ) -> None:
        self.advance, self.state, self.draws = advance, state, draws
        self.generator, self.max_pulls, self.recommend = generator, max_pulls, recommend
        if state.items:
            self.draws = item_draws.begun(draws, generator)
        self.so_far = BEGUN

    def __call__(self, pulls: int) -> Progress:
        pause = self.so_far.pulls + pulls
        while True:
            self.so_far = self.advance(self.state, self.draws, self.generator, self.so_far, pause, self.max_pulls)
            if self.so_far.done or self.so_far.pulls >= pause:
                return self.so_far
            self.make_room()

    def make_room(self) -> None:
        """For further results on items: kernels allocate nothing."""
        items = self.state.items
        if items.most[0] >= items.capacity:
            self.state = self.state._replace(items=on_items.enlarged(items))
        if items.most[0] >= len(self.draws[0].common):
            self.draws = item_draws.enlarged(self.draws, 4 * len(self.draws[0].common))

    def ended(self, trial: int) -> Run:
        """The run, once it is done; with its recommendation, if it was decided or somebody wants it."""
        end = self.so_far
        run = Run(trial, int(end.status), int(end.arm), int(end.pulls))
        return run if self.recommend is None else run._replace(**self.recommend(self.state, end)._asdict())

    def pulls_of_arms(self) -> tuple[int, ...]:
        arms = self.state.arms
        pulls = arms["metric"]["pulls"].tolist() if isinstance(arms, np.ndarray) else [arm.metric.pulls for arm in arms]
        return tuple(map(int, pulls))


@dataclass(frozen=True, slots=True)
class Job:
    """Run a policy `trials` times against an instance. Run k depends on the seed and k alone."""

    instance: Instance
    policy: str
    bounds: str
    trials: int = 20
    seed: int = 0
    engine: str = "compiled"
    by_arm: bool = False  # report the pulls of each arm too
    recommends: bool = True  # report what undecided runs would recommend too

    def __post_init__(self) -> None:
        whole("trials", self.trials, at_least=1)
        whole("seed", self.seed, at_least=0)
        one_of("engine", self.engine, ENGINES)
        choice.program(self.instance.problem, self.policy, self.bounds, self.instance.question(self.policy))

    @property
    def max_pulls(self) -> int:
        return self.instance.problem.max_pulls or GENEROUS

    @property
    def provenance(self) -> Provenance:
        return Provenance(
            version=__version__,
            policy=self.policy,
            bounds=self.bounds,
            seed=self.seed,
            trials=self.trials,
            engine=self.engine,
            max_pulls=self.max_pulls,
        )

    def prepare(self) -> Begin:
        """What begins its runs; compiles the program if this process has not done so yet."""
        compiled = self.engine == "compiled"
        question = self.instance.question(self.policy)
        program = choice.program(self.instance.problem, self.policy, self.bounds, question)
        draws, max_pulls, seed = self.instance.draws(), self.max_pulls, self.seed
        metrics = len(self.instance.problem.deciding_metrics)
        if compiled:
            state = program.start(question, packed=True)
            advance = compiled_loop(program, (state, draws, run_generator(0, 0), BEGUN, 0, max_pulls), metrics)
        else:
            advance = assemble(kernel, program.parts | {"source": source(metrics, program.items)}).advance
        recommend = Recommender(program, question, compiled) if self.recommends else None
        if program.own:
            advance = told_of(advance, program)

        def begin(trial: int) -> Underway:
            state = program.start(question, packed=compiled)
            return Underway(advance, state, draws, run_generator(seed, trial), max_pulls, recommend)

        return begin


def told_of(advance: Advance, program: Program) -> Advance:
    """The loop, with a sentence for what goes wrong in parts of the user's own."""

    def watched(*arguments: Any) -> Progress:
        try:
            return advance(*arguments)
        except Exception as error:
            raise program.failed(error) from error

    return watched


class Report(NamedTuple):
    """How far a run has come since its last report."""

    job: int
    trial: int
    pulls: int
    run: Run | None  # once it is done
    by_arm: tuple[int, ...] = ()  # the pulls of each arm by then, if the job asks for them


LOOPS: dict[tuple[Program, int], Advance] = {}  # compiled in this process, by program and number of metrics
COMPILING = threading.Lock()


def compiled_loop(program: Program, nothing_to_do: tuple[Any, ...], metrics: int = 1) -> Advance:
    """The loop with this program in it, compiled by a call in which there is nothing to do."""
    with COMPILING:
        if (program, metrics) not in LOOPS:
            drawn = source(metrics, program.items)
            LOOPS[program, metrics] = first_called(kernel, "advance", program, nothing_to_do, source=drawn)
        return LOOPS[program, metrics]
