"""A program: one policy with one family of bounds, one limit test and one answer, ready to assemble and to start."""

import math
from functools import cache, lru_cache, reduce
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from surefoot.core import chains, records
from surefoot.core.assembly import assemble
from surefoot.core.chains import LimitPart
from surefoot.core.comparisons import intervals, pairs
from surefoot.core.error_budget import ErrorBudget, unled_cost
from surefoot.core.own import seen
from surefoot.core.own.seen import SeenArm
from surefoot.core.parts import Answer, MeanBound, Policy, Ranker
from surefoot.core.question import Question
from surefoot.core.state import Arm, State
from surefoot.core.statistics import Statistics
from surefoot.errors import InvalidValue, PartFailed

KEPT = 64  # programs whose kernels are shared; those used longest ago are assembled anew


class Program(NamedTuple):
    policy: Policy
    ranker: Ranker
    mean_bound: MeanBound
    limits: tuple[LimitPart, ...]  # what decides each limit of the question
    answer: Answer
    shows: bool = False  # does it also keep what people see of the limits?
    items: bool = False  # are arms tried on the same items?
    finite: bool = False  # and is the question about exactly these?

    @property
    def parts(self) -> dict[str, Any]:
        """The modules, by the names that other kernels know them by."""
        return {
            "policy": self.policy,
            "ranker": self.ranker,
            "mean_bound": self.mean_bound,
            "limit_test": self.limit_test,
            "answer": self.answer,
            "display": self.display,
            "comparison": self.comparison,
            "baseline": self.baseline,
        }

    @property
    def comparison(self) -> Any:
        """What compares two arms."""
        if self.items:
            return on_items(self.finite)
        return pairs if self.policy.PAIRS else intervals

    @property
    def limit_test(self) -> Any:
        """All limits as one."""
        return chains.chained(self.limits)

    @property
    def baseline(self) -> Any:
        """What compares arms with the baseline."""
        return chains.baseline_part(self.limits, self.items)

    @property
    def display(self) -> Any:
        """What keeps what people see of the limits."""
        return chains.chained(self.limits if self.shows else ())

    def kernels(self, root: ModuleType) -> ModuleType:
        """The kernels under `root`, as plain functions. All studies share them, unless a user's own parts may keep state."""
        return assemble(root, self.parts) if self.own else shared_kernels(root, self)

    @property
    def own(self) -> list[str]:
        """The parts that are the user's own, as they are called."""
        tests = [("limit test", part.test.OWN) for part in self.limits]
        names = [("policy", self.policy.OWN), ("mean bound", self.mean_bound.OWN), *tests]
        return [f"the {kind} {name!r}" for kind, name in names if name]

    def failed(self, error: Exception) -> PartFailed:
        """The sentence for an error of the user's own parts."""
        if isinstance(error, InvalidValue):  # of a policy, the first of them, that chose what cannot be
            return PartFailed(f"{self.own[0]} {error}")
        return PartFailed(f"{' or '.join(self.own)} failed: {type(error).__name__}: {error}")

    @property
    def displayed(self) -> "Program":
        """The program that also keeps what people see."""
        return self._replace(shows=True)

    @property
    def arm(self) -> type:
        """The declaration of an arm's record."""
        return records.joined(
            Arm,
            metric=Statistics,
            goal=self.mean_bound.Evidence,
            limit=self.limit_test.Evidence,
            policy=self.policy.Evidence,
            comparison=self.comparison.Evidence,
            shown=self.display.ShownEvidence,
            compared=self.baseline.Evidence,
        )

    def error_budget(self, question: Question) -> ErrorBudget:
        """How often each bound and each verdict may fail."""
        if self.mean_bound.own_budget:
            return self.mean_bound.own_budget(question)
        limits = tuple(
            limit._replace(in_interval=part.test.IN_INTERVAL)
            for limit, part in zip(question.limits, self.limits, strict=True)
        )
        asked, bound = question._replace(limits=limits), self.mean_bound
        return self.answer.error_budget(asked, bound.PAIRS, self.policy.PAIRS, self.starts)

    @property
    def starts(self) -> bool:
        """Can the evidence for an arm start anew when it leads?"""
        tests = all(part.test.STARTS for part in self.limits)
        return self.mean_bound.PAIRS and not self.items and self.mean_bound.STARTS and tests

    def limit_parameters(self, question: Question, error_budget: ErrorBudget) -> Any:
        """What the limit tests need to know, once and for all."""
        return chains.parameters(self.limits, question, error_budget)

    def common(self, question: Question, packed: bool) -> Any:
        """What arms have in common, where they are tried on the same items."""
        against = len(chains.against_baseline(self.limits))
        return self.comparison.begun(question.arms, question.items, question.rounds, against, packed)

    def start(self, question: Question, packed: bool) -> State:
        """The state before the first step: on packed records for a compiled program, on plain ones otherwise."""
        error_budget = self.error_budget(question)
        arms = alike(self.arm, self.untried(error_budget), question.arms, packed)
        if question.baseline >= 0:
            if packed:
                arms["limit"]["exempt"][question.baseline] = 1
            else:
                arms[question.baseline].limit.exempt = 1
        board = self.ranker.board(question.arms)
        return State(
            arms=arms,
            board=board if packed else type(board)(*(array.tolist() for array in board)),
            policy=alike(self.policy.Memory, records.plain_record(self.policy.Memory)(), 1, packed),
            mean_parameters=self.mean_bound.parameters(question, error_budget),
            limit_parameters=self.limit_parameters(question, error_budget),
            policy_parameters=self.policy.parameters(question) if self.policy.parameters else (),
            tolerance=question.tolerance,
            highest=question.highest,
            asked=np.zeros(question.arms + 2, dtype=np.int64) if packed else [0] * (question.arms + 2),
            seen=seen.packed(arms) if packed else [SeenArm(arm) for arm in arms],
            items=self.common(question, packed) if self.items else (),
            waiting=np.zeros(question.arms, dtype=np.int64) if packed else [0] * question.arms,
        )

    def untried(self, error_budget: ErrorBudget) -> Any:
        """The plain record of an arm without results."""
        arm = records.plain_record(self.arm)()
        arm.goal.lower, arm.goal.upper = -math.inf, math.inf
        if error_budget.by_order:
            for part, path, share in zip(self.limits, chains.paths(self.limits), error_budget.limits, strict=True):
                part.test.start_anew(reduce(getattr, path, arm.limit), -unled_cost(share))
        return arm


@lru_cache(KEPT)
def shared_kernels(root: ModuleType, program: Program) -> ModuleType:
    return assemble(root, program.parts)


@cache
def on_items(finite: bool) -> ModuleType:
    """What compares two arms on the same items: on those of a finite list, or of a stream."""
    from surefoot.core import list_differences
    from surefoot.core.comparisons import on_items

    return chains.made(on_items, "list", evidence=list_differences) if finite else on_items


def alike(declaration: type, record: Any, count: int, packed: bool) -> Any:
    """So many records like this plain one."""
    if packed:
        return np.repeat(records.packed([record], declaration), count)
    return [records.copied(record) for _ in range(count)]
