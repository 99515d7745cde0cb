"""What speaks against an assumption of the guarantee, in sentences: for every surface that shows a decision."""

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from surefoot.core import statistics, verdicts
from surefoot.problem import Problem
from surefoot.study.engine import Engine
from surefoot.study.views import numbers
from surefoot.study.views.limit_numbers import evidence
from surefoot.study.views.numbers import show
from surefoot.study.views.phrases import assumed_failures, counted, goal_name, within
from surefoot.study.watch import Alarm

SUPPORT = 0.5  # a decision is supported if the means show this part of what delta asks for, in ln


class Notice(NamedTuple):
    """A warning; prints as its sentence."""

    kind: str  # bounds, drift, verdict, unsupported, columns, failures, …
    arm: str | None  # None where it is not about one arm
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def notices(problem: Problem, engine: Engine) -> list[Notice]:
    """All that there is to be said of a study, what its results show first. Another kind is another function here."""
    of_engine = (alarmed, denied, unsupported, failed, unheard, clipped)
    return [notice for kind in of_engine for notice in kind(problem, engine)] + doubtful(problem)


def alarmed(problem: Problem, engine: Engine) -> list[Notice]:
    """The arms whose rewards do not look as the guarantee assumes, in the problem's order."""
    alarms = sorted(engine.watch.alarms.values(), key=lambda alarm: (alarm.arm, alarm.kind != "drift"))
    return [Notice(alarm.kind, problem.names[alarm.arm], sentence(problem, alarm)) for alarm in alarms]


def denied(problem: Problem, engine: Engine) -> list[Notice]:
    """The arms that were found feasible by some results, while all of them together show that they are not.

    No alarm may rest on INFEASIBLE: it is paid for the best arm only (docs/bounds.md).
    """
    found: list[Notice] = []
    for index, (place, limit) in product(range(len(problem.arms)), enumerate(problem.limits)):
        one = evidence(engine, index, place)
        if one.verdict != verdicts.FEASIBLE:
            continue
        risk, name = limit.risk, limit.name
        sample = risk.outward(one.estimate, problem.scale_of(problem.metric(limit.metric)))
        if not numbers.breaks(problem, limit, sample):  # quick to see, and nearly always so
            continue
        ends = numbers.limited(problem, limit, verdicts.OPEN, one.interval(problem, engine.clock()), math.nan)
        if numbers.breaks(problem, limit, ends.upper if risk.is_floor else ends.lower):
            side = f"at most {show(ends.upper)}" if risk.is_floor else f"at least {show(ends.lower)}"
            seen = f"some of them show that its {name} is {within(limit)}, all of them that it is {side}"
            found.append(Notice("verdict", problem.names[index], unlike(problem, index, seen)))
    return found


def unsupported(problem: Problem, engine: Engine) -> list[Notice]:
    """The decision, if all results together hardly show it: bounds that earlier results gave are kept, and may decide.

    If nothing drifts, this is rare (docs/warnings.md has how rare). If all arms drift together, it is how most of the
    decisions come about that no change in the results of a single arm shows.
    """
    if engine.status != verdicts.BEST or problem.tolerance > 0.0:
        return []
    arms, enough = engine.state.arms, SUPPORT * math.log(1.0 / problem.delta)
    best = arms[engine.best].metric
    for index, arm in enumerate(arms):
        compared = index != engine.best and index not in engine.aside and arm.verdict != verdicts.INFEASIBLE
        if compared and min(best.pulls, arm.metric.pulls) >= 2.0 and lead(engine, index) < enough:
            ours, theirs = (show(problem.scale.outward(metric.mean)) for metric in (best, arm.metric))
            name, other = problem.names[engine.best], problem.names[index]
            sentence = (
                f"All results together hardly show that {name!r} is better than {other!r}: their means are {ours} and "
                f"{theirs}. The decision rests on bounds from earlier results. The guarantee assumes that nothing drifts."
            )
            return [Notice("unsupported", name, sentence)]
    return []


