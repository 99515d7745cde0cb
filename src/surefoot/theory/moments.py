"""How far a distribution on [0, 1] is from one with another mean and variance: KL_inf by its dual (docs/limit.md).

    max over l1, l2 of E ln q(X),  q(x) = 1 + l1 (x - m) + l2 ((x - m)^2 - v)  non-negative on [0, 1]

In Bernstein's form q(x) = A (1 - x)^2 + 2 B x (1 - x) + C x^2, which is non-negative just if A, C and B + sqrt(A C) are.
These are concave in l1 and l2, so that Newton's method with a logarithmic barrier solves many such problems side by side.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.theory.quadrature import expectation

Floats = NDArray[np.float64]

CHUNK = 1024  # problems at a time, so that they stay in the cache
STEPS = 200  # of Newton's method, at most: 25 are common
FIRST_BARRIER, SHRINK = 1.0, 0.03
ENOUGH, LEAST = 1e-9, 1e-16  # how near the optimum to come, relative to the value and in all


class Dual(NamedTuple):
    """What the best multipliers show; -l1 is the derivative of the value in m."""

    value: Floats
    l1: Floats
    l2: Floats


class Rows(NamedTuple):
    """Problems side by side: distributions as points, less m, and weights; A, B, C of (x - m) and of (x - m)^2 - v."""

    p: Floats
    y: Floats
    v: float
    along: Floats
    across: Floats

    def only(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> "Rows":
        return Rows(self.p[rows], self.y[rows], self.v, self.along[:, rows], self.across[:, rows])

    def q(self, l1: Floats, l2: Floats) -> Floats:
        return 1.0 + (l1[:, None] + l2[:, None] * self.y) * self.y - self.v * l2[:, None]

    def expected_log(self, l1: Floats, l2: Floats) -> Floats:
        return expectation(self.p, np.log1p(self.q(l1, l2) - 1.0))

    def constraints(self, l1: Floats, l2: Floats) -> Floats:
        """A, C and B + sqrt(A C) of q: not a number outside."""
        A, B, C = 1.0 + l1 * self.along + l2 * self.across
        return np.array([A, C, B + np.sqrt(np.where((A > 0.0) & (C > 0.0), A * C, np.nan))])


def in_chunks(solver: Callable[..., Floats]) -> Callable[..., Dual]:
    """Solve some rows at a time, with no more points than their distributions have."""

    def solve_all(points: Floats, weights: Floats, m: Floats, *rest: float) -> Dual:
        found = [np.zeros((3, 0))]
        for start in range(0, len(m), CHUNK):
            rows = slice(start, start + CHUNK)
            used = weights[rows].any(axis=0)
            found.append(solver(points[rows, used], weights[rows, used], m[rows], *rest))
        return Dual(*np.concatenate(found, axis=1))

    return solve_all


@in_chunks
def on_mean(points: Floats, weights: Floats, m: Floats) -> Floats:
    """KL_inf for each row: E X = m. Here l2 = 0, and q(x) = 1 - s (x - m) / (end - m) with s in [0, 1].

    The end is 1 where the mean goes up, 0 where it goes down. Newton's method, by halves where that would leave the bracket.
    """
    up = m > expectation(weights, points)
    reach = np.where(up, 1.0 - m, -m)
    y = (points - m[:, None]) / reach[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        at_end = expectation(weights, np.where(weights > 0.0, y / (1.0 - y), 0.0))
    low, high = np.where(at_end <= 0.0, 1.0, 0.0), np.ones_like(m)
    s = (low + high) / 2.0
    for _ in range(STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(weights > 0.0, y / (1.0 - s[:, None] * y), 0.0)
            slope = -expectation(weights, ratio)
            ahead = s + slope / expectation(weights, ratio * ratio)
        low, high = np.where(slope >= 0.0, s, low), np.where(slope < 0.0, s, high)
        new = np.where((ahead > low) & (ahead < high), ahead, (low + high) / 2.0)
        settled = np.abs(new - s) <= 1e-15 + 1e-13 * s
        s = new
        if settled.all():
            break
    with np.errstate(divide="ignore"):
        logs = np.where(weights > 0.0, np.log1p(-s[:, None] * y), 0.0)
    return np.array([expectation(weights, logs), -s / reach, np.zeros_like(m)])


@in_chunks
def on_variance(points: Floats, weights: Floats, m: Floats, v: float) -> Floats:
    """KL_inf for each row: E X = m and E (X - m)^2 = v.

    Newton's method follows the centre as the barrier shrinks; a row leaves when it is done.
    """
    found = np.zeros((3, len(m)))
    open_rows = np.arange(len(m))
    along = np.array([-m, 0.5 - m, 1.0 - m])
    across = np.array([m * m - v, m * m - v - m, (1.0 - m) ** 2 - v])
    rows = Rows(weights, points - m[:, None], v, along, across)
    l1, l2 = np.zeros((2, len(m)))
    barrier = np.full(len(m), FIRST_BARRIER)
    for _ in range(STEPS):
        move1, move2, gain = newton(rows, l1, l2, barrier)
        value = rows.expected_log(l1, l2)
        found[:, open_rows] = value, l1, l2
        left = np.maximum(barrier, gain) > np.maximum(ENOUGH * value, LEAST)
        if not left.any():
            break
        size = step(rows, l1, l2, barrier, move1, move2, gain, value)
        l1, l2 = l1 + size * move1, l2 + size * move2
        barrier = np.where(gain < barrier, SHRINK * barrier, barrier)
        if not left.all():
            rows, open_rows = rows.only(left), open_rows[left]
            l1, l2, barrier = l1[left], l2[left], barrier[left]
    return found


def newton(rows: Rows, l1: Floats, l2: Floats, barrier: Floats) -> tuple[Floats, Floats, Floats]:
    """Newton's move for E ln q + barrier (ln A + ln C + ln(B + sqrt(A C))), and the gain that it promises."""
    y, v, q = rows.y, rows.v, rows.q(l1, l2)
    A, C, inner = rows.constraints(l1, l2)
    root = np.sqrt(A * C)

    def ratios(end: Floats) -> tuple[Floats, Floats, Floats]:
        a, b, c = end
        return a / A, c / C, (b + root * (a / A + c / C) / 2.0) / inner

    def bend(one: tuple[Floats, Floats, Floats], other: tuple[Floats, Floats, Floats]) -> Floats:
        (s, t, g), (s_, t_, g_) = one, other
        curve: Floats = s * s_ + t * t_ + g * g_ + root / (4.0 * inner) * (s - t) * (s_ - t_)
        return curve

    along, across = ratios(rows.along), ratios(rows.across)
    first = rows.p / q
    second = first / q
    second_y = second * y
    second_yy = second_y * y
    sum2 = second_yy.sum(axis=1)
    gradient1 = expectation(first, y) + barrier * sum(along)
    hessian11 = sum2 + barrier * bend(along, along)
    yy = y * y
    gradient2 = expectation(first, yy) - v * first.sum(axis=1) + barrier * sum(across)
    sum3, sum4 = expectation(second_yy, y), expectation(second_yy, yy)
    hessian12 = sum3 - v * second_y.sum(axis=1) + barrier * bend(along, across)
    hessian22 = sum4 - 2.0 * v * sum2 + v * v * second.sum(axis=1) + barrier * bend(across, across)
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
