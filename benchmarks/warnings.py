"""How often warnings are false, and how soon they come: `python -m benchmarks warnings`; `make warnings` for the docs.

Clean logs and studies of independent draws raise alarms by chance alone; others break an assumption in a known way.
"""

import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import Study
from surefoot.core import drift
from surefoot.problem import Problem
from surefoot.study.watch import Alarm, Watch, Watched
from surefoot.work import columns
from surefoot.work.analysis import show_to
from surefoot.work.logs import Log

Rewards = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Rewards]

STUDIES = 2_000
LENGTH = 1_100  # rewards of each arm
LEVELS = (0.4, 0.2)
LONG = 20_000  # rewards, until a change is found or not
CHANGED = 100  # logs that break an assumption

CLEAN: dict[str, Draw] = {
    "coins": lambda generator, size: (generator.random(size) < 0.5).astype(float),
    "rare successes": lambda generator, size: (generator.random(size) < 0.03).astype(float),
    "uniform": lambda generator, size: generator.random(size),
    "mostly at the ends": lambda generator, size: generator.beta(0.3, 0.3, size),
}

TIME = np.arange(LONG)
MOVING: dict[str, Rewards] = {  # the probability of a coin, as its tosses go on
    "step from 0.5 to 0.6 at 1,000": np.where(TIME < 1_000, 0.5, 0.6),
    "step from 0.5 to 0.7 at 1,000": np.where(TIME < 1_000, 0.5, 0.7),
    "late step from 0.5 to 0.6 at 5,000": np.where(TIME < 5_000, 0.5, 0.6),
    "linear from 0.4 to 0.6 in 4,000": np.minimum(0.4 + 0.2 * TIME / 4_000, 0.6),
    "seasons of 200, 0.3 to 0.7": 0.5 + 0.2 * np.sin(2.0 * np.pi * TIME / 200),
    "seasons of 2,000, 0.4 to 0.6": 0.5 + 0.1 * np.sin(2.0 * np.pi * TIME / 2_000),
    "an arm that learns, 0.3 to 0.6": 0.6 - 0.3 * np.exp(-TIME / 500),
    "nothing": np.full(LONG, 0.5),
}


class Unshared(Watch):
    """A control: each look at each arm has the whole level for itself."""

    def compare_blocks(self, index: int, arm: Any, kept: Watched) -> None:
        sums = np.diff(np.frombuffer(kept.totals), prepend=0.0)
        whole = self.level - math.log(len(self.due))
        if max(drift.ends(sums), drift.waves(sums)).evidence >= whole:
            self.ring(Alarm("drift", index, 0.0, 0.0))


class Narrow(Watch):
    """A control: bounds that are too narrow."""

    def __init__(self, problem: Problem, level: float) -> None:
        super().__init__(problem, level)
        wide = self.interval

        def interval(arm: Any, level: float) -> tuple[float, float]:
            lower, upper = wide(arm, level)
            mean = arm.metric.mean
            return mean - 0.3 * (mean - lower), mean + 0.3 * (upper - mean)

        self.interval = interval


WATCHES: dict[str, tuple[type[Watch], str]] = {
    "bounds": (Watch, "bounds"),
    "drift": (Watch, "drift"),
    "control: radii times 0.3": (Narrow, "bounds"),
    "control: level not shared": (Unshared, "drift"),
}


def generators(runs: int, seed: int) -> Iterator[np.random.Generator]:
    for run in range(runs):
        yield np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run,)))


def log_of(rewards: Rewards) -> Log:
    """Of a row for each arm."""
    arms, size = rewards.shape
    return Log(tuple(map(str, range(arms))), np.tile(np.arange(arms), size), rewards.T.ravel(), 0)


def false_alarms(draw: Draw, arms: int, level: float, runs: int, seed: int = 0, size: int = LENGTH) -> dict[str, int]:
    """Of clean logs, how many rang by each watch."""
    problem = Problem.of(list(map(str, range(arms))))
    rang = dict.fromkeys(WATCHES, 0)
    for generator in generators(runs, seed):
        log = log_of(draw(generator, arms * size).reshape(arms, size))
        watches = {kind: kind(problem, level) for kind, _ in WATCHES.values()}
        for watch in watches.values():
            show_to(watch, problem, log)
        for name, (kind, alarm) in WATCHES.items():
            rang[name] += any(found == alarm for found, _ in watches[kind].alarms)
    return rang


def found_at(probabilities: Rewards, generator: np.random.Generator) -> dict[str, int]:
    """The toss of a coin beside another one's, at which each alarm rings; more than there are if it does not."""
    problem = Problem.of(["A", "B"])
    tosses = (generator.random(len(probabilities)) < probabilities).astype(float)[np.newaxis]
    found = {}
    for kind in ("bounds", "drift"):
        watch = Watch(problem)
        show_to(watch, problem, log_of(tosses))
        found[kind] = ends_of(watch, tosses, problem, kind)
    return found


def ends_of(watch: Watch, tosses: Rewards, problem: Problem, kind: str) -> int:
    """By bisection: an alarm that rang at some toss rings for every longer beginning."""
    if (kind, 0) not in watch.alarms:
        return tosses.shape[1] + 1
    low, high = 0, tosses.shape[1]
    while high - low > 1:
        middle = (low + high) // 2
        shorter = Watch(problem)
        show_to(shorter, problem, log_of(tosses[:, :middle]))
        low, high = (low, middle) if (kind, 0) in shorter.alarms else (middle, high)
    return high


