"""Where does the default need more pulls than another combination? `make others` searches, and writes the worst it finds.

The score of an instance is the mean pulls of the default over those of the best other combination. A climb starts from the
worst of many random instances of each kind of rewards and risk: one arm to thirty, near the limit and near ties as often as
far from them, with tiny variances and large ones. What it finds is measured again with fresh seeds, because the largest of
many noisy scores is mostly luck. Families that an earlier rule was slow on are measured besides.
"""

import argparse
import itertools
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from surefoot import sources
from surefoot.core.registry import Limited, decides
from surefoot.paper.lines import Lines
from surefoot.problem.distributions import Bernoulli, Beta, Discrete, Distribution, Normal
from surefoot.problem.risks import Mean, Risk
from surefoot.simulation import Instance
from surefoot.simulation.versions import versions
from verification.race import Find, race
from verification.search.arms import power
from verification.search.combinations import REWARDS
from verification.search.limits import LIMITS
from verification.search.points import MOST_ARMS, SHARED, Point, distributions, neighbour, random_point

MODULE = "verification.against_others"
KINDS = ("bounded", "gaussian")
POLICIES = ("va-lucb", "successive-elimination", "track-and-stop")  # whose pulls come near those of the default
BOUNDS = ("tight", "sharp")
MOST = 30  # arms; from MOST_ARMS on they are alike
MODEST = 0.5  # a ratio below that is no start of a climb
PULLS = 500_000  # about as many measure a combination on a find; by FEW runs at least, at most MANY
FEW, MANY = 100, 2_000
LONG = 1_000_000.0  # pulls of such a run, at most
WORST = 20  # finds in the table

TOSS = Discrete((0.3, 0.7))  # variance 0.04, cvar(0.5) 0.3
STEADY = Discrete((0.449, 0.6), (0.9, 0.1))  # with the same mean as a coin of 0.4641
FEASIBLE_COIN = "probability(reward < 0.45) <= 0.8"


def families() -> Iterator[tuple[str, str, Instance]]:
    """What starved the best arm, or left an infeasible one alone, before the challenger was due a part of the pulls."""
    for gap in (0.08, 0.05, 0.02, 0.01):
        better = Beta(mean=0.5 + gap, variance=0.02)
        yield "bounded", "variance", Instance({"on the limit": TOSS, "better": better}, risk="variance <= 0.04")
    for gap in (0.08, 0.05, 0.02):
        arms = {"on the limit": Normal(mean=0.5, variance=0.04), "better": Normal(mean=0.5 + gap, variance=0.02)}
        yield "gaussian", "variance", Instance(arms, risk="variance <= 0.04", rewards="gaussian")
    steady = Beta(mean=0.52, variance=0.002)
    for kind, risk in (("probability", "probability(reward < 0.4) <= 0.5"), ("cvar", "cvar(0.5) >= 0.3")):
        yield "bounded", kind, Instance({"on the limit": TOSS, "better": steady}, risk=risk)
    for kind, risk in (("probability", FEASIBLE_COIN), ("quantile", "quantile(0.8) >= 0.45")):
        yield "bounded", kind, Instance({"coin": Bernoulli(0.4641), "infeasible": STEADY}, risk=risk)


class Effort(NamedTuple):
    """Of a climb."""

    starts: int = 40  # random instances, of which the worst is the first step
    moves: int = 60


class Climb(NamedTuple):
    """A climb, which its number makes reproducible."""

    kind: str  # of rewards
    risk: str
    number: int

    def __str__(self) -> str:
        return f"{self.kind} {self.risk} {self.number}"

    def run(self, effort: Effort, seed: int) -> dict[str, Any]:
        """Where it ends, as plain data: a point, and the ratio that the search saw there. There may be no such point."""
        place = [KINDS.index(self.kind), list(RISKS).index(self.risk), self.number]
        generator = np.random.default_rng([seed, *place])
        end: dict[str, Any] = {"ratio": MODEST, "point": []}
        for move in range(effort.starts + effort.moves):
            starting = move < effort.starts or not end["point"]
            point = random_point(generator) if starting else neighbour(np.array(end["point"]), generator)
            instance = instance_at(self.kind, self.risk, point)
            find = race(instance, rivals(self.kind, self.risk), int(generator.integers(2**32)), end["ratio"])
            if find and find.ratio >= end["ratio"]:
                end = {"ratio": find.ratio, "point": point.tolist()}
        return end


class Climbs(Lines):
    """The climbs that are done, of one seed and effort, in a file."""

    NAME = "climb"

    def __init__(self, path: Path, effort: Effort, seed: int) -> None:
        self.ends: dict[Climb, dict[str, Any]] = {}
        made_by = versions() | {"seed": str(seed), "effort": str(effort), "verification": sources.digest(MODULE)}
        super().__init__(path, made_by)

    def take(self, record: Any) -> None:
        self.ends[Climb(*record["climb"])] = record["end"]

    def add(self, climb: Climb, end: dict[str, Any]) -> None:
        self.ends[climb] = end
        self.write({"climb": climb, "end": end})

    def worst(self, many: int) -> list[tuple[Climb, Instance]]:
        """Where the search saw the largest ratios."""
        ended = [(climb, end) for climb, end in self.ends.items() if end["point"]]
        ended.sort(key=lambda item: (-item[1]["ratio"], item[0]))
        return [(climb, instance_at(climb.kind, climb.risk, np.array(end["point"]))) for climb, end in ended[:many]]


