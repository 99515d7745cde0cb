"""What a gate is about: two commands, two arms of a problem file, or two columns of a log."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from surefoot.errors import InvalidValue, Unsupported, nearest, number, one_of
from surefoot.problem import Problem
from surefoot.problem.limits import Limit, limits_of
from surefoot.problem.metrics import REWARD, Metric, metric
from surefoot.problem.reward_models import Bounded
from surefoot.problem.reward_sources import Command
from surefoot.work.gate.gate import Question
from surefoot.work.gate.margin import Margin
from surefoot.work.gate.rounds import FAILED, SECONDS, MeasuredRounds, Round, log_rounds
from surefoot.work.logs import read_log
from surefoot.work.measures import Measures

CENTURIES = 1e10  # seconds: no command takes longer
BASELINE, CANDIDATE = "baseline", "candidate"


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody asks of a gate, as they said it; None where they said nothing."""

    baseline: str | None
    candidate: str
    margin: str = "0"
    slack: str = "0"
    limits: Sequence[str] = ()
    rewards: tuple[float, float] | None = None
    goal: str | None = None
    metric: str | None = None
    compare: str | None = None
    delta: float | None = None
    timeout: float | None = None
    seed: int | None = None

    def question(
        self,
        metrics: Sequence[Metric],
        compared: Metric,
        direction: str,
        limits: Sequence[Limit] = (),
        delta: float = 0.05,
    ) -> Question:
        """The same, checked, about these metrics; `limits` are there besides those asked for."""
        if all(one.name != FAILED for one in metrics):
            metrics = [*metrics, metric(FAILED, "binary")]
        margin = Margin.read(self.margin, self.slack, direction, part=compared.measure == SECONDS)
        ranged = isinstance(compared.model, Bounded)
        if self.compare == "means" and not ranged:
            cure = (
                "give --timeout"
                if compared.measure == SECONDS
                else "give --rewards LO HI, or a range in the problem file"
            )
            raise InvalidValue(f"means of {compared.name} cannot be compared, as it has no range: {cure}")
        return Question(
            metrics=tuple(metrics),
            metric=compared.name,
            margin=margin,
            means=self.compare == "means" or (self.compare is None and ranged),
            limits=(*limits, *limits_of(list(self.limits), tuple(metrics))),
            delta=delta if self.delta is None else self.delta,
        )


@dataclass(frozen=True, slots=True)
class Source:
    """A question, and rounds to answer it.

    :param names: of the baseline and the candidate, as somebody gave them.
    :param skipped: values of a log that have none beside them.
    """

    question: Question
    rounds: Iterable[Round]
    names: tuple[str, str]
    seed: int | None = None
    skipped: int = 0
    max_pulls: int | None = None
    stop: Callable[[], None] = field(default=lambda: None)

    @property
    def is_measured(self) -> bool:
        """Can there always be one more round?"""
        return self.seed is not None

    @contextmanager
    def stopped_at_the_end(self) -> Iterator[None]:
        """Whatever happens, no command runs afterwards."""
        try:
            yield
        finally:
            self.stop()


def of_commands(asked: Asked, split: Callable[[str, str], tuple[str, ...]]) -> Source:
    """Two commands, of which we measure the seconds, or which print a result."""
    if asked.baseline is None:
        raise InvalidValue("a gate compares two commands: give --baseline and --candidate; or a problem file or a log")
    if asked.metric is not None:
        raise InvalidValue("--metric names a metric of a problem file: leave it out, or give a problem file")
    arms = [
        (name, Command(split(name, text))) for name, text in zip((BASELINE, CANDIDATE), commands(asked), strict=True)
    ]
    if asked.rewards is None:
        compares_means = asked.compare == "means" and asked.timeout is not None
        known = {"range": (0.0, asked.timeout), "clip": True} if compares_means else {"any": True}
        metrics = [metric(SECONDS, known | {"measure": SECONDS})]
        direction = asked.goal or "min"
    else:
        metrics = [metric(REWARD, asked.rewards), metric(SECONDS, {"any": True, "measure": SECONDS})]
        direction = asked.goal or "max"
    question = asked.question(metrics, metrics[0], direction)
    # A problem needs a goal with a range; only what is measured is asked of this one.
    ranged = [one if isinstance(one.model, Bounded) else endless(one) for one in metrics]
    problem = Problem(dict(arms), metrics=ranged, goal=f"{direction} mean({metrics[0].name})")
    return measured(asked, question, problem, Path.cwd(), BASELINE, CANDIDATE, commands(asked))