def drifting(probability: Callable[[int], float], generator: np.random.Generator, pulls: int) -> tuple[str, int]:
    """Two coins that are the same and drift together, in a live study: what it says, and how many warnings there are."""
    study = Study(["A", "B"], max_pulls=pulls)
    for pull in study:
        study.tell(pull, float(generator.random() < probability(study.pulls)))
    return study.decision.status, len(study.warnings)


TOGETHER: dict[str, Callable[[int], float]] = {
    "nothing": lambda pull: 0.5,
    "step from 0.2 to 0.8 at 300": lambda pull: 0.2 if pull < 300 else 0.8,
    "linear from 0.1 to 0.9 in 2,000": lambda pull: min(0.1 + 0.8 * pull / 2_000, 0.9),
    "seasons of 400, 0.1 to 0.9": lambda pull: 0.5 + 0.4 * math.sin(2.0 * math.pi * pull / 400),
}


def table_of(generator: np.random.Generator, rows: int, arms: int, antithetic: bool) -> Log:
    """Coins in columns; each second column the opposite of the one before it, or independent."""
    cells = (generator.random((rows, arms)) < 0.5).astype(float)
    if antithetic:
        cells[:, 1::2] = 1.0 - cells[:, : arms - arms % 2 : 2]
    log = log_of(cells.T)
    return log._replace(rows=np.repeat(np.arange(rows), arms))


def dependent(arms: int, rows: int, antithetic: bool, runs: int, seed: int = 0) -> int:
    """In how many tables the columns are said to depend on each other."""
    tables = (table_of(generator, rows, arms, antithetic) for generator in generators(runs, seed))
    return sum(bool(columns.together(log, "sharp")) for log in tables)


def page(studies: int = STUDIES, changed: int = CHANGED) -> str:
    """The tables of the docs."""
    lines = [
        f"False alarms in clean logs with {LENGTH:,} rewards of each arm: {studies:,} logs of one arm, {studies // 5:,} "
        "of five. The first two alarms must not exceed what is allowed; the controls are wrong on purpose.\n",
        f"| rewards | arms | allowed | {' | '.join(WATCHES)} |",
        f"|---|---:|---:|{'---:|' * len(WATCHES)}",
    ]
    for name, draw in CLEAN.items():
        for arms, level in ((1, 0.4), (5, 0.2)):
            rang = false_alarms(draw, arms, level, studies // arms)
            shares = " | ".join(f"{count / (studies // arms):.1%}" for count in rang.values())
            lines.append(f"| {name} | {arms} | {level:.0%} | {shares} |")
    lines += [
        "\nThe toss at which an alarm rings for a coin that changes, beside another coin, as they are set: the median of "
        f"{changed} runs, and the share of runs in which it rang within {LONG:,} tosses.\n",
        "| what changes | bounds | drift |",
        "|---|---:|---:|",
    ]
    for name, probabilities in MOVING.items():
        runs = [found_at(probabilities, generator) for generator in generators(changed, 1)]
        cells = []
        for kind in ("bounds", "drift"):
            tosses = np.array([run[kind] for run in runs])
            rang = float(np.mean(tosses <= LONG))
            cells.append(f"{np.median(tosses):,.0f} ({rang:.0%})" if rang > 0.5 else f"({rang:.0%})")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += [
        "\nLive studies of two coins that are the same and change together, 4,000 pulls at most, delta 0.05, "
        f"{changed} runs: how many said that one is best, how many of these had no warning, and how many of all had one.\n",
        "| what changes | one is best | without a warning | with a warning, of all |",
        "|---|---:|---:|---:|",
    ]
    for name, probability in TOGETHER.items():
        said = [drifting(probability, generator, 4_000) for generator in generators(changed, 2)]
        best = [warnings for status, warnings in said if status == "best"]
        warned = sum(warnings > 0 for _, warnings in said)
        lines.append(f"| {name} | {len(best)} | {best.count(0)} | {warned} |")
    lines += [
        "\nTables of coins in which columns are said to depend on each other, at the level of 1 %: of "
        f"{changed * 10:,} with independent columns, and as many with each second column the opposite of the one before.\n",
        "| columns | rows | independent | opposite |",
        "|---:|---:|---:|---:|",
    ]
    for arms, rows in ((2, 60), (2, 1_000), (10, 100), (10, 1_000), (50, 130)):
        false, true = (dependent(arms, rows, antithetic, changed * 10) for antithetic in (False, True))
        lines.append(f"| {arms} | {rows:,} | {false / changed / 10:.1%} | {true / changed / 10:.1%} |")
    return "\n".join(lines) + "\n"


def measure() -> list[dict[str, Any]]:
    """False alarms at large levels, as shares of what is allowed."""
    rows: list[dict[str, Any]] = []
    for name, draw in CLEAN.items():
        for level in LEVELS:
            for watch, count in false_alarms(draw, 2, level, 200).items():
                aim = "over the level" if watch.startswith("control") else f"<= {level}"
                rows.append({"what": f"false alarms, {name}, {watch}", "value": count / 200, "aim": aim})
    return rows


if __name__ == "__main__":
    text = page()
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text)
    print(text)
