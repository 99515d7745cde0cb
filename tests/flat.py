"""A record without parts, for kernels tested alone: it stands for each of its own parts."""

import math
from itertools import chain
from types import SimpleNamespace
from typing import Any

from surefoot.core import records
from surefoot.core.answers import best
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics


def flat(*declarations: type, **fields: Any) -> Any:
    """An arm with the fields of all these declarations, which must have different names."""
    kinds = records.fields(Statistics, Interval, *declarations)
    arm = SimpleNamespace(
        **{name: [0.0] * n if (n := records.length(kind)) else kind(0) for name, kind in kinds.items()}
    )
    arm.lower, arm.upper, arm.verdict, arm.beaten_by, arm.order, arm.since = -math.inf, math.inf, 0, 0, 0.0, 0.0
    arm.metric = arm.goal = arm.limit = arm.policy = arm.comparison = arm.shown = arm
    vars(arm).update(fields)
    return arm


def between(lower: float, upper: float) -> Any:
    """Where a mean lies, for tests that need to know."""
    return SimpleNamespace(lower=lower, upper=upper)


def parameters(bound, question):
    """Of a mean bound, with the error budget of the answer `best`."""
    return bound.parameters(question, best.error_budget(question, bound.PAIRS, bound.PAIRS, False))


def limit_parameters(test, question, budget):
    """Of a limit test, for the only limit of a question."""
    return test.parameters(question.limits[0], budget.limits[0])


def limited(question, **fields):
    """The question with these fields of its only limit changed."""
    return question._replace(limits=(question.limits[0]._replace(**fields),))


def spent(budget):
    """An error budget in a row: L, U, then feasible, infeasible and floor of each limit, then pair and pulls."""
    return [budget.lower, budget.upper, *chain(*(share[:3] for share in budget.limits)), budget.pair, budget.pulls]
