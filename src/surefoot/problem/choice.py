"""The choice of parts for a problem: which policy and bounds decide it, and which cannot."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from surefoot.core.chains import KINDS, LimitPart
from surefoot.core.program import Program
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.ranking import tournament
from surefoot.core.registry import (
    ANSWERS,
    BASELINE,
    BOUNDS,
    ITEMS,
    POLICIES,
    Family,
    Limited,
    decides,
    elsewhere,
    family,
    known_tests,
    knows,
)
from surefoot.core.registry import preferred as preferred_parts
from surefoot.errors import Unsupported, one_of
from surefoot.problem.items import MOST_ARMS, ON_ITEMS
from surefoot.problem.kernel_question import limit_of, question_of
from surefoot.problem.reward_models import Bounded

if TYPE_CHECKING:
    from surefoot.problem.problem import Problem


def preferred(problem: "Problem", policy: str | None = None, bounds: str | None = None) -> tuple[str, str]:
    """The policy and the bounds that decide this problem, where one or both are not named."""
    return preferred_parts(policy, bounds, problem.rewards.kind, limits_of(problem), problem.answer)


def limits_of(problem: "Problem") -> list[Limited]:
    """What decides each limit, by name."""
    goal = problem.goal_metric.name
    kinds = (problem.metric(limit.metric).model.kind if limit.metric != goal else "" for limit in problem.limits)
    return [Limited(limit.risk.test, kind) for limit, kind in zip(problem.limits, kinds, strict=True)]


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
    check_items(problem, policy, bounds)
    if problem.items and problem.items.finite:
        return on_list(problem, question or question_of(problem))
    kind, limited = problem.rewards.kind, limits_of(problem)
    check_other_metrics(problem, bounds, limited)
    found = family(policy, bounds, kind)
    if found is None or not decides(policy, bounds, kind, limited, problem.answer):
        limits = " and ".join(map(str, problem.limits)) or "problems without a limit"
        asked = f"{policy} with bounds {bounds!r} cannot decide {limits} for {problem.rewards}"
        raise Unsupported(f"{asked}; {would_work(policy, kind, limited, problem.answer)}")
    refuses, question = found.mean_bound.refuses, question or question_of(problem)
    if refuses and (why := refuses(question)):
        raise Unsupported(f"{policy} with bounds {bounds!r} cannot decide this problem: {why}")
    parts = tuple(
        part_of(bounds, kind, found, limit, asked) for limit, asked in zip(limited, question.limits, strict=True)
    )
    answer, items = ANSWERS[problem.answer], problem.items is not None
    return Program(POLICIES[policy], found.ranker, found.mean_bound, parts, answer, items=items)


def on_list(problem: "Problem", question: Question) -> Program:
    """The kernels that decide on the items of a finite list, which check_items allows."""
    from surefoot.core.list_registry import ON_LISTS

    parts = []
    for limit, (test, kind), asked in zip(problem.limits, limits_of(problem), question.limits, strict=True):
        bound, tests = ON_LISTS.get(kind or problem.rewards.kind, (None, {}))
        if test not in tests:
            others = " or ".join(sorted(other for other in tests if other != "none"))
            would = (
                f"{others} can be limited" if others else "only metrics with a range, or quantiles and probabilities"
            )
            raise Unsupported(
                f"{limit} cannot be decided on a finite list, for {problem.metric(limit.metric).model}; {would}"
            )
        parts.append(LimitPart(tests[test], asked.metric, bound if kind else None))
    (bound, _), answer = ON_LISTS[problem.rewards.kind], ANSWERS[problem.answer]
    assert bound is not None
    return Program(POLICIES[ITEMS[0]], tournament, bound, tuple(parts), answer, items=True, finite=True)


def check_items(problem: "Problem", policy: str, bounds: str) -> None:
    """Refuse what nobody has proven for arms that are tried on the same items."""
    if problem.items is None:
        return
    design = f'design = "{problem.design}"'
    if not isinstance(problem.rewards, Bounded):
        raise Unsupported(
            f"{design} needs a range for {problem.goal_metric.name}, such as [0, 1], got {problem.rewards}"
        )
    if (policy, bounds) != ITEMS:
        would = f"policy {ITEMS[0]!r} with bounds {ITEMS[1]!r} would work"
        raise Unsupported(f"{policy} with bounds {bounds!r} cannot decide {design}; {would}")
    for limit in problem.limits:
        if limit.is_against_baseline and (
            problem.design != ON_ITEMS or evidence_of(limit_of(problem, limit)) != KINDS[0]
        ):
            raise Unsupported(f"this limit against the baseline cannot go with {design} yet, got {limit}")
    if len(problem.arms) > MOST_ARMS:
        raise Unsupported(f"{design} takes at most {MOST_ARMS:,} arms, got {len(problem.arms):,}")


def check_other_metrics(problem: "Problem", bounds: str, limited: list[Limited]) -> None:
    """Refuse a limit that cannot be one on a metric that is not the goal's."""
    for limit, (test, kind) in zip(problem.limits, limited, strict=True):
        tests = elsewhere(bounds, kind)[1]
        if kind and test not in tests and test != BASELINE:
            others = " or ".join(sorted(other for other in tests if other != "none"))
            model = problem.metric(limit.metric).model
            raise Unsupported(f"{limit} cannot be decided for {model}; {others} can be limited")


def part_of(bounds: str, kind: str, found: Family, limit: Limited, asked: LimitQuestion) -> LimitPart:
    """What decides a limit."""
    if limit.test == BASELINE:
        from surefoot.core.baselines import shown

        shown_test: Any = shown
        return LimitPart(shown_test, asked.metric, against=evidence_of(asked))
    if not limit.kind:
        return LimitPart(known_tests(bounds, kind, found)[limit.test])
    bound, tests = elsewhere(bounds, limit.kind)
    return LimitPart(tests[limit.test], asked.metric, bound)


def evidence_of(asked: LimitQuestion) -> str:
    """Which evidence decides a limit against the baseline, one of `chains.KINDS`."""
    if asked.limit.share:
        return "quantiles"
    return "normals" if not asked.limit.side and math.isinf(asked.high) else "sums"


def would_work(policy: str, kind: str, limits: Sequence[Limited], answer: str) -> str:
    """Other bounds under this policy, or else other policies."""
    if bounds := [name for name in BOUNDS if decides(policy, name, kind, limits, answer)]:
        return f"bounds {' or '.join(map(repr, bounds))} would work"
    policies = [name for name in POLICIES if any(decides(name, bounds, kind, limits, answer) for bounds in BOUNDS)]
    return f"policy {' or '.join(map(repr, policies))} would work" if policies else "no policy can decide it yet"
