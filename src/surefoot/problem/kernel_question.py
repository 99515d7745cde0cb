"""A problem in the kernels' numbers: rewards on [0, 1] when they have a range, the goal always "max"."""

import math
from typing import TYPE_CHECKING

from surefoot.core.question import LimitQuestion, Question
from surefoot.problem.limits import Limit

if TYPE_CHECKING:
    from surefoot.problem.problem import Problem


def question_of(problem: "Problem") -> Question:
    width, rewards = abs(problem.scale.width), problem.rewards
    return Question(
        arms=len(problem.arms),
        delta=problem.delta,
        tolerance=problem.tolerance / width,
        limits=tuple(limit_of(problem, limit) for limit in problem.limits),
        highest=rewards.highest,
        sigma=rewards.sigma,
        largest_variance=rewards.largest_variance / width**2,
        baseline=-1 if problem.baseline is None else problem.names.index(problem.baseline),
        items=problem.items.last if problem.items else 0.0,
        rounds=problem.items is not None and problem.items.rounds,
    )


def limit_of(problem: "Problem", limit: Limit) -> LimitQuestion:
    metric = problem.metric(limit.metric)
    low, high = (0.0, 1.0) if problem.scale_of(metric).has_ends else (-math.inf, math.inf)
    return LimitQuestion(
        limit=limit.risk.limit(problem.scale_of(metric), limit.slack),
        tested=limit.risk.can_fail(metric.model, limit.slack),
        widened=limit.slack > 0.0,
        sigma=metric.model.sigma,
        low=low,
        high=high,
        metric=problem.deciding_metrics.index(metric),
        items=problem.items.last if problem.items and problem.items.finite else math.inf,
    )
