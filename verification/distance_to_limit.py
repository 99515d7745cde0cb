"""How close to the limit: `make limit` measures pulls against T* kl(delta, 1 - delta) and draws the picture of the docs.

`python -m verification.distance_to_limit docs` writes the tables; with a number in place of a folder, that of the random
instances drawn with this seed is printed.
"""

import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from surefoot.paper.instances import CASES, paper_instance, random_instance
from surefoot.problem.distributions import Normal
from surefoot.simulation import Instance, simulate

SURE = 1e-6  # the smaller delta
TRIALS, RANDOM_TRIALS, PAPER_TRIALS = 40, 100, 3
RANDOM = 100  # random instances
EASY, HARD = 10.0, 50.0  # T* below the one and above the other
COLOURS = {"limit": "#222222", "default": "#0072b2", "paper": "#d55e00"}  # apart for every eye, and in print


class Row(NamedTuple):
    name: str
    T_star: float
    limit: float  # pulls at delta = 0.05, as are the next three
    default: float
    sharp: float  # va-lucb with those bounds, as with the paper's below
    paper: float  # not a number where it was not run
    ratio: float  # of the default's pulls to the limit
    sure_ratio: float  # the same at delta = 1e-6


def measured(name: str, instance: Instance, trials: int, with_paper: bool) -> Row:
    """Mean pulls of the default and of the paper's bounds, and the limit."""
    fewest = instance.limit
    if fewest is None:
        raise ValueError(f"instance {name} has no limit")

    def pulls(bounds: str | None, delta: float, trials: int) -> float:
        sweep = simulate(instance, bounds=bounds, trials=trials, delta=delta, progress=False)
        return float(sweep.summary()["pulls"]["mean"])

    delta = instance.problem.delta
    default, sure, sharp = pulls(None, delta, trials), pulls(None, SURE, trials), pulls("sharp", delta, trials)
    paper = pulls("paper", delta, PAPER_TRIALS) if with_paper else math.nan
    limit, sure_limit = fewest.pulls(delta), fewest.pulls(SURE)
    row = Row(name, fewest.T_star, limit, default, sharp, paper, default / limit, sure / sure_limit)
    print(row, file=sys.stderr, flush=True)
    return row


def geometric_mean(values: Iterable[float]) -> float:
    return math.exp(float(np.mean(np.log(list(values)))))


