"""One run that is looked at after every pull: was a wrong recommendation ever shown with so much confidence?"""

import numpy as np

from surefoot.core import folding, recommending, stepping, verdicts
from surefoot.core.state import State
from surefoot.simulation import draws as source
from surefoot.simulation.draws import Draws


def ever_wrong(
    state: State, claiming: State, draws: Draws, generator: np.random.Generator, pulls: int, right: int, carried: bool
) -> bool:
    """Of `pulls` pulls: did the evidence at the levels of `claiming` ever decide for a recommendation that is not `right`?

    `claiming` is the same state with other parameters. With `carried`, what was once claimed stays claimed when the
    recommendation changes: that is wrong, and a control.
    """
    made, t, claimed = 0, 0, False
    while made < pulls:
        t += 1
        step = stepping.step(state, t, generator)
        if step.status != verdicts.UNDECIDED:
            return step.status == verdicts.BEST and step.arm != right
        for position in range(step.pulls):
            arm = state.asked[position]
            folding.fold(state, arm, (source.draw(draws, arm, generator),))
            made += 1
            guess = recommending.guess(state)
            if guess == recommending.NOTHING_YET:
                continue
            decided = recommending.doubt(claiming, state.arms, guess, 0) == len(state.arms)
            claimed = decided or (carried and claimed)
            if claimed and guess != right:
                return True
    return False
