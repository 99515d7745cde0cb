"""Families of bounds with radii too small: wrong on purpose, for negative controls."""

from types import ModuleType
from typing import Any

from surefoot.core.registry import Family

PER_ARM = """
def warm_up(parameters, asked, arms, t):
    return inner.warm_up(parameters, asked, arms, t)


def observe(own, metric, parameters, reward):
    inner.observe(own, metric, parameters, reward)


def interval(own, metric, parameters, clock):
    lower, upper = inner.interval(own, metric, parameters, clock)
    return metric.mean - CONTROL * (metric.mean - lower), metric.mean + CONTROL * (upper - metric.mean)
"""

CLOCKED = """
def warm_up(parameters, asked, arms, t):
    return inner.warm_up(parameters, asked, arms, t)


def observe(own, metric, parameters, reward):
    inner.observe(own, metric, parameters, reward)


def tick(parameters, t):
    return CONTROL * inner.tick(parameters, t)


def interval(own, metric, parameters, clock):
    return inner.interval(own, metric, parameters, clock)


def owed(own, parameters, clock):
    return inner.owed(own, parameters, clock)
"""


KEPT = ("CONTROL", "PAIRS", "STARTS", "Evidence", "own_budget", "parameters")


def weakened(family: Family) -> Any:
    """The mean bound of a family with radii times its CONTROL; of one that follows a clock, the variance's too."""
    inner = family.mean_bound
    name = inner.__name__.rsplit(".", 1)[-1]  # type: ignore[attr-defined]
    module = ModuleType(f"weakened_{name}")
    vars(module).update({kept: getattr(inner, kept) for kept in KEPT}, inner=inner)
    exec(CLOCKED if family.ranker.CLOCKED else PER_ARM, vars(module))
    return module
