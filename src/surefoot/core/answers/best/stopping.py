"""The stopping rule that the policies share."""

from surefoot.core import verdicts
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import Ranking, State, Step


def surpasses(state: State, arm: int, rival: int) -> bool:
    """Is `arm` known feasible, and surely no worse than `rival` (up to the tolerance)?"""
    if arm < 0 or state.arms[arm].verdict != verdicts.FEASIBLE:
        return False
    return rival < 0 or state.arms[arm].goal.lower > min(state.arms[rival].goal.upper, state.highest) - state.tolerance


def known_best(state: State, ranking: Ranking) -> Step:
    """Stop when all arms are infeasible, or when one known feasible surpasses every other that is not infeasible.

    Under the paper's bounds and with no tolerance this is [HTZ] lines 9 to 11. Whoever surpasses all others, the incumbent
    does so too or the optimist does: an arm that is neither has to surpass the optimist, and with its larger L the
    incumbent then does. The optimist must surpass the leader first of all, which is cheaper to ask than the runner-up.
    """
    leader, optimist, incumbent = ranking.leader, ranking.optimist, ranking.incumbent
    if optimist < 0:
        return Step(verdicts.NO_ARM, -1, 0)
    if incumbent != optimist and surpasses(state, incumbent, optimist):
        return Step(verdicts.BEST, incumbent, 0)
    if leader == optimist or surpasses(state, optimist, leader):
        if surpasses(state, optimist, ranker.runner_up(state, optimist)):
            return Step(verdicts.BEST, optimist, 0)
    return Step(verdicts.UNDECIDED, -1, 0)
