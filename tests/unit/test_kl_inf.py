"""KL_inf of bounded rewards: each answer is certified by a distribution that attains it, or found by brute force."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import beta

from surefoot import Bernoulli, Beta, Discrete, Uniform
from surefoot.theory import moments, quadrature
from surefoot.theory.divergence import BoundedLaws
from surefoot.theory.quadrature import rules

DISTRIBUTIONS = [
    Bernoulli(0.3),
    Bernoulli(0.0),
    Discrete((0.1, 0.5, 0.6), (0.2, 0.3, 0.5)),
    Uniform(0.0, 1.0),
    Uniform(0.2, 0.4),
    Beta(mean=0.5, variance=0.04, support=(0.0, 1.0)),
    Beta(mean=0.2, variance=0.001, support=(0.0, 1.0)),
    Beta(mean=0.68, variance=0.2, support=(0.0, 1.0)),
    Beta(mean=0.5, variance=1e-6, support=(0.0, 1.0)),
]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize(("m", "v"), [(0.4, 0.03), (0.6, 0.1), (0.25, 0.002), (0.8, 0.05), (0.35, 0.05)])
def test_kl_inf_has_no_duality_gap(distribution, m, v, monkeypatch):
    law = rules([distribution], 0.0, 1.0)
    duals = moments.on_variance(law, np.array([m]), v), moments.on_mean(law, np.array([m]))[0]
    monkeypatch.setattr(quadrature, "NODES", 4000)  # certified with other points, closer together
    fine = rules([distribution], 0.0, 1.0)
    for found in duals:
        value, l1, l2 = (float(part[0]) for part in found)
        q = np.polynomial.Polynomial([1 - l1 * m + l2 * (m * m - v), l1 - 2 * l2 * m, l2])
        candidates = [0.0, 1.0, *([m - l1 / (2 * l2)] if l2 and 0 < m - l1 / (2 * l2) < 1 else [])]
        least = min(candidates, key=q)
        assert q(least) >= -1e-12  # so that E ln q is no more than KL_inf
        points, weights = (part[0] for part in fine.focused(np.array([least]), np.array([1e-5]))[:2])
        points, weights = points[weights > 0], weights[weights > 0]
        lifted = weights / q(points)
        extra = 1.0 - lifted.sum()  # what is left goes where q vanishes
        assert extra >= -1e-6
        ends = [x for x in candidates if abs(q(x)) < 1e-5 * max(1.0, abs(l1), abs(l2))]
        masses = extra if len(ends) <= 1 else None
        if masses is None:  # at both ends, so that the mean is right
            at_one = m - lifted @ points
            mean, second = m, lifted @ (points - m) ** 2 + at_one * (1 - m) ** 2 + (extra - at_one) * m**2
        else:
            place = ends[0] if ends else least
            mean = lifted @ points + extra * place
            second = lifted @ (points - m) ** 2 + extra * (place - m) ** 2
        assert mean == pytest.approx(m, abs=2e-5)
        if l2:
            assert second == pytest.approx(v, abs=2e-5)
        assert weights @ np.log(q(points)) == pytest.approx(value, rel=1e-7)


@pytest.mark.parametrize(
    ("a", "b", "m", "v"),
    [(5, 3, 0.4, 0.005), (2, 2, 0.6, 0.02), (0.8, 0.7, 0.3, 0.02), (30, 20, 0.7, 0.003), (6, 2, 0.5, 0.01)],
)
def test_kl_inf_by_brute_force(a, b, m, v):
    """40,000 atoms for the distribution, the dual by a method that knows no derivatives."""
    cuts = np.linspace(0, 1, 40_001)
    y, weights = (cuts[1:] + cuts[:-1]) / 2 - m, np.diff(beta.cdf(cuts, a, b))

    def below(multipliers):
        l1, l2 = multipliers
        lowest = [-m, 1 - m, *([np.clip(-l1 / (2 * l2), -m, 1 - m)] if l2 > 0 else [])]
        if l2 < 0 or min(1 + l1 * x + l2 * (x * x - v) for x in lowest) <= 0:
            return math.inf
        return -(weights @ np.log(1 + l1 * y + l2 * (y * y - v)))

    best = np.array([0.0, 0.1])
    for _ in range(4):
        best = minimize(below, best, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13}).x
    cost, _ = BoundedLaws(rules([Beta(a=a, b=b)], 0.0, 1.0)).to_feasible(np.array([[m]]), v)
    assert cost[0, 0] == pytest.approx(-below(best), rel=1e-7)


def test_slopes_are_derivatives():
    laws = BoundedLaws(rules([Beta(mean=0.4, variance=0.05)], 0.0, 1.0))
    for m in (0.3, 0.5, 0.7):
        near = np.array([[m - 1e-5, m, m + 1e-5]])
        for cost, slope in (laws.to_mean(near), laws.to_feasible(near, 0.02), laws.to_feasible(near, 0.2)):
            assert (cost[0, 2] - cost[0, 0]) / 2e-5 == pytest.approx(slope[0, 1], rel=1e-4)