def commands(asked: Asked) -> tuple[str, str]:
    return asked.baseline or "", asked.candidate


def endless(one: Metric) -> Metric:
    return metric(one.name, {"range": (0.0, CENTURIES), "measure": one.measure})


def of_problem(asked: Asked, file: Path) -> Source:
    """Two arms of a problem file, whose limits hold for the candidate."""
    if asked.rewards is not None:
        raise InvalidValue("a problem file says what results are: give it without --rewards")
    problem = Problem.load(file, folder=".")
    if problem.items is not None and problem.items.finite:
        raise Unsupported("a gate takes items for a sample of more, got finite = true: leave finite out of [items]")
    baseline, candidate = asked.baseline or problem.baseline, asked.candidate
    if baseline is None:
        raise InvalidValue(f"{file} names no baseline: give --baseline, one of {', '.join(problem.names)}")
    for name, arm in (("baseline", baseline), ("candidate", candidate)):
        if arm not in problem.names:
            raise InvalidValue(f"--{name} must be an arm of {file}, got {arm!r}{nearest(arm, problem.names)}")
    if baseline == candidate:
        raise InvalidValue(f"baseline and candidate must be two arms, got {baseline!r} for both")
    if problem.baseline not in (None, baseline):
        raise InvalidValue(f"the limits of {file} are against {problem.baseline!r}, got --baseline {baseline}")
    names = [one.name for one in problem.metrics]
    compared = problem.metric(one_of("--metric", asked.metric or problem.goal_metric.name, names))
    if asked.goal is None and compared != problem.goal_metric:
        raise InvalidValue(f"say whether more or less {compared.name} is better: give --goal max or --goal min")
    question = asked.question(problem.metrics, compared, asked.goal or problem.direction, problem.limits, problem.delta)
    return measured(asked, question, problem, file.parent.absolute(), baseline, candidate, (baseline, candidate))


def measured(
    asked: Asked,
    question: Question,
    problem: Problem,
    folder: Path,
    baseline: str,
    candidate: str,
    names: tuple[str, str],
) -> Source:
    if asked.timeout is not None:
        number("timeout", asked.timeout, above=0)
    seed = secrets.randbits(32) if asked.seed is None else asked.seed
    measures = Measures(problem, folder, seed, asked.timeout)
    rounds = MeasuredRounds(problem, measures.of, baseline, candidate, seed)
    return Source(question, rounds, names, seed, max_pulls=problem.max_pulls, stop=measures.stop)


def of_log(asked: Asked, path: str) -> Source:
    """Two columns of a log, whose rows are rounds."""
    if asked.baseline is None:
        raise InvalidValue("a gate compares two columns of a log: give --baseline and --candidate")
    for option in ("metric", "timeout", "seed"):
        if getattr(asked, option) is not None:
            raise InvalidValue(f"--{option} is about pulls that are made now, got a log: leave it out")
    if asked.rewards is None and asked.goal is None:
        raise InvalidValue("say whether more or less is better: give --goal min (as for seconds) or --goal max")
    compared = metric(REWARD, "any" if asked.rewards is None else asked.rewards)
    question = asked.question([compared], compared, asked.goal or "max")
    names = asked.baseline, asked.candidate
    log = read_log(path, columns=names)
    in_parts = question.margin.part

    def check(column: str, value: float) -> float:
        if in_parts and value < 0.0:
            raise InvalidValue(f"a margin in percent needs results of at least 0, got {value:g} in column {column!r}")
        return compared.checked(f"a result in column {column!r}", value)

    rounds = list(log_rounds(log, REWARD, check))
    if not rounds:
        raise InvalidValue(f"{path} must have at least one row with both {names[0]!r} and {names[1]!r}, got none")
    return Source(question, rounds, names, skipped=len(log.rewards) - 2 * len(rounds))
