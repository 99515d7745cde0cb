"""The loop that runs a policy against simulated arms."""

from typing import Any, NamedTuple

import numpy as np

from surefoot.core import folding, stepping, verdicts
from surefoot.core.comparisons import intervals as comparison
from surefoot.core.state import State
from surefoot.simulation import draws as tables
from surefoot.simulation import one_metric as source
from surefoot.simulation.draws import Draws


class Progress(NamedTuple):
    steps: int
    pulls: int
    status: int
    arm: int
    done: bool


def advance(
    state: State, draws: Any, generator: np.random.Generator, begun: Progress, pause: int, max_pulls: int
) -> Progress:
    """Go on until the policy stops, `max_pulls` are made, or a step ends with `pause` or more pulls made; or until there is
    no room for further results, which leaves fewer pulls than `pause`.
    """
    steps, pulls = begun.steps, begun.pulls
    while pulls < pause and comparison.has_room(state):
        steps += 1
        step = stepping.step(state, steps, generator)
        if step.status != verdicts.UNDECIDED:
            return Progress(steps, pulls, step.status, step.arm, True)
        if step.pulls == 0:  # no arm can be pulled any more
            return Progress(steps, pulls, verdicts.UNDECIDED, -1, True)
        for position in range(step.pulls):
            if pulls >= max_pulls:
                return Progress(steps, pulls, verdicts.UNDECIDED, -1, True)
            arm = state.asked[position]
            if arm < 0:  # never: it spares the compiler a check for a negative index at every use of `arm`
                break
            folding.fold(state, arm, source.draw(draws, arm, comparison.place(state, arm), generator))
            pulls += 1
    return Progress(steps, pulls, verdicts.UNDECIDED, -1, False)


def bare_draws(draws: Draws, generator: np.random.Generator, pulls: int) -> float:
    """Draw rewards of all arms in turn and do nothing with them: what a simulated pull is measured against."""
    total = 0.0
    arms = len(draws.arms)
    for pull in range(pulls):
        total += tables.draw(draws, pull % arms, generator)
    return total
