"""What the differences of two arms on the same items come to, for people."""

import math

from surefoot.core import differences
from surefoot.problem import Problem
from surefoot.study.engine import Engine
from surefoot.study.views.in_play import in_play
from surefoot.study.views.numbers import show
from surefoot.study.views.phrases import goal_name, worse


def nearest_on_items(problem: Problem, engine: Engine, others: list[int]) -> str:
    """Which of the other arms is nearest to the best, and how far from it on the items that both were tried on."""
    pairs = {index: engine.comparison.catch_up(engine.state, engine.best, index) for index in others}
    nearest = min(pairs, key=lambda index: differences.mean(pairs[index]))
    gap = differences.mean(pairs[nearest]) * abs(problem.scale.width)
    more_or_less = (
        f"{worse(problem)} by {show(gap)}" if gap > 0.0 else "the same" if gap == 0.0 else f"not {worse(problem)}"
    )
    s = "" if pairs[nearest].count == 1.0 else "s"
    both = f"round{s} that both were in" if engine.in_rounds else f"item{s} that both were tried on"
    items = f"the {pairs[nearest].count:,.0f} {both}"
    return f"the nearest is {problem.names[nearest]}, whose {goal_name(problem)} is {more_or_less} on {items}"


def gap_on_items(problem: Problem, engine: Engine, best: int) -> float | None:
    """How much worse than the best feasible arm an arm could be, by the differences; None if nothing is known."""
    level, found = engine.state.mean_parameters.pair_level, 0.0
    for index in in_play(engine):
        if index != best:
            pair = engine.comparison.catch_up(engine.state, best, index)
            ahead = -differences.lower_end(pair, level)
            conceded = engine.state.arms[index].beaten_by == -1 - best
            found = max(found, min(ahead, engine.state.tolerance) if conceded else ahead)
    return found * abs(problem.scale.width) if found < differences.LARGEST else None


def items_left(engine: Engine, best: int, rivals: list[int]) -> float:
    """About how many pulls it takes until every rival is told apart from the best arm, were differences to go on as they
    are: evidence grows with the items that both had.
    """
    level, given = engine.state.mean_parameters.pair_level, engine.state.items.given
    wanted = {index: items_wanted(engine, best, index, level) for index in rivals}
    own: float = max([*wanted.values(), given[best]]) - given[best]
    return own + math.fsum(max(items - given[index], 0.0) for index, items in wanted.items())


def items_wanted(engine: Engine, best: int, index: int, level: float) -> float:
    if engine.state.arms[index].beaten_by:
        return 0.0
    pair = engine.comparison.catch_up(engine.state, best, index)
    lead: float = engine.comparison.rough_lead(engine.state, best, index, engine.state.tolerance)
    last: float = engine.state.items.last
    if lead == 0.0:
        return last if engine.program.finite else math.inf
    found: float = min(level * pair.count / lead, last)
    return found
