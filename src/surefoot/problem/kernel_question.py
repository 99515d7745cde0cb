"""A problem in the kernels' numbers: rewards on [0, 1] when they have a range, the goal always "max"."""

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
    )


def limit_of(problem: "Problem", limit: Limit) -> LimitQuestion:
    return LimitQuestion(
        limit=limit.risk.limit(problem.scale, limit.slack),
        tested=limit.risk.can_fail(problem.rewards, limit.slack),
        widened=limit.slack > 0.0,
        sigma=problem.rewards.sigma,
    )
