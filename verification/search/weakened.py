"""Families of bounds with radii too small: wrong on purpose, for negative controls."""

from types import ModuleType
from typing import Any

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


def weakened(inner: Any) -> Any:
    """A mean bound whose radii are those of `inner` times its CONTROL; of a clocked family, the variance's too."""
    module = ModuleType(f"weakened_{inner.__name__.rsplit('.', 1)[-1]}")
    names = {name: getattr(inner, name) for name in ("CONTROL", "Evidence", "Parameters", "error_budget", "parameters")}
    vars(module).update(names, inner=inner)
    exec(CLOCKED if hasattr(inner, "tick") else PER_ARM, vars(module))
    return module
