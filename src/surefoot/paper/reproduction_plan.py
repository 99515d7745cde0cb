"""What is run: the cases of the paper under its own bounds, its comparison, and our default on the same instances."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from surefoot.errors import one_of
from surefoot.paper.instances import CASES, paper_instance
from surefoot.simulation.instance import Instance

ALL_CASES = (*CASES, "cmp")
COMPARED = ("va-lucb", "risk-averse-ucb", "va-uniform")
DEFAULT = ("top-two", "tight")
TRIALS, QUICK_TRIALS = 20, 5
QUICK = {"cmp": (1, 4, 7)}  # instances of a quick run; of the other cases those of QUICK_CASE
QUICK_CASE = (0, 5, 10)

# Pulls in units of H_VA ln(H_VA / delta), roughly: what to begin with, and how much time is left, hang on nothing finer.
COST = {
    ("va-lucb", "paper"): 2.0,
    ("risk-averse-ucb", "paper"): 3.3,
    ("va-uniform", "paper"): 4.7,
    ("va-lucb", "sharp"): 0.05,
    ("top-two", "tight"): 0.03,
}


class Entry(NamedTuple):
    """An instance of a case, and what is run on it: a row of the results."""

    case: str
    instance: int
    policy: str
    bounds: str

    @property
    def problem(self) -> Instance:
        return paper_instance(self.case, self.instance)

    @property
    def expected_pulls(self) -> float:
        return COST[self.policy, self.bounds] * difficulty(self.problem)


def plan(cases: Sequence[str] = (), quick: bool = False) -> list[Entry]:
    """All entries of these cases, all cases by default; of a quick run only some instances."""
    for case in cases:
        one_of("case", case, ALL_CASES)
    return [
        Entry(case, instance, policy, bounds)
        for case in ALL_CASES
        if case in (cases or ALL_CASES)
        for instance in instances(case, quick)
        for policy, bounds in programs(case)
    ]


def instances(case: str, quick: bool) -> Sequence[int]:
    if quick:
        return QUICK.get(case, QUICK_CASE)
    return range(1, 11) if case == "cmp" else range(11)


def programs(case: str) -> Iterator[tuple[str, str]]:
    for policy in COMPARED if case == "cmp" else COMPARED[:1]:
        yield policy, "paper"
    yield "va-lucb", "sharp"
    yield DEFAULT


def difficulty(instance: Instance) -> float:
    """H_VA ln(H_VA / delta), against which the paper plots."""
    return instance.H_VA * math.log(instance.H_VA / instance.problem.delta)


def title(case: str) -> str:
    """As the paper writes it.

    >>> title("1a"), title("2"), title("cmp")
    ('Case 1(a)', 'Case 2', 'Comparison')
    """
    if case == "cmp":
        return "Comparison"
    return f"Case {case[0]}({case[1]})" if len(case) > 1 else f"Case {case}"
