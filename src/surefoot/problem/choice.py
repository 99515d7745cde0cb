"""The choice of parts for a problem: which policy and bounds decide it, and which cannot."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from surefoot.core.chains import limit_parts
from surefoot.core.program import Program
from surefoot.core.question import Question
from surefoot.core.registry import ANSWERS, BOUNDS, POLICIES, decides, family, knows
from surefoot.core.registry import preferred as preferred_parts
from surefoot.errors import Unsupported, one_of
from surefoot.problem.kernel_question import question_of

if TYPE_CHECKING:
    from surefoot.problem.problem import Problem


def preferred(problem: "Problem", policy: str | None = None, bounds: str | None = None) -> tuple[str, str]:
    """The policy and the bounds that decide this problem, where one or both are not named."""
    return preferred_parts(policy, bounds, problem.rewards.kind, tests_of(problem), problem.answer)


def tests_of(problem: "Problem") -> list[str]:
    """The kinds of limit tests that decide it."""
    return [limit.risk.test for limit in problem.limits] or ["none"]


def program(
    problem: "Problem", policy: str | None = None, bounds: str | None = None, question: Question | None = None
) -> Program:
    """The kernels that decide this problem; refused where they would guarantee nothing."""
    policy, bounds = preferred(problem, policy, bounds)
    one_of("policy", policy, POLICIES)
    one_of("bounds", bounds, BOUNDS)
    if not knows(policy, problem.answer):
        others = " or ".join(repr(name) for name in POLICIES if knows(name, problem.answer))
        raise Unsupported(f"{policy} cannot find the answer {problem.answer!r}; policy {others} would work")
    for limit in problem.limits:
        if limit.metric != problem.goal_metric.name:
            raise Unsupported(f"{limit} cannot be decided yet: only the goal's metric, {problem.goal_metric.name}, can")
    kind, tests = problem.rewards.kind, tests_of(problem)
    found = family(policy, bounds, kind)
    if found is None or not decides(policy, bounds, kind, tests, problem.answer):
        limits = " and ".join(map(str, problem.limits)) or "problems without a limit"
        asked = f"{policy} with bounds {bounds!r} cannot decide {limits} for {problem.rewards}"
        raise Unsupported(f"{asked}; {would_work(policy, kind, tests, problem.answer)}")
    refuses = found.mean_bound.refuses
    if refuses and (why := refuses(question or question_of(problem))):
        raise Unsupported(f"{policy} with bounds {bounds!r} cannot decide this problem: {why}")
    parts = limit_parts(*(found.limit_tests[test] for test in tests))
    return Program(POLICIES[policy], found.ranker, found.mean_bound, parts, ANSWERS[problem.answer])


def would_work(policy: str, kind: str, tests: Sequence[str], answer: str) -> str:
    """Other bounds under this policy, or else other policies."""
    if bounds := [name for name in BOUNDS if decides(policy, name, kind, tests, answer)]:
        return f"bounds {' or '.join(map(repr, bounds))} would work"
    policies = [name for name in POLICIES if any(decides(name, bounds, kind, tests, answer) for bounds in BOUNDS)]
    return f"policy {' or '.join(map(repr, policies))} would work" if policies else "no policy can decide it yet"
