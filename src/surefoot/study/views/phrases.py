"""Phrases that sentences and verdicts are made of."""

import math
from collections.abc import Mapping, Sequence

from surefoot.problem import Problem
from surefoot.problem.limits import Limit
from surefoot.problem.metrics import REWARD
from surefoot.problem.risks.against import AgainstBaseline
from surefoot.study.engine import Engine
from surefoot.study.views.numbers import Shown, apart, show

MOVED = "; but by now "


def goal_name(problem: Problem) -> str:
    """The number that makes an arm the best; the only metric, called reward, need not be named."""
    goal = problem.goals[0]
    return "mean" if goal.metric == REWARD else str(goal.quantity)


def on_the_same_items(problem: Problem) -> str:
    """What arms are compared on, if it is not each on its own."""
    return " on the same items" if problem.items else ""


def within(limit: Limit) -> str:
    """What the limited number of a feasible arm is."""
    bound = bound_of(limit, limit.risk.widened(limit.slack))
    return f"at least {bound}" if limit.risk.is_floor else f"within {bound}"


def beyond(limit: Limit) -> str:
    """What the limited number of an infeasible arm is."""
    return f"{'below' if limit.risk.is_floor else 'above'} {bound_of(limit, limit.risk.bound)}"


def bound_of(limit: Limit, bound: float) -> str:
    """What a limited number may be, as people read it."""
    risk = limit.risk
    return str(risk.to._replace(plus=float(show(bound)))) if isinstance(risk, AgainstBaseline) else show(bound)


def the_limits(problem: Problem) -> str:
    """What a feasible arm keeps."""
    return "all limits" if len(problem.limits) > 1 else "the limit"


def within_limits(problem: Problem) -> str:
    """That the arms meant are those which keep the limits, if there are any."""
    return f" within {the_limits(problem)}" if problem.limits else ""


def counted(pulls: int) -> str:
    return f"{pulls:,} pull{'' if pulls == 1 else 's'}"


def a_few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")


def said_excluded(problem: Problem, engine: Engine) -> str:
    """That the decision is about the other arms."""
    if not engine.aside:
        return ""
    failed = {index: engine.failures.get(index, 0) for index in engine.aside if not has_results(engine, index)}
    names = [
        f"{problem.names[index]} ({counted(failed[index])} failed)" if failed.get(index) else problem.names[index]
        for index in engine.aside
    ]
    return f" Excluded because {'it' if len(names) == 1 else 'they'} could not be measured: {a_few(names)}."


def said_failures(problem: Problem, engine: Engine) -> str:
    """Which pulls failed, and what the decision assumes of them."""
    failures = sorted(assumed_failures(engine).items(), key=lambda entry: -entry[1])
    if not failures:
        return ""
    arms = a_few([f"{problem.names[index]} ({count:,})" for index, count in failures])
    if problem.failure is not None:
        return f" Pulls that failed count as {as_result(problem.failure)}: {arms}."
    return (
        f" Pulls that failed were tried again: {arms}. "
        "This assumes that whether a pull fails has nothing to do with its result."
    )


def as_result(values: float | Mapping[str, float]) -> str:
    """A result as people write it: a number, or one for each metric.

    >>> as_result(0.5), as_result({"accuracy": 0.0, "latency": 30.0})
    ('0.5', 'accuracy 0, latency 30')
    """
    if isinstance(values, Mapping):
        return ", ".join(f"{metric} {value:g}" for metric, value in values.items())
    return f"{values:g}"


def assumed_failures(engine: Engine) -> dict[int, int]:
    """Of each arm, the failed pulls of which the decision assumes something: it says nothing of an arm that was excluded
    before it had a result.
    """
    failures = engine.failures.items()
    return {index: count for index, count in failures if index not in engine.aside or has_results(engine, index)}


def has_results(engine: Engine, index: int) -> bool:
    return bool(engine.state.arms[index].metric.pulls)


