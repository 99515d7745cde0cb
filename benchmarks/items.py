"""The same items for every arm: pulls of the independent design over those of items, on random coins and beta arms; and what
a pull costs.
"""

import math
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm

from surefoot import Bernoulli, Beta, Instance, Items, simulate
from surefoot.problem.distributions import Distribution

INSTANCES = 12  # of each kind
TRIALS = 20
AIMS = {0.0: ">= 0.9", 0.5: ">= 2", 0.8: ">= 3.5", 0.95: ">= 5"}
ARMS, REPEATS = 20, 5  # of the instance on which a pull is timed


def coins(generator: np.random.Generator) -> dict[str, Distribution]:
    best, arms = generator.uniform(0.3, 0.9), int(generator.integers(2, 8))
    gaps = [0.0, *generator.uniform(0.03, 0.2, arms - 1)]
    return {str(arm): Bernoulli(best - gap) for arm, gap in enumerate(gaps)}


def betas(generator: np.random.Generator) -> dict[str, Distribution]:
    """With standard deviations that differ by at most 1.5 times, and are large beside the gaps."""
    return beta_arms(generator, gaps=(0.005, 0.05), deviations=(0.2, 0.28))


def steady_betas(generator: np.random.Generator) -> dict[str, Distribution]:
    """The same with larger gaps and smaller deviations: what the range allows to stake is then what counts."""
    return beta_arms(generator, gaps=(0.02, 0.15), deviations=(0.08, 0.16))


def beta_arms(
    generator: np.random.Generator, gaps: tuple[float, float], deviations: tuple[float, float]
) -> dict[str, Distribution]:
    best, arms, deviation = generator.uniform(0.4, 0.6), int(generator.integers(2, 8)), generator.uniform(*deviations)
    below = [0.0, *generator.uniform(*gaps, arms - 1)]
    factors = generator.uniform(1.0, 1.5, arms)
    rows = enumerate(zip(below, factors, strict=True))
    return {str(arm): Beta(mean=best - gap, variance=(deviation * factor) ** 2) for arm, (gap, factor) in rows}


def common_factor(arms: dict[str, Distribution], correlation: float) -> float:
    """The correlation of the normal numbers that gives the results of coins this correlation, in the mean over pairs; the
    largest where none does. Of beta arms both are about the same.
    """
    if not correlation or not all(isinstance(arm, Bernoulli) for arm in arms.values()):
        return correlation
    means = [arm.mean for arm in arms.values()]
    most = 0.999

    def excess(normal: float) -> float:
        return float(np.mean([of_results(*pair, normal) for pair in combinations(means, 2)])) - correlation

    return most if excess(most) < 0.0 else float(brentq(excess, correlation, most, xtol=1e-4))


def of_results(first: float, second: float, normal: float) -> float:
    """The correlation of two coins that are made from normal numbers with this one."""
    both = multivariate_normal.cdf([norm.ppf(first), norm.ppf(second)], cov=[[1.0, normal], [normal, 1.0]])
    return float((both - first * second) / math.sqrt(first * (1 - first) * second * (1 - second)))


def pulls(instance: Instance) -> tuple[float, int]:
    summary = simulate(instance, trials=TRIALS, progress=False).summary()
    return summary["pulls"]["mean"], summary["wrong"]


def measure() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    wrong, runs = 0, 0
    for name, draw in (("coins", coins), ("beta arms", betas), ("steady beta arms", steady_betas)):
        generator = np.random.default_rng(2026)
        arms = [draw(generator) for _ in range(INSTANCES)]
        alone = [pulls(Instance(each))[0] for each in arms]
        for correlation, aim in AIMS.items():
            ratios = []
            for each, independent in zip(arms, alone, strict=True):
                items = Items(correlation=common_factor(each, correlation))
                taken, failed = pulls(Instance(each, design="items", items=items))
                ratios.append(independent / taken)
                wrong, runs = wrong + failed, runs + TRIALS
            middle = math.exp(sum(map(math.log, ratios)) / len(ratios))
            what = f"pulls, independent over items, {name} at correlation {correlation:g}"
            rows.append({"what": f"{what}: geometric mean", "value": middle, "aim": aim})
            rows.append({"what": f"{what}: least", "value": min(ratios)})
    rows.append({"what": "wrong answers on items, share", "value": wrong / runs, "aim": "<= 0.05"})
    return [*rows, *costs()]


def costs() -> list[dict[str, Any]]:
    """Of a simulated pull, beside that of the independent design."""
    arms = {str(arm): Bernoulli(0.6 - 0.01 * arm) for arm in range(ARMS)}
    instances = (Instance(arms), Instance(arms, design="items", items=Items(correlation=0.5)))
    least = [math.inf, math.inf]  # nanoseconds: on a busy machine the least of several is the cost
    for _ in range(REPEATS):
        for design, instance in enumerate(instances):
            sweep = simulate(instance, trials=4, max_pulls=100_000, workers=1, progress=False)
            least[design] = min(least[design], sweep.summary()["ns_per_pull"])
    ratio = least[1] / least[0]
    return [
        {"what": f"cost of a pull on items, {ARMS} arms, over the independent design", "value": ratio, "aim": "<= 3"}
    ]


if __name__ == "__main__":
    for row in measure():
        print(f"{row['what']}: {row['value']:.3g} {row.get('aim', '')}")
