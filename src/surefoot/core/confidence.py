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


class Ladder:
    """Levels from delta to LARGEST in equal ratios, each worked out when it is first looked at: few of them ever are. It is
    empty for bounds whose radii are fixed: they say nothing at other levels.
    """

    def __init__(self, program: Program, question: Question) -> None:
        self.program, self.question = program, question
        self.count = 0 if program.mean_bound.own_budget else RUNGS if question.delta < LARGEST else 1
        self.known: dict[int, Rung] = {}

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, place: int) -> Rung:
        k = range(self.count)[place]
        if k not in self.known:
            self.known[k] = self.rung(k)
        return self.known[k]

    def rung(self, k: int) -> Rung:
        program, delta = self.program, self.question.delta
        asked = self.question._replace(delta=delta * (LARGEST / delta) ** (k / max(self.count - 1, 1)))
        allowed = program.error_budget(asked)
        mean, limit = program.mean_bound.parameters(asked, allowed), program.limit_parameters(asked, allowed)
        return Rung(asked.delta, mean, limit)


def stated(program: Program, alpha: float, dropped: int) -> float:
    """The confidence at a level, if so many arms were excluded after they gave results; 0 at level 1."""
    return 1.0 - wrong_at_most(alpha, dropped, program.mean_bound.PAIRS)


def level(ladder: Ladder, doubt: Doubt, state: State, compared: Any, arm: int) -> float:
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
