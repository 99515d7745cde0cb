"""A gate: folds rounds until it is known whether the candidate passes (docs/gate.md says what that means and proves it)."""

import math
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from surefoot.errors import number
from surefoot.problem.limits import Limit
from surefoot.problem.metrics import Metric
from surefoot.problem.reward_models import Bounded
from surefoot.work.gate.candidate_limits import CandidateLimits
from surefoot.work.gate.comparison import (
    Comparison,
    Difference,
    MeansShown,
    SignsShown,
    by_failures,
    by_limit,
    by_means,
    by_signs,
)
from surefoot.work.gate.margin import Margin
from surefoot.work.gate.rounds import Round

PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
FAILURES_SHARE = 0.1  # of the level of a fail: failures are mostly rare, or plain to see


@dataclass(frozen=True, slots=True)
class Question:
    """What a gate asks.

    :param metrics: what every pull returns.
    :param metric: which of them is compared.
    :param means: are means compared, or, round by round, signs?
    :param limits: further limits on the candidate, against the baseline or not.
    :param pass_delta: with what probability it may pass wrongly, if that is not delta: a share of a ledger.
    """

    metrics: tuple[Metric, ...]
    metric: str
    margin: Margin
    means: bool = False
    limits: tuple[Limit, ...] = ()
    delta: float = 0.05
    pass_delta: float | None = None

    def __post_init__(self) -> None:
        number("delta", self.delta, at_least=1e-100, below=1)

    @property
    def compared(self) -> Metric:
        return self.of(self.metric)

    def of(self, name: str) -> Metric:
        return next(metric for metric in self.metrics if metric.name == name)

    def but(self, pass_delta: float) -> "Question":
        """The same, which may pass wrongly with another probability."""
        return replace(self, pass_delta=pass_delta)


@dataclass(frozen=True, slots=True)
class Side:
    """What was seen of the baseline, or of the candidate."""

    value: float | None  # the median of what it returned, or the mean if means are compared
    failures: int
    why: str  # the last of them failed


@dataclass(frozen=True, slots=True)
class Report:
    """What a gate came to, after so many rounds."""

    question: Question
    verdict: str
    difference: Difference
    rounds: int
    baseline: Side
    candidate: Side
    within: int  # rounds in which the candidate was within the margin and the slack
    shares: tuple[float, float]  # how far it is on the way to a pass, and to a fail; 1 is there
    broken: tuple[str, ...]  # what the candidate was shown to break
    limits: list[dict[str, Any]] = field(default_factory=list)

    @property
    def pulls(self) -> int:
        return 2 * self.rounds

    @property
    def confidence(self) -> float | None:
        """Of the verdict; None while there is none."""
        asked = self.question
        miss = {PASS: asked.delta if asked.pass_delta is None else asked.pass_delta, FAIL: asked.delta}
        return 1.0 - miss[self.verdict] if self.verdict in miss else None