def lead(engine: Engine, index: int) -> float:
    """About how much evidence all results together have that the best arm is above another one, in ln: with independent arms
    half of the squared z-value, whatever the bounds.
    """
    if engine.items:
        return float(engine.comparison.rough_lead(engine.state, engine.best, index, 0.0))
    best, other = engine.state.arms[engine.best].metric, engine.state.arms[index].metric
    gap = max(best.mean - other.mean, 0.0)
    variance_of_gap = statistics.variance(best) / best.pulls + statistics.variance(other) / other.pulls
    return 0.5 * gap * gap / variance_of_gap if variance_of_gap > 0.0 else math.inf if gap > 0.0 else 0.0


def failed(problem: Problem, engine: Engine) -> list[Notice]:
    """The arms whose pulls failed and were tried again."""
    if problem.failure is not None:
        return []
    return [
        Notice(
            "failures",
            problem.names[index],
            f"{counted(count)} of arm {problem.names[index]!r} failed and others took their place. "
            "The decision assumes that whether a pull fails has nothing to do with its result.",
        )
        for index, count in sorted(assumed_failures(engine).items())
    ]


def unheard(problem: Problem, engine: Engine) -> list[Notice]:
    """The arms with pulls that were not heard of within their lease, which others replaced."""
    return [
        Notice(
            "expired",
            problem.names[index],
            f"{counted(count)} of arm {problem.names[index]!r} brought no result within the lease and others took their "
            "place. The decision assumes that how long a pull takes has nothing to do with its result.",
        )
        for index, count in sorted(engine.expired.items())
    ]


def clipped(problem: Problem, engine: Engine) -> list[Notice]:
    """The arms with values beyond the range of their metric, which count as its end."""
    return [
        Notice(
            "clipped",
            problem.names[index],
            f"{count:,} {'value' if count == 1 else 'values'} of {name} of arm {problem.names[index]!r} "
            f"{'was' if count == 1 else 'were'} beyond the range and {'counts' if count == 1 else 'count'} as its end. "
            "The decision is about the clipped values.",
        )
        for index, by_metric in sorted(engine.clipped.items())
        for name, count in by_metric.items()
    ]


def doubtful(problem: Problem) -> list[Notice]:
    """What was asked for, and is probably not what was meant."""
    return [Notice("problem", None, f"{sentence[0].upper()}{sentence[1:]}") for sentence in problem.cautions]


def sentence(problem: Problem, alarm: Alarm) -> str:
    goal = goal_name(problem)
    first, second = (format(problem.scale.outward(value), ".4g") for value in (alarm.first, alarm.second))
    if alarm.kind == "bounds":
        if problem.direction == "min":
            first, second = second, first
        seen = f"some of them show that its {goal} is at least {first}, others that it is at most {second}"
    else:
        some = f"results {alarm.start + 1:,} to {alarm.end:,}"
        others = f"the others of results {alarm.since + 1:,} to {alarm.until:,}"
        seen = f"its {some} are distributed otherwise than {others}"
        if alarm.by_mean:
            seen = f"its {goal} over {some} is {first}, over {others} it is {second}"
    return unlike(problem, alarm.arm, seen)


def unlike(problem: Problem, arm: int, seen: str) -> str:
    return (
        f"The results of arm {problem.names[arm]!r} do not look like independent draws of one distribution: {seen}. "
        "The guarantee assumes that nothing drifts."
    )


NAMED = ("failures", "expired")  # kinds that the sentence of a decision names anyway


def said(found: Sequence[Notice]) -> str:
    """The first of them, to stand behind a decision's sentence, and how many more there are."""
    found = [notice for notice in found if notice.kind not in NAMED]
    if not found:
        return ""
    more = {1: "", 2: " There is one more warning."}.get(len(found), f" There are {len(found) - 1:,} more warnings.")
    return f" Warning: {found[0]}{more}"
