"""A record without parts, for kernels tested alone: it stands for each of its own parts."""

import math
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
    arm.lower, arm.upper, arm.verdict, arm.beaten_by = -math.inf, math.inf, 0, 0
    arm.metric = arm.goal = arm.limit = arm.policy = arm.shown = arm
    vars(arm).update(fields)
    return arm


def between(lower: float, upper: float) -> Any:
    """Where a mean lies, for tests that need to know."""
    return SimpleNamespace(lower=lower, upper=upper)


def parameters(bound, question):
    """Of a mean bound, with the error budget of the answer `best`."""
    return bound.parameters(question, best.error_budget(question, bound.PAIRS, bound.PAIRS))
