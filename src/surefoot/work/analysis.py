"""What a log decides, by the kernels and in the words of a study."""

import time
from functools import cached_property
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core import records, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.state import Step
from surefoot.errors import InvalidValue, Unsupported
from surefoot.problem import Problem, choice
from surefoot.problem.kernel_question import question_of
from surefoot.problem.metrics import Metric
from surefoot.problem.reward_models import Bounded
from surefoot.simulation.loading import first_called
from surefoot.simulation.several_metrics import chain
from surefoot.study.engine import Engine, Wanted
from surefoot.study.views.decision import Decision, decision
from surefoot.study.views.in_play import foremost, in_play
from surefoot.study.views.notices import Notice, notices
from surefoot.study.views.table import Table, table
from surefoot.study.watch import Watch
from surefoot.work import each_column, last_column, replay
from surefoot.work.columns import bounds_of, dependent
from surefoot.work.import_log import check_arms, check_values
from surefoot.work.independence import by_arm, suspicions
from surefoot.work.logs import Log

CLOSE = 2.0**-50  # to a threshold, that rounding may take a reward across it
FEW = 20_000  # rows that are folded by the interpreter sooner than a compiled program is loaded


class Analysis:
    """A log, folded: the decision, the table, what to pull next, and whether the rewards look like independent draws.

    >>> import numpy as np
    >>> log = Log(("A", "B"), np.arange(400) % 2, np.where(np.arange(400) % 2, 0.3, 0.7), 0)
    >>> analysis = Analysis(log, rewards=(0, 1))
    >>> analysis.decision.arm
    'A'
    """

    def __init__(
        self,
        log: Log,
        *,
        policy: str | None = None,
        bounds: str | None = None,
        problem: Problem | None = None,
        **fields: Any,
    ) -> None:
        self.problem = Problem.of(log.names, **fields) if problem is None else problem.but(**fields)
        self.problem.check_new()
        if self.problem.items:
            if self.problem.items.rounds:
                raise Unsupported('a log cannot be analyzed with design = "rounds": leave the design out')
            raise Unsupported('a log of arms that were tried on the same items needs "--design items"')
        self.log = log = of_arms(self.problem, log)
        check_range(self.problem, log)
        policy, bounds = choice.preferred(self.problem, policy, bounds or bounds_of(log, self.problem, policy))
        self.bounds = bounds
        self.engine = Engine(self.problem, policy, bounds, seed=0)
        if self.engine.one_at_a_time:
            raise Unsupported(f"{policy} can use only the pulls that it asked for: it cannot decide from a log")
        started = time.perf_counter()
        fold(self.engine, self.problem, log)
        show_to(self.engine.watch, self.problem, log)
        self.seconds = time.perf_counter() - started

    @cached_property
    def decision(self) -> Decision:
        """The decision; if there is none, what is still open. It prints as a sentence."""
        return decision(self.problem, self.engine, self.warnings)

    def table(self) -> Table:
        """One row per arm, with bounds and verdict."""
        return table(self.problem, self.engine)

    def table_of(self, most: int) -> Table:
        """The rows of so many arms at most: those not ruled out first, then those pulled most."""
        return table(self.problem, self.engine, foremost(self.engine, in_play(self.engine), most))

    @cached_property
    def next(self) -> list[str]:
        """The arms that the policy would pull now; none once it is decided."""
        return [self.problem.names[arm] for arm in self.engine.hand_out(1, Wanted(None))]

    @cached_property
    def warnings(self) -> list[Notice]:
        """What speaks against an assumption of the guarantee: that of a study, and what only a whole log can show."""
        suspicious = [
            *notices(self.problem, self.engine),
            *dependent(self.log, self.bounds, self.engine.program.mean_bound.PAIRS),
        ]
        drifting = {notice.arm for notice in suspicious if notice.kind == "drift"}
        signs = suspicions(self.log)
        return suspicious + [sign for sign in signs if sign.kind != "drift" or sign.arm not in drifting]


def check_range(problem: Problem, log: Log) -> None:
    """Every value must be one that its metric can have: it is what the bounds rest on."""
    if not isinstance(problem.rewards, Bounded):
        raise InvalidValue(f"analyze needs a range that the results lie in, got {problem.rewards}")
    for column, metric in enumerate(problem.metrics):
        check_values(problem, metric, log, column)


def of_arms(problem: Problem, log: Log) -> Log:
    """The log with the problem's arms, which may be more, and in another order."""
    check_arms(problem, log)
    if log.names == problem.names:
        return log
    place = {name: index for index, name in enumerate(problem.names)}
    return log._replace(names=problem.names, arms=np.array([place[name] for name in log.names])[log.arms])


