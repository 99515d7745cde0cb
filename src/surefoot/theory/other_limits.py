"""What it costs to move an arm across its limits on metrics other than the goal's, if all metrics are independent.

To move a metric's distribution across a limit costs its relative entropy to the nearest distribution on the other side; of
metrics that are independent of each other, and that do not change, it costs nothing (docs/limit.md).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from surefoot.problem import Problem
from surefoot.problem.distributions import Distribution, Normal
from surefoot.problem.limits import Limit
from surefoot.problem.reward_models import Bounded, Gaussian
from surefoot.problem.risks import Mean, Probability, Quantile
from surefoot.problem.risks.tail import BELOW
from surefoot.theory.divergence import BoundedLaws, GaussianLaws
from surefoot.theory.quadrature import rules


class Elsewhere(NamedTuple):
    """Of an arm: what it costs to have it keep all limits on other metrics, and to have it break one."""

    to_keep: float = 0.0
    to_break: float = math.inf


def elsewhere(problem: Problem, limited: Sequence[tuple[Limit, Distribution]]) -> Elsewhere | None:
    """Of an arm with these distributions of the metrics that are limited; None where it is not known.

    >>> from surefoot import Bernoulli
    >>> problem = Problem(["A"], goal="max mean(x)", metrics={"x": (0, 1), "y": "any"}, limits=["probability(y > 0) <= 0.5"])
    >>> round(elsewhere(problem, [(problem.limits[0], Bernoulli(0.2))]).to_break, 4)
    0.1927
    """
    names = [limit.metric for limit, _ in limited]
    if len(set(names)) < len(names):  # two limits on one metric: to move it across one may move it across the other
        return None
    found = Elsewhere()
    for limit, distribution in limited:
        cost = across(problem, limit, distribution)
        if cost is None or limit.slack:
            return None
        if limit.kept_by(distribution):
            found = found._replace(to_break=min(found.to_break, cost))
        else:
            found = found._replace(to_keep=found.to_keep + cost)
    return found


def across(problem: Problem, limit: Limit, distribution: Distribution) -> float | None:
    """What it costs to move a distribution to the other side of a limit; None where it is not known."""
    match limit.risk:
        case Probability() | Quantile() as risk:
            (threshold, _), share = (
                risk.thresholds(0.0),
                risk.limit(problem.scale_of(problem.metric(limit.metric)), 0.0).share,
            )
            beyond = distribution.below(threshold) if risk.tail == BELOW else distribution.above(threshold)
            return binary_entropy(beyond, share)
        case Mean() as risk:
            return to_mean(problem, limit, distribution, risk.bound)
        case _:
            return None


def to_mean(problem: Problem, limit: Limit, distribution: Distribution, bound: float) -> float | None:
    metric = problem.metric(limit.metric)
    scale, m = problem.scale_of(metric), np.array([[problem.scale_of(metric).inward(bound)]])
    if isinstance(metric.model, Gaussian) and isinstance(distribution, Normal):
        laws = GaussianLaws(np.array([scale.inward(distribution.mean)]), np.array([distribution.variance]))
        return float(laws.to_mean(m)[0][0, 0])
    if not isinstance(metric.model, Bounded) or metric.clip or distribution.rule() is None:
        return None
    return float(BoundedLaws(rules([distribution], scale.origin, scale.width)).to_mean(m)[0][0, 0])


def binary_entropy(p: float, q: float) -> float:
    """Of a coin p relative to a coin q.

    >>> round(binary_entropy(0.0, 0.5), 4)
    0.6931
    """
    first = p * math.log(p / q) if p > 0.0 else 0.0
    return first + ((1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0)
