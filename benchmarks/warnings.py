"""How often warnings are false, and how soon they come: `python -m benchmarks warnings`; `make warnings` for the docs.

Clean logs and studies of independent draws raise alarms by chance alone; others break an assumption in a known way.
"""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from surefoot import Study
from surefoot.core import drift
from surefoot.core.drift import Indices, Numbers
from surefoot.problem import Problem
from surefoot.study.watch import Watch
from surefoot.work import columns
from surefoot.work.analysis import Analysis, show_to
from surefoot.work.logs import Log

Rewards = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Rewards]

STUDIES = 250
LENGTH = 1_100  # pulls
LEVEL = 0.4  # so high that to exceed it would show
LONG = 20_000  # rewards, until a change is found or not
CHANGED = 100  # logs that break an assumption

CLEAN: dict[str, Draw] = {
    "coins": lambda generator, size: (generator.random(size) < 0.5).astype(float),
    "rare successes": lambda generator, size: (generator.random(size) < 0.03).astype(float),
    "uniform": lambda generator, size: generator.random(size),
    "mostly at the ends": lambda generator, size: generator.beta(0.3, 0.3, size),
    "normal": lambda generator, size: np.clip(generator.normal(0.5, 0.1, size), 0.0, 1.0),
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


class Eager(Watch):
    """Looks for a drift all the time: the proof allows it."""

    def count(self, arms: Indices, rewards: Numbers) -> None:
        for at in range(0, len(arms), 32):
            self.blocks.count(arms[at : at + 32], rewards[at : at + 32])
            self.look_for_drift()


class Fitted(Eager):
    """A control: steps are predicted by coins that are fitted to what they predict."""

    def look_for_drift(self) -> None:
        with patch.object(drift, "log_mixture", drift.log_coin):
            super().look_for_drift()


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
    "drift": (Eager, "drift"),
    "control: radii times 0.3": (Narrow, "bounds"),
    "control: fitted coins": (Fitted, "drift"),
}


def generators(runs: int, seed: int) -> Iterator[np.random.Generator]:
    for run in range(runs):
        yield np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run,)))


def log_of(rewards: Rewards) -> Log:
    """Of a row for each arm."""
    arms, size = rewards.shape
    return Log(tuple(map(str, range(arms))), np.tile(np.arange(arms), size), rewards.T.ravel(), 0)


def clean_study(draw: Draw, arms: int, generator: np.random.Generator, pulls: int) -> Log:
    """What a live study of arms that are the same, and do not change, came to. One arm alone is pulled without a study."""
    names, rewards = tuple(map(str, range(arms))), draw(generator, pulls)
    if arms == 1:
        return Log(names, np.zeros(pulls, np.intp), rewards, 0)
    study, pulled = Study(list(names), max_pulls=pulls), list[int]()
    for pull in study:
        study.tell(pull, float(rewards[len(pulled)]))
        pulled.append(int(pull.arm))
    return Log(names, np.array(pulled), rewards[: len(pulled)], 0)


def false_alarms(
    draw: Draw,
    arms: int,
    level: float,
    runs: int,
    seed: int = 0,
    pulls: int = LENGTH,
    alarms: Sequence[str] = tuple(WATCHES),
) -> dict[str, int]:
    """Of clean studies, how many rang by each of these watches."""
    problem = Problem.of(list(map(str, range(arms))))
    rang = dict.fromkeys(alarms, 0)
    for generator in generators(runs, seed):
        log = clean_study(draw, arms, generator, pulls)
        watches = {kind: kind(problem, level) for kind, _ in map(WATCHES.__getitem__, alarms)}
        for watch in watches.values():
            show_to(watch, problem, log)
        for name in alarms:
            kind, alarm = WATCHES[name]
            rang[name] += any(raised == alarm for raised, _ in watches[kind].alarms)
    return rang


def found_at(probabilities: Rewards, generator: np.random.Generator) -> dict[str, int]:
    """The toss of a coin beside another one's, at which each alarm rings; more than there are if it does not."""
    problem = Problem.of(["A", "B"])
    tosses = (generator.random(len(probabilities)) < probabilities).astype(float)[np.newaxis]
    ends = {}
    for kind in ("bounds", "drift"):
        watch = Watch(problem)
        show_to(watch, problem, log_of(tosses))
        ends[kind] = ends_of(watch, tosses, problem, kind)
    return ends


def ends_of(watch: Watch, tosses: Rewards, problem: Problem, kind: str) -> int:
    """By bisection: an alarm that rang at some toss rings for every longer beginning."""
    if (kind, 0) not in watch.alarms:
        return int(tosses.shape[1]) + 1
    low, high = 0, int(tosses.shape[1])
    while high - low > 1:
        middle = (low + high) // 2
        shorter = Watch(problem)
        show_to(shorter, problem, log_of(tosses[:, :middle]))
        low, high = (low, middle) if (kind, 0) in shorter.alarms else (middle, high)
    return high


