"""One arm, many pulls: did a bound of its mean or a verdict on its risk ever fail?"""

import numpy as np

from surefoot.core import folding, verdicts
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import State
from surefoot.simulation import draws as source
from surefoot.simulation.draws import Draws


def path(
    state: State, draws: Draws, generator: np.random.Generator, pulls: int, warm_up: int, mean: float
) -> tuple[bool, bool, bool, bool]:
    """(L ever above the mean, U ever below it, ever FEASIBLE, ever INFEASIBLE) in `pulls` pulls, after the warm-up."""
    arm = state.arms[0]
    above, below, feasible, infeasible = False, False, False, False
    for pull in range(1, pulls + 1):
        folding.fold(state, 0, (source.draw(draws, 0, generator),))
        if pull > warm_up:
            ranker.refresh(state, pull)
        above = above or arm.goal.lower > mean
        below = below or arm.goal.upper < mean
        feasible = feasible or arm.verdict == verdicts.FEASIBLE
        infeasible = infeasible or arm.verdict == verdicts.INFEASIBLE
    return above, below, feasible, infeasible
