"""What a picture has across and up: the goal, or one of the limits."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from surefoot.errors import InvalidValue
from surefoot.problem import Problem
from surefoot.problem.limits import Limit
from surefoot.problem.metrics import REWARD
from surefoot.study.views.arm_report import ArmReport, GoalReport, LimitReport
from surefoot.study.views.phrases import goal_name, on_the_same_items

GOAL = "goal"
Chosen: TypeAlias = (
    str | int | None
)  # a limit by its text, its quantity or its number from 0, or the goal; None: chosen for you


class Axis(NamedTuple):
    """Numbers of arms, and the limit on them if there is one."""

    label: str
    report: Callable[[ArmReport], GoalReport | LimitReport]
    limit: Limit | None = None
    text: str = ""  # the limit, as people write it


def goal_axis(problem: Problem) -> Axis:
    quantity = "mean reward" if problem.goals[0].metric == REWARD else goal_name(problem)
    better = "higher" if problem.direction == "max" else "lower"
    return Axis(f"{quantity}{on_the_same_items(problem)} ({better} is better)", lambda row: row.goal)


def limit_axis(problem: Problem, place: int) -> Axis:
    limit = problem.limits[place]
    return Axis(limit.shown_name, lambda row: row.limits[place], limit, str(limit))


def axis(what: str, problem: Problem, chosen: str | int) -> Axis:
    """The axis that `what`, x or y, was chosen to be."""
    if chosen in (GOAL, goal_name(problem)):
        return goal_axis(problem)
    texts = [str(limit) for limit in problem.limits]
    names = [limit.name for limit in problem.limits]
    for place in range(len(texts)):
        if chosen in (place, texts[place], names[place]) and not isinstance(chosen, bool):
            return limit_axis(problem, place)
    known = ", ".join(repr(name) for name in (GOAL, *texts))
    raise InvalidValue(f"{what} must be {known} or the number of a limit, which begins with 0, got {chosen!r}")


def axes(
    problem: Problem, rows: Sequence[ArmReport], leader: str | None, x: Chosen, y: Chosen
) -> tuple[Axis | None, Axis]:
    """Across and up, by default the limit that the leader is nearest to breaking, and the goal; None: there is nothing to be
    across, and each arm has a column.
    """
    up = goal_axis(problem) if y is None else axis("y", problem, y)
    if x is not None:
        return axis("x", problem, x), up
    place = nearest_limit(problem, rows, leader)
    return None if place is None else limit_axis(problem, place), up


def nearest_limit(problem: Problem, rows: Sequence[ArmReport], leader: str | None) -> int | None:
    """The place of the limit that an arm is nearest to breaking, in widths of its interval; the first if there is no such
    arm, None if there is no limit.
    """
    row = next((row for row in rows if row.name == leader), None)
    if row is None or not problem.limits:
        return 0 if problem.limits else None
    rooms = [room(limit, report) for limit, report in zip(problem.limits, row.limits, strict=True)]
    return min(range(len(rooms)), key=rooms.__getitem__)


def room(limit: Limit, report: LimitReport) -> float:
    """How far a limited number is from its limit, in widths of its interval; negative if it is beyond.

    >>> from surefoot import Variance
    >>> room(Limit(Variance(at_most=0.5)), LimitReport("variance <= 0.5", 0.25, 0.0, 1.0, "open", 0.4))
    0.25
    """
    if report.value is None:
        return math.inf
    left = report.value - limit.risk.bound if limit.risk.is_floor else limit.risk.bound - report.value
    if report.lower is None or report.upper is None:
        return 0.0
    width = report.upper - report.lower
    return left / width if width > 0.0 else math.copysign(math.inf, left)