class CommonDrift(NamedTuple):
    """Arms that are the same and change together."""

    mean: Callable[[int], float]  # as the study's pulls go on
    deviation: float | None = None  # of normal rewards; None for coins
    arms: int = 2
    pulls: int = 4_000  # at most

    def reward(self, generator: np.random.Generator, pull: int) -> float:
        mean = self.mean(pull)
        if self.deviation is None:
            return float(generator.random() < mean)
        return min(max(mean + self.deviation * generator.normal(), 0.0), 1.0)


def step(before: float, after: float, at: int) -> Callable[[int], float]:
    return lambda pull: before if pull < at else after


COMMON_DRIFTS: dict[str, CommonDrift] = {
    "nothing": CommonDrift(lambda pull: 0.5),
    **{f"step from 0.3 to 0.7 at {at:,}": CommonDrift(step(0.3, 0.7, at)) for at in (100, 300, 1_000, 3_000)},
    **{f"step from 0.2 to 0.8 at {at:,}": CommonDrift(step(0.2, 0.8, at)) for at in (100, 1_000)},
    "step from 0.5 to 0.6 at 1,000": CommonDrift(step(0.5, 0.6, 1_000)),
    **{f"step of 1 deviation at {at:,}": CommonDrift(step(0.3, 0.4, at), 0.1) for at in (100, 1_000)},
    **{f"step of 2 deviations at {at:,}": CommonDrift(step(0.3, 0.5, at), 0.1) for at in (100, 1_000)},
    "linear from 0.1 to 0.9 in 2,000": CommonDrift(lambda pull: min(0.1 + 0.8 * pull / 2_000, 0.9)),
    "seasons of 400, 0.1 to 0.9": CommonDrift(lambda pull: 0.5 + 0.4 * math.sin(2.0 * math.pi * pull / 400)),
    "warm-up from 0.3 to 0.6, of normal rewards": CommonDrift(lambda pull: 0.6 - 0.3 * math.exp(-pull / 200), 0.1),
    "warm-up from 0.3 to 0.6": CommonDrift(lambda pull: 0.6 - 0.3 * math.exp(-pull / 500)),
    "five arms, nothing": CommonDrift(lambda pull: 0.5, arms=5),
    **{
        f"five arms, step from 0.3 to 0.7 at {at:,}": CommonDrift(step(0.3, 0.7, at), arms=5)
        for at in (100, 300, 1_000)
    },
    "five arms, step from 0.2 to 0.8 at 100": CommonDrift(step(0.2, 0.8, 100), arms=5),
    "five arms, step of 2 deviations at 300": CommonDrift(step(0.3, 0.5, 300), 0.1, arms=5),
    "five arms, linear from 0.1 to 0.9 in 2,000": CommonDrift(lambda pull: min(0.1 + 0.8 * pull / 2_000, 0.9), arms=5),
}


def drifting(common: CommonDrift, generator: np.random.Generator, pulls: int | None = None) -> tuple[str, int]:
    """A live study of arms that change together: what it says, and how many warnings there are."""
    study = Study(list(map(str, range(common.arms))), max_pulls=pulls or common.pulls)
    for count, pull in enumerate(study):
        study.tell(pull, common.reward(generator, count))
    return study.decision.status, len(study.warnings)


def drifting_log(common: CommonDrift, generator: np.random.Generator, pulls: int) -> tuple[str, int]:
    """The same of a log, in which the arm of each row was drawn, the first three times as often in the second half."""
    favoured = np.arange(pulls) >= pulls // 2
    arms = np.where(favoured & (generator.random(pulls) < 0.5), 0, generator.integers(0, common.arms, pulls))
    rewards = np.array([common.reward(generator, pull) for pull in range(pulls)])
    analysis = Analysis(Log(tuple(map(str, range(common.arms))), arms, rewards, 0), rewards=(0, 1))
    return analysis.decision.status, len(analysis.warnings)


APART: dict[
    str, tuple[Callable[[np.random.Generator, int], float], int]
] = {  # rewards of arms that differ, and the arms
    "coins, 0.5 and 0.7": (lambda generator, arm: float(generator.random() < (0.5, 0.7)[arm]), 2),
    "coins, 0.01 and 0.1": (lambda generator, arm: float(generator.random() < (0.01, 0.1)[arm]), 2),
    "coins, 0.3 to 0.6": (lambda generator, arm: float(generator.random() < (0.3, 0.35, 0.4, 0.45, 0.6)[arm]), 5),
    "normal, half a deviation": (lambda generator, arm: min(max(generator.normal((0.5, 0.6)[arm], 0.2), 0.0), 1.0), 2),
    "mostly at the ends": (lambda generator, arm: float(generator.beta(0.3, (0.3, 0.18)[arm])), 2),
}


