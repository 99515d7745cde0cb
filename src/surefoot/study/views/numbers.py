"""Numbers that agree with each other: an estimate lies in its interval, and both on the side that a verdict has settled.

Bounds and verdicts stay once they are established, while the sample moves on. Where it moves across one, what is shown is
cut there, and `crossed` is what the sample itself has come to, to be said in words (`asides`). That is rare, unless rewards
are unlike independent draws of one distribution.
"""

import math
from typing import Any, NamedTuple

from surefoot.core import verdicts
from surefoot.problem import Problem
from surefoot.problem.limits import Limit
from surefoot.problem.reward_models import Scale
from surefoot.problem.risks.risk import reach

ROUNDING = 2.0**-40  # of the range, or of a risk that is no reward: what a sample may seem to be on the other side by
FINEST = 15  # decimals, beyond which powers of ten are easier to read
SCALING = 2.0**-48  # of the range: what a reward may be off by that went to the kernels' scale and back


class Shown(NamedTuple):
    lower: float
    value: float
    upper: float
    crossed: float | None = None  # the sample's own number, where it lies beyond a bound or verdict that stays


def clamped(value: float, lower: float, upper: float) -> float:
    return min(max(value, lower), upper)


def mean(problem: Problem, arm: Any) -> Shown:
    """The mean of an arm between its bounds, on the metric's own scale; of bounds that exclude each other, none holds."""
    model = problem.goal_metric.model
    (low, high), scale = reach(model), model.scale(problem.direction)
    lower, value, upper = (
        clamped(scale.outward(number), low, high) for number in (arm.goal.lower, arm.metric.mean, arm.goal.upper)
    )
    if arm.goal.lower > arm.goal.upper:
        return Shown(min(lower, value, upper), value, max(lower, value, upper))
    lower, upper = min(lower, upper), max(lower, upper)  # mirrored where the goal is "min"
    inside = clamped(value, lower, upper)
    return Shown(lower, inside, upper, crossed(value, inside, scale.width))


def limited(problem: Problem, limit: Limit, verdict: int, ends: tuple[float, float], value: float) -> Shown:
    """A limited quantity between its ends, on its own scale, cut at the limit on the side that a test has established."""
    risk, metric = limit.risk, problem.metric(limit.metric)
    scale = problem.scale_of(metric)
    low, high = reach(metric.model) if risk.is_reward else (-math.inf, math.inf)
    lower, upper = sorted(clamped(outward(limit, scale, end), low, high) for end in ends)
    sample = value = clamped(outward(limit, scale, value), lower, upper)
    if verdict == verdicts.OPEN and limit.is_against_baseline:
        # Verdicts wait until they are asked for, and for pulls in flight: until then, nothing beyond the limit is sure.
        wide = risk.widened(limit.slack)
        lower, upper = min(lower, risk.bound, wide), max(upper, risk.bound, wide)
    if verdict != verdicts.OPEN:
        above = risk.is_floor == (verdict == verdicts.FEASIBLE)
        edge = inside = risk.widened(limit.slack)
        if verdict == verdicts.INFEASIBLE:
            edge, step = risk.bound, math.ulp(risk.bound or scale.width)  # the limit itself is allowed
            inside = edge + step if above else edge - step
        if above:
            lower, value, upper = max(lower, edge), max(value, inside), max(upper, inside)
        else:
            lower, value, upper = min(lower, inside), min(value, inside), min(upper, edge)
    across = crossed(sample, value, scale.width if risk.is_reward else sample)
    return Shown(lower, value, upper, across)


def outward(limit: Limit, scale: Scale, value: float) -> float:
    """A limited quantity on its own scale: the limit itself, if it is the limit but for the way to the kernels' scale and
    back.
    """
    risk, bound = limit.risk, limit.risk.bound
    found = risk.outward(value, scale)
    near = risk.is_reward and abs(found - bound) <= SCALING * (abs(scale.width) + abs(bound))
    return bound if near else found


def breaks(problem: Problem, limit: Limit, value: float) -> bool:
    """Is a quantity beyond its limit and the slack, and not by rounding?"""
    risk, wide = limit.risk, limit.risk.widened(limit.slack)
    beyond = value < wide if risk.is_floor else value > wide
    unit = problem.scale_of(problem.metric(limit.metric)).width if risk.is_reward else value
    return beyond and crossed(value, wide, unit) is not None


def crossed(sample: float, inside: float, unit: float) -> float | None:
    """The sample's own number, if it is not what is shown for it, and not by rounding."""
    return sample if abs(sample - inside) > ROUNDING * abs(unit) else None


def show(value: float | None, form: str = ".4g") -> str:
    """A number as people read it."""
    return "" if value is None else format(value, form)


def apart(one: float, other: float, form: str) -> tuple[str, str]:
    """Two numbers as people read them, with as many more digits as it takes to tell them apart.

    >>> apart(0.56001, 0.56004, ".4f"), apart(1.0, 1.0, ".4f")
    (('0.56001', '0.56004'), ('1.0000', '1.0000'))
    """
    form = form_apart(one, other, form)
    return show(one, form), show(other, form)


def form_apart(one: float, other: float, form: str) -> str:
    """The form with as many more digits as it takes to tell two numbers apart."""
    precision = int(form[1:-1])
    while show(one, form) == show(other, form) and one != other and precision < 15:
        precision += 1
        form = f".{precision}{form[-1]}"
    return form


def form_of(value: float | None, lower: float | None, upper: float | None, form: str) -> str:
    """A form for an estimate and its interval, with the digits that mean something: four of the estimate, or as many as
    the form has, but where these are finer than a thousandth of the interval, three.

    >>> form_of(45.638, 45.0, 46.0, ".0f"), form_of(45.638, 0.0, 900.0, ".0f"), form_of(0.0639, 0.027, 0.1017, ".4f")
    ('.2f', '.1f', '.4f')
    """
    precision, fixed = int(form[1:-1]), form[-1] == "f"
    leading = -math.floor(math.log10(abs(value))) if value else None  # the decimal that its first digit is
    decimals = precision if leading is None else max(precision, leading + 3) if fixed else leading + 3
    width = math.inf if lower is None or upper is None else upper - lower
    if 0.0 < width < math.inf:
        enough = 2 - math.floor(math.log10(width))
        decimals, fixed = min(decimals, enough if leading is None else max(enough, leading + 2)), True
    return f".{max(decimals, 0)}f" if fixed and decimals <= FINEST else ".4g"


def digits(problem: Problem) -> str:
    """How to write means: to a ten-thousandth of the range of the metric, or of what stands for it."""
    width = math.sqrt(4.0 * problem.goal_metric.model.largest_variance)
    decimals = FINEST + 1 if math.isinf(width) else 4 - math.floor(math.log10(width))
    return f".{max(decimals, 0)}f" if decimals <= FINEST else ".4g"
