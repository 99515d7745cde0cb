"""All limits of a problem as one part: a chain of links, with a limit test at each end (`core/links`).

The chain follows the kinds of limits and not the order in which people wrote them: problems that differ in order alone share
a compiled program.
"""

import sys
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from surefoot.core import records
from surefoot.core.assembly import filled
from surefoot.core.baselines import absent as no_baseline
from surefoot.core.error_budget import ErrorBudget
from surefoot.core.limit_tests import none
from surefoot.core.links import both, elsewhere, no_mean, one
from surefoot.core.parts import LimitTest
from surefoot.core.question import Question
from surefoot.core.statistics import Statistics


class LimitPart(NamedTuple):
    """What decides one limit."""

    test: LimitTest
    metric: int = 0  # which of a pull's results it is about
    bound: Any = None  # the mean bound of that metric, where it is not the goal's
    against: str = ""  # of a limit against the baseline: which of KINDS it is; empty: it is not


def limit_parts(*tests: LimitTest) -> tuple[LimitPart, ...]:
    """Of limits on the goal's metric that these tests decide; where there is no limit there is nothing to decide."""
    return tuple(LimitPart(test) for test in tests if test is not none)


KINDS = ("sums", "quantiles", "normals")  # of limits against the baseline, by the evidence that decides them


class Both(NamedTuple):
    """Two parts of a chain."""

    first: "Shape"
    rest: "Shape"


class Elsewhere(NamedTuple):
    """The limits on another metric than the goal's."""

    metric: int
    limits: "Shape"


Shape: TypeAlias = int | Both | Elsewhere  # the number of a limit; two parts; or those of another metric


def shape(limits: Sequence[LimitPart]) -> Shape:
    """How the limits that are not against the baseline, by number, make a chain."""
    parts: list[Shape] = []
    for metric in sorted({part.metric for part in limits if not part.against}):
        ours = sorted(of_metric(limits, metric), key=lambda k: name(limits[k]))
        parts += ours if metric == 0 else [Elsewhere(metric, joined(ours))]
    return joined(parts)


def joined(parts: Sequence[Shape]) -> Shape:
    *others, found = parts
    for part in reversed(others):
        found = Both(part, found)
    return found


def name(part: LimitPart) -> str:
    test: Any = part.test  # a module
    return test.__name__  # type: ignore[no-any-return]


def of_metric(limits: Sequence[LimitPart], metric: int) -> list[int]:
    """The numbers of the limits on this metric."""
    return [k for k, part in enumerate(limits) if part.metric == metric and not part.against]


def against_baseline(limits: Sequence[LimitPart]) -> list[int]:
    """The numbers of the limits against the baseline, by kind."""
    compared = [k for k, part in enumerate(limits) if part.against]
    return sorted(compared, key=lambda k: KINDS.index(limits[k].against))


def bound_of(limits: Sequence[LimitPart], metric: int) -> Any:
    """The mean bound of a metric that is not the goal's: none where no test reads it."""
    parts = [limits[k] for k in of_metric(limits, metric)]
    return parts[0].bound if any(part.test.NEEDS_MEAN for part in parts) else no_mean


@cache
def chained(limits: tuple[LimitPart, ...]) -> Any:
    """The one part that stands for all limits."""

    def link(found: Shape) -> ModuleType:
        if isinstance(found, Both):
            return both_of(link(found.first), link(found.rest))
        if isinstance(found, Elsewhere):
            return elsewhere_of(found.metric, bound_of(limits, found.metric), link(found.limits))
        test: Any = limits[found].test
        return one_of(test)

    compared = len(against_baseline(limits))
    rest = link(shape(limits)) if len(limits) > compared else one_of(none)
    return against_of(compared, rest) if compared else rest


@cache
def baseline_part(limits: tuple[LimitPart, ...], items: bool = False) -> Any:
    """What compares arms with the baseline, if a limit is against it: on the same items, or not."""
    counts = tuple(sum(part.against == kind for part in limits) for kind in KINDS)
    if items and any(counts):
        return comparing_on_items(sum(counts))
    return comparing(*counts) if any(counts) else no_baseline


@cache
def comparing_on_items(limits: int) -> ModuleType:
    from surefoot.core.baselines import same_items

    return made(same_items, str(limits), LIMITS=limits, SUMS=limits, Evidence=same_items.evidence(limits))


@cache
def comparing(sums: int, quantiles: int, normals: int) -> ModuleType:
    from surefoot.core.baselines import one_arm

    counts = {"SUMS": sums, "QUANTILES": quantiles, "NORMALS": normals, "LIMITS": sums + quantiles + normals}
    evidence = one_arm.evidence(sums, quantiles, normals)
    return made(one_arm, f"{sums},{quantiles},{normals}", Evidence=evidence, **counts)


