"""What the goal and the limits of a problem are called, and the scales of their metrics.

The only metric of a problem, called reward, need not be named: its mean is "mean". Otherwise each quantity is written as
in a problem file: "mean(accuracy)", "quantile(0.95, latency)".
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from surefoot.problem.goals import Goal
from surefoot.problem.grammar import LimitExpression, Quantity, read_limit
from surefoot.problem.limits import Limit
from surefoot.problem.metrics import REWARD, Metric
from surefoot.problem.reward_models import Scale
from surefoot.problem.risks.expressions import first_word


class Asked(Protocol):
    """What sentences, tables and pictures need to know of a problem."""

    @property
    def metrics(self) -> Sequence[Metric]: ...
    @property
    def goals(self) -> Sequence[Goal]: ...
    @property
    def limits(self) -> Sequence[Limit]: ...
    @property
    def tolerance(self) -> float: ...


def one_reward(problem: Asked) -> bool:
    """Is there nothing that a name would tell apart?"""
    return [metric.name for metric in problem.metrics] == [REWARD]


def goal_text(problem: Asked) -> str:
    """What makes an arm the best."""
    return "mean" if one_reward(problem) else str(Quantity("mean", goal_metric(problem).name))


def limit_name(problem: Asked, limit: Limit) -> str:
    """The number that is limited."""
    return limit.risk.name if one_reward(problem) else str(expression(limit).quantity)


def limit_text(problem: Asked, limit: Limit) -> str:
    """The limit, as people write it."""
    return str(limit.risk) if one_reward(problem) else str(expression(limit))


def limits_text(problem: Asked) -> str:
    """All limits, as people write them."""
    return " and ".join(limit_text(problem, limit) for limit in problem.limits) or "none"


def expression(limit: Limit) -> LimitExpression:
    text = str(limit.risk)
    read = read_limit("a limit", text, (first_word(text),))
    return replace(read, quantity=replace(read.quantity, metric=limit.metric))


def higher_is_better(problem: Asked) -> bool:
    return problem.goals[0].direction == "max"


def goal_metric(problem: Asked) -> Metric:
    return metric_of(problem, problem.goals[0].quantity.metric)


def metric_of(problem: Asked, name: str) -> Metric:
    metrics = problem.metrics
    return metrics[0] if len(metrics) == 1 else next(metric for metric in metrics if metric.name == name)


def goal_scale(problem: Asked) -> Scale:
    return goal_metric(problem).model.scale(problem.goals[0].direction)


def scale_of(problem: Asked, metric: str) -> Scale:
    """From a metric's own scale to the kernels': only that of the goal is mirrored, where the goal is "min"."""
    goal = problem.goals[0]
    return metric_of(problem, metric).model.scale(goal.direction if metric == goal.quantity.metric else "max")
