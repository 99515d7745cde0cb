"""Where each limit of an arm has its evidence, whatever chain it is in: for people, who see the limits one by one."""

from typing import Any, NamedTuple

from surefoot.core import chains
from surefoot.core.chains import LimitPart
from surefoot.core.parts import LimitTest
from surefoot.core.state import State
from surefoot.core.statistics import Statistics


class LimitEvidence(NamedTuple):
    """What the functions of a limit test ask for."""

    test: LimitTest
    shown: Any
    own: Any
    metric: Statistics  # of the metric that is limited
    mean: Any
    parameters: Any
    verdict: int  # on this limit alone; OPEN also where another one was known to be broken first


def limit_evidence(limits: tuple[LimitPart, ...], state: State, index: int, limit: int) -> LimitEvidence:
    """Of one arm, on the limit of this number in the question; of a program that keeps what people see."""
    arm = state.arms[index]
    verdict, shown, own, parameters = arm.verdict, arm.shown, arm.limit, state.limit_parameters
    metric, mean = arm.metric, arm.goal
    for name in chains.paths(limits)[limit]:
        if name == "limits":  # of another metric
            metric, mean = shown.metric, shown.mean
        else:
            verdict = getattr(own, f"{name}_verdict")
        shown, own, parameters = (getattr(part, name) for part in (shown, own, parameters))
    return LimitEvidence(limits[limit].test, shown, own, metric, mean, parameters, int(verdict))
