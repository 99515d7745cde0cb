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
    said_failed,
    said_moved,
    up_to_tolerance,
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

    def cells(self, means: str, limit: float) -> tuple[str, ...]:
        """The row as text: name, pulls, mean, between, risk, between, words. The risk can be told from its limit."""
        form = (
            ".4g" if self.risk is None else form_apart(self.risk, limit, ".4g")
        )  # one, or the text may leave its interval
        risk, means = show(self.risk, form), form_of(self.mean, means)
        risks = "" if self.risk_lower is None else f"{show(self.risk_lower, form)} … {show(self.risk_upper, form)}"
        between = f"{show(self.mean_lower, means)} … {show(self.mean_upper, means)}"
        return (self.name, f"{self.pulls:,}", show(self.mean, means), between, risk, risks, self.words)

    @property
    def brief(self) -> str:
        """The verdict where there is no room for a sentence."""
        beaten = self.ruled_out and self.verdict in ("open", "feasible")
        brief = "the best" if self.words.startswith("the best") else "beaten" if beaten else self.verdict
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
    )


def words(
    problem: Problem, engine: Engine, index: int, incumbent: int, beaten: bool, shares: tuple[float, float]
) -> str:
    """The verdict on an arm, as a person would say it."""
    arm, risk = engine.state.arms[index], problem.risk
    if index in engine.aside:
        return f"excluded: {engine.aside[index]}"
    if arm.verdict == verdicts.INFEASIBLE:
        return f"{risk.name} {beyond(problem)}"
    contradiction = "its bounds contradict each other" if arm.goal.lower > arm.goal.upper else ""
    if index == engine.best:
        return "the best" + up_to_tolerance(problem) + (f", but {contradiction}" if contradiction else "")
    if contradiction:
        return contradiction
    if arm.beaten_by:
        winner = problem.names[arm.beaten_by - 1]
        moved = (
            f"{MOVED}its results are better than those of {winner}"
            if overtakes(engine, index, arm.beaten_by - 1)
            else ""
        )
        return f"surely {worse(problem)} on average than {winner}{moved}"
    if beaten:
        bounds = (arm.goal.upper, engine.state.arms[incumbent].goal.lower)
        mine, best = apart(problem.scale.outward(bounds[0]), problem.scale.outward(bounds[1]), digits(problem))
        least, most = at_least_at_most(problem)
        return f"mean {most} {mine}, the best has {least} {best}{up_to_tolerance(problem, ': no better')}"
    if not arm.metric.pulls:
        return "not yet tried"
    if arm.verdict == verdicts.FEASIBLE:
        return f"{risk.name} {within(problem)}, may be the best" if problem.limits else "may be the best"
    if max(shares) == 0.0:
        return f"its {risk.name} is still open"
    side = within(problem) if shares[0] >= shares[1] else beyond(problem)
    return f"{max(shares):.0%} of the way to showing that its {risk.name} is {side}"
