"""How often is peeking wrong? `make peeking` writes the table of the docs.

Two arms with the same mean: whoever says that one is better is wrong. People look at their data now and then, and
stop as soon as a test is significant. Here a plain t-test (Welch's, with the normal quantile) looks after every pair
of rewards, or every few, against a Bonferroni correction for the looks, and against Surefoot, which looks after every
reward.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import numpy as np

from surefoot.problem.distributions import Bernoulli, Beta, Distribution
from surefoot.simulation import Instance, simulate

DELTA = 0.05
PAIRS = 5000  # rewards of each arm, at most
FIRST = 20  # rewards of each arm, before the first look
RUNS = 2000

NULLS: dict[str, dict[str, Distribution]] = {
    "coins, 0.5 and 0.5": {"A": Bernoulli(0.5), "B": Bernoulli(0.5)},
    "coins, 0.05 and 0.05": {"A": Bernoulli(0.05), "B": Bernoulli(0.05)},
    "beta, sd 0.2": {"A": Beta(mean=0.5, variance=0.04), "B": Beta(mean=0.5, variance=0.04)},
}


@dataclass(frozen=True, slots=True)
class Row:
    """What one way to decide did on two arms that are the same."""

    arms: str
    way: str
    wrong: int
    runs: int


def rewards(distribution: Distribution, generator: np.random.Generator, count: int) -> np.ndarray:
    if isinstance(distribution, Beta):
        return generator.beta(*distribution.shape, size=count)
    assert isinstance(distribution, Bernoulli)
    return (generator.random(count) < distribution.p).astype(float)


def significance(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """|t| of Welch's test after each number of pairs, 0 while nothing varies."""
    count = np.arange(1, len(first) + 1)
    difference = (np.cumsum(first) - np.cumsum(second)) / count
    spread = np.zeros(len(count))
    for sample in (first, second):
        squares = np.cumsum(sample**2) - np.cumsum(sample) ** 2 / count
        spread += np.maximum(squares, 0.0) / np.maximum(count - 1, 1)
    return np.asarray(np.abs(difference) * np.sqrt(count) / np.sqrt(np.where(spread > 0.0, spread, np.inf)))


def looks(every: int) -> np.ndarray:
    """The numbers of pairs after which somebody looks."""
    return np.arange(FIRST, PAIRS + 1, every)


WAYS = {  # numbers of pairs to look at, and the level of each look
    "t-test, one look at the end": (np.array([PAIRS]), DELTA),
    "t-test, 10 looks": (looks((PAIRS - FIRST) // 9), DELTA),
    "t-test, a look every 50 pairs": (looks(50), DELTA),
    "t-test, a look after every pair": (looks(1), DELTA),
    "the same, Bonferroni over the looks": (looks(1), DELTA / len(looks(1))),
}


def measure(runs: int = RUNS, seed: int = 0) -> list[Row]:
    rows = []
    for arms, null in NULLS.items():
        wrong = dict.fromkeys(WAYS, 0)
        for run in range(runs):
            generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run,)))
            t = significance(*(rewards(arm, generator, PAIRS) for arm in null.values()))
            for way, (when, level) in WAYS.items():
                wrong[way] += bool((t[when - 1] > NormalDist().inv_cdf(1.0 - level / 2.0)).any())
        rows += [Row(arms, way, count, runs) for way, count in wrong.items()]
        instance = Instance(null, risk="none", rewards=(0, 1), delta=DELTA)
        sweep = simulate(instance, trials=runs, seed=seed, max_pulls=2 * PAIRS, progress=False)
        said = sum(sweep.decisions()["best"].values())
        rows.append(Row(arms, "Surefoot, after every reward", said, runs))
    return rows


def price(runs: int = RUNS, seed: int = 0) -> str:
    """What it costs to be allowed to peek, where there is something to find."""
    coins = {"A": Bernoulli(0.5), "B": Bernoulli(0.6)}
    sweep = simulate(
        Instance(coins, risk="none", rewards=(0, 1), delta=DELTA), trials=runs, seed=seed, progress=False
    ).summary()
    quantile = NormalDist().inv_cdf
    size = (quantile(1.0 - DELTA / 2.0) + quantile(1.0 - DELTA)) ** 2 * (0.5 * 0.5 + 0.6 * 0.4) / 0.1**2
    return (
        f"Coins of 0.5 and 0.6: Surefoot decides after {sweep['pulls']['mean']:,.0f} pulls in the mean "
        f"({sweep['wrong']} of {runs:,} runs wrong). A t-test with one look and 95 % power needs {2 * size:,.0f}, "
        "if somebody knew the 0.1 beforehand.\n"
    )


def page(rows: list[Row]) -> str:
    """The table: one line for each way, one column for each pair of arms."""
    share = {(row.way, row.arms): row.wrong / row.runs for row in rows}
    ways = list(dict.fromkeys(row.way for row in rows))
    lines = [
        f"At most {PAIRS:,} rewards of each arm, {rows[0].runs:,} runs, level or delta {DELTA:g}; the first look after "
        f"{FIRST} rewards of each.\n",
        f"| how it is decided | {' | '.join(NULLS)} |",
        f"|---|{'---:|' * len(NULLS)}",
    ]
    lines += [f"| {way} | {' | '.join(f'{share[way, arms]:.1%}' for arms in NULLS)} |" for way in ways]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = f"{page(measure())}\n{price()}"
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text)
    print(text)
