"""Instances as points of a cube, so that a search can move among them; near the boundary as often as far from it."""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from surefoot.problem.distributions import Distribution
from surefoot.simulation.instance import Instance
from verification.search.arms import MEANS, Shape, between, distribution, power
from verification.search.combinations import REWARDS, Combination
from verification.search.demands import demands
from verification.search.limits import LIMITS

Point: TypeAlias = NDArray[np.float64]

MOST_ARMS = 6
SHARED, PER_ARM = 10, 5  # coordinates of the question, and of each arm
SMALLEST_DELTA = -2.0  # as a power of ten
GAPS = (-3.5, -0.3)  # of means, as powers of ten, in widths of where means can be


def random_point(generator: np.random.Generator) -> Point:
    return generator.random(SHARED + PER_ARM * MOST_ARMS)


def neighbour(point: Point, generator: np.random.Generator) -> Point:
    """A few coordinates moved a little, or anywhere."""
    chosen = generator.random(len(point)) < 0.06
    chosen[generator.integers(len(point))] = True
    step = generator.normal(0.0, 10.0 ** generator.uniform(-2.0, -0.5), len(point))
    near = 1.0 - np.abs(1.0 - np.abs(point + step) % 2.0)  # reflected at the ends
    anywhere = generator.random(len(point)) < 0.2
    return np.where(chosen, np.where(anywhere, generator.random(len(point)), near), point)


def instance(combination: Combination, point: Point, max_pulls: int, delta: float | None = None) -> Instance:
    """The instance at a point; with another delta than the point's, if one is given."""
    size, number, goal, side, near, place, upper, loose, loosest, _ = (float(x) for x in point[:SHARED])
    wants = demands(combination)
    if delta is None:
        delta = min(power(size, SMALLEST_DELTA, np.log10(wants.largest_delta)), wants.largest_delta)
    fewest = 1 if combination.risk != "none" else 2  # one arm without a limit is the best before the first pull
    arms = list(distributions(combination.kind, point, min(int(between(number, fewest, MOST_ARMS + 1)), MOST_ARMS)))
    away = power(near, -4.0, 1.5) * (1.0 if side < 0.5 else -1.0)
    risk = LIMITS[combination.risk](arms[0], away, place, upper < 0.5)
    tolerance = slack = 0.0
    if wants.accuracies:
        tolerance, slack = between(loose, 0.3, 1.0), between(loosest, 0.1, 0.25)
    elif loose > 0.85:
        tolerance = power(loosest, -3.0, -1.0)
    elif loose < 0.15 and combination.risk != "none":
        slack = power(loosest, -3.0, -1.0)
    return Instance(
        {f"arm {index + 1}": arm for index, arm in enumerate(arms)},
        risk=risk,
        rewards=REWARDS[combination.kind],
        goal="min" if goal < 0.25 else "max",
        delta=delta,
        tolerance=tolerance,
        risk_slack=slack,
        max_pulls=max_pulls,
    )


def distributions(rewards: str, point: Point, arms: int) -> Iterator[Distribution]:
    """The first arm anywhere; the others alike or not, with means that differ by no less than the last shared coordinate
    says from its own, or anywhere too.
    """
    low, high = MEANS[rewards]
    closest = between(float(point[SHARED - 1]), *GAPS)
    rows = point[SHARED:].reshape(MOST_ARMS, PER_ARM)[:arms].tolist()
    first = between(rows[0][0], low, high)
    shape = Shape(*rows[0][2:])
    yield distribution(rewards, first, shape)
    for place, alike, *numbers in rows[1:]:
        if place < 0.7:
            gap = (high - low) * power(abs(place / 0.35 - 1.0), closest, GAPS[1])
            mean = first + (gap if place < 0.35 else -gap)
        else:
            mean = between((place - 0.7) / 0.3, low, high)
        yield distribution(rewards, mean, shape if alike < 0.5 else Shape(*numbers))