@cache
def against_of(limits: int, rest: ModuleType) -> ModuleType:
    from surefoot.core.links import against

    evidence = {
        "Evidence": against.evidence(limits, rest.Evidence),
        "ShownEvidence": against.shown_evidence(rest.ShownEvidence),
    }
    return made(against, f"{limits},{ending(rest)}", LIMITS=limits, rest=rest, **evidence)


@cache
def mean_test(bound: Any) -> Any:
    """The test of a limit on a mean, by the evidence of this bound."""
    from surefoot.core.limit_tests import mean

    return made(mean, ending(bound), bound=bound)


@cache
def one_of(test: Any) -> ModuleType:
    passed_on = ("Evidence", "ShownEvidence", "REVISES", "start_anew", "verdict", "shares", "sample_breaks")
    return made(one, ending(test), test=test, **{name: getattr(test, name) for name in passed_on})


@cache
def both_of(first: ModuleType, rest: ModuleType) -> ModuleType:
    evidence = {
        name: records.joined(getattr(both, name), first=getattr(first, name), rest=getattr(rest, name))
        for name in ("Evidence", "ShownEvidence")
    }
    revises = first.REVISES or rest.REVISES
    return made(both, f"{ending(first)}+{ending(rest)}", first=first, rest=rest, REVISES=revises, **evidence)


@cache
def elsewhere_of(metric: int, bound: Any, limits: ModuleType) -> ModuleType:
    evidence = {
        name: records.joined(
            getattr(elsewhere, name), metric=Statistics, mean=bound.Evidence, limits=getattr(limits, name)
        )
        for name in ("Evidence", "ShownEvidence")
    }
    name = f"{metric}({ending(bound)},{ending(limits)})"
    return made(elsewhere, name, METRIC=metric, bound=bound, limits=limits, REVISES=limits.REVISES, **evidence)


def ending(module: Any) -> str:
    """Of a module's name: that of a link has the names of its parts."""
    found: str = module.__name__.rpartition(".")[2]
    return found


def made(template: ModuleType, name: str, **parts: Any) -> ModuleType:
    """A link of these parts. What is compiled with it is kept because it has a file, and found again by its name."""
    link = filled(template, f"{template.__name__}.{name}", **parts)
    vars(link)["__file__"] = template.__file__
    sys.modules[link.__name__] = link
    return link


def parameters(limits: Sequence[LimitPart], question: Question, error_budget: ErrorBudget) -> Any:
    """What the chain needs to know, once and for all."""

    def of(found: Shape) -> Any:
        if isinstance(found, Both):
            return both.Parameters(of(found.first), of(found.rest))
        if isinstance(found, Elsewhere):
            mean = mean_parameters(limits, found.metric, question, error_budget)
            return elsewhere.Parameters(mean, of(found.limits))
        return limits[found].test.parameters(question.limits[found], error_budget.limits[found])

    compared = against_baseline(limits)
    rest = of(shape(limits)) if len(limits) > len(compared) else none.Parameters()
    if not compared:
        return rest
    from surefoot.core.links import against

    streams = tuple(against.stream(question.limits[k], error_budget.limits[k]) for k in compared)
    return against.Parameters(rest, question.baseline, streams)


def mean_parameters(limits: Sequence[LimitPart], metric: int, question: Question, error_budget: ErrorBudget) -> Any:
    """Of the mean bound of another metric: its L may fail as often as the floor of its limits, its U as their ceiling. Where
    no test relies on them they are for people to see.
    """
    ours = of_metric(limits, metric)
    shares = [error_budget.limits[k] for k in ours]
    shown = shares[0].feasible
    floor = min((share.floor for share in shares if share.floor), default=shown)
    ceiling = min((share.ceiling for share in shares if share.ceiling), default=shown)
    asked = question._replace(limits=(), sigma=question.limits[ours[0]].sigma)
    return bound_of(limits, metric).parameters(asked, ErrorBudget(floor, ceiling, (), pair=floor))


@cache
def paths(limits: tuple[LimitPart, ...]) -> list[tuple[str, ...]]:
    """Where in the records and parameters of the chain each limit has its own; those against the baseline have no place
    there.
    """
    compared = against_baseline(limits)
    found: dict[int, tuple[str, ...]] = dict.fromkeys(compared, ())

    def walk(part: Shape, path: tuple[str, ...]) -> None:
        if isinstance(part, int):
            found[part] = path
            return
        for name in ("first", "rest") if isinstance(part, Both) else ("limits",):
            walk(getattr(part, name), (*path, name))

    if len(limits) > len(compared):
        walk(shape(limits), ("rest",) if compared else ())
    return [found[k] for k in range(len(limits))]
