"""An arm is taken up as a leader: what speaks for it counts anew, with the pulls asked for from then on (docs/tight.md)."""

from surefoot.core import leaders, verdicts
from surefoot.core.comparisons import intervals as comparison
from surefoot.core.links import one as limit_test
from surefoot.core.state import State

CALLED = ("take_up",)  # seldom: what is called at each pull has the registers


def take_up(state: State, index: int, order: int) -> None:
    """Let the evidence for an arm that leads start anew, with the pulls that are asked for from now on."""
    arm = state.arms[index]
    arm.order, arm.since = float(order), arm.metric.pulls + state.waiting[index]
    start_if_due(state, index)


def start_if_due(state: State, index: int) -> None:
    """Start at once, where no pull is waited for that had been asked for before."""
    arm = state.arms[index]
    comparison.gather(arm)
    if arm.verdict == verdicts.OPEN and arm.metric.pulls == arm.since:
        limit_test.start_anew(arm.limit, -leaders.cost(arm.order))
