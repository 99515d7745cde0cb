"""Points and weights that stand for distributions on [0, 1] in expectations: exact where they are discrete.

Beta distributions use the trapezoidal rule in u, with logit x = focus + scale sinh(u): the density falls off at both ends,
and the points crowd about the focus, where a logarithm may be all but singular. There is no eigenproblem to solve, so that
every expectation can have the points that suit it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.problem.distributions.distribution import Atoms, BetaShape, Distribution, Points

Floats = NDArray[np.float64]

NODES = 128
DROP = 40.0  # where the logarithm of the density of logit x is this far below its peak, it ends
FARTHEST = 34.0  # logit x of a point: what lies beyond is put there, as 1 - x would be lost
CLOSE = 0.3  # how far apart the points about the focus are, per distance of what is singular there
SEEN = 8.0  # where it is further down there is no density to speak of, and no need of a focus
FINEST = 1e-7  # the least scale where the density is at its peak


class Rules(NamedTuple):
    """Distributions, a row each: points and weights; and for a Beta a, b, where in [0, 1] it begins and how far it goes."""

    points: Floats
    weights: Floats
    shape: Floats

    def only(self, rows: NDArray[np.bool_] | NDArray[np.intp] | slice) -> "Rules":
        return Rules(self.points[rows], self.weights[rows], self.shape[rows])

    def trimmed(self) -> "Rules":
        """With no more columns than are needed."""
        used = np.flatnonzero(self.weights.any(axis=0))[-1] + 1
        columns = max(used, NODES) if np.isfinite(self.shape[:, 0]).any() else used
        return Rules(self.points[:, :columns], self.weights[:, :columns], self.shape)

    def atoms(self, most: int) -> Floats:
        """The heaviest points of each discrete distribution; a Beta has none, and repeats one of its points."""
        discrete = np.isnan(self.shape[:, 0])
        columns = min(most, int((self.weights[discrete] > 0.0).sum(axis=1).max(initial=0)))
        heaviest = np.argsort(-self.weights, axis=1, kind="stable")[:, :columns]
        heaviest[~discrete] = heaviest[~discrete, :1]
        points: Floats = np.take_along_axis(self.points, heaviest, axis=1)
        return points

    def focused(self, x: Floats, away: Floats) -> "Rules":
        """With the points of Beta distributions about x, for an integrand that is singular this far from x, off the line."""
        smooth = np.isfinite(self.shape[:, 0])
        if not smooth.any():
            return self
        points, weights = self.points.copy(), self.weights.copy()
        points[smooth, :NODES], weights[smooth, :NODES] = focused(self.shape[smooth], x[smooth], away[smooth])
        return Rules(points, weights, self.shape)


def rules(distributions: Sequence[Distribution], origin: float, width: float) -> Rules:
    """Of distributions on the reward's own scale, [origin, origin + width].

    >>> from surefoot import Beta
    >>> points, weights, _ = rules([Beta(a=2.0, b=3.0)], 0.0, 1.0)
    >>> round(float(weights[0] @ points[0] ** 3), 12)  # a (a + 1) (a + 2) / ((a + b) (a + b + 1) (a + b + 2))
    0.114285714286
    """
    atoms: list[Atoms | Points] = [Atoms((), ())] * len(distributions)
    shape = np.full((len(distributions), 4), np.nan)
    for row, distribution in enumerate(distributions):
        match distribution.rule():
            case Atoms() | Points() as found:
                atoms[row] = found
            case BetaShape(a, b, low, high):
                shape[row] = a, b, low, high - low
    shape[:, 2:] = (shape[:, 2:] - [origin, 0.0]) / width
    smooth = np.isfinite(shape[:, 0])
    columns = max([NODES * bool(smooth.any()), *(len(values) for values, _ in atoms)])
    points, shares = np.full((len(atoms), columns), 0.5), np.zeros((len(atoms), columns))
    if smooth.any():
        points[smooth, :NODES], shares[smooth, :NODES] = about(shape[smooth], *middle(shape[smooth]))
    for row in np.flatnonzero(~smooth).tolist():
        x, share = np.array(atoms[row])
        points[row, : len(x)] = np.where(share > 0.0, (x - origin) / width, 0.5)  # what has no share is not seen
        shares[row, : len(x)] = share
    return Rules(points, shares, shape)


def middle(shape: Floats) -> tuple[Floats, Floats]:
    """Focus and scale for an integrand that is smooth: where the density of logit x begins to fall, and how soon it has."""
    a, b = np.maximum(shape[:, :2], 1.0).T
    return np.log(a / b), np.sqrt(1.0 / a + 1.0 / b)


def focused(shape: Floats, x: Floats, away: Floats) -> tuple[Floats, Floats]:
    """Points and weights about x, as close as the integrand asks for; but not where there is hardly any density."""
    centre, widest = middle(shape)
    left, right = ends(np.maximum(shape, 1.0), SEEN)
    z = (x + 1j * np.maximum(away, 1e-15) - shape[:, 2]) / shape[:, 3]
    singular = np.log(z / (1.0 - z))
    needed = 1.0 - singular.imag / np.pi  # pi is as far off the line as can be
    focus = np.clip(centre + needed * (singular.real - centre), left, right)
    distance = np.abs(singular - focus)
    drop = log_density(shape[:, :1], shape[:, 1:2], focus[:, None])[:, 0]
    return about(shape, focus, np.clip(CLOSE * distance, widest * np.minimum(FINEST * np.exp(-drop), 1.0), widest))


def ends(shape: Floats, drop: float) -> tuple[Floats, Floats]:
    """Where the logarithm of the density of logit x has fallen so far: like a normal one at first, then linearly."""
    centre, scale = middle(shape)
    a, b = shape[:, 0], shape[:, 1]
    normal = np.sqrt(2.0 * drop) * scale
    return centre - normal - drop / a, centre + normal + drop / b


def log_density(a: Floats, b: Floats, logit: Floats) -> Floats:
    """Of logit x, relative to its peak."""
    softened = np.log1p(np.exp(-np.abs(logit)))
    top = a * np.log1p(b / a) + b * np.log1p(a / b)
    logarithm: Floats = top - a * (np.maximum(-logit, 0.0) + softened) - b * (np.maximum(logit, 0.0) + softened)
    return logarithm


def about(shape: Floats, focus: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """Points and weights of the trapezoidal rule in u, logit x = focus + scale sinh(u)."""
    first, last = (np.arcsinh((end - focus) / scale)[:, None] for end in ends(shape, DROP))
    u = first + (last - first) * np.linspace(0.0, 1.0, NODES)
    logit = focus[:, None] + scale[:, None] * np.sinh(u)
    a, b, low, width = (part[:, None] for part in shape.T)
    weights = np.exp(log_density(a, b, logit)) * np.cosh(u)
    x = 1.0 / (1.0 + np.exp(-np.clip(logit, -FARTHEST, FARTHEST)))
    return low + width * x, weights / weights.sum(axis=1, keepdims=True)


def expectation(weights: Floats, values: Floats) -> Floats:
    """Of each row."""
    total: Floats = np.einsum("rn,rn->r", weights, values)
    return total
