"""Each bound alone: how often it ever fails, at all times at once, on an arm chosen against it."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from surefoot.compiled import compile_program
from surefoot.core.program import Program
from surefoot.core.question import Question
from surefoot.core.registry import FAMILIES, OWN_FAMILIES
from surefoot.problem.kernel_question import question_of
from surefoot.problem.risks.expressions import parse
from surefoot.simulation import Instance
from surefoot.simulation.generators import run_generator
from verification.search import one_arm
from verification.search.adversaries import ADVERSARIES
from verification.search.binomial import Count
from verification.search.combinations import POLICY, REWARDS, Combination, controls
from verification.search.demands import ACCURACIES, demands
from verification.search.effort import Effort
from verification.search.limits import LIMITS

DELTA = 0.2
JUST = 1e-9  # how far an arm's risk is from its limit, as a share of it
PLACE = 0.2  # where a tail begins that is limited


class SingleBound(NamedTuple):
    """The task of watching one arm under the bounds of one combination, just within its limit and just beyond it."""

    combination: Combination
    arm: str

    @property
    def name(self) -> str:  # its seed is made of it: another name, other results
        return f"alone · {self.combination} · {self.arm}"

    def run(self, effort: Effort, seed: int) -> dict[str, Any]:
        generator = np.random.default_rng(seed)
        sides = (1.0, -1.0) if self.combination.risk != "none" else (1.0,)
        return {
            "combination": list(self.combination),
            "arm": self.arm,
            "fails": [asdict(fail) for side in sides for fail in self.watched(side, effort, generator)],
        }

    def paths(self, effort: Effort) -> tuple[tuple[int, int], ...]:
        """What is broken shows on a thousand of the shortest ones."""
        many, pulls = effort.paths[0]
        return ((min(many, 1_000), pulls),) if self.combination.broken else effort.paths

    def watched(self, side: float, effort: Effort, generator: np.random.Generator) -> "Iterator[Fail]":
        """The failures of L, of U and of the verdict that is wrong on this side of the limit, by the length of paths: many
        short ones would hide what only few long ones show.
        """
        asked = self.instance(side)
        question, program = question_of(asked.problem), self.combination.program
        watch, warm, draws, (mean,) = kernel(program), warm_up(program, question), asked.draws(), asked.unit_means
        error_budget = program.error_budget(question)
        for paths, longest in self.paths(effort):
            pulls, seed = int(min(longest, error_budget.pulls)), int(generator.integers(2**63))
            counts = np.zeros(4, dtype=np.int64)
            for path in range(paths):
                counts += watch(self.combination.start(question), draws, run_generator(seed, path), pulls, warm, mean)
            above, below, feasible, infeasible = counts.tolist()
            yield Fail("L", pulls, above, paths, error_budget.lower)
            yield Fail("U", pulls, below, paths, error_budget.upper)
            if self.combination.risk == "none":
                continue
            if asked.feasible[0]:  # INFEASIBLE relies on bounds of the mean too
                (share,) = error_budget.limits
                level = share.infeasible + error_budget.upper + (share.floor or error_budget.lower)
                yield Fail("INFEASIBLE", pulls, infeasible, paths, level)
            elif not asked.right_answers:
                yield Fail("FEASIBLE", pulls, feasible, paths, error_budget.limits[0].feasible)

    def instance(self, side: float) -> Instance:
        """The arm just within its limit (side 1), or just beyond what counts as within it (side -1)."""
        arm, wants = ADVERSARIES[self.combination.kind][self.arm], demands(self.combination)
        risk = LIMITS[self.combination.risk](arm, side * JUST, PLACE, False)
        tolerance, slack = ACCURACIES if wants.accuracies else (0.0, 0.0)
        if side < 0.0 and slack < risk.bound:
            risk = parse(f"{risk.name} <= {risk.bound - slack!r}") if slack else risk
        return Instance(
            {"A": arm},
            risk=risk,
            rewards=REWARDS[self.combination.kind],
            delta=min(DELTA, wants.largest_delta),
            tolerance=tolerance,
            risk_slack=slack,
        )


@dataclass(frozen=True, slots=True)
class Fail:
    """How often something failed that may fail with probability `level`, on so many paths of so many pulls."""

    what: str
    pulls: int
    failures: int
    paths: int
    level: float

    @property
    def count(self) -> Count:
        return Count(self.failures, self.paths - self.failures)

    @property
    def too_often(self) -> bool:
        return self.count.exceeds(self.level)


@functools.cache
def kernel(program: Program) -> Callable[..., Any]:
    """Compiled once in a process: what is broken on purpose has no file, and so no cache on disk."""
    path: Callable[..., Any] = compile_program(one_arm, program.parts).path
    return path


def warm_up(program: Program, question: Question) -> int:
    """Pulls of one arm before its bounds are asked for."""
    parameters, asked, pulls = program.start(question, packed=False).mean_parameters, [0] * 3, 0
    while more := program.mean_bound.warm_up(parameters, asked, 1, pulls + 1):
        pulls += more
    return pulls


def families() -> Iterator[Combination]:
    """Every family with every risk it knows, under some policy: a bound alone does not see which."""
    for (bounds, kind), family in FAMILIES.items():
        for risk in family.limit_tests:
            yield Combination("va-lucb", bounds, kind, risk)
    known = [family.mean_bound for family in FAMILIES.values()]
    for policy, own in OWN_FAMILIES.items():
        for (bounds, kind), family in own.items():
            if family.mean_bound not in known:
                yield from (Combination(policy, bounds, kind, risk) for risk in family.limit_tests)


def single_bounds(broken: bool) -> list[SingleBound]:
    """Every family on every adversary; or the families broken on purpose."""
    chosen = [control for control in controls() if control.broken != POLICY] if broken else list(families())
    return [SingleBound(combination, arm) for combination in chosen for arm in ADVERSARIES[combination.kind]]
