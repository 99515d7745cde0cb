"""Numbers that agree with each other: an estimate lies in its interval, and both on the side that a verdict has settled.

Bounds and verdicts stay once they are established, while the sample moves on. Where it moves across one, what is shown is
cut there. That is rare, unless rewards are unlike independent draws of one distribution.
"""

import math
from typing import Any, NamedTuple

from surefoot.core import verdicts
from surefoot.problem import Problem
from surefoot.problem.risks.risk import reach


class Shown(NamedTuple):
    lower: float
    value: float
    upper: float


def clamped(value: float, lower: float, upper: float) -> float:
    return min(max(value, lower), upper)


def mean(problem: Problem, arm: Any) -> Shown:
    """The mean of an arm between its bounds, on the reward's own scale; of bounds that exclude each other, none holds."""
    low, high = reach(problem.rewards)
    lower, value, upper = (
        clamped(problem.scale.outward(number), low, high)
        for number in (arm.goal.lower, arm.metric.mean, arm.goal.upper)
    )
    if arm.goal.lower > arm.goal.upper:
        return Shown(min(lower, value, upper), value, max(lower, value, upper))
    lower, upper = min(lower, upper), max(lower, upper)  # mirrored where the goal is "min"
    return Shown(lower, clamped(value, lower, upper), upper)


def risk(problem: Problem, verdict: int, ends: tuple[float, float], value: float) -> Shown:
    """The risk between its ends, on the reward's own scale, cut at the limit on the side that a test has established."""
    limit = problem.risk
    low, high = reach(problem.rewards) if limit.is_reward else (-math.inf, math.inf)
    lower, upper = sorted(clamped(limit.outward(end, problem.scale), low, high) for end in ends)
    value = limit.outward(value, problem.scale)
    if verdict != verdicts.OPEN:
        above = limit.is_floor == (verdict == verdicts.FEASIBLE)
        edge = inside = limit.widened(problem.risk_slack)
        if verdict == verdicts.INFEASIBLE:
            edge, step = limit.bound, math.ulp(limit.bound or problem.scale.width)  # the limit itself is allowed
            inside = edge + step if above else edge - step
        if above:
            lower, value, upper = max(lower, edge), max(value, inside), max(upper, inside)
        else:
            lower, value, upper = min(lower, inside), min(value, inside), min(upper, edge)
    return Shown(lower, clamped(value, lower, upper), upper)


def show(value: float | None, form: str = ".4g") -> str:
    """A number as people read it."""
    return "" if value is None else format(value, form)


def apart(one: float, other: float, form: str) -> tuple[str, str]:
    """Two numbers as people read them, with as many more digits as it takes to tell them apart.

    >>> apart(0.56001, 0.56004, ".4f"), apart(1.0, 1.0, ".4f")
    (('0.56001', '0.56004'), ('1.0000', '1.0000'))
    """
    precision = int(form[1:-1])
    while show(one, form) == show(other, form) and one != other and precision < 15:
        precision += 1
        form = f".{precision}{form[-1]}"
    return show(one, form), show(other, form)
