"""How far a distribution on [0, 1] is from one with another mean and variance: KL_inf by its dual (docs/limit.md).

    max over l1, l2 of E ln q(X),  q(x) = 1 + l1 (x - m) + l2 ((x - m)^2 - v)  non-negative on [0, 1]

In Bernstein's form q(x) = A (1 - x)^2 + 2 B x (1 - x) + C x^2, which is non-negative just if A, C and B + sqrt(A C) are.
These are concave in l1 and l2, so that Newton's method with a logarithmic barrier solves many such problems side by side.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.theory.quadrature import Rules, expectation

Floats = NDArray[np.float64]

STEPS = 200  # of Newton's method, at most: 25 are common
FIRST_BARRIER, SHRINK = 0.1, 0.03
FOCUS = 1e-6  # the barrier below which the points of a distribution stay where they are
INSIDE = 1.0 - 2.0**-53
ENOUGH, LEAST = 1e-9, 1e-16  # how near the optimum to come, relative to the value and in all


class Dual(NamedTuple):
    """What the best multipliers show; -l1 is the derivative of the value in m."""

    value: Floats
    l1: Floats
    l2: Floats


class Rows(NamedTuple):
    """Problems side by side: weights p, y = x - m and z = (x - m)^2 - v at the points x; A, B, C of y and of z."""

    p: Floats
    y: Floats
    z: Floats
    v: float
    along: Floats
    across: Floats

    def only(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> "Rows":
        return Rows(self.p[rows], self.y[rows], self.z[rows], self.v, self.along[:, rows], self.across[:, rows])

    def excess(self, l1: Floats, l2: Floats) -> Floats:
        """q - 1."""
        return l1[:, None] * self.y + l2[:, None] * self.z

    def expected_log(self, l1: Floats, l2: Floats) -> Floats:
        return expectation(self.p, np.log1p(self.excess(l1, l2)))

    def constraints(self, l1: Floats, l2: Floats) -> Floats:
        """A, C and B + sqrt(A C) of q: not a number outside. Where B < 0 the last is (A C - B^2) / (sqrt(A C) - B)."""
        A, B, C = 1.0 + l1 * self.along + l2 * self.across
        root = np.sqrt(np.where((A > 0.0) & (C > 0.0), A * C, np.nan))
        return np.array([A, C, np.where(B < 0.0, self.discriminant(l1, l2) / (root + np.abs(B)), B + root)])

    def discriminant(self, l1: Floats, l2: Floats) -> Floats:
        """A C - B^2, of which rounding takes little."""
        return l2 * (1.0 - self.v * l2) - l1 * l1 / 4.0


def on_mean(rules: Rules, m: Floats) -> tuple[Dual, Floats]:
    """KL_inf for each row: E X = m; and the variance there. Here l2 = 0, and q(x) = 1 - s (x - m) / (end - m), s in [0, 1].

    The end is 1 where the mean goes up, 0 where it goes down. Newton's method, by halves where that would leave the bracket;
    a row leaves when it is done.
    """
    weights, mean = rules.weights, expectation(rules.weights, rules.points)
    reach = np.where(m > mean, 1.0 - m, -m)
    y = (rules.points - m[:, None]) / reach[:, None]
    with np.errstate(divide="ignore"):
        at_end = expectation(weights, y / (1.0 - y)) <= 0.0
    s = np.where(at_end, 1.0, np.clip((m - mean) / reach / expectation(weights, y * y), 0.0, 0.5))
    low, high = np.zeros_like(m), np.full_like(m, INSIDE)
    rows = np.flatnonzero(~at_end)
    part, part_y = weights[rows], y[rows]
    for _ in range(STEPS):
        here = s[rows]
        ratio = part_y / (1.0 - here[:, None] * part_y)
        slope = -expectation(part, ratio)
        ahead = here + slope / expectation(part, ratio * ratio)
        low[rows], high[rows] = np.where(slope >= 0.0, here, low[rows]), np.where(slope < 0.0, here, high[rows])
        inside = (ahead >= low[rows]) & (ahead <= high[rows])
        s[rows] = np.where(inside, ahead, (low[rows] + high[rows]) / 2.0)
        left = np.abs(s[rows] - here) > 1e-15 + 1e-9 * here
        if not left.any():
            break
        if not left.all():
            rows, part, part_y = rows[left], part[left], part_y[left]
    q = 1.0 - s[:, None] * y
    lifted = weights / q
    variance = reach**2 * (expectation(lifted, y * y) + 1.0 - lifted.sum(axis=1))  # what is left goes to the end
    return Dual(expectation(weights, np.log1p(q - 1.0)), -s / reach, np.zeros_like(m)), variance


def on_variance(rules: Rules, m: Floats, v: float) -> Dual:
    """KL_inf for each row: E X = m and E (X - m)^2 = v.

    Newton's method follows the centre as the barrier shrinks; a row leaves when it is done. The points of a distribution
    follow the place where q is least, so that q cannot vanish between them.
    """
    values = np.zeros((3, len(m)))
    open_rows = np.arange(len(m))
    along = np.array([-m, 0.5 - m, 1.0 - m])
    across = np.array([m * m - v, m * m - v - m, (1.0 - m) ** 2 - v])
    y = rules.points - m[:, None]
    rows = Rows(rules.weights.copy(), y, y * y - v, v, along, across)
    l1, l2 = np.zeros((2, len(m)))
    barrier = np.full(len(m), FIRST_BARRIER)
    for _ in range(STEPS):
        value = rows.expected_log(l1, l2)
        move1, move2, gain = newton(rows, l1, l2, barrier)
        values[:, open_rows] = value, l1, l2
        left = np.maximum(barrier, gain) > np.maximum(ENOUGH * value, LEAST)
        if not left.any():
            break
        size = step(rows, l1, l2, barrier, move1, move2, gain, value)
        l1, l2 = l1 + size * move1, l2 + size * move2
        central = gain < barrier
        blurred = central & (barrier > FOCUS) & (l2 > 0.0)  # else q is least at an end, where points are many already
        barrier = np.where(central, SHRINK * barrier, barrier)
        if blurred.any():
            here = open_rows[blurred]
            from_m = -l1[blurred] / (2.0 * l2[blurred])
            away = np.sqrt(np.maximum(1.0 / l2[blurred] - v - from_m**2, 0.0))
            seen = rules.only(here).focused(m[here] + from_m, away)
            y = seen.points - m[here, None]
            rows.p[blurred], rows.y[blurred], rows.z[blurred] = seen.weights, y, y * y - v
        if not left.all():
            rows, open_rows = rows.only(left), open_rows[left]
            l1, l2, barrier = l1[left], l2[left], barrier[left]
    return Dual(*values)


def newton(rows: Rows, l1: Floats, l2: Floats, barrier: Floats) -> tuple[Floats, Floats, Floats]:
    """Newton's move for E ln q + barrier (ln A + ln C + ln(B + sqrt(A C))), and the gain that it promises."""
    A, C, inner = rows.constraints(l1, l2)
    B = 1.0 + l1 * rows.along[1] + l2 * rows.across[1]
    root, discriminant = np.sqrt(A * C), rows.discriminant(l1, l2)

    def ratios(end: Floats, slope: Floats) -> tuple[Floats, Floats, Floats]:
        a, b, c = end
        mean = root * (a / A + c / C) / 2.0
        with np.errstate(divide="ignore", invalid="ignore"):
            return a / A, c / C, np.where(B < 0.0, slope / discriminant - (mean - b) / (root - B), (b + mean) / inner)

    def bend(one: tuple[Floats, Floats, Floats], other: tuple[Floats, Floats, Floats]) -> Floats:
        (s, t, g), (s_, t_, g_) = one, other
        curve: Floats = s * s_ + t * t_ + g * g_ + root / (4.0 * inner) * (s - t) * (s_ - t_)
        return curve

    along, across = ratios(rows.along, -l1 / 2.0), ratios(rows.across, 1.0 - 2.0 * rows.v * l2)
    q = 1.0 + rows.excess(l1, l2)
    first, second = rows.y / q, rows.z / q
    p_first, p_second = rows.p * first, rows.p * second
    gradient1 = p_first.sum(axis=1) + barrier * sum(along)
    gradient2 = p_second.sum(axis=1) + barrier * sum(across)
    hessian11 = expectation(p_first, first) + barrier * bend(along, along)
    hessian12 = expectation(p_first, second) + barrier * bend(along, across)
    hessian22 = expectation(p_second, second) + barrier * bend(across, across)
    scale1, scale2 = np.sqrt(hessian11), np.sqrt(hessian22)
    g1, g2, cross = gradient1 / scale1, gradient2 / scale2, hessian12 / (scale1 * scale2)
    room = np.maximum(1.0 - cross * cross, 1e-14)
    move1, move2 = (g1 - cross * g2) / room, (g2 - cross * g1) / room
    return move1 / scale1, move2 / scale2, g1 * move1 + g2 * move2


def step(
    rows: Rows, l1: Floats, l2: Floats, barrier: Floats, move1: Floats, move2: Floats, gain: Floats, value: Floats
) -> Floats:
    """How far to go along each move: the first of 1, 1/2, 1/4, ... that stays inside and rises.

    Near the centre the whole move does, though rounding may hide the rise.
    """
    size = np.ones_like(l1)
    for _ in range(60):
        outside = ~(rows.constraints(l1 + size * move1, l2 + size * move2) > 0.0).all(axis=0)
        if not outside.any():
            break
        size[outside] /= 2.0
    tried = np.flatnonzero(gain > 1e-2 * barrier)
    height = value + barrier * np.log(rows.constraints(l1, l2)).sum(axis=0)
    for _ in range(40):
        part = rows if len(tried) == len(l1) else rows.only(tried)
        there1, there2 = l1[tried] + size[tried] * move1[tried], l2[tried] + size[tried] * move2[tried]
        walls = np.log(part.constraints(there1, there2)).sum(axis=0)
        reached = part.expected_log(there1, there2) + barrier[tried] * walls
        tried = tried[reached < height[tried] + 1e-4 * size[tried] * gain[tried] - LEAST]
        if not len(tried):
            break
        size[tried] /= 2.0
    return size