class Gate:
    """Call `add` for each round; `verdict` says whether that is enough.

    It passes wrongly with probability at most delta, and fails wrongly with probability at most delta, however often one
    looks. Of several comparisons under drift each may be the one that is wrong, so that they share the level of a pass; of
    all that can break, whatever drifts, each has its share of the level of a fail. A candidate that has failed more often
    than the baseline does not pass, whatever its results are: that makes wrong passes only rarer.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        margin, metric = question.margin, question.compared
        against = [limit for limit in question.limits if limit.is_against_baseline]
        own = [limit for limit in question.limits if not limit.is_against_baseline]
        main = by_means(metric, margin) if question.means else by_signs(metric, margin)
        self.comparisons: list[Comparison] = [main, *(by_limit(limit, question.of(limit.metric)) for limit in against)]
        self.main = main
        self.shown: SignsShown | MeansShown
        if question.means:
            assert isinstance(metric.model, Bounded)
            self.shown = MeansShown(margin, metric.model.low, metric.model.high)
        else:
            self.shown = SignsShown(margin)
        miss = question.delta if question.pass_delta is None else question.pass_delta
        parts = len(self.comparisons) + bool(own)
        self.pass_level = math.log(len(self.comparisons) / miss)
        each = (1.0 - FAILURES_SHARE) * question.delta / parts
        self.fail_level, self.failures_level = -math.log(each), -math.log(FAILURES_SHARE * question.delta)
        self.failing = by_failures()
        self.limits = CandidateLimits(own, question.metrics, min(miss, each)) if own else None
        self.rounds, self.within = 0, 0
        self.seen: tuple[list[float], list[float]] = [], []
        self.failures, self.whys = [0, 0], ["", ""]
        self.lost = [0, 0]  # those of the failed pulls that count as no value
        self.verdict = UNDECIDED

    def add(self, one: Round) -> None:
        """Fold a round; once there is a verdict, nothing changes it."""
        if self.verdict != UNDECIDED:
            return
        self.rounds += 1
        results = one.baseline.values, one.candidate.values
        for comparison in (*self.comparisons, self.failing):
            comparison.add(*results)
        pair = self.main.read(results[0]), self.main.read(results[1])
        self.shown.add(*pair)
        self.within += self.main.wide.reading.number(*pair) > self.main.wide.place
        for side, outcome in enumerate((one.baseline, one.candidate)):
            if outcome.failed:
                self.failures[side] += 1
                self.whys[side] = outcome.failed
                self.lost[side] += outcome.values is None
            if math.isfinite(pair[side]):
                self.seen[side].append(pair[side])
        if self.limits:
            self.limits.add(one.candidate.values, bool(one.candidate.failed))
        self.verdict = self.judged()

    def judged(self) -> str:
        limits = self.limits.status if self.limits else "best"
        works = self.lost[1] <= self.lost[0]
        if all(one.kept >= self.pass_level for one in self.comparisons) and limits == "best" and works:
            return PASS
        return FAIL if self.broken() else UNDECIDED

    def broken(self) -> list[str]:
        """What the candidate was shown to break."""
        names = [one.name for one in self.comparisons if one.broken >= self.fail_level]
        if self.failing.broken >= self.failures_level:
            names.append(self.failing.name)
        if self.limits and self.limits.status == "infeasible":
            names += [row["limit"] for row in self.limits.rows() if row["verdict"] == "infeasible"]
        return names

    def report(self) -> Report:
        question = self.question
        average: Callable[[Sequence[float]], float] = statistics.fmean if question.means else statistics.median
        baseline, candidate = (
            Side(average(seen) if seen else None, failures, why)
            for seen, failures, why in zip(self.seen, self.failures, self.whys, strict=True)
        )
        kept = min(one.kept for one in self.comparisons) / self.pass_level
        broken = max(one.broken for one in self.comparisons) / self.fail_level
        return Report(
            question=question,
            verdict=self.verdict,
            difference=self.difference(),
            rounds=self.rounds,
            baseline=baseline,
            candidate=candidate,
            within=self.within,
            shares=(min(max(kept, 0.0), 1.0), min(max(broken, 0.0), 1.0)),
            broken=tuple(self.broken()) if self.verdict == FAIL else (),
            limits=self.limits.rows() if self.limits else [],
        )

    def difference(self) -> Difference:
        """With ends that do not deny the verdict: at the margin, what it rests on says more than they do."""
        found = self.shown.difference(self.pass_level, self.fail_level)
        margin = self.question.margin
        if self.question.means and margin.part:
            return found  # the ends are in the metric's unit, and the margin is not
        kept = self.main.kept >= self.pass_level
        broken = self.main.broken >= self.fail_level
        worst, least = margin.value + margin.slack, margin.value
        if margin.direction == "min":
            upper = min(found.upper, worst) if kept else found.upper
            lower = max(found.lower, least) if broken else found.lower
        else:
            lower = max(found.lower, -worst) if kept else found.lower
            upper = min(found.upper, -least) if broken else found.upper
        return Difference(found.value, min(lower, found.value), max(upper, found.value))


def run(
    gate: Gate,
    rounds: Iterable[Round],
    *,
    max_pulls: int | None = None,
    max_seconds: float | None = None,
    warm_up: int = 0,
    watch: Callable[[Gate, Round], None] = lambda gate, one: None,
) -> None:
    """Fold rounds until there is a verdict, or the next one would be beyond the budget.

    :param warm_up: so many rounds at first are made and not counted.
    """
    end = None if max_seconds is None else time.monotonic() + max_seconds
    source = iter(rounds)
    for _ in range(warm_up):
        next(source, None)
    while gate.verdict == UNDECIDED:
        spent = max_pulls is not None and 2 * (gate.rounds + 1) > max_pulls
        if spent or (end is not None and time.monotonic() >= end):
            return
        one = next(source, None)
        if one is None:
            return
        gate.add(one)
        watch(gate, one)
