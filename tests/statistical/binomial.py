"""Exact binomial levels: a test fails only where chance would fail it once in a million times."""

from scipy.stats import binom

LEVEL = 1e-6


def too_many(failures: int, trials: int, allowed: float) -> bool:
    """Would so many failures come about with probability below LEVEL if each had at most the allowed probability?"""
    return failures > 0 and binom.sf(failures - 1, trials, allowed) < LEVEL
