"""The error budget: with what probability each bound and each test may ever fail (docs/bounds.md)."""

import math
from typing import NamedTuple

from surefoot.core.question import Question


class LimitShare(NamedTuple):
    """What one limit may fail by."""

    feasible: float  # that an arm which breaks it is ever said to keep it
    infeasible: float  # that the best feasible arm is ever said to break it, though its mean is in [floor, U]
    floor: float = 0.0  # that the lower end of this interval ever exceeds the mean; L itself serves where it is 0
    ceiling: float = 0.0  # that U ever falls below the mean, of a metric that is not the goal's
    unled: float = 0.0  # `feasible` of an arm that never led, where shares go by the order of leaders; else 0


class ErrorBudget(NamedTuple):
    """The answer draws it up, or a mean bound whose radii are fixed; bounds and limit tests keep to it."""

    lower: float  # that an arm's L ever exceeds its mean
    upper: float  # that U ever falls below the mean: of the best feasible arm, as no other U is relied upon
    limits: tuple[LimitShare, ...]  # of each limit of the question
    pair: float = 0.0  # that an arm is ever put before the best feasible one; 0 where arms are not compared in pairs
    by_order: bool = (
        False  # is `feasible` of limits, and `pair`, that of the first leader? The k-th has less: `leaders`
    )
    pulls: float = math.inf  # until when all of this holds


def alike(question: Question, mean: float, risk: float) -> ErrorBudget:
    """The same for both bounds of the mean and for both verdicts, as where all of them hold at once."""
    return ErrorBudget(mean, mean, (LimitShare(risk, risk),) * len(question.limits))


def unled_cost(share: LimitShare) -> float:
    """How much less than the first leader an arm has that never led, in ln."""
    return math.log(share.feasible / share.unled) if share.unled > 0.0 else 0.0


def pair_levels(allowed: ErrorBudget) -> tuple[float, float, float]:
    """ln(1 / the probability) for L, for U and for a pair."""
    return -math.log(allowed.lower), -math.log(allowed.upper), -math.log(allowed.pair)


def wrong_at_most(delta: float, dropped: int, pairs: bool) -> float:
    """The probability of a wrong decision, of which so many arms are no part, though they had given results.

    Each adds half of delta, or all of it where arms are compared in pairs (docs/bounds.md and docs/tight.md say why).
    """
    return min(delta * (1.0 + dropped * (1.0 if pairs else 0.5)), 1.0)
