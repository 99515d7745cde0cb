"""Where each limit of an arm has its evidence, whatever chain it is in: for people, who see the limits one by one."""

from typing import Any, NamedTuple

from surefoot.core import chains, records
from surefoot.core import verdicts as words
from surefoot.core.baselines.shown import ItemPair, Pair, Side
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


def limit_evidence(
    limits: tuple[LimitPart, ...], state: State, index: int, limit: int, before: dict[int, Any] | None = None
) -> LimitEvidence:
    """Of one arm, on the limit of this number in the question; of a program that keeps what people see. `before` has the
    arms that are compared by a beginning of their pulls.
    """
    if limits[limit].against:
        return against_baseline(limits, state, index, limit, before or {})
    arm = state.arms[index]
    verdict, shown, own, parameters = arm.verdict, arm.shown, arm.limit, state.limit_parameters
    metric, mean = arm.metric, arm.goal
    for name in chains.paths(limits)[limit]:
        if name == "rest":
            verdict = own.rest_verdict
        elif name == "limits":  # of another metric
            metric, mean = shown.metric, shown.mean
        else:
            verdict = getattr(own, f"{name}_verdict")
        shown, own, parameters = (getattr(part, name) for part in (shown, own, parameters))
    return LimitEvidence(limits[limit].test, shown, own, metric, mean, parameters, int(verdict))


def against_baseline(
    limits: tuple[LimitPart, ...], state: State, index: int, limit: int, before: dict[int, Any]
) -> LimitEvidence:
    """The same on a limit against the baseline. Sums are copied: a look must not change them, not even by rounding."""
    parameters, arm = state.limit_parameters, state.arms[index]
    other, which = state.arms[parameters.baseline], chains.against_baseline(limits).index(limit)
    module, stream = chains.baseline_part(limits, bool(state.items)), parameters.streams[which]
    kept = arm.limit.exempt or not stream.tested
    verdict = words.FEASIBLE if kept else int(arm.limit.verdicts[which])
    if state.items:
        copy = records.copied(arm)
        module.catch_up(state, copy, index)
        if copy.compared.count:
            module.settle(copy.compared)
        on_items = ItemPair(module, copy.compared, which, stream)
        return LimitEvidence(limits[limit].test, arm.shown, arm.limit, arm.metric, on_items, parameters, verdict)

    def side(record: Any) -> Side:
        evidence, pulls = records.copied(record.compared), record.metric.pulls
        if pulls:
            module.settle(evidence)
        return Side(evidence, pulls)

    pair = Pair(module, side(arm), side(other), which, stream)
    earlier = before.get(index, arm), before.get(parameters.baseline, other)
    if earlier != (arm, other):
        pair = pair._replace(beginning=pair._replace(arm=side(earlier[0]), other=side(earlier[1])))
    return LimitEvidence(limits[limit].test, arm.shown, arm.limit, arm.metric, pair, parameters, verdict)
