"""The paper's radii, of mean and variance alike, too small: wrong on purpose, for negative controls."""

from surefoot.core.mean_bounds import paper
from surefoot.core.mean_bounds.paper import CONTROL, WARM_UP, Evidence, Parameters, parameters

__all__ = ["WARM_UP", "Evidence", "Parameters", "interval", "observe", "parameters", "tick"]


def observe(arm, parameters):
    paper.observe(arm, parameters)


def tick(parameters, t):
    return CONTROL * paper.tick(parameters, t)


def interval(arm, parameters, tick):
    return paper.interval(arm, parameters, tick)
