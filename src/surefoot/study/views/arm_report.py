"""One arm as people see it: the same bounds and the same evidence that decide, and the verdict in words."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from surefoot.core import verdicts
from surefoot.problem import Problem
from surefoot.problem.limits import Limit
from surefoot.study.engine import Engine
from surefoot.study.views import numbers
from surefoot.study.views.in_play import is_beaten, overtakes
from surefoot.study.views.limit_numbers import all_evidence, doubtful, shown
from surefoot.study.views.numbers import Shown, apart, digits, form_apart, form_of
from surefoot.study.views.phrases import (
    MOVED,
    at_least_at_most,
    beyond,
    goal_name,
    on_the_same_items,
    or_nearly,
    said_failed,
    said_moved,
    the_limits,
    within,
    worse,
)

VERDICT = {verdicts.OPEN: "open", verdicts.FEASIBLE: "feasible", verdicts.INFEASIBLE: "infeasible"}
SHORT = ("mean", "mean_lower", "mean_upper", "risk", "risk_lower", "risk_upper")


@dataclass(frozen=True, slots=True)
class GoalReport:
    """The quantity that makes an arm the best, on its own scale."""

    quantity: str
    value: float | None  # None before the first result
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class LimitReport:
    """A limited quantity of an arm, on its own scale. Its interval is for information; the tests decide."""

    limit: str
    value: float | None
    lower: float | None
    upper: float | None
    verdict: str  # of this limit alone: feasible, infeasible or open
    evidence: float  # of what this verdict needs, the larger share of the two tests, 0 to 1


@dataclass(frozen=True, slots=True)
class ArmReport:
    """One arm. If there is at most one limit, `mean` and `risk` are short for the goal and the limit."""

    name: str
    pulls: int
    goal: GoalReport
    limits: tuple[LimitReport, ...]  # in the problem's order
    verdict: str  # feasible, infeasible or open; or excluded
    evidence: float  # of what the verdict needs, as the limit that it depends on has it
    ruled_out: bool  # infeasible, or surely no better than the best arm known feasible
    words: str
    failures: int = 0  # pulls that failed
    clipped: int = 0  # values beyond the range of their metric, which count as its end
    recommended: bool = False  # is it the answer one would give now?

    @property
    def mean(self) -> float | None:
        return self.goal.value if len(self.limits) <= 1 else None

    @property
    def mean_lower(self) -> float | None:
        return self.goal.lower if len(self.limits) <= 1 else None

    @property
    def mean_upper(self) -> float | None:
        return self.goal.upper if len(self.limits) <= 1 else None

    @property
    def risk(self) -> float | None:
        return self.limits[0].value if len(self.limits) == 1 else None

    @property
    def risk_lower(self) -> float | None:
        return self.limits[0].lower if len(self.limits) == 1 else None

    @property
    def risk_upper(self) -> float | None:
        return self.limits[0].upper if len(self.limits) == 1 else None

    @property
    def is_best(self) -> bool:
        return self.words.startswith("the best")

    @property
    def brief(self) -> str:
        """The verdict where there is no room for a sentence."""
        beaten = self.ruled_out and self.verdict in ("open", "feasible")
        brief = "the best" if self.is_best else "not the best" if beaten else self.verdict
        brief += "; its results have moved" if MOVED in self.words else ""
        return f"{brief}; {self.failures:,} failed" if self.failures else brief

    def as_object(self) -> dict[str, Any]:
        """The row as JSON has it."""
        row = {"name": self.name, "pulls": self.pulls} | self.in_short() | asdict(self)
        return {name: without_infinity(value) for name, value in row.items()}

    def in_short(self) -> dict[str, Any]:
        """The goal and the limit by their short names."""
        return {name: getattr(self, name) for name in SHORT}

    def flat(self) -> dict[str, Any]:
        """The row of a table: if there are several limits, each has columns of its own."""
        row, numbers = asdict(self), self.in_short()
        del row["goal"], row["limits"]
        if len(self.limits) > 1:
            numbers = {self.goal.quantity: self.goal.value} | of_ends(self.goal.quantity, self.goal)
            for report in self.limits:
                numbers |= {report.limit: report.value} | of_ends(report.limit, report)
                numbers[f"{report.limit}: verdict"] = report.verdict
        return {"name": self.name, "pulls": self.pulls} | numbers | row


def of_ends(name: str, report: GoalReport | LimitReport) -> dict[str, Any]:
    return {f"{name}: lower": report.lower, f"{name}: upper": report.upper}


def without_infinity(value: Any) -> Any:
    """JSON has no infinity."""
    if isinstance(value, dict):
        return {key: without_infinity(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_infinity(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def arm_report(problem: Problem, engine: Engine, index: int, incumbent: int, clock: float) -> ArmReport:
    arm, aside = engine.state.arms[index], index in engine.aside
    mean, evidence = numbers.mean(problem, arm), all_evidence(problem, engine, index)
    limited, shares = shown(problem, index, evidence, clock), [one.shares(clock) for one in evidence]
    limits = limit_reports(problem, limited, [VERDICT[one.verdict] for one in evidence], shares)
    doubt = max(shares[doubtful(shares)]) if shares else float(arm.metric.pulls > 0.0)
    beaten = is_beaten(engine, index, incumbent)
    return ArmReport(
        name=problem.names[index],
        pulls=int(arm.metric.pulls),
        goal=GoalReport(goal_name(problem), mean.value if arm.metric.pulls else None, mean.lower, mean.upper),
        limits=limits,
        verdict="excluded" if aside else VERDICT[int(arm.verdict)],
        evidence=1.0 if arm.verdict != verdicts.OPEN and not aside else doubt,
        ruled_out=beaten or arm.verdict == verdicts.INFEASIBLE,
        words=words(problem, engine, index, incumbent, beaten, limits, shares)
        + ("" if aside else said_moved(problem, mean, limited, digits(problem)))
        + said_failed(problem, engine, index),
        failures=engine.failures.get(index, 0),
        clipped=sum(engine.clipped.get(index, {}).values()),
        recommended=index == engine.recommender(engine).arm,
    )


def limit_form(limit: Limit, report: LimitReport) -> str:
    """The form of a limited number and its interval: one, or the text may leave its interval; it can be told from the
    limit.
    """
    form = form_of(report.value, report.lower, report.upper, ".4g")
    return form if report.value is None else form_apart(report.value, limit.risk.bound, form)


def limit_reports(
    problem: Problem, limited: Sequence[Shown], verdicts: Sequence[str], shares: Sequence[tuple[float, float]]
) -> tuple[LimitReport, ...]:
    reports = []
    for limit, found, verdict, share in zip(problem.limits, limited, verdicts, shares, strict=True):
        value, lower, upper = (
            number if math.isfinite(number) else None for number in (found.value, found.lower, found.upper)
        )
        reports.append(LimitReport(str(limit), value, lower, upper, verdict, max(share)))
    return tuple(reports)


def words(
    problem: Problem,
    engine: Engine,
    index: int,
    incumbent: int,
    beaten: bool,
    limits: Sequence[LimitReport],
    shares: Sequence[tuple[float, float]],
) -> str:
    """The verdict on an arm, as a person would say it."""
    arm, goal = engine.state.arms[index], goal_name(problem)
    if index in engine.aside:
        return f"excluded: {engine.aside[index]}"
    if arm.verdict == verdicts.INFEASIBLE:
        return said_broken(problem, limits)
    contradiction = f"the bounds of its {goal} contradict each other" if arm.goal.lower > arm.goal.upper else ""
    if index == engine.best:
        return "the best" + or_nearly(problem, "it") + (f", but {contradiction}" if contradiction else "")
    if contradiction:
        return contradiction
    if arm.beaten_by:
        first = abs(int(arm.beaten_by)) - 1
        winner = problem.names[first]
        moved = f"{MOVED}its results are better than those of {winner}" if overtakes(engine, index, first) else ""
        moved = on_the_same_items(problem) + moved
        if arm.beaten_by < 0 and problem.tolerance:
            return f"surely not better than {winner} by more than the tolerance of {problem.tolerance:g}{moved}"
        proven = "no better" if engine.program.finite else worse(problem)  # on a list arms may tie
        return f"its {goal} is surely {proven} than that of {winner}{moved}"
    if beaten:
        mine, theirs = numbers.mean(problem, arm), numbers.mean(problem, engine.state.arms[incumbent])
        form = form_of(mine.value, mine.lower, mine.upper, digits(problem))
        ends = (mine.upper, theirs.lower) if problem.direction == "max" else (mine.lower, theirs.upper)
        this, best = apart(*ends, form)
        least, most = at_least_at_most(problem)
        winner, by = problem.names[incumbent], ""
        if problem.tolerance:
            by = f" by more than the tolerance of {problem.tolerance:g}"
        return f"not better than {winner}{by}: its {goal} is {most} {this}, that of {winner} is {least} {best}"
    if not arm.metric.pulls:
        return "not yet tried"
    if arm.verdict == verdicts.FEASIBLE or not problem.limits:
        return f"{said_kept(problem)}it may be the best"
    return said_open(problem, shares)


def said_broken(problem: Problem, limits: Sequence[LimitReport]) -> str:
    """Which limits an infeasible arm breaks."""
    return " and ".join(
        f"its {limit.name} is {beyond(limit)}"
        for limit, report in zip(problem.limits, limits, strict=True)
        if report.verdict == "infeasible"
    )


def said_kept(problem: Problem) -> str:
    """That a feasible arm keeps the limits, if there are any, before what else is said of it."""
    if len(problem.limits) == 1:
        return f"its {problem.limits[0].name} is {within(problem.limits[0])}; "
    return f"it keeps {the_limits(problem)}; " if problem.limits else ""


def said_open(problem: Problem, shares: Sequence[tuple[float, float]]) -> str:
    """What is not known of an open arm yet, and how far along it is."""
    place = doubtful(shares)
    limit, (kept, broken) = problem.limits[place], shares[place]
    name = limit.name
    if not kept and not broken:
        return f"it is not known yet whether its {name} is {within(limit)}"
    side = within(limit) if kept >= broken else beyond(limit)
    return f"{max(kept, broken):.0%} of the way to showing that its {name} is {side}"
