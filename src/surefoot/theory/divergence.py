"""What alternatives cost under each model of rewards: KL_inf to the laws with another mean, or a variance across the limit.

Everything is on the kernels' scale, the goal is "max". Each function returns the cost and its derivative in the mean m.
"""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.theory import moments
from surefoot.theory.quadrature import Rules, expectation

Floats = NDArray[np.float64]
Priced = tuple[Floats, Floats]  # a cost at each m, and its derivative in m

GRID = 64  # points of a grid that is drawn again around its best point
ZOOMS = 7
ATOMS = 16  # of a discrete distribution, the heaviest, that are tried as its mean
CHUNK = 512  # problems at a time, so that they stay in the cache
NEAR = 1e-9  # how near to the ends of what is possible a mean or a variance is looked for


class Laws(Protocol):
    """Distributions, a row each; the m of a call is a row of points for each."""

    @property
    def mean(self) -> Floats: ...

    @property
    def variance(self) -> Floats: ...

    def all_over(self, leader: "Laws | None", limit: float) -> Floats:
        """Means to which each law may have to move, ascending from the least to the greatest."""

    def only(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> "Laws": ...

    def to_mean(self, m: Floats) -> Priced:
        """To the laws with mean m."""

    def to_feasible(self, m: Floats, limit: float) -> Priced:
        """To the laws with mean m and a variance of at most the limit."""

    def to_infeasible(self, limit: float) -> Floats:
        """To the laws with a variance of at least the limit."""


class GaussianLaws(NamedTuple):
    """Normal laws among all normal laws."""

    mean: Floats
    variance: Floats

    def all_over(self, leader: Laws | None, limit: float) -> Floats:
        """Up to the leader's mean; where the variance alone must change, nowhere."""
        high = self.mean if leader is None else np.maximum(self.mean, leader.mean)
        return self.mean[:, None] + (high - self.mean)[:, None] * np.linspace(0.0, 1.0, 8)

    def only(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> "GaussianLaws":
        return GaussianLaws(self.mean[rows], self.variance[rows])

    def to_mean(self, m: Floats) -> Priced:
        return self.to_feasible(m, np.inf)

    def to_feasible(self, m: Floats, limit: float) -> Priced:
        """KL(N(mu, s), N(m, u)) is least at u = s + (m - mu)^2, or at the limit if that is more."""
        away, spread = m - self.mean[:, None], self.variance[:, None]
        u = np.minimum(spread + away**2, limit)
        return (np.log(u / spread) + (spread + away**2) / u - 1.0) / 2.0, away / u

    def to_infeasible(self, limit: float) -> Floats:
        ratio = np.minimum(self.variance / limit, 1.0)
        with np.errstate(divide="ignore"):  # no limit, nothing to fear
            return (ratio - 1.0 - np.log(ratio)) / 2.0


class BoundedLaws(NamedTuple):
    """Distributions on [0, 1] among all distributions on [0, 1]."""

    rules: Rules

    def all_over(self, leader: Laws | None, limit: float) -> Floats:
        """Anywhere: variance and mean change together. With a small limit it may be best to go close to an end, just to
        where the limit no longer counts, m (1 - m) = limit, or to an atom.
        """
        small = min(limit, 0.25)
        edge = 2.0 * small / (1.0 + np.sqrt(1.0 - 4.0 * small))
        farthest = np.log(1.0 / min(edge, 0.05) - 1.0)
        between = 1.0 / (1.0 + np.exp(np.linspace(farthest, -farthest, 12)))
        means = np.tile([0.0, edge, *between, 1.0 - edge, 1.0], (len(self.mean), 1))
        points: Floats = np.sort(np.concatenate([means, self.rules.atoms(ATOMS)], axis=1))
        return np.clip(points, NEAR, 1.0 - NEAR)

    @property
    def mean(self) -> Floats:
        return expectation(self.rules.weights, self.rules.points)

    @property
    def variance(self) -> Floats:
        return expectation(self.rules.weights, (self.rules.points - self.mean[:, None]) ** 2)

    def only(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> "BoundedLaws":
        return BoundedLaws(self.rules.only(rows))

    def to_mean(self, m: Floats) -> Priced:
        return self.priced(m, np.inf, at_most=True)

    def to_feasible(self, m: Floats, limit: float) -> Priced:
        return self.priced(m, limit, at_most=True)

    def to_infeasible(self, limit: float) -> Floats:
        """The least over m, of which it is a convex function where m (1 - m) > limit."""
        if limit >= 0.25:
            return np.full(len(self.mean), np.inf)
        half = np.sqrt(0.25 - limit)
        low, high = np.full((2, len(self.mean)), [[0.5 - half], [0.5 + half]])
        for _ in range(ZOOMS):
            m = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, GRID + 2)[1:-1]
            cost, _ = self.priced(m, limit, at_most=False)
            best = cost.argmin(axis=1)
            apart = (high - low) / (GRID + 1)
            low, high = low + best * apart, low + (best + 2) * apart
        least: Floats = cost.min(axis=1)
        return least

    def priced(self, m: Floats, limit: float, at_most: bool) -> Priced:
        """To mean m and a variance of at most, or at least, the limit; not a number where m is none."""
        values = np.full((2, *m.shape), np.nan)
        rows, columns = np.nonzero(np.isfinite(m))
        for start in range(0, len(rows), CHUNK):
            chunk = rows[start : start + CHUNK], columns[start : start + CHUNK]
            near = np.clip(m[chunk], NEAR, 1.0 - NEAR)
            values[:, *chunk] = prices(self.rules.only(chunk[0]).trimmed(), near, limit, at_most)
        return values[0], values[1]


def prices(rules: Rules, m: Floats, limit: float, at_most: bool) -> Floats:
    """What each row costs, and the derivative. The limit counts where the law of mean m that is nearest breaks it."""
    dual, variance = moments.on_mean(rules, m)
    pair = np.array([dual.value, -dual.l1])
    possible = limit < m * (1.0 - m) * (1.0 - NEAR)  # a mean m goes with no larger variance
    if not at_most:
        pair[:, ~possible] = np.inf
    on_limit = np.flatnonzero(possible & (variance > limit if at_most else variance < limit))
    if len(on_limit):
        dual = moments.on_variance(rules.only(on_limit), m[on_limit], limit)
        pair[:, on_limit] = dual.value, -dual.l1
    return pair
