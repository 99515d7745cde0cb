"""What a combination asks of a question: how large delta may be, and whether it needs accuracies to aim for."""

import functools
from typing import NamedTuple

from surefoot.errors import Unsupported
from surefoot.problem import Problem, choice
from surefoot.problem.distributions import Uniform
from verification.search.combinations import REWARDS, Combination
from verification.search.limits import LIMITS

DELTAS = (0.5, 0.099, 0.01)  # large ones show errors best
ACCURACIES = (0.4, 0.2)  # a tolerance and a slack to try with


class Demands(NamedTuple):
    largest_delta: float
    accuracies: bool


@functools.cache
def demands(combination: Combination) -> Demands:
    """Found by asking: whoever refuses a question says so."""
    for delta in DELTAS:
        for accuracies in (False, True):
            if accepted(combination, delta, accuracies):
                return Demands(delta, accuracies)
    raise Unsupported(f"{combination} refuses every question that was tried")


def accepted(combination: Combination, delta: float, accuracies: bool) -> bool:
    risk = LIMITS[combination.risk](Uniform(0.0, 1.0), -0.1, 0.2, False)
    tolerance, slack = ACCURACIES if accuracies and combination.risk != "none" else (0.0, 0.0)
    problem = Problem(
        arms=("A", "B"),
        risk=risk,
        rewards=REWARDS[combination.kind],
        delta=delta,
        tolerance=tolerance,
        risk_slack=slack,
    )
    try:
        choice.program(problem, combination.policy, combination.bounds)
    except Unsupported:
        return False
    return True
