"""Families of bounds with radii too small: wrong on purpose, for negative controls."""

from types import ModuleType

PER_ARM = """
def warm_up(parameters, asked, arms, t):
    return inner.warm_up(parameters, asked, arms, t)


def observe(arm, parameters, reward):
    inner.observe(arm, parameters, reward)


def interval(arm, parameters):
    lower, upper = inner.interval(arm, parameters)
    return arm.mean - CONTROL * (arm.mean - lower), arm.mean + CONTROL * (upper - arm.mean)
"""

CLOCKED = """
def warm_up(parameters, asked, arms, t):
    return inner.warm_up(parameters, asked, arms, t)


def observe(arm, parameters, reward):
    inner.observe(arm, parameters, reward)


def tick(parameters, t):
    return CONTROL * inner.tick(parameters, t)


def interval(arm, parameters, tick):
    return inner.interval(arm, parameters, tick)


def owed(arm, parameters, tick):
    return inner.owed(arm, parameters, tick)
"""


def weakened(inner: ModuleType) -> ModuleType:
    """A mean bound whose radii are those of `inner` times its CONTROL; of a clocked family, the variance's too."""
    module = ModuleType(f"weakened_{inner.__name__.rsplit('.', 1)[-1]}")
    names = {name: getattr(inner, name) for name in ("CONTROL", "Evidence", "Parameters", "budget", "parameters")}
    vars(module).update(names, inner=inner)
    exec(CLOCKED if hasattr(inner, "tick") else PER_ARM, vars(module))
    return module
