"""What alternatives cost under each model of rewards: KL_inf to the laws with another mean, or a variance across the limit.

Everything is on the kernels' scale, the goal is "max". Each function returns the cost and its derivative in the mean m.
"""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.theory import moments
from surefoot.theory.quadrature import expectation

Floats = NDArray[np.float64]
Priced = tuple[Floats, Floats]  # a cost at each m, and its derivative in m

GRID = 64  # points of a grid that is drawn again around its best point
ZOOMS = 7
NEAR = 1e-9  # how near to the ends of what is possible a mean or a variance is looked for


class Laws(Protocol):
    """Distributions, a row each; the m of a call is a row of points for each."""

    @property
    def mean(self) -> Floats: ...

    @property
    def variance(self) -> Floats: ...

    def ends(self, leader: "Laws | None") -> tuple[Floats, Floats]:
        """Between what means each law may have to move."""

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

    def ends(self, leader: Laws | None) -> tuple[Floats, Floats]:
        """Up to the leader's mean; where the variance alone must change, nowhere."""
        return self.mean, self.mean if leader is None else np.maximum(self.mean, leader.mean)

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
    """Distributions on [0, 1], as points and weights, among all distributions on [0, 1]."""

    points: Floats
    weights: Floats

    def ends(self, leader: Laws | None) -> tuple[Floats, Floats]:
        """Anywhere: variance and mean change together."""
        return np.full(len(self.points), NEAR), np.full(len(self.points), 1.0 - NEAR)

    @property
    def mean(self) -> Floats:
        return expectation(self.weights, self.points)

    @property
    def variance(self) -> Floats:
        return expectation(self.weights, (self.points - self.mean[:, None]) ** 2)

    def only(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> "BoundedLaws":
        return BoundedLaws(self.points[rows], self.weights[rows])

    def to_mean(self, m: Floats) -> Priced:
        return self.priced(m, np.inf, at_most=True)

    def to_feasible(self, m: Floats, limit: float) -> Priced:
        return self.priced(m, limit, at_most=True)

    def to_infeasible(self, limit: float) -> Floats:
        """The least over m, of which it is a convex function where m (1 - m) > limit."""
        if limit >= 0.25:
            return np.full(len(self.points), np.inf)
        half = np.sqrt(0.25 - limit)
        low, high = np.full((2, len(self.points)), [[0.5 - half], [0.5 + half]])
        for _ in range(ZOOMS):
            m = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, GRID + 2)[1:-1]
            cost, _ = self.priced(m, limit, at_most=False)
            best = cost.argmin(axis=1)
            apart = (high - low) / (GRID + 1)
            low, high = low + best * apart, low + (best + 2) * apart
        least: Floats = cost.min(axis=1)
        return least

    def priced(self, m: Floats, limit: float, at_most: bool) -> Priced:
        """To mean m and a variance of at most, or at least, the limit.

        A limit on the variance counts if its multiplier has the right sign when the variance is *on* the limit.
        """
        rows, flat_m = np.repeat(np.arange(len(m)), m.shape[1]), np.clip(m.ravel(), NEAR, 1.0 - NEAR)
        found = np.full((2, len(rows)), np.inf)
        possible = limit < flat_m * (1.0 - flat_m) * (1.0 - NEAR)  # a mean m goes with no larger variance
        on_limit = np.flatnonzero(possible)
        dual = moments.on_variance(self.points[rows[on_limit]], self.weights[rows[on_limit]], flat_m[on_limit], limit)
        counts = dual.l2 >= 0.0 if at_most else dual.l2 <= 0.0
        found[:, on_limit[counts]] = dual.value[counts], -dual.l1[counts]
        free = ~possible if at_most else np.zeros_like(possible)
        free[on_limit[~counts]] = True
        dual = moments.on_mean(self.points[rows[free]], self.weights[rows[free]], flat_m[free])
        found[:, free] = dual.value, -dual.l1
        return found[0].reshape(m.shape), found[1].reshape(m.shape)
