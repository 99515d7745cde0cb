"""Where does the default need more pulls than another combination? `make others` searches, and writes the worst it finds.

The score of an instance is the mean pulls of the default over those of the best other combination. A climb starts from the
worst of many random instances of each kind of rewards and risk: one arm to thirty, near the limit and near ties as often as
far from them, with tiny variances and large ones. What it finds is measured again with fresh seeds, because the largest of
many noisy scores is mostly luck. Families that an earlier rule was slow on are measured besides.
"""

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from surefoot.core.registry import FAMILIES, family
from surefoot.problem.distributions import Bernoulli, Beta, Discrete, Distribution, Normal
from surefoot.simulation import Instance, simulate
from verification.search.arms import power
from verification.search.combinations import REWARDS
from verification.search.limits import LIMITS
from verification.search.points import MOST_ARMS, SHARED, Point, distributions, neighbour, random_point

KINDS = ("bounded", "gaussian")
POLICIES = ("va-lucb", "successive-elimination", "track-and-stop")  # whose pulls come near those of the default
MOST = 30  # arms; from MOST_ARMS on they are alike
FEWEST = 100.0  # pulls of the best other: below that nobody minds
CAP = 100_000  # pulls of a run of the others; one that needs more is no rival
STARVED = 20  # times as many are enough for the default to be called starved
GLANCE, LOOK = 12, 200  # runs that judge a move, and a find
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
    starts: int = 60  # random instances of each kind of rewards and risk
    restarts: int = 5
    moves: int = 30


class Measured(NamedTuple):
    mean: float
    tail: float  # the 95 % quantile


class Find(NamedTuple):
    ratio: float  # of mean pulls
    tail_ratio: float  # of the 95 % quantiles
    default: Measured
    other: Measured
    rival: str
    instance: Instance


def instance_at(kind: str, risk: str, point: Point) -> Instance:
    """The instance at a point of the cube."""
    _, number, goal, side, near, place, upper, *_ = (float(x) for x in point[:SHARED])
    fewest = 1 if risk != "none" else 2
    count = round(power(number, np.log10(fewest), np.log10(MOST)))
    arms = list(distributions(kind, point, min(count, MOST_ARMS)))
    arms += arms[-1:] * (count - len(arms))
    away = power(near, -4.0, 1.0) * (1.0 if side < 0.5 else -1.0)
    limit = LIMITS[risk](arms[0], away, place, upper < 0.5)
    named = {f"arm {index}": arm for index, arm in enumerate(arms, start=1)}
    return Instance(named, risk=limit, rewards=REWARDS[kind], goal="min" if goal < 0.25 else "max")


def rivals(kind: str, risk: str) -> Iterator[tuple[str, str]]:
    for policy in POLICIES:
        for bounds, rewards in FAMILIES:
            known = family(policy, bounds, rewards) if rewards == kind and bounds in ("sharp", "tight") else None
            if known and risk in known.limit_tests:
                yield policy, bounds


def pulls(
    instance: Instance, policy: str | None, bounds: str | None, runs: int, seed: int, cap: int
) -> Measured | None:
    """Mean and tail of the pulls; None if a run did not decide within the cap, unless it is the default's."""
    sweep = simulate(instance, policy, bounds, runs, seed=seed, max_pulls=cap, progress=False)
    counts = [run.pulls for run in sweep.runs]
    if policy and sweep.summary()["undecided"]:
        return None
    return Measured(float(np.mean(counts)), float(np.quantile(counts, 0.95)))


def judged(kind: str, risk: str, instance: Instance, runs: int, seed: int) -> Find | None:
    """How the default compares with the best other, in the mean and in the tail; None if nobody minds."""
    others: dict[str, Measured] = {}
    cap = CAP
    for policy, bounds in rivals(kind, risk):
        measured = pulls(instance, policy, bounds, runs, seed, cap)
        if measured:
            others[f"{policy} with {bounds}"] = measured
            cap = min(cap, math.ceil(runs * measured.mean))  # one longer run alone has a larger mean than this rival
    if not others:
        return None
    rival, best = min(others.items(), key=lambda item: item[1].mean)
    if best.mean < FEWEST:
        return None
    default = pulls(instance, None, None, runs, seed, STARVED * cap)
    assert default is not None
    tail = min(measured.tail for measured in others.values())
    return Find(default.mean / best.mean, default.tail / tail, default, best, rival, instance)


def search(kind: str, risk: str, effort: Effort, seed: int) -> list[Find]:
    """The ends of all climbs."""
    generator = np.random.default_rng([seed, KINDS.index(kind), list(LIMITS).index(risk)])

    def look(point: Point) -> tuple[float, Point]:
        judgement = judged(kind, risk, instance_at(kind, risk, point), GLANCE, int(generator.integers(2**32)))
        return (judgement.ratio if judgement else 0.0), point

    starts = [look(random_point(generator)) for _ in range(effort.starts)]
    ends = []
    for here in sorted(starts, key=lambda place: -place[0])[: effort.restarts]:
        for _ in range(effort.moves):
            here = max(look(here[1]), look(neighbour(here[1], generator)), key=lambda place: place[0])
        judgement = judged(kind, risk, instance_at(kind, risk, here[1]), LOOK, int(generator.integers(2**32)))
        if judgement:
            ends.append(judgement)
    return ends


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
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", metavar="TEXT", help="only the kinds and risks with this in their name")
    parser.add_argument("--moves", type=int, default=Effort().moves)
    parser.add_argument("--starts", type=int, default=Effort().starts)
    options = parser.parse_args(arguments)
    effort, finds = Effort(options.starts, moves=options.moves), []
    for kind in KINDS:
        for risk in LIMITS:
            if options.only in f"{kind} {risk}" and list(rivals(kind, risk)):
                worst = search(kind, risk, effort, options.seed)
                print(kind, risk, *(f"{find.ratio:.2f}" for find in worst), flush=True)
                finds += worst
    finds.sort(key=lambda find: -find.ratio)
    known = [judged(kind, risk, instance, LOOK, options.seed) for kind, risk, instance in families()]
    text = table([find for find in known if find])
    if finds:
        text += "\n" + table(finds[:WORST])
    print(text)
    if options.table:
        Path(options.table).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
