"""The recommendation at any time: the answer one would give now, and how sure it is (docs/recommendation.md)."""

from dataclasses import dataclass

from surefoot.core import verdicts
from surefoot.core.recommending import NOTHING_YET
from surefoot.problem import Problem
from surefoot.problem.risks.risk import reach
from surefoot.study.engine import Engine
from surefoot.study.views import numbers
from surefoot.study.views.in_play import in_play
from surefoot.study.views.item_differences import gap_on_items
from surefoot.study.views.phrases import at_most_worse, claimed, could_be_best, the_limits


@dataclass(frozen=True)
class Recommendation:
    """The answer one would give now; prints as a sentence."""

    answer: tuple[str, ...] | None  # empty: that no arm keeps the limits; None: nothing can be said yet
    confidence: float  # the level that it has reached, 0 where nothing can be claimed; no probability that it is right
    gap: float | None  # how much worse than the best its mean could be; None where nothing is known
    candidates: tuple[str, ...]  # the arms that may still be the answer
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def recommendation(problem: Problem, engine: Engine) -> Recommendation:
    found = engine.recommender(engine)
    names = tuple(problem.names[index] for index in in_play(engine))
    if found.arm == NOTHING_YET:
        return Recommendation(None, 0.0, None, names, "Nothing can be recommended yet.")
    answer = (problem.names[found.arm],) if found.arm >= 0 else ()
    gap = gap_of(problem, engine, found.arm) if answer else None
    sentence = said(problem, engine, answer, found.confidence, gap)
    return Recommendation(answer, found.confidence, gap, names, sentence)


def gap_of(problem: Problem, engine: Engine, best: int) -> float | None:
    """How much worse than the best feasible arm the mean of an arm could be, at level delta; None if nothing is known.

    Arms that another one surely surpasses could not be the best; those found to be no better up to the tolerance are not
    better by more.
    """
    if engine.one_arm_left:
        return None
    if engine.items and not engine.program.finite and engine.status != verdicts.BEST:
        return gap_on_items(problem, engine, best)
    sign = 1.0 if problem.direction == "max" else -1.0
    mine = numbers.mean(problem, engine.state.arms[best])
    lower = min(sign * mine.lower, sign * mine.upper)
    gap = 0.0
    for index, arm in enumerate(engine.state.arms):
        if index != best and arm.verdict != verdicts.INFEASIBLE and arm.beaten_by <= 0:
            other = numbers.mean(problem, arm)
            ahead = max(sign * other.lower, sign * other.upper) - lower
            compared = engine.status == verdicts.BEST or arm.beaten_by == -1 - best
            gap = max(gap, min(ahead, problem.tolerance) if compared else ahead)
    low, high = reach(problem.goal_metric.model)
    return gap if gap < high - low else None


def said(problem: Problem, engine: Engine, answer: tuple[str, ...], confidence: float, gap: float | None) -> str:
    """The recommendation as a sentence: the headline of a study that ended undecided, the end of one that goes on."""
    if engine.status != verdicts.UNDECIDED:
        return f"{f'{answer[0]} is best' if answer else f'No arm keeps {the_limits(problem)}'} ({claimed(confidence)})."
    what = answer[0] if answer else f"that no arm keeps {the_limits(problem)}"
    sure = claimed(confidence)
    worse = f", {at_most_worse(problem, gap)}" if gap is not None else ""
    if not engine.finished:
        return f"The best guess so far is {what} ({sure}{worse})."
    guess = f"{what} is the best guess" if answer else f"The best guess is {what}"
    others = [problem.names[index] for index in in_play(engine) if problem.names[index] not in answer]
    return f"{guess} ({sure}){worse}{f'; {could_be_best(problem, others)}' if others else ''}."
