"""Points and weights that stand for a distribution in expectations: exact where it is discrete, Gauss-Jacobi elsewhere."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from surefoot.rewards.distributions import Bernoulli, Beta, Discrete, Uniform

Floats = NDArray[np.float64]

NODES = 64


def quadrature(distribution: Bernoulli | Uniform | Beta | Discrete) -> tuple[Floats, Floats]:
    """Points on the reward's own scale, and their weights.

    >>> points, weights = quadrature(Beta(a=2.0, b=3.0))
    >>> round(float(weights @ points**3), 12)  # a (a + 1) (a + 2) / ((a + b) (a + b + 1) (a + b + 2))
    0.114285714286
    """
    match distribution:
        case Bernoulli(p):
            return np.array([0.0, 1.0]), np.array([1.0 - p, p])
        case Discrete(values, weights):
            return np.array(values), np.array(weights)
        case Uniform(low, high):
            a, b = 1.0, 1.0
        case Beta():
            low, high = distribution.support or (0.0, 1.0)
            a, b = distribution.shape
    points, shares = jacobi(a, b, NODES) if min(a, b) > 2.0 else clustered(a, b, 3 * NODES)
    return low + (high - low) * points, shares


def clustered(a: float, b: float, nodes: int) -> tuple[Floats, Floats]:
    """The same with x = z^2 / (z^2 + (1 - z)^2), for integrands that are all but singular at an end where density is left.

    Logarithms of what is close to 0 at an end, or for little density anywhere, are what KL_inf leads to.
    """
    z, shares = jacobi(2.0 * a, 2.0 * b, nodes)
    total = z**2 + (1.0 - z) ** 2
    shares = shares * total ** -(a + b)
    return z**2 / total, shares / shares.sum()


def expectation(weights: Floats, values: Floats) -> Floats:
    """Of each row."""
    total: Floats = np.einsum("rn,rn->r", weights, values)
    return total


@cache
def jacobi(a: float, b: float, nodes: int) -> tuple[Floats, Floats]:
    """Gauss's nodes and weights for a beta distribution on [0, 1]: the eigenvalues of its recurrence (Golub, Welsch)."""
    n = np.arange(1.0, nodes)
    total = 2.0 * n + a + b
    with np.errstate(divide="ignore", invalid="ignore"):  # a + b = 1, where the first entry is 0/0
        diagonal = (a - b) * (a + b - 2.0) / ((total - 2.0) * total)
        square = n * (n + a - 1.0) * (n + b - 1.0) * (n + a + b - 2.0)
        square /= (total - 2.0) ** 2 * (total - 1.0) * (total - 3.0)
    square[:1] = a * b / ((a + b) ** 2 * (a + b + 1.0))
    mean = a / (a + b)
    off_mean = np.diag(
        0.5 + 0.5 * np.concatenate([[(a - b) / (a + b)], diagonal]) - mean
    )  # small where the variance is
    points, vectors = np.linalg.eigh(off_mean + np.diag(np.sqrt(square), -1))
    return np.clip(mean + points, 0.0, 1.0), vectors[0] ** 2
