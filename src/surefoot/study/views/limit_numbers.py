"""What the kernels know of an arm's limits, each by its place in `problem.limits`."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from surefoot.core import verdicts
from surefoot.core.limit_evidence import limit_evidence
from surefoot.problem import Problem
from surefoot.problem.kernel_question import question_of
from surefoot.problem.limits import Limit
from surefoot.study.engine import Engine
from surefoot.study.views import numbers
from surefoot.study.views.numbers import Shown


class Evidence(NamedTuple):
    """On one limit of one arm, on the kernels' scale."""

    test: Any  # the LimitTest that decides it
    shown: Any
    own: Any
    metric: Any
    mean: Any
    parameters: Any
    verdict: int  # of verdicts

    @property
    def estimate(self) -> float:
        """The limited quantity of an arm's results; NaN of fewer than two."""
        if self.metric.pulls < 2.0:
            return math.nan
        value: float = self.test.estimate(self.shown, self.own, self.metric, self.mean, self.parameters)
        return value

    def shares(self, clock: float) -> tuple[float, float]:
        """How much of the evidence there is that the limit is kept, and that it is broken."""
        if self.verdict != verdicts.OPEN:
            return (1.0, 0.0) if self.verdict == verdicts.FEASIBLE else (0.0, 1.0)
        if not self.metric.pulls:
            return 0.0, 0.0
        kept, broken = self.test.shares(self.own, self.metric, self.mean, self.parameters, clock)
        return kept, broken

    def interval(self, problem: Problem, clock: float) -> tuple[float, float]:
        """Between what the quantity lies by the arm's results alone."""
        ends: tuple[float, float] = self.test.risk_interval(
            self.shown, self.own, self.metric, self.mean, self.parameters, question_of(problem), clock
        )
        return ends


def evidence(engine: Engine, index: int, limit: int) -> Evidence:
    """The only place that knows where the kernels keep it."""
    before = engine.pair_order.before
    return Evidence(*limit_evidence(engine.program.limits, engine.state, index, limit, before))


def all_evidence(problem: Problem, engine: Engine, index: int) -> list[Evidence]:
    """On each limit. Of an excluded arm, no verdict holds."""
    found = [evidence(engine, index, limit) for limit in range(len(problem.limits))]
    return [one._replace(verdict=verdicts.OPEN) for one in found] if index in engine.aside else found


def shown(problem: Problem, index: int, found: Sequence[Evidence], clock: float) -> list[Shown]:
    """Each limited quantity of an arm, as people see it."""
    return [
        numbers.limited(problem, limit, one.verdict, one.interval(problem, clock), one.estimate)
        if not is_exempt(problem, index, limit)
        else Shown(-math.inf, math.nan, math.inf)
        for limit, one in zip(problem.limits, found, strict=True)
    ]


def is_exempt(problem: Problem, index: int, limit: Limit) -> bool:
    """Is this the baseline, and the limit against it?"""
    return limit.is_against_baseline and problem.names[index] == problem.baseline


def doubtful(shares: Sequence[tuple[float, float]]) -> int:
    """The limit that an arm's verdict is about: the one that looks broken most; or else, the one least shown to be kept.

    >>> doubtful([(0.5, 0.0), (0.2, 0.3), (0.1, 0.1)]), doubtful([(0.5, 0.0), (0.2, 0.1)])
    (1, 1)
    """
    places = range(len(shares))
    worst = max(places, key=lambda place: shares[place][1] - shares[place][0])
    kept, broken = shares[worst]
    return worst if broken > kept else min(places, key=lambda place: shares[place][0])
