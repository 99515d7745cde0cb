"""Limits against a baseline on random instances: how often whole studies are wrong, and how many pulls they take beside the
same limit with the baseline's number known. `make baselines` writes the tables of the docs.

Wrong answers are sought where they are most likely: an arm that would be the best lies on the limit but for a billionth, on
its one side or on the other, and the baseline is the best arm, the worst, one that breaks another limit, or one that ties.
"""

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from surefoot.core.registry import SEVERAL
from surefoot.problem.distributions import Bernoulli, Distribution, Normal, Uniform
from surefoot.simulation import Instance, simulate
from verification.search.binomial import clopper_pearson

DELTA = 0.2  # large, so that errors would show
HAIR = 1e-9


class Quantity(NamedTuple):
    """A limited number, and arms that have it."""

    text: str
    rewards: Any
    arm: Callable[[float], Distribution]  # with this number
    spread: float  # of the numbers of different arms
    pulls: int  # of a run, at most


QUANTITIES = {
    "mean of coins": Quantity("mean", "binary", Bernoulli, 0.3, 600),
    "quantile": Quantity("quantile(0.8)", (-1, 2), lambda x: Uniform(x - 0.4, x + 0.1), 0.3, 600),
    "mean, Gaussian": Quantity("mean", "gaussian", lambda x: Normal(mean=x, variance=0.25), 0.5, 300),
}
BASELINES = ("best", "worst", "infeasible", "tied")


def instance(quantity: Quantity, baseline: str, kept: bool, generator: np.random.Generator) -> Instance:
    """Of a baseline, an arm on the limit, and a third one. `kept`: the arm on the limit keeps it, by a hair."""
    own = 0.35 + 0.3 * generator.random()
    away = quantity.spread * (0.2 + 0.8 * generator.random())
    on_limit = own - away if baseline == "best" else own if baseline == "tied" else own + away
    third = max(min(own, on_limit) - 0.3 * quantity.spread * (0.5 + generator.random()), 0.01)
    margin = on_limit - own
    if baseline in ("worst", "infeasible"):  # it would be the best, if it were not above what is allowed
        limit, hair = f"{quantity.text} <= baseline + ", HAIR if kept else -HAIR
    else:
        limit, hair = f"{quantity.text} >= baseline + ", -HAIR if kept else HAIR
    limits = [limit + repr(margin + hair)]
    if baseline == "infeasible":
        limits.append(f"{quantity.text} >= {own + 0.5 * away!r}")
    arms = {"current": quantity.arm(own), "on the limit": quantity.arm(on_limit), "third": quantity.arm(third)}
    goal = "max" if generator.random() < 0.5 or baseline == "infeasible" else "min"
    fields: dict[str, Any] = {"goal": goal, "tolerance": 0.02 if baseline == "tied" else 0.0, "delta": DELTA}
    return Instance(arms, rewards=quantity.rewards, limits=limits, baseline="current", **fields)


class Rate(NamedTuple):
    combination: str
    quantity: str
    baseline: str
    wrong: int
    undecided: int
    runs: int

    @property
    def too_many(self) -> bool:
        return clopper_pearson(self.wrong, self.runs).low > DELTA


def rates(quick: bool, seed: int) -> Iterator[Rate]:
    """How often whole studies are wrong."""
    pairs = [(policy, bounds) for policy, several in SEVERAL.items() for bounds in several]
    instances, trials = (4, 50) if quick else (10, 100)
    for policy, bounds in pairs[:1] if quick else pairs:
        for name, quantity in list(QUANTITIES.items())[: 2 if quick else 3]:
            for baseline in BASELINES:
                generator = np.random.default_rng(seed)
                wrong = undecided = 0
                for number in range(instances):
                    found = simulate(
                        instance(quantity, baseline, number % 2 == 0, generator),
                        policy,
                        bounds,
                        trials=trials,
                        seed=seed + number,
                        max_pulls=quantity.pulls,
                        progress=False,
                    ).summary()
                    wrong, undecided = wrong + found["wrong"], undecided + found["undecided"]
                yield Rate(f"{policy} · {bounds}", name, baseline, wrong, undecided, instances * trials)


def pulls(instances: int, trials: int, seed: int) -> Iterator[tuple[str, float, float]]:
    """Of each random instance: the limit, the pulls against the baseline, and those with its number known."""
    generator = np.random.default_rng(seed)
    for number in range(instances):
        name = list(QUANTITIES)[number % 2]
        quantity, own = QUANTITIES[name], 0.35 + 0.3 * generator.random()
        count = int(generator.integers(3, 7))
        margin = 0.1 + 0.15 * generator.random()  # so much worse than the baseline an arm may be
        numbers = own + generator.uniform(-0.3, 0.3, count - 1)
        near = np.abs(numbers - (own - margin)) < 0.05
        numbers[near] += np.where(numbers[near] > own - margin, 0.05, -0.05)
        arms = {"current": quantity.arm(own)} | {f"arm {k}": quantity.arm(x) for k, x in enumerate(numbers.tolist())}
        fields: dict[str, Any] = {"rewards": quantity.rewards, "delta": 0.05, "tolerance": 0.02, "goal": "min"}
        asked = Instance(arms, limits=[f"{quantity.text} >= baseline - {margin!r}"], baseline="current", **fields)
        known = Instance(arms, limits=[f"{quantity.text} >= {own - margin!r}"], **fields)
        both = [
            simulate(one, "top-two", "tight", trials=trials, seed=seed, max_pulls=100_000, progress=False).summary()
            for one in (asked, known)
        ]
        yield name, both[0]["pulls"]["mean"], both[1]["pulls"]["mean"]


def table_of_rates(found: list[Rate]) -> str:
    lines = [
        f"| policy · bounds | limited | the baseline is | wrong, at most {DELTA:g} | undecided | runs |",
        "|---|---|---|---:|---:|---:|",
    ]
    for row in found:
        lines.append(
            f"| {row.combination} | {row.quantity} | {row.baseline} | {row.wrong / row.runs:.3f} "
            f"| {row.undecided / row.runs:.2f} | {row.runs:,} |"
        )
    return "\n".join(lines) + "\n"


def table_of_pulls(found: list[tuple[str, float, float]]) -> str:
    lines = ["| limited | instances | ratio, geometric mean | median | largest |", "|---|---:|---:|---:|---:|"]
    for name in dict.fromkeys(name for name, _, _ in found):
        ratios = [ours / known for other, ours, known in found if other == name]
        mean = math.exp(float(np.mean(np.log(ratios))))
        lines.append(f"| {name} | {len(ratios)} | {mean:.2f} | {np.median(ratios):.2f} | {max(ratios):.2f} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m verification.baselines", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few instances of two quantities: a minute")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="same seed, same results (default: 0)")
    parser.add_argument("--table", metavar="FILE", help="write the tables of the docs to this file too")
    options = parser.parse_args()
    found = []
    for rate in rates(options.quick, options.seed):
        print(*rate, file=sys.stderr)  # the whole takes long
        found.append(rate)
    text = table_of_rates(found)
    if not options.quick:
        text += "\n" + table_of_pulls(list(pulls(24, 100, options.seed)))
    if options.table:
        Path(options.table).write_text(text, encoding="utf-8")
    print(text)
    return int(any(row.too_many for row in found))


if __name__ == "__main__":
    sys.exit(main())
