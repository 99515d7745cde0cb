"""A loop over arms whose pulls give two results: a number, and one that depends on it entirely."""

import numpy as np

from surefoot.core import folding, stepping, verdicts
from surefoot.core.state import State, Step
from surefoot.simulation import draws as source
from surefoot.simulation.draws import Draws


def other(value: float) -> float:
    """The second result: small where the first is large."""
    return 1.0 - value * value


def run(state: State, draws: Draws, generator: np.random.Generator, steps: int) -> Step:
    step = Step(verdicts.UNDECIDED, -1, 0)
    for t in range(1, steps + 1):
        step = stepping.step(state, t, generator)
        if step.status != verdicts.UNDECIDED:
            return step
        for position in range(step.pulls):
            arm = state.asked[position]
            value = source.draw(draws, arm, generator)
            folding.fold(state, arm, (value, other(value)))
    return step
