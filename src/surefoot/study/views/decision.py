"""A decision, or how things stand, as a sentence: the answer, its numbers, and what it rests on."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from surefoot.core import verdicts
from surefoot.core.error_budget import wrong_at_most
from surefoot.problem import Problem
from surefoot.problem.risks.against import AgainstBaseline
from surefoot.study.engine import Engine
from surefoot.study.study_state import STATUS
from surefoot.study.views import limit_numbers, numbers
from surefoot.study.views.arm_report import ArmReport, arm_report, limit_form
from surefoot.study.views.in_play import in_play, overtakes
from surefoot.study.views.item_differences import nearest_on_items
from surefoot.study.views.limit_numbers import all_evidence, evidence
from surefoot.study.views.notices import Notice, said
from surefoot.study.views.numbers import apart, digits, form_of, show
from surefoot.study.views.phrases import (
    MOVED,
    at_least_at_most,
    beyond,
    could_be_best,
    counted,
    goal_name,
    joined,
    listing,
    or_nearly,
    said_excluded,
    said_expired,
    said_failures,
    said_moved,
    the_limits,
    within,
    within_limits,
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

    @property
    def answer(self) -> tuple[str, ...] | None:
        """The names that it comes to: none if no arm keeps the limits; None while it is undecided."""
        if self.status == "undecided":
            return None
        return () if self.arm is None else (self.arm,)

    def as_object(self) -> dict[str, Any]:
        """As JSON has it."""
        found = asdict(self)
        return {"status": found.pop("status"), "answer": None if self.answer is None else list(self.answer)} | found

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


def leading(decision: Decision) -> str | None:
    """The answer, or the best guess so far."""
    return decision.arm or (decision.recommended[0] if decision.recommended else None)


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
    guarantee = f"This took {pulls}{share_of_list(engine)}; {guaranteed}.{aside}"
    if status == "best":
        sentence = f"{best_sentence(problem, engine)} {guarantee}"
    elif status == "infeasible":
        breaks = who_breaks(problem, [breaking(problem, engine, place) for place in range(len(problem.limits))])
        sentence = f"No arm{measured(engine)} keeps {the_limits(problem)}: {breaks}. {guarantee}"
    elif engine.finished and engine.baseline in engine.aside:
        sentence = (
            f"Undecided after {pulls}: the baseline, {problem.baseline}, was excluded, so that no arm can be compared "
            f"with it.{aside}"
        )
    elif engine.finished and engine.one_arm_left and (playing := in_play(engine)):
        known = said_known(problem, report_of(problem, engine, playing[0]))
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


def share_of_list(engine: Engine) -> str:
    """How many pulls that is, of all that a finite list has, and what an answer is about."""
    if not engine.program.finite:
        return ""
    items, arms = int(engine.state.items.last), len(engine.state.arms)
    each = "this one item" if items == 1 else f"each of these {items:,} items"
    return f", {100.0 * engine.counted / (items * arms):.0f} % of one trial of each arm on {each}"


def measured(engine: Engine) -> str:
    """Which arms a decision is about, if some were excluded."""
    return " that could be measured" if engine.aside else ""


def report_of(problem: Problem, engine: Engine, index: int) -> ArmReport:
    return arm_report(problem, engine, index, engine.best, engine.clock())


def breaking(problem: Problem, engine: Engine, place: int) -> list[str]:
    """The arms that surely break a limit."""
    arms = (index for index in range(len(problem.arms)) if index not in engine.aside)
    return [problem.names[index] for index in arms if evidence(engine, index, place).verdict == verdicts.INFEASIBLE]


def who_breaks(problem: Problem, arms: Sequence[Sequence[str]]) -> str:
    """Why no arm is feasible: of each limit, the arms that break it."""
    if len(problem.limits) == 1:
        limit = problem.limits[0]
        return f"the {limit.name} of each is {beyond(limit)}"
    return "; ".join(
        f"{listing(names)} break{'s' if len(names) == 1 else ''} {limit!s}"
        for limit, names in zip(problem.limits, arms, strict=True)
        if names
    )


def said_known(problem: Problem, row: ArmReport) -> str:
    """What is known of an arm with which no other was compared."""
    said = []
    for limit, report in zip(problem.limits, row.limits, strict=True):
        claim = f"{limit.name} is {within(limit)}."
        said.append(f" It is not known yet whether its {claim}" if report.verdict == "open" else f" Its {claim}")
    return "".join(said)


def best_sentence(problem: Problem, engine: Engine) -> str:
    """That an arm is the best, and what shows it."""
    best, arm = report_of(problem, engine, engine.best), engine.state.arms[engine.best]
    means, goal = form_of(best.goal.value, best.goal.lower, best.goal.upper, digits(problem)), goal_name(problem)
    least, most = at_least_at_most(problem)
    edge = best.goal.lower if problem.direction == "max" else best.goal.upper
    shown, others = show(edge, means), ""
    rivals = enumerate(engine.state.arms)
    left = [index for index, arm in rivals if index != engine.best and arm.verdict != verdicts.INFEASIBLE]
    other = f" Every other arm{f' that may be{within_limits(problem)}' if problem.limits else ''}"
    if left and engine.items:
        nearly = ", up to the tolerance" if problem.tolerance else ""
        proven = "no better" if engine.program.finite else f"a {worse(problem)}"  # on a list arms may tie
        others = f"{other} surely has {proven} {goal}{nearly} ({nearest_on_items(problem, engine, left)})."
    elif any(engine.state.arms[index].beaten_by for index in left):
        closest = max(left, key=lambda index: engine.state.arms[index].metric.mean)
        mean = show(numbers.mean(problem, engine.state.arms[closest]).value, means)
        others = f"{other} surely has a {worse(problem)} {goal}"
        if overtakes(engine, closest, engine.best):
            others += f" by its earlier results{MOVED}the {goal} of {problem.names[closest]} is {mean}."
        else:
            nearly = ", up to the tolerance" if problem.tolerance else ""
            others += f"{nearly} (the nearest is {problem.names[closest]} with {mean})."
    elif left:
        closest = max(left, key=lambda index: engine.state.arms[index].goal.upper)
        shown, bound = apart(edge, problem.scale.outward(engine.state.arms[closest].goal.upper), means)
        others = f"{other} has a {goal} of {most} {bound} ({problem.names[closest]})."
    elif len(problem.arms) > 1 + len(engine.aside):
        others = f" Every other arm{measured(engine)} breaks {'a' if len(problem.limits) > 1 else 'the'} limit."
    held = f"{least} {shown}" if arm.goal.lower <= arm.goal.upper else "its bounds contradict each other"
    limited = limit_numbers.shown(problem, engine.best, all_evidence(problem, engine, engine.best), engine.clock())
    moved = said_moved(problem, numbers.mean(problem, arm), limited, means)
    return f"{best.name} is best{or_nearly(problem)}: {its_numbers(problem, best, means, held)}{moved}.{others}"


def its_numbers(problem: Problem, best: ArmReport, means: str, held: str) -> str:
    """The goal of the best arm, what is held of it, and each limited number.

    :param means: the form of the goal's number.
    :param held: what is known of it.
    """
    said = [f"its {goal_name(problem)} is {show(best.goal.value, means)} ({held})"]
    for limit, report in zip(problem.limits, best.limits, strict=True):
        value = show(report.value, limit_form(limit, report))
        if isinstance(limit.risk, AgainstBaseline):
            difference = f"its {limit.name} is {within(limit)} (the difference to {limit.risk.reference} is {value})"
            said.append(difference if value else "it is the baseline itself")
        else:
            said.append(f"its {limit.name} is {value} ({within(limit)})")
    said = list(dict.fromkeys(said))  # of the baseline the same is said for each limit against it
    return joined(said)
