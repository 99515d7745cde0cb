"""What is to be verified: every program in the registry, and programs broken on purpose."""

import functools
import itertools
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

from surefoot.core import registry
from surefoot.core.chains import limit_parts
from surefoot.core.program import Program
from surefoot.core.question import Question
from surefoot.core.registry import ANSWERS, BOUNDS, FAMILIES, OWN_FAMILIES, POLICIES, Family
from surefoot.core.state import State
from surefoot.problem.reward_models import Bounded, Gaussian, RewardModel, SubGaussian
from verification.search.weakened import weakened

REWARDS: dict[str, RewardModel] = {"bounded": Bounded(), "subgaussian": SubGaussian(1.0), "gaussian": Gaussian()}
MEAN_BOUND, LIMIT_TEST, POLICY = "mean bound", "limit test", "policy"  # what can be broken


class Combination(NamedTuple):
    """A program by the names that `simulate` takes; `broken` names the part of it that is wrong on purpose."""

    policy: str
    bounds: str
    kind: str  # of rewards
    risk: str
    broken: str = ""

    def __str__(self) -> str:
        return " · ".join(self[:4]) + (f" · broken {self.broken}" if self.broken else "")

    @property
    def family(self) -> Family:
        known = registry.family(self.policy, self.bounds, self.kind)
        if known is None:
            raise LookupError(f"{self} is not in the registry")
        return known

    @property
    def program(self) -> Program:
        family = self.family
        mean_bound = small(self.bounds, self.kind, self.policy) if self.broken == MEAN_BOUND else family.mean_bound
        limits = limit_parts(family.limit_tests[self.risk])
        return Program(POLICIES[self.policy], family.ranker, mean_bound, limits, ANSWERS["best"])

    def start(self, question: Question) -> State:
        """The state before the first step, for compiled kernels."""
        program = self.program
        state = program.start(question, packed=True)
        weakened = self.family.limit_tests[self.risk].weakened
        if self.broken == LIMIT_TEST and weakened:
            state = state._replace(limit_parameters=weakened(state.limit_parameters))
        if self.broken == POLICY and program.policy.weakened:
            state = program.policy.weakened(state)
        return state


@functools.cache
def small(bounds: str, kind: str, policy: str) -> Any:
    """One module for each, so that a process compiles it once."""
    return weakened(Combination(policy, bounds, kind, "").family)


def combinations() -> list[Combination]:
    """All that the registry supports."""
    return [
        Combination(policy, bounds, kind, risk)
        for policy, bounds, kind in itertools.product(POLICIES, BOUNDS, REWARDS)
        if (family := registry.family(policy, bounds, kind))
        for risk in family.limit_tests
    ]


def controls() -> list[Combination]:
    """Of every family each part in turn, and of every policy with bounds of its own what it relies on, broken."""
    return list(broken_families()) + list(broken_policies())


def broken_families() -> Iterator[Combination]:
    for (bounds, kind), family in FAMILIES.items():
        for risk, test in family.limit_tests.items():
            if test.weakened:
                yield Combination("va-lucb", bounds, kind, risk, LIMIT_TEST)
        yield Combination("va-lucb", bounds, kind, "none", MEAN_BOUND)


def broken_policies() -> Iterator[Combination]:
    for policy, families in OWN_FAMILIES.items():
        for (bounds, kind), family in families.items():
            part = POLICY if POLICIES[policy].weakened else MEAN_BOUND
            risk = "none" if "none" in family.limit_tests else next(iter(family.limit_tests))
            yield Combination(policy, bounds, kind, risk, part)


def representatives(combinations: list[Combination]) -> list[Combination]:
    """Few of them that still have every policy, every mean bound and every limit test, because compiling takes seconds."""
    chosen: list[Combination] = []
    met: set[Hashable] = set()
    while new := max(combinations, key=lambda combination: len(parts(combination) - met), default=None):
        if parts(new) <= met:
            break
        chosen.append(new)
        met |= parts(new)
    return chosen


def parts(combination: Combination) -> set[Hashable]:
    program = combination.program
    return {(part, module.__name__, combination.broken) for part, module in program.parts.items()}
