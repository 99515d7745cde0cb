"""Drive an interpreted program by hand, with rewards that a test chooses."""

from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

import numpy as np

from surefoot.core import stepping, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.state import State
from surefoot.problem import Problem, choice
from surefoot.problem.kernel_question import question_of


class Game(NamedTuple):
    pulled: list[int]
    status: int
    arm: int
    state: State


def play(
    problem: Problem,
    reward: Callable[[int, int], float],
    policy: str = "va-lucb",
    bounds: str = "sharp",
    max_pulls: int = 10_000,
    generator: np.random.Generator | None = None,
    watch: Callable[[State], None] = lambda state: None,
) -> Game:
    """Run to a decision; `reward(arm, n)` is the arm's n-th reward (from 0) on the kernels' scale."""
    program = choice.program(problem, policy, bounds)
    kernels: ModuleType = assemble(stepping, program.parts)
    state = program.start(question_of(problem), packed=False)
    generator = generator or np.random.default_rng(0)
    pulled: list[int] = []
    counts = [0] * len(problem.arms)
    for t in range(1, max_pulls + 1):
        step = kernels.step(state, t, generator)
        if step.status != verdicts.UNDECIDED:
            return Game(pulled, step.status, step.arm, state)
        for arm in list(state.asked[: step.pulls]):
            if len(pulled) == max_pulls:
                return Game(pulled, verdicts.UNDECIDED, -1, state)
            kernels.fold(state, int(arm), (reward(int(arm), counts[arm]),))
            counts[arm] += 1
            pulled.append(int(arm))
            watch(state)
    return Game(pulled, verdicts.UNDECIDED, -1, state)
