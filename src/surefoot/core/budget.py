"""The budget of delta: with what probability each bound and each test may ever fail (docs/bounds.md)."""

from typing import NamedTuple

from surefoot.core.question import Question


class Budget(NamedTuple):
    """A family's mean bound draws it up, and the risk test that goes with it keeps to it."""

    lower: float  # that an arm's L ever exceeds its mean
    upper: float  # that U ever falls below the mean: of the best feasible arm, as no other U is relied upon
    feasible: float  # that FEASIBLE is ever wrong of an arm
    infeasible: float  # that INFEASIBLE is ever wrong of the best feasible arm, though its mean is in [floor, U]
    floor: float  # that the lower end of this interval ever exceeds the mean; L itself serves where it is 0
    pair: float  # that an arm is ever put before the best feasible one; 0 where arms are not compared in pairs


def in_halves(question: Question) -> Budget:
    """Half for all arms together, half for the best feasible one: for its U alone, or for U and its risk test."""
    each = question.delta / (2.0 * question.arms)
    return Budget(each, question.delta / (4.0 if question.tested else 2.0), each, question.delta / 4.0, 0.0, 0.0)


def in_tenths(question: Question) -> Budget:
    """Four for all arms but the best feasible one, three for all pairs of it and another, one each for what is said of it
    alone: its U, its floor and its risk test.

    The other arms are one fewer than all; but if no arm is feasible, FEASIBLE may be wrong of each.
    """
    share = question.delta / (10.0 if question.tested else 8.0)
    others = max(question.arms - 1.0, 1.0)
    each = 4.0 * share / others
    return Budget(each, share, min(each, question.delta / question.arms), share, share, 3.0 * share / others)


def alike(mean: float, risk: float) -> Budget:
    """The same for both bounds of the mean and for both verdicts, as where all of them hold at once."""
    return Budget(mean, mean, risk, risk, 0.0, 0.0)