def table(rows: list[Row], others: list[Row]) -> str:
    """The figures, as Markdown: the paper's instances one by one, the random ones in short."""
    lines = [
        "| case/instance | T\\* | limit | default | sharp | paper | default / limit | the same at 1e-6 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [f"{value:,.0f}" for value in (row.limit, row.default, row.sharp, row.paper)]
        cells += [f"{row.ratio:.1f}", f"{row.sure_ratio:.1f}"]
        lines.append(f"| {row.name} | {row.T_star:,.1f} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n\n" + in_short(rows, others)


def in_short(rows: list[Row], others: list[Row]) -> str:
    """Geometric means, as Markdown."""
    groups = {
        "of the paper": rows,
        f"random, T\\* {HARD:g} and more": [row for row in others if row.T_star >= HARD],
        f"random, T\\* {EASY:g} to {HARD:g}": [row for row in others if EASY <= row.T_star < HARD],
        f"random, T\\* below {EASY:g}": [row for row in others if row.T_star < EASY],
    }
    lines = [
        "| instances (geometric mean) | how many | default / limit | the same at 1e-6 | default / sharp | at most |",
        "|---|---|---|---|---|---|",
    ]
    for name, group in groups.items():
        if not group:
            continue
        ratio, sure = geometric_mean(row.ratio for row in group), geometric_mean(row.sure_ratio for row in group)
        gains = [row.default / row.sharp for row in group]
        cells = [f"{ratio:.2f}", f"{sure:.2f}", f"{geometric_mean(gains):.2f}", f"{max(gains):.2f}"]
        lines.append(f"| {name} | {len(group)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def draw(rows: list[Row], path: Path) -> None:
    """Limit, default and paper for each instance, in order of the limit."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = sorted(rows, key=lambda row: row.limit)
    figure, ax = plt.subplots(figsize=(7.5, 6.5), layout="constrained")
    heights = range(len(rows))
    ax.hlines(heights, [row.limit for row in rows], [row.paper for row in rows], color="#dddddd", lw=1, zorder=1)
    for label, values, marker in (
        ("limit: nobody can need fewer", [row.limit for row in rows], "|"),
        ("default: top-two with tight bounds", [row.default for row in rows], "o"),
        ("paper: va-lucb with the paper's bounds", [row.paper for row in rows], "D"),
    ):
        colour = COLOURS[label.split(":")[0]]
        ax.plot(values, heights, marker, color=colour, ms=12 if marker == "|" else 6, mew=2, label=label, lw=0)
    ax.set_xscale("log")
    ax.set_yticks(heights, [row.name for row in rows])
    ax.set_xlabel("pulls to a decision, mean, at delta = 0.05")
    ax.set_ylabel("the paper's case / instance")
    figure.legend(loc="outside upper left", frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


GAUSSIAN = {  # mean and variance of each arm, and the limit
    "two arms, no limit": ([(0.0, 1.0), (0.5, 1.0)], "none"),
    "a risky best": ([(0.0, 0.3), (0.4, 0.3), (1.0, 0.9)], "variance <= 0.6"),
    "none feasible": ([(0.0, 0.8), (0.4, 0.9)], "variance <= 0.5"),
}
DELTAS = (1e-2, 1e-4, 1e-6, 1e-9, 1e-12)


def approach() -> str:
    """Pulls over T* ln(1/delta) as delta falls, for Gaussian rewards, as Markdown."""
    lines = [
        f"| instance | T\\* | policy | {' | '.join(f'{delta:g}' for delta in DELTAS)} |",
        "|---" * (3 + len(DELTAS)) + "|",
    ]
    for name, (arms, risk) in GAUSSIAN.items():
        named = {str(i): Normal(mean=mean, variance=variance) for i, (mean, variance) in enumerate(arms)}
        instance = Instance(named, risk=risk, rewards="gaussian")
        fewest = instance.limit
        if fewest is None:
            raise ValueError(f"instance {name} has no limit")
        for policy, bounds in (("va-lucb", "sharp"), ("track-and-stop", "sharp"), ("top-two", "tight")):
            ratios = []
            for delta in DELTAS:
                sweep = simulate(instance, policy, bounds, 5 * TRIALS, delta, progress=False)
                ratios.append(sweep.summary()["pulls"]["mean"] / (fewest.T_star * math.log(1.0 / delta)))
            cells = " | ".join(f"{ratio:.2f}" for ratio in ratios)
            lines.append(f"| {name} | {fewest.T_star:.1f} | `{policy}` | {cells} |")
    return "\n".join(lines) + "\n"


def drawn(seed: int) -> list[Row]:
    """Random instances."""
    generator = np.random.default_rng(seed)
    return [measured(f"random {k}", random_instance(generator), RANDOM_TRIALS, with_paper=False) for k in range(RANDOM)]


def main(folder: Path) -> None:
    (folder / "approach_table.md").write_text(approach())
    names = [(name, j) for name in CASES for j in (0, 10)] + [("cmp", 8)]
    rows = [measured(f"{name}/{j}", paper_instance(name, j), TRIALS, with_paper=True) for name, j in names]
    others = drawn(0)
    (folder / "limit_table.md").write_text(table(rows, others))
    draw(rows, folder / "images" / "limit.png")


if __name__ == "__main__":
    if sys.argv[1].isdecimal():
        print(in_short([], drawn(int(sys.argv[1]))))
    else:
        main(Path(sys.argv[1]))
