"""What is asked, in the kernels' numbers: rewards on [0, 1] when they have a range, the goal always "max"."""

import math
from typing import Any, NamedTuple

from surefoot.core.limits import VarianceLimit


class LimitQuestion(NamedTuple):
    """One limit, on the scale of its metric."""

    limit: Any  # a record of `limits`, or of whoever wrote the limit test
    tested: bool  # can an arm break it at all?
    widened: bool = False  # has it a slack?
    sigma: float = math.nan  # of sub-Gaussian results
    low: float = 0.0  # between what results lie
    high: float = 1.0
    metric: int = 0  # which of a pull's results it is about; the goal's metric is the first
    in_interval: bool = True  # does its test rely on where the mean lies? The program knows
    items: float = math.inf  # of a finite list


class Question(NamedTuple):
    arms: int
    delta: float
    tolerance: float
    limits: tuple[LimitQuestion, ...]  # all of them must be kept
    highest: float  # that any mean can be
    sigma: float  # of sub-Gaussian results of the goal's metric
    largest_variance: float  # that any arm can have
    baseline: int = -1  # the arm that limits are against; -1 if none is
    rounds: bool = False  # do all arms in play go through the items together?
    items: float = 0.0  # how many items the arms are tried on, infinite for a stream; 0 where they have none in common

    @property
    def tested(self) -> bool:
        """Can an arm be infeasible at all?"""
        return any(limit.tested for limit in self.limits)

    @property
    def widened(self) -> bool:
        """May an arm be taken for feasible that breaks a limit by less than its slack?"""
        return any(limit.tested and limit.widened for limit in self.limits)

    @property
    def variance_limit(self) -> VarianceLimit:
        """The smallest limit on the variance of the goal's metric, infinite where there is none."""
        found = [limit.limit for limit in self.limits if limit.metric == 0]
        limits = [limit for limit in found if isinstance(limit, VarianceLimit)]
        return min(limits, default=VarianceLimit(math.inf, 0.0))
