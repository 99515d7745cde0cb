"""Instances to measure on: the paper's cases, and random ones."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from surefoot.errors import number, one_of
from surefoot.problem.distributions import Beta
from surefoot.problem.risks import Variance
from surefoot.simulation.instance import Instance

ARMS = 20  # of every instance of the ten cases


def beta_instance(means: list[float], variances: list[float], limit: float) -> Instance:
    """Beta arms "1" to "N" under a limit on the variance."""
    arms = {
        str(index): Beta(mean=mean, variance=variance)
        for index, (mean, variance) in enumerate(zip(means, variances, strict=True), start=1)
    }
    return Instance(arms, risk=Variance(at_most=limit), rewards=(0, 1), delta=0.05)


Numbers: TypeAlias = tuple[float, float]  # an arm's mean and variance


def case(best: Numbers, second: Numbers, others: Numbers, limit: float) -> Instance:
    """i*, i** and 18 further arms alike: the make of the paper's cases."""
    arms = [best, second, *[others] * (ARMS - 2)]
    return beta_instance([mean for mean, _ in arms], [variance for _, variance in arms], limit)


def one_against_19(best: Numbers, others: Numbers, limit: float) -> Instance:
    return case(best, others, others, limit)


# [HTZ] App. H, the tables of the cases: instance j of 0 to 10.
CASES: dict[str, Callable[[int], Instance]] = {
    "1a": lambda j: case((0.7, 0.09), (0.7 - 0.01 * 1.2**j, 0.09), (0.2, 0.09), 0.25),
    "1b": lambda j: case((0.55, 0.25 - 0.01 * 1.2**j), (0.53, 0.09), (0.15, 0.09), 0.25),
    "1c": lambda j: one_against_19((0.55, 0.25 - 0.01 * 1.2**j), (0.15, 0.09), 0.25),
    "1d": lambda j: case((0.7, 0.03), (0.7 - 0.02 * 1.1**j, 0.03), (0.3, 0.03), 0.04),
    "2": lambda j: one_against_19((0.7, 0.09), (0.7 - 0.02 * 1.2**j, 0.09), 0.25),
    "3": lambda j: one_against_19((0.55, 0.04 + 0.01 * 1.2**j), (0.55, 0.04 + 0.01 * 1.2**j), 0.04),
    "4a": lambda j: one_against_19((0.7, 0.03), (0.7 - 0.02 * 1.2**j, 0.2), 0.04),
    "4b": lambda j: one_against_19((0.55, 0.03), (0.53, 0.04 + 0.05 * 1.1**j), 0.04),
    "4c": lambda j: one_against_19((0.7, 0.04), (0.7 - 0.09 * 1.1**j, 0.21), 0.2),
    "4d": lambda j: one_against_19((0.7, 0.03), (0.3, 0.04 + 0.01 * 1.2**j), 0.04),
}


def paper_instance(name: str, j: int) -> Instance:
    """Instance j of a case of [HTZ] App. H, or of the comparison "cmp" of Section V-C, where j is 1 to 10.

    >>> paper_instance("4d", 0).right_answers
    ('1',)
    """
    one_of("case", name, [*CASES, "cmp"])
    number("the instance of a case", j, at_least=0, at_most=10)
    if name != "cmp":
        return CASES[name](j)
    means = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6]
    variances = [0.08, 0.1, 0.12, 0.14, 0.16, *[0.233 - 0.003 * j] * 5]
    return beta_instance(means, variances, 0.2)


def random_instance(generator: np.random.Generator) -> Instance:
    """An instance that nothing was tuned to: any means, any variances (tiny ones too), any limit.

    Redrawn while some variance is nearly on the limit or some mean nearly that of the best feasible arm: such instances
    are no harder in kind, only in pulls.
    """
    while True:
        arms = int(generator.choice([2, 3, 5, 10, 30]))
        means = generator.uniform(0.03, 0.97, arms)
        tiny = generator.random(arms) < 0.3
        shares = np.where(tiny, 10.0 ** generator.uniform(-5, -1, arms), generator.uniform(0.02, 0.98, arms))
        variances = means * (1.0 - means) * shares
        limit = generator.uniform(0.002, 0.24)
        near_limit = np.abs(variances - limit) < max(0.1 * limit, 0.003)
        best = max(means[variances <= limit], default=2.0)
        near_best = (means < best) & (means > best - 0.03)
        if not near_limit.any() and not near_best.any():
            return beta_instance(means.tolist(), variances.tolist(), float(limit))
