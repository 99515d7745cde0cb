"""What a verification consists of: tasks that any process can do, and what the quick form leaves out."""

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from verification.search.combinations import (
    LIMIT_TEST,
    MEAN_BOUND,
    POLICY,
    Combination,
    combinations,
    controls,
    representatives,
)
from verification.search.effort import FULL, QUICK, Effort
from verification.search.rates import Rates
from verification.search.single_bound import SingleBound, single_bounds

QUICK_CONTROLS = (  # broken so far that a short search notices
    Combination("va-lucb", "sharp", "bounded", "variance", LIMIT_TEST),
    Combination("va-lucb", "paper", "bounded", "none", MEAN_BOUND),
    Combination("top-two", "tight", "bounded", "none", POLICY),
)
QUICK_FAMILIES = 2  # bounds watched alone, of those as they are and of those broken
QUICK_ARMS = ("lopsided coin", "rare event", "uniform", "normal")


class Task(Protocol):
    """Plain data that says what to do."""

    @property
    def name(self) -> str: ...

    @property
    def combination(self) -> Combination: ...

    def run(self, effort: Effort, seed: int) -> dict[str, Any]:
        """What came of it, as plain data; it depends on the arguments alone."""


class Plan(NamedTuple):
    effort: Effort
    tasks: list[Task]
    left_out: list[str]  # sentences


def seed_of(task: Task, seed: int) -> int:
    """A seed of its own for each task, whoever does it and when."""
    return int.from_bytes(hashlib.sha256(f"{seed} {task.name}".encode()).digest()[:8])


def full() -> Plan:
    """Everything that is in the registry."""
    rates = [Rates(combination) for combination in (*reversed(combinations()), *controls())]
    return Plan(FULL, [*rates, *single_bounds(broken=False), *single_bounds(broken=True)], [])


def quick() -> Plan:
    """Few programs, because each takes seconds to compile; they meet every policy, mean bound and limit test."""
    every, wrong = combinations(), controls()
    measured, broken = representatives(every), list(QUICK_CONTROLS)
    sound, unsound = few_single_bounds(broken=False), few_single_bounds(broken=True)
    everything = single_bounds(broken=False)
    left_out = [
        f"{len(every) - len(measured)} of {len(every)} combinations; "
        "those measured meet every policy, mean bound and limit test",
        f"{len(wrong) - len(broken)} of {len(wrong)} negative controls of the search",
        f"{len(everything) - len(sound)} of {len(everything)} pairs of a bound and an arm chosen against it",
        f"paths beyond {max(pulls for _, pulls in QUICK.paths):,} pulls, where the full form goes to "
        f"{max(pulls for _, pulls in FULL.paths):,}",
        f"most runs: {QUICK.instances * QUICK.runs + QUICK.confirmation:,} of each combination beside the search, "
        f"where the full form has {FULL.instances * FULL.runs + FULL.confirmation:,}",
    ]
    rates = [Rates(combination) for combination in (*reversed(measured), *broken)]  # the slowest are registered last
    return Plan(QUICK, [*rates, *sound, *unsound], left_out)


def few_single_bounds(broken: bool) -> list[SingleBound]:
    tasks = [task for task in single_bounds(broken) if task.arm in QUICK_ARMS]
    chosen = spread(list(dict.fromkeys(task.combination for task in tasks)), QUICK_FAMILIES)
    return [task for task in tasks if task.combination in chosen]


def spread(combinations: Sequence[Combination], many: int) -> list[Combination]:
    """So many of them, evenly from first to last."""
    return [combinations[round(index * (len(combinations) - 1) / (many - 1))] for index in range(many)]


PLANS = {"full": full, "quick": quick}