def unsupported(
    apart: tuple[Callable[[np.random.Generator, int], float], int], delta: float, runs: int, seed: int = 4
) -> tuple[int, int]:
    """Of live studies of arms that differ and do not change: warnings that results hardly show the decision; decisions."""
    rang = decided = 0
    reward, arms = apart
    for generator in generators(runs, seed):
        study = Study(list(map(str, range(arms))), delta=delta, max_pulls=6_000)
        for pull in study:
            study.tell(pull, reward(generator, int(pull.arm)))
        decided += study.decision.status == "best"
        rang += any(notice.kind == "unsupported" for notice in study.warnings)
    return rang, decided


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
    return sum(bool(columns.dependent(log, "sharp", pairwise=False)) for log in tables)


def false_alarm_table(studies: int) -> list[str]:
    lines = [
        f"False warnings in {studies:,} clean studies of {LENGTH:,} pulls at most, of arms that are the same, with delta "
        f"0.05; for a drift somebody looks after each 32 results. {LEVEL:.0%} are allowed. Controls are wrong on purpose.\n",
        f"| rewards | arms | {' | '.join(WATCHES)} |",
        f"|---|---:|{'---:|' * len(WATCHES)}",
    ]
    for name, draw in CLEAN.items():
        for arms in (1, 2, 5, 20):
            rang = false_alarms(draw, arms, LEVEL, studies)
            shares = " | ".join(f"{count / studies:.0%}" for count in rang.values())
            lines.append(f"| {name} | {arms} | {shares} |")
    return lines


def moving_table(changed: int) -> list[str]:
    lines = [
        "The toss at which an alarm rings for a coin that changes, beside another coin, as they are set: the median of "
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
    return lines


def together_table(changed: int) -> list[str]:
    lines = [
        f"Arms that are the same and change together, delta 0.05: {changed} live studies of 4,000 pulls at most, and as "
        "many logs of 2,000 rows in which one arm is more frequent later. How many said that an arm is best, and how many "
        "of these had no warning.\n",
        "| what changes | live: one is best | without a warning | logs: one is best | without a warning |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, common in COMMON_DRIFTS.items():
        live = [drifting(common, generator) for generator in generators(changed, 2)]
        logs = [drifting_log(common, generator, 2_000) for generator in generators(changed, 3)]
        cells = []
        for said in (live, logs):
            best = [warnings for status, warnings in said if status == "best"]
            cells.append(f"{len(best)} | {best.count(0)}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def unsupported_table(studies: int) -> list[str]:
    lines = [
        "Arms that differ and do not change: warnings that all results together hardly show the decision, of "
        f"{studies:,} studies each.\n",
        "| results | delta 0.05: decisions | warnings | delta 0.3: decisions | warnings |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, apart in APART.items():
        counts = [unsupported(apart, delta, studies) for delta in (0.05, 0.3)]
        lines.append(f"| {name} | {' | '.join(f'{decided:,} | {rang:,}' for rang, decided in counts)} |")
    return lines


def columns_table(tables: int) -> list[str]:
    lines = [
        "Tables of coins in which columns are said to depend on each other, at the level of 1 %: of "
        f"{tables:,} with independent columns, and as many with each second column the opposite of the one before.\n",
        "| columns | rows | independent | opposite |",
        "|---:|---:|---:|---:|",
    ]
    for arms, rows in ((2, 60), (2, 1_000), (10, 100), (10, 1_000), (50, 130)):
        false, true = (dependent(arms, rows, antithetic, tables) for antithetic in (False, True))
        lines.append(f"| {arms} | {rows:,} | {false / tables:.1%} | {true / tables:.1%} |")
    return lines


def page(studies: int = STUDIES, changed: int = CHANGED) -> str:
    """The tables of the docs."""
    tables = (
        false_alarm_table(studies),
        moving_table(changed // 5),
        together_table(changed),
        unsupported_table(2 * studies),
        columns_table(10 * changed),
    )
    return "\n\n".join("\n".join(lines) for lines in tables) + "\n"


def measure() -> list[dict[str, Any]]:
    """False alarms at a large level, as shares of all studies."""
    rows: list[dict[str, Any]] = []
    for name, draw in CLEAN.items():
        for watch, count in false_alarms(draw, 2, LEVEL, 100).items():
            aim = "over the level" if watch.startswith("control") else f"<= {LEVEL}"
            rows.append({"what": f"false alarms, {name}, {watch}", "value": count / 100, "aim": aim})
    return rows


if __name__ == "__main__":
    text = page()
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text)
    print(text)
