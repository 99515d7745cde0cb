"""The choice of parts for a problem: which policy and bounds decide it, and which cannot."""

from typing import TYPE_CHECKING

from surefoot.core.program import Program
from surefoot.core.question import Question
from surefoot.core.registry import ANSWERS, BOUNDS, POLICIES, family, knows
from surefoot.core.registry import preferred as preferred_parts
from surefoot.errors import Unsupported, one_of
from surefoot.problem.kernel_question import question_of

if TYPE_CHECKING:
    from surefoot.problem.problem import Problem


def preferred(problem: "Problem", policy: str | None = None, bounds: str | None = None) -> tuple[str, str]:
    """The policy and the bounds that decide this problem, where one or both are not named."""
    return preferred_parts(policy, bounds, problem.rewards.kind, problem.risk.test, problem.answer)


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
    kind, test = problem.rewards.kind, problem.risk.test
    found = family(policy, bounds, kind)
    if found is None or test not in found.limit_tests:
        limit = str(problem.risk) if problem.limits else "problems without a limit"
        asked = f"{policy} with bounds {bounds!r} cannot decide {limit} for {problem.rewards}"
        raise Unsupported(f"{asked}; {would_work(policy, kind, test, problem.answer)}")
    refuses = found.mean_bound.refuses
    if refuses and (why := refuses(question or question_of(problem))):
        raise Unsupported(f"{policy} with bounds {bounds!r} cannot decide this problem: {why}")
    return Program(POLICIES[policy], found.ranker, found.mean_bound, found.limit_tests[test], ANSWERS[problem.answer])


def would_work(policy: str, kind: str, test: str, answer: str) -> str:
    """Other bounds under this policy, or else other policies."""

    def can(policy: str, bounds: str) -> bool:
        found = family(policy, bounds, kind)
        return found is not None and test in found.limit_tests and knows(policy, answer)

    if bounds := [name for name in BOUNDS if can(policy, name)]:
        return f"bounds {' or '.join(map(repr, bounds))} would work"
    policies = [name for name in POLICIES if any(can(name, bounds) for bounds in BOUNDS)]
    return f"policy {' or '.join(map(repr, policies))} would work" if policies else "no policy can decide it yet"