def instance_at(kind: str, risk: str, point: Point) -> Instance:
    """The instance at a point of the cube."""
    _, number, goal, side, near, place, upper, *_ = (float(x) for x in point[:SHARED])
    fewest = 1 if risk != "none" else 2
    count = round(power(number, np.log10(fewest), np.log10(MOST)))
    arms = list(distributions(kind, point, min(count, MOST_ARMS)))
    arms += arms[-1:] * (count - len(arms))
    away = power(near, -4.0, 1.0) * (1.0 if side < 0.5 else -1.0)
    limit = RISKS[risk](arms[0], away, place, upper < 0.5)
    named = {f"arm {index}": arm for index, arm in enumerate(arms, start=1)}
    return Instance(named, risk=limit, rewards=REWARDS[kind], goal="min" if goal < 0.25 else "max")


def mean_limit(arm: Distribution, away: float, place: float, upper: bool) -> Risk:
    """A limit that the arm keeps by so many standard deviations, or breaks."""
    margin = away * math.sqrt(arm.variance)
    low, high = (0.0, 1.0) if not isinstance(arm, Normal) else (-math.inf, math.inf)
    bound = min(max(arm.mean + (margin if upper else -margin), low), high)
    return Mean(at_most=bound) if upper else Mean(at_least=bound)


RISKS = LIMITS | {"mean": mean_limit}


def rivals(kind: str, risk: str) -> list[tuple[str, str]]:
    limits = [] if risk == "none" else [Limited(risk)]
    return [names for names in itertools.product(POLICIES, BOUNDS) if decides(*names, kind, limits, "best")]


def search(climbs: Climbs, effort: Effort, seed: int, only: str, many: int, minutes: float) -> None:
    """Climb with all rewards and risks in turn, so many times each, and begin no climb after so many minutes."""
    began = time.monotonic()
    for number, kind, risk in itertools.product(range(many), KINDS, RISKS):
        climb = Climb(kind, risk, number)
        if climb in climbs.ends or only not in f"{kind} {risk}" or not rivals(kind, risk):
            continue
        so_far = (time.monotonic() - began) / 60
        if so_far >= minutes:
            return
        climbs.add(climb, climb.run(effort, seed))
        print(f"{so_far:.1f} min; {climb}: {climbs.ends[climb]['ratio']:.2f}", file=sys.stderr, flush=True)


def brief(arm: Distribution) -> str:
    """A distribution in a few words."""
    if isinstance(arm, Discrete):
        weights = arm.weights or (1.0 / len(arm.values),) * len(arm.values)
        return " ".join(f"{value:.3g} ({weight:.3g})" for value, weight in zip(arm.values, weights, strict=True))
    return f"{type(arm).__name__} {arm.mean:.4g} ± {arm.variance**0.5:.3g}"


def table(finds: list[Find]) -> str:
    """The worst finds, as Markdown."""
    lines = [
        "| default / best other | of 95 % quantiles | default | best other | which | arms: mean ± deviation | goal, limit |",
        "|---|---|---|---|---|---|---|",
    ]
    for find in finds:
        problem = find.instance.problem
        arms = ", ".join(dict.fromkeys(brief(arm) for arm in find.instance.distributions))
        cells = [f"{find.ratio:.2f}", f"{find.tail_ratio:.2f}", f"{find.default.mean:,.0f}", f"{find.other.mean:,.0f}"]
        cells += [f"`{find.rival}`", f"{len(problem.arms)}: {arms}", f"{problem.goal}, `{problem.risk}`"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m verification.against_others", description=__doc__)
    parser.add_argument("--table", metavar="FILE", help="write the worst finds to this file")
    parser.add_argument("--out", metavar="DIR", default="build/others", help="where finished climbs are kept")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", metavar="TEXT", help="only the kinds and risks with this in their name")
    parser.add_argument("--climbs", type=int, default=10, help="of each kind of rewards and risk")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no climb after so many minutes")
    options = parser.parse_args(arguments)
    effort = Effort()
    with Climbs(Path(options.out) / "climbs.jsonl", effort, options.seed) as climbs:
        search(climbs, effort, options.seed, options.only, options.climbs, options.minutes)
    known = [measured(kind, risk, instance, options.seed) for kind, risk, instance in families()]
    finds = [measured(climb.kind, climb.risk, instance, options.seed + 1) for climb, instance in climbs.worst(WORST)]
    text = table([find for find in known if find])
    if finds:
        made = f"{len(climbs.ends)} climbs from {effort.starts} random instances each, of {effort.moves} moves"
        worst = sorted((find for find in finds if find), key=lambda find: -find.ratio)
        text += f"\nThe worst of {made}, measured anew:\n\n{table(worst)}"
    print(text)
    if options.table:
        Path(options.table).write_text(text, encoding="utf-8")


def measured(kind: str, risk: str, instance: Instance, seed: int) -> Find | None:
    """An instance, measured well: with more runs where they are short."""
    others = rivals(kind, risk)
    glance = race(instance, others, seed, stages=(FEW,), cap=LONG)
    if glance is None:
        return None
    runs = min(max(round(PULLS / glance.default.mean), FEW), MANY)
    return race(instance, others, seed + 1, stages=(FEW, runs) if runs > FEW else (FEW,), cap=LONG)


if __name__ == "__main__":
    main()
