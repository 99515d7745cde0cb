"""What alternatives to normal arms cost: KL to other means and variances (docs/limit.md, docs/gaussian.md).

An arm is its mean x and variance s. Two arms, the better one with weight `high_weight`, are brought to a common mean m, the
worse one to a variance of at most the limit as well.
"""

import math

from surefoot.core.normal_evidence import NormalEvidence

HALVINGS = 60


def lowering(x: float, s: float, m: float) -> float:
    """K(m): to the normal laws of mean m, from above."""
    return 0.5 * math.log1p((x - m) * (x - m) / s) if m < x else 0.0


def raising(x: float, s: float, m: float, limit: float) -> float:
    """G(m): to those of mean m and a variance of at most the limit."""
    far = s + (m - x) * (m - x)
    u = min(far, limit)
    return 0.5 * (math.log(u / s) + far / u - 1.0)


def crossing(s: float, limit: float) -> float:
    """d: from variance s to the limit."""
    return 0.5 * (s / limit - 1.0 - math.log(s / limit))


def meeting(
    high_weight: float, high: float, high_s: float, low_weight: float, low: float, low_s: float, limit: float
) -> float:
    """The common mean that costs least: high_weight * lowering + low_weight * raising, over all means.

    The derivative has the sign of a cubic, of one where the limit does not bind and of another where it does. Each is
    searched between its turning points, so that no minimum is missed.
    """
    apart = high - low
    if apart <= 0.0:
        return low
    bound = min(math.sqrt(max(limit - low_s, 0.0)), apart)  # from here on the limit binds
    square = high_s + apart * apart
    best, least = low, math.inf
    for binding in range(2):
        if binding == 0:
            left, right = 0.0, bound
            a, b = high_weight + low_weight, -(high_weight + 2.0 * low_weight) * apart
            c, d = high_weight * low_s + low_weight * square, -high_weight * apart * low_s
        else:
            left, right = bound, apart
            a, b = low_weight, -2.0 * low_weight * apart
            c, d = high_weight * limit + low_weight * square, -high_weight * apart * limit
        if right <= left:
            continue
        room = b * b - 3.0 * a * c
        turn = math.sqrt(room) / (3.0 * a) if room > 0.0 else 0.0
        first = min(max(-b / (3.0 * a) - turn, left), right)
        second = min(max(-b / (3.0 * a) + turn, left), right)
        for piece in range(3):
            start = left if piece == 0 else (first if piece == 1 else second)
            end = first if piece == 0 else (second if piece == 1 else right)
            z = rising_root(a, b, c, d, start, end)
            cost = high_weight * lowering(high, high_s, low + z) + low_weight * raising(low, low_s, low + z, limit)
            if cost < least:
                best, least = low + z, cost
    return best


def against_rival(first: NormalEvidence, second: NormalEvidence, tolerance: float, limit: float) -> float:
    """ln of the evidence of two arms against all laws in which the second has a variance of at most the limit, and a mean
    that exceeds the first's by the tolerance or more (Z in docs/gaussian.md).
    """
    low = second.later_mean - tolerance
    m = meeting(first.later, first.later_mean, first.later_variance, second.later, low, second.later_variance, limit)
    cost = first.later * lowering(first.later_mean, first.later_variance, m)
    cost += second.later * raising(low, second.later_variance, m, limit)
    return cost + first.credit + second.credit


def rising_root(a: float, b: float, c: float, d: float, start: float, end: float) -> float:
    """Where the cubic, monotone in between, changes from negative to positive; the start if it does not."""
    if ((a * start + b) * start + c) * start + d >= 0.0 or ((a * end + b) * end + c) * end + d <= 0.0:
        return start
    for _ in range(HALVINGS):
        middle = 0.5 * (start + end)
        if ((a * middle + b) * middle + c) * middle + d < 0.0:
            start = middle
        else:
            end = middle
    return 0.5 * (start + end)
