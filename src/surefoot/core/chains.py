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
from surefoot.core.error_budget import LimitShare
from surefoot.core.limit_tests import none
from surefoot.core.links import both, one
from surefoot.core.parts import LimitTest
from surefoot.core.question import LimitQuestion


class LimitPart(NamedTuple):
    """What decides one limit."""

    test: LimitTest


def limit_parts(*tests: LimitTest) -> tuple[LimitPart, ...]:
    """Of limits that these tests decide; where there is no limit there is nothing to decide."""
    return tuple(LimitPart(test) for test in tests if test is not none)


class Both(NamedTuple):
    """Two parts of a chain."""

    first: "Shape"
    rest: "Shape"


Shape: TypeAlias = int | Both  # the number of a limit, or two parts


def shape(limits: Sequence[LimitPart]) -> Shape:
    """How the limits, by number, make a chain."""
    *others, last = sorted(range(len(limits)), key=lambda k: name(limits[k]))
    found: Shape = last
    for k in reversed(others):
        found = Both(k, found)
    return found


def name(part: LimitPart) -> str:
    test: Any = part.test  # a module
    return test.__name__  # type: ignore[no-any-return]


@cache
def chained(limits: tuple[LimitPart, ...]) -> Any:
    """The one part that stands for all limits."""

    def link(found: Shape) -> ModuleType:
        if isinstance(found, int):
            test: Any = limits[found].test
            return one_of(test)
        return both_of(link(found.first), link(found.rest))

    return link(shape(limits)) if limits else one_of(none)


@cache
def one_of(test: Any) -> ModuleType:
    return made(one, test=test, Evidence=test.Evidence, ShownEvidence=test.ShownEvidence)


@cache
def both_of(first: ModuleType, rest: ModuleType) -> ModuleType:
    evidence = {
        name: records.joined(getattr(both, name), first=getattr(first, name), rest=getattr(rest, name))
        for name in ("Evidence", "ShownEvidence")
    }
    return made(both, first=first, rest=rest, **evidence)


def made(template: ModuleType, **parts: Any) -> ModuleType:
    """A link of these parts. What is compiled with it is kept because it has a file, and found again by its name."""
    names = (part.__name__.rpartition(".")[2] for part in parts.values() if isinstance(part, ModuleType))
    link = filled(template, f"{template.__name__}.{'+'.join(names)}", **parts)
    vars(link)["__file__"] = template.__file__
    sys.modules[link.__name__] = link
    return link


def parameters(limits: Sequence[LimitPart], asked: Sequence[LimitQuestion], shares: Sequence[LimitShare]) -> Any:
    """What the chain needs to know, once and for all."""

    def of(found: Shape) -> Any:
        if isinstance(found, int):
            return limits[found].test.parameters(asked[found], shares[found])
        return both.Parameters(of(found.first), of(found.rest))

    return of(shape(limits)) if limits else none.Parameters()


@cache
def paths(limits: tuple[LimitPart, ...]) -> list[tuple[str, ...]]:
    """Where in the records and parameters of the chain each limit has its own."""
    found: dict[int, tuple[str, ...]] = {}

    def walk(part: Shape, path: tuple[str, ...]) -> None:
        if isinstance(part, int):
            found[part] = path
        else:
            walk(part.first, (*path, "first"))
            walk(part.rest, (*path, "rest"))

    if limits:
        walk(shape(limits), ())
    return [found[k] for k in range(len(limits))]
