"""A problem in the kernels' numbers: rewards on [0, 1] when they have a range, the goal always "max"."""

from typing import TYPE_CHECKING

from surefoot.core.question import Question

if TYPE_CHECKING:
    from surefoot.problem.problem import Problem


def question_of(problem: "Problem") -> Question:
    width, rewards, slack = abs(problem.scale.width), problem.rewards, problem.risk_slack
    return Question(
        arms=len(problem.arms),
        delta=problem.delta,
        tolerance=problem.tolerance / width,
        limit=problem.risk.limit(problem.scale, slack),
        highest=rewards.highest,
        sigma=rewards.sigma,
        largest_variance=rewards.largest_variance / width**2,
        tested=problem.risk.can_fail(rewards, slack),
        widened=slack > 0.0,
    )
