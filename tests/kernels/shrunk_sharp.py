"""The `sharp` mean bound with radii too small: wrong on purpose, for negative controls."""

from surefoot.core.mean_bounds import sharp
from surefoot.core.mean_bounds.sharp import CONTROL, Evidence, Parameters, parameters

__all__ = ["Evidence", "Parameters", "interval", "observe", "parameters", "warm_up"]


def warm_up(parameters, asked, arms, t):
    return sharp.warm_up(parameters, asked, arms, t)


def observe(arm, parameters):
    sharp.observe(arm, parameters)


def interval(arm, parameters):
    lower, upper = sharp.interval(arm, parameters)
    return arm.mean - CONTROL * (arm.mean - lower), arm.mean + CONTROL * (upper - arm.mean)
