"""The paper's radii, of mean and variance alike, too small: wrong on purpose, for negative controls."""

from surefoot.core.mean_bounds import paper
from surefoot.core.mean_bounds.paper import CONTROL, Evidence, Parameters, parameters

__all__ = ["Evidence", "Parameters", "interval", "observe", "owed", "parameters", "tick", "warm_up"]


def warm_up(parameters, asked, arms, t):
    return paper.warm_up(parameters, asked, arms, t)


def owed(arm, parameters, tick):
    return False


def observe(arm, parameters):
    paper.observe(arm, parameters)


def tick(parameters, t):
    return CONTROL * paper.tick(parameters, t)


def interval(arm, parameters, tick):
    return paper.interval(arm, parameters, tick)
