"""How sure a recommendation is: the smallest level at which the present evidence decides for it (docs/recommendation.md)."""

from collections.abc import Callable
from typing import Any, NamedTuple

from surefoot.core.error_budget import wrong_at_most
from surefoot.core.program import Program
from surefoot.core.question import Question
from surefoot.core.state import State

LARGEST = 0.95  # of the levels: a confidence of 5 % is nearly none
RUNGS = 60

Doubt = Callable[[State, Any, int, int], int]  # `doubt` of `recommending`, of one program


class Rung(NamedTuple):
    """A level between delta and LARGEST, and what it makes of the bounds and the limit test."""

    alpha: float
    mean_parameters: Any
    limit_parameters: Any


def rungs(program: Program, question: Question) -> list[Rung]:
    """From delta on, in equal ratios; none for bounds whose radii are fixed: they say nothing at other levels."""
    if program.mean_bound.own_budget:
        return []
    delta, count = question.delta, RUNGS if question.delta < LARGEST else 1
    found = []
    for k in range(count):
        asked = question._replace(delta=delta * (LARGEST / delta) ** (k / max(count - 1, 1)))
        allowed = program.error_budget(asked)
        mean, limit = program.mean_bound.parameters(asked, allowed), program.limit_parameters(asked, allowed)
        found.append(Rung(asked.delta, mean, limit))
    return found


def stated(program: Program, alpha: float, dropped: int) -> float:
    """The confidence at a level, if so many arms were excluded after they gave results; 0 at level 1."""
    return 1.0 - wrong_at_most(alpha, dropped, program.mean_bound.PAIRS)


def level(ladder: list[Rung], doubt: Doubt, state: State, compared: Any, arm: int) -> float:
    """The smallest level that decides for the arm, or for NO_ARM; 1 if none does.

    The larger the level, the fewer doubts: so each arm is looked at from the rung that those before it needed.
    """

    def at(rung: int) -> State:
        return state._replace(
            mean_parameters=ladder[rung].mean_parameters, limit_parameters=ladder[rung].limit_parameters
        )

    last, rung, index = len(ladder) - 1, 0, 0
    while rung <= last:
        index = doubt(at(rung), compared, arm, index)
        if index == len(state.arms):
            return ladder[rung].alpha
        if doubt(at(last), compared, arm, index) == index:
            break
        below, rung = rung, last
        while rung - below > 1:
            middle = (below + rung) // 2
            if doubt(at(middle), compared, arm, index) == index:
                below = middle
            else:
                rung = middle
    return 1.0
