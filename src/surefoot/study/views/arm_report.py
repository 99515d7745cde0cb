"""One arm as people see it: the same bounds and the same evidence that decide, and the verdict in words."""

import math
from dataclasses import dataclass

from surefoot.core import verdicts
from surefoot.problem import Problem
from surefoot.study.engine import Engine
from surefoot.study.views import numbers
from surefoot.study.views.in_play import is_beaten, overtakes
from surefoot.study.views.numbers import apart, digits, form_apart, form_of, show
from surefoot.study.views.phrases import (
    MOVED,
    at_least_at_most,
    beyond,
    or_nearly,
    said_failed,
    said_moved,
    within,
    worse,
)

VERDICT = {verdicts.OPEN: "open", verdicts.FEASIBLE: "feasible", verdicts.INFEASIBLE: "infeasible"}


@dataclass(frozen=True, slots=True)
class ArmReport:
    """One arm, on the reward's own scale. The interval of the risk is for information; the tests decide."""

    name: str
    pulls: int
    mean: float | None
    mean_lower: float
    mean_upper: float
    risk: float | None
    risk_lower: float | None
    risk_upper: float | None
    verdict: str  # feasible, infeasible or open; or excluded
    evidence: float  # of what the verdict needs, the larger share of the two tests, 0 to 1
    ruled_out: bool  # infeasible, or surely no better than the best arm known feasible
    words: str
    failures: int = 0  # pulls that failed
    recommended: bool = False  # is it the answer one would give now?

    def cells(self, means: str, limit: float) -> tuple[str, ...]:
        """The row as text: name, with a star if it is the best guess; pulls, mean and its interval, risk and its, words."""
        form, means = self.risk_form(limit), form_of(self.mean, self.mean_lower, self.mean_upper, means)
        ends = show(self.risk_lower, form) or "-∞", show(self.risk_upper, form) or "∞"
        risks = "" if self.risk_lower is None and self.risk_upper is None else " … ".join(ends)
        interval = f"{show(self.mean_lower, means)} … {show(self.mean_upper, means)}"
        return (
            f"{self.name} *" if self.recommended and not self.is_best else self.name,
            f"{self.pulls:,}",
            show(self.mean, means),
            interval,
            show(self.risk, form),
            risks,
            self.words,
        )

    def risk_form(self, limit: float) -> str:
        """The form of the risk and its interval: one, or the text may leave its interval; it can be told from the limit."""
        form = form_of(self.risk, self.risk_lower, self.risk_upper, ".4g")
        return form if self.risk is None else form_apart(self.risk, limit, form)

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


def arm_report(problem: Problem, engine: Engine, index: int, incumbent: int, clock: float) -> ArmReport:
    arm, state, test = engine.state.arms[index], engine.state, engine.program.limit_test
    own, metric, goal, parameters = arm.limit, arm.metric, arm.goal, state.limit_parameters
    mean, risk = numbers.mean(problem, arm), numbers.arm_risk(problem, engine, index)
    ends = (risk.lower, risk.value, risk.upper) if risk else (math.nan,) * 3
    risk_lower, risk_value, risk_upper = (number if math.isfinite(number) else None for number in ends)
    shares = test.shares(own, metric, goal, parameters, clock) if metric.pulls else (0.0, 0.0)
    beaten = is_beaten(engine, index, incumbent)
    aside = index in engine.aside
    return ArmReport(
        name=problem.names[index],
        pulls=int(metric.pulls),
        mean=mean.value if metric.pulls else None,
        mean_lower=mean.lower,
        mean_upper=mean.upper,
        risk=risk_value,
        risk_lower=risk_lower,
        risk_upper=risk_upper,
        verdict="excluded" if aside else VERDICT[int(arm.verdict)],
        evidence=1.0 if arm.verdict != verdicts.OPEN and not aside else max(shares),
        ruled_out=beaten or arm.verdict == verdicts.INFEASIBLE,
        words=words(problem, engine, index, incumbent, beaten, shares)
        + ("" if aside else said_moved(problem, mean, risk, digits(problem)))
        + said_failed(problem, engine, index),
        failures=engine.failures.get(index, 0),
        recommended=index == engine.recommender(engine).arm,
    )


def words(
    problem: Problem, engine: Engine, index: int, incumbent: int, beaten: bool, shares: tuple[float, float]
) -> str:
    """The verdict on an arm, as a person would say it."""
    arm, risk = engine.state.arms[index], problem.risk
    if index in engine.aside:
        return f"excluded: {engine.aside[index]}"
    if arm.verdict == verdicts.INFEASIBLE:
        return f"its {risk.name} is {beyond(problem)}"
    contradiction = "the bounds of its mean contradict each other" if arm.goal.lower > arm.goal.upper else ""
    if index == engine.best:
        return "the best" + or_nearly(problem, "it") + (f", but {contradiction}" if contradiction else "")
    if contradiction:
        return contradiction
    if arm.beaten_by:
        first = abs(int(arm.beaten_by)) - 1
        winner = problem.names[first]
        moved = f"{MOVED}its results are better than those of {winner}" if overtakes(engine, index, first) else ""
        if arm.beaten_by < 0 and problem.tolerance:
            return f"surely not better than {winner} by more than the tolerance of {problem.tolerance:g}{moved}"
        return f"its mean is surely {worse(problem)} than that of {winner}{moved}"
    if beaten:
        mine, theirs = numbers.mean(problem, arm), numbers.mean(problem, engine.state.arms[incumbent])
        form = form_of(mine.value, mine.lower, mine.upper, digits(problem))
        ends = (mine.upper, theirs.lower) if problem.goal == "max" else (mine.lower, theirs.upper)
        shown, best = apart(*ends, form)
        least, most = at_least_at_most(problem)
        winner, by = problem.names[incumbent], ""
        if problem.tolerance:
            by = f" by more than the tolerance of {problem.tolerance:g}"
        return f"not better than {winner}{by}: its mean is {most} {shown}, that of {winner} is {least} {best}"
    if not arm.metric.pulls:
        return "not yet tried"
    if arm.verdict == verdicts.FEASIBLE:
        kept = f"its {risk.name} is {within(problem)}; " if problem.limits else ""
        return f"{kept}it may be the best"
    if max(shares) == 0.0:
        return f"it is not known yet whether its {risk.name} is {within(problem)}"
    side = within(problem) if shares[0] >= shares[1] else beyond(problem)
    return f"{max(shares):.0%} of the way to showing that its {risk.name} is {side}"
