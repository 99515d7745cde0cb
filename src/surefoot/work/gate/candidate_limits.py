"""Limits on the candidate alone: a study of one arm decides them."""

from collections.abc import Mapping, Sequence
from typing import Any

from surefoot.problem import Problem
from surefoot.problem.limits import Limit
from surefoot.problem.metrics import Metric
from surefoot.problem.reward_models import Bounded
from surefoot.study import Study
from surefoot.work.gate.rounds import FAILED

CANDIDATE = "candidate"
LARGEST = 1e99  # what a metric without a range counts as if the pull failed: a limit from above is broken then


class CandidateLimits:
    """Are all of them kept, or is one broken? These assume that the candidate does not drift."""

    def __init__(self, limits: Sequence[Limit], metrics: Sequence[Metric], delta: float) -> None:
        wanted = {limit.metric for limit in limits}
        kept = [Metric(metric.name, metric.model, metric.clip) for metric in metrics if metric.name in wanted]
        if FAILED not in wanted:  # a problem must have a goal, which is a mean
            kept.append(Metric(FAILED, "binary"))  # type: ignore[arg-type]
        self.metrics, self.floors = kept, {limit.metric for limit in limits if limit.risk.is_floor}
        problem = Problem([CANDIDATE], metrics=kept, goal=f"min mean({FAILED})", limits=list(limits), delta=delta)
        self.study = Study(problem)

    def add(self, values: Mapping[str, float] | None, failed: bool) -> None:
        if not self.study.decided:
            given = {FAILED: float(failed)} | (dict(values) if values is not None else {})
            self.study.record(CANDIDATE, {metric.name: self.value(metric, given) for metric in self.metrics})

    def value(self, metric: Metric, given: Mapping[str, float]) -> float:
        """What a pull counts as; a failed one as the worst end for the limits."""
        if metric.name in given:
            return given[metric.name]
        low, high = (metric.model.low, metric.model.high) if isinstance(metric.model, Bounded) else (-LARGEST, LARGEST)
        return float(low if metric.name in self.floors else high)

    @property
    def status(self) -> str:
        """`best` if all limits are kept, `infeasible` if one is broken."""
        return self.study.decision.status

    def rows(self) -> list[dict[str, Any]]:
        """Each limit, its value, interval and verdict."""
        rows: list[dict[str, Any]] = self.study.table()[0].as_object()["limits"]
        return rows
