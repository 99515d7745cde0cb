"""A decision, or how things stand, as a sentence: the answer, its numbers, and what it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar

from surefoot.core import verdicts
from surefoot.core.error_budget import wrong_at_most
from surefoot.problem import Problem
from surefoot.study.engine import Engine
from surefoot.study.study_state import STATUS
from surefoot.study.views import numbers
from surefoot.study.views.arm_report import arm_report
from surefoot.study.views.in_play import in_play, overtakes
from surefoot.study.views.notices import Notice, said
from surefoot.study.views.numbers import apart, digits, form_of, show
from surefoot.study.views.phrases import (
    MOVED,
    at_least_at_most,
    beyond,
    could_be_best,
    counted,
    or_nearly,
    said_excluded,
    said_expired,
    said_failures,
    said_moved,
    within,
    worse,
)
from surefoot.study.views.recommendation import recommendation

if TYPE_CHECKING:
    from surefoot.study.any_study import AnyStudy


@dataclass(frozen=True)
class Decision:
    """`best` with an arm, `infeasible` if no arm keeps the limit, or `undecided`; prints as a sentence."""

    status: str
    arm: str | None
    pulls: int
    confidence: float | None  # of the decision; None while it is undecided
    sentence: str
    recommended: tuple[str, ...] | None = None  # the answer one would give now, as in Recommendation
    recommended_confidence: float = 0.0
    recommended_gap: float | None = None
    candidates: tuple[str, ...] = ()
    study: ClassVar["AnyStudy | None"] = None  # no field: a decision is plain data

    def of(self, study: "AnyStudy") -> "Decision":
        """The same, beside which a notebook shows the table and the picture of its study."""
        vars(self)["study"] = study
        return self

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # a study does not travel

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        from surefoot.study.views.html import page

        return page(self)


def decision(problem: Problem, engine: Engine, warnings: Sequence[Notice]) -> Decision:
    """The decision, or how things stand, as a sentence with its numbers, its guarantee, and what speaks against that."""
    status, pulls = STATUS[engine.status], counted(engine.counted)
    name = problem.names[engine.best] if engine.best >= 0 else None
    delta = wrong_at_most(problem.delta, engine.dropped, engine.program.mean_bound.PAIRS)
    now = recommendation(problem, engine)
    aside = said_excluded(problem, engine) + said_failures(problem, engine) + said_expired(problem, engine)
    guaranteed = f"the decision is wrong with probability at most {delta:g}"
    if delta == 1.0:
        guaranteed = "nothing is guaranteed, because too many arms were excluded after they gave results"
    guarantee = f"This took {pulls}; {guaranteed}.{aside}"
    if status == "best":
        sentence = f"{best_sentence(problem, engine)} {guarantee}"
    elif status == "infeasible":
        risks = f"the {problem.risk.name} of each is {beyond(problem)}"
        sentence = f"No arm{measured(engine)} keeps the limit: {risks}. {guarantee}"
    elif engine.finished and engine.one_arm_left and (playing := in_play(engine)):
        known = f" Its {problem.risk.name} is {within(problem)}." if problem.limits else ""
        if engine.state.arms[playing[0]].verdict == verdicts.OPEN:
            known = f" It is not known yet whether its {problem.risk.name} is {within(problem)}."
        sentence = (
            f"Undecided after {pulls}: {problem.names[playing[0]]} is the only arm that could be measured, and nothing "
            f"was compared with it.{known}{aside}"
        )
    elif engine.finished and now.answer is not None:
        sentence = f"{now} The study ended undecided after {pulls}.{aside}"
    else:
        who = could_be_best(problem, now.candidates, "the best arm") if now.candidates else "every arm was excluded"
        sentence = f"Undecided after {pulls}: {who}."
        sentence += f" {now}{aside}" if now.answer is not None else aside
        if waiting := engine.queues.waiting_results():
            results = "1 more result is" if waiting == 1 else f"{waiting:,} more results are"
            sentence += f" {results} waiting for earlier pulls to finish."
    confidence = None if status == "undecided" else 1.0 - delta
    recommended = now.answer, now.confidence, now.gap, now.candidates
    return Decision(status, name, engine.counted, confidence, sentence + said(warnings), *recommended)


def measured(engine: Engine) -> str:
    """Which arms a decision is about, if some were excluded."""
    return " that could be measured" if engine.aside else ""


def best_sentence(problem: Problem, engine: Engine) -> str:
    """That an arm is the best, and what shows it."""
    best, arm = arm_report(problem, engine, engine.best, engine.best, engine.clock()), engine.state.arms[engine.best]
    means, risky = form_of(best.mean, best.mean_lower, best.mean_upper, digits(problem)), bool(problem.limits)
    least, most = at_least_at_most(problem)
    edge = best.mean_lower if problem.goal == "max" else best.mean_upper
    shown, others = show(edge, means), ""
    rivals = enumerate(engine.state.arms)
    left = [index for index, arm in rivals if index != engine.best and arm.verdict != verdicts.INFEASIBLE]
    other = f" Every other arm{' that may be within the limit' if risky else ''}"
    if any(engine.state.arms[index].beaten_by for index in left):
        closest = max(left, key=lambda index: engine.state.arms[index].metric.mean)
        mean = show(numbers.mean(problem, engine.state.arms[closest]).value, means)
        others = f"{other} surely has a {worse(problem)} mean"
        if overtakes(engine, closest, engine.best):
            others += f" by its earlier results{MOVED}the mean of {problem.names[closest]} is {mean}."
        else:
            nearly = ", up to the tolerance" if problem.tolerance else ""
            others += f"{nearly} (the nearest is {problem.names[closest]} with {mean})."
    elif left:
        closest = max(left, key=lambda index: engine.state.arms[index].goal.upper)
        shown, bound = apart(edge, problem.scale.outward(engine.state.arms[closest].goal.upper), means)
        others = f"{other} has a mean of {most} {bound} ({problem.names[closest]})."
    elif len(problem.arms) > 1 + len(engine.aside):
        others = f" Every other arm{measured(engine)} breaks the limit."
    held = f"{least} {shown}" if arm.goal.lower <= arm.goal.upper else "its bounds contradict each other"
    numbers_of = f"its mean is {show(best.mean, means)} ({held})"
    if risky:
        risk = show(best.risk, best.risk_form(problem.risk.bound))
        numbers_of += f" and its {problem.risk.name} is {risk} ({within(problem)})"
    moved = said_moved(problem, numbers.mean(problem, arm), numbers.arm_risk(problem, engine, engine.best), means)
    return f"{best.name} is best{or_nearly(problem)}: {numbers_of}{moved}.{others}"
