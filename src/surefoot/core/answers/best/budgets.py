"""The budget of delta: with what probability each bound and each test may ever fail (docs/bounds.md)."""

import math
from typing import NamedTuple

from surefoot.core.question import Question


class ErrorBudget(NamedTuple):
    """A family's mean bound draws it up, and the limit test that goes with it keeps to it."""

    lower: float  # that an arm's L ever exceeds its mean
    upper: float  # that U ever falls below the mean: of the best feasible arm, as no other U is relied upon
    feasible: float  # that FEASIBLE is ever wrong of an arm
    infeasible: float  # that INFEASIBLE is ever wrong of the best feasible arm, though its mean is in [floor, U]
    floor: float  # that the lower end of this interval ever exceeds the mean; L itself serves where it is 0
    pair: float  # that an arm is ever put before the best feasible one; 0 where arms are not compared in pairs


def in_halves(question: Question) -> ErrorBudget:
    """Half for all arms together, half for the best feasible one: for its U alone, or for U and its limit test."""
    each = question.delta / (2.0 * question.arms)
    return ErrorBudget(each, question.delta / (4.0 if question.tested else 2.0), each, question.delta / 4.0, 0.0, 0.0)


def in_fortieths(question: Question) -> ErrorBudget:
    """Fourteen for all arms but the best feasible one, eleven for all pairs of it and another, and for what is said of it
    alone three (its U), two (its floor) and ten (its limit test).

    The other arms are one fewer than all; but if no arm is feasible, FEASIBLE may be wrong of each.
    """
    share = question.delta / (40.0 if question.tested else 28.0)
    others = max(question.arms - 1.0, 1.0)
    return ErrorBudget(
        lower=14.0 * share / others,
        upper=3.0 * share,
        feasible=min(14.0 * share / others, question.delta / question.arms),
        infeasible=10.0 * share,
        floor=2.0 * share,
        pair=11.0 * share / others,
    )


def pair_levels(question: Question) -> tuple[float, float, float, float]:
    """Of the budget in fortieths, ln(1 / the probability) for L, for U and for a pair, which is infinite where the limit has
    a slack: pairs then prove nothing (docs/tight.md). And about how much evidence it takes to tell two arms apart, by pairs
    or by intervals.
    """
    allowed = in_fortieths(question)
    lower, upper, pair = -math.log(allowed.lower), -math.log(allowed.upper), -math.log(allowed.pair)
    return (lower, upper, math.inf, lower + upper) if question.widened else (lower, upper, pair, pair)


def alike(mean: float, risk: float) -> ErrorBudget:
    """The same for both bounds of the mean and for both verdicts, as where all of them hold at once."""
    return ErrorBudget(mean, mean, risk, risk, 0.0, 0.0)