def said_expired(problem: Problem, engine: Engine) -> str:
    """Which pulls were not heard of within their lease, and what the decision assumes of them."""
    if not engine.expired:
        return ""
    counts = sorted(engine.expired.items(), key=lambda entry: -entry[1])
    arms = a_few([f"{problem.names[index]} ({count:,})" for index, count in counts])
    return (
        f" Pulls that brought no result within the lease were replaced: {arms}. "
        "This assumes that how long a pull takes has nothing to do with its result."
    )


def said_failed(problem: Problem, engine: Engine, index: int) -> str:
    """What became of an arm's pulls that failed, after the verdict on it."""
    count = engine.failures.get(index, 0)
    then = "and {were} tried again" if problem.failure is None else f"and {{count}} as {as_result(problem.failure)}"
    numbers = {"were": "was", "count": "counts"} if count == 1 else {"were": "were", "count": "count"}
    return f"; {counted(count)} failed {then.format(**numbers)}" if count else ""


def said_moved(problem: Problem, mean: Shown, limited: Sequence[Shown], means: str) -> str:
    """That the sample lies on the other side of what was settled about an arm, which is what its numbers are cut at."""
    said = []
    for limit, shown in zip(problem.limits, limited, strict=True):
        if shown.crossed is not None:
            value = apart(shown.crossed, limit.risk.bound, ".4g")[0]
            name = limit.shown_name
            said.append(f"the {name} of its results is {value}, on the other side of the limit")
    if mean.crossed is not None:
        value = apart(mean.crossed, mean.value, means)[0]
        said.append(f"the {goal_name(problem)} of its results is {value}, outside its bounds")
    return MOVED + ", and ".join(said) if said else ""


def worse(problem: Problem) -> str:
    """How a mean compares that is worse."""
    return "lower" if problem.direction == "max" else "higher"


def at_least_at_most(problem: Problem) -> tuple[str, str]:
    return ("at least", "at most") if problem.direction == "max" else ("at most", "at least")


def or_nearly(problem: Problem, best: str = "the best") -> str:
    """What a tolerance allows the answer to be."""
    return f", or within the tolerance of {problem.tolerance:g} of {best}" if problem.tolerance else ""


def could_be_best(problem: Problem, names: Sequence[str], best: str = "the best") -> str:
    """That these arms are not ruled out."""
    return f"{listing(names)} could {'each ' if len(names) > 1 else ''}still be {best}{within_limits(problem)}"


def at_most_worse(problem: Problem, gap: float) -> str:
    """How much worse than the best a mean could be, rounded up."""
    if gap == 0.0:
        return f"and no other arm can have a better {goal_name(problem)}"
    return f"at most {rounded_up(gap)} {'below' if problem.direction == 'max' else 'above'} the best"


def rounded_up(value: float) -> str:
    """A positive number to two digits, and no smaller than it is.

    >>> rounded_up(0.0301), rounded_up(0.25), rounded_up(1234.0)
    ('0.031', '0.25', '1300')
    """
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.ceil(value / unit - 1e-9) * unit:g}"


def claimed(confidence: float) -> str:
    """What is claimed of a recommendation."""
    return f"{percent(confidence)} confidence" if confidence else "nothing can be claimed yet"


def percent(confidence: float) -> str:
    """A confidence, rounded down; with decimals where it is so near to 1 that they matter.

    >>> percent(0.819), percent(0.95), percent(0.999)
    ('81 %', '95 %', '99.9 %')
    """
    decimals = max(math.ceil(-math.log10(max(1.0 - confidence, 1e-12)) - 1e-9) - 2, 0)
    return f"{math.floor(confidence * 10 ** (2 + decimals) + 1e-6) / 10**decimals:.{decimals}f} %"


def listing(names: Sequence[str]) -> str:
    """The names, or as many of them as fit into a sentence."""
    if len(names) > 6:
        return f"{', '.join(names[:5])} and {len(names) - 5:,} other arms"
    return joined(names)


def joined(parts: Sequence[str]) -> str:
    """
    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