def moved(problem: Problem, metric: Metric, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values of a metric on the kernels' scale, as `problem.mover` takes each there, to the bit."""
    scale, inward = problem.scale_of(metric), problem.mover(metric)
    values = np.clip(values, metric.model.low, metric.model.high) if metric.clip else values
    unit: NDArray[np.float64] = (values - scale.origin) / scale.width
    for cut in problem.cuts(metric):
        close = abs(unit - cut.place) < CLOSE
        unit[close] = [inward(value) for value in values[close].tolist()]
    return unit


def fold(engine: Engine, problem: Problem, log: Log) -> None:
    """Let the whole log into a study's state, and decide as a study that records it does: at the first look that can.

    Evidence on two arms together may fall again, and within a tolerance another arm may come to be ahead, so that one look
    at the end would miss decisions or find others. The rewards behind the decision are for the table. Bounds that follow a
    clock are looked at once, at the end: they hold at all times at once, and a look at each row would take each arm's.
    """
    names, deciding = [metric.name for metric in problem.metrics], problem.deciding_metrics
    results = tuple(moved(problem, metric, log.results[:, names.index(metric.name)]) for metric in deciding)
    clocked = engine.program.ranker.CLOCKED
    warm_pulls = 0 if clocked else engine.warm_pulls
    if len(log.arms) < FEW:
        replayed = assemble(replay, engine.program.parts | {"columns": columns(len(results))}).replay
        plain = tuple(column.tolist() for column in results)
        step = replayed(engine.state, log.arms.tolist(), plain, warm_pulls)
    else:
        step = fold_compiled(engine, problem, log.arms, results, warm_pulls)
    for column, metric in enumerate(problem.metrics):
        if metric.clip:
            values = log.results[:, column]
            beyond = np.bincount(log.arms, values != np.clip(values, metric.model.low, metric.model.high))
            for arm in np.flatnonzero(beyond).tolist():
                engine.note_clipped(arm, metric.name, int(beyond[arm]))
    engine.steps = engine.queues.spent = engine.counted = len(log.arms)
    engine.arms_not_warm = sum(arm.metric.pulls < engine.warm_pulls for arm in engine.state.arms)
    if clocked:
        engine.look()
    elif step.status != verdicts.UNDECIDED:
        engine.finish(step.status, step.arm)


def columns(count: int) -> ModuleType:
    """What reads a row of so many columns."""
    return chain(each_column, last_column, count)


def show_to(watch: Watch, problem: Problem, log: Log) -> None:
    """Let a study's watch see each arm's rewards, as if they had been told one by one."""
    names = [metric.name for metric in problem.metrics]
    inward = moved(problem, problem.goal_metric, log.results[:, names.index(problem.goal_metric.name)])
    later = np.ones(len(inward), bool)
    for index, rows in by_arm(log, np.arange(len(inward))):
        later[rows[: watch.blocks.before]] = False
        rewards = inward[rows]
        count = np.arange(1.0, len(rewards) + 1.0)
        totals = np.cumsum(rewards)
        surprises = np.cumsum((rewards - (0.5 + totals - rewards) / count) ** 2)
        spreads = np.maximum(np.cumsum(rewards**2) - totals**2 / count, 0.0)
        columns = np.column_stack((count, totals, totals / count, surprises, spreads))
        while (pulls := int(watch.due[index])) <= len(rewards):
            watch.take(index, Seen(Sums(*columns[pulls - 1].tolist())))
    watch.count(log.arms[later], inward[later])
    watch.look_for_drift()


class Sums(NamedTuple):
    """Of the rewards of an arm."""

    pulls: float
    total: float
    mean: float
    surprise: float
    spread: float


class Seen(NamedTuple):
    """What a watch sees of an arm with a range of rewards."""

    metric: Sums


def fold_compiled(engine: Engine, problem: Problem, arms: Any, results: tuple[Any, ...], warm_pulls: int) -> Step:
    """StudyState on packed records, and hand these to the study's plain ones."""
    program, plain = engine.program, engine.state
    packed = program.start(question_of(problem), packed=True)
    nothing = (packed, arms[:0], tuple(column[:0] for column in results), warm_pulls)
    run = first_called(replay, "replay", program, nothing, columns=columns(len(results)))
    step: Step = run(packed, arms, results, warm_pulls)
    for record, values in zip(plain.arms, records.rows(packed.arms), strict=True):
        records.fill(record, values)
    for values, filled in zip(plain.board, packed.board, strict=True):
        values[:] = filled.tolist()
    return step
