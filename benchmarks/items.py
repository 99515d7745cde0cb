"""The same items for every arm: pulls of the independent design over those of items, on random coins and beta arms; and what
a pull costs.
"""

import math
from typing import Any

import numpy as np

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
    best, arms, deviation = generator.uniform(0.4, 0.6), int(generator.integers(2, 8)), generator.uniform(0.2, 0.28)
    gaps = [0.0, *generator.uniform(0.005, 0.05, arms - 1)]
    factors = generator.uniform(1.0, 1.5, arms)
    rows = enumerate(zip(gaps, factors, strict=True))
    return {str(arm): Beta(mean=best - gap, variance=(deviation * factor) ** 2) for arm, (gap, factor) in rows}


def pulls(instance: Instance) -> tuple[float, int]:
    summary = simulate(instance, trials=TRIALS, progress=False).summary()
    return summary["pulls"]["mean"], summary["wrong"]


def measure() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    wrong, runs = 0, 0
    for name, draw in (("coins", coins), ("beta arms", betas)):
        generator = np.random.default_rng(2026)
        arms = [draw(generator) for _ in range(INSTANCES)]
        alone = [pulls(Instance(each))[0] for each in arms]
        for correlation, aim in AIMS.items():
            ratios = []
            for each, independent in zip(arms, alone, strict=True):
                taken, failed = pulls(Instance(each, design="items", items=Items(correlation=correlation)))
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
