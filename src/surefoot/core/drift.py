"""Has the mean of an arm's rewards moved? Tests of independent draws of one distribution, whatever it is (docs/warnings.md).

The rewards are cut into blocks of one size, whose sums are then independent draws of one distribution too. So the
difference of two of them is as likely to have one sign as the other, whatever its size. Of numbers with such signs, the sum
reaches z times the root of the sum of their squares with probability at most exp(-z^2 / 2) [Hoeffding], and at most TAIL
times the probability that a standard normal number reaches z [Bentkus and Dzindzalieta, 2015].
"""

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]

TAIL = 3.1787
FAR = 30.0  # z, beyond which Hoeffding's bound serves: the other one nears what floats can hold
FARTHEST = 16  # blocks at each end that are looked at for a step
ROUNDING = 2.0**-48  # of the sum of all rewards: differences as small as this are none


class Change(NamedTuple):
    """How strong the evidence is, ln(1 / p); and what differs: `length` blocks from `start` and as many from `end`."""

    evidence: float
    start: int
    end: int
    length: int


def ends(sums: Numbers) -> Change:
    """Do the first blocks differ from the last: one half from the other, or the first from the last quarter?"""
    noise = rounding(sums)
    return max(end(sums, len(sums) // parts, noise) for parts in (2, 4))


def end(sums: Numbers, count: int, noise: float) -> Change:
    apart = sums[-count:] - sums[:count]
    share = 1.0 / 4.0  # of two counts, and of up and down
    return Change(exponent(abs(float(apart.sum())), apart, noise) + math.log(share), 0, len(sums) - count, count)


def waves(sums: Numbers) -> Change:
    """Do neighbours move together, as in a season: in spans of 4, 8, 16, … blocks, does one half differ from the other?"""
    noise = rounding(sums)
    scales = range(1, len(sums).bit_length() - 1)
    return max(wave(sums, 2**scale, noise * noise, 1.0 / len(scales)) for scale in scales)


def wave(sums: Numbers, count: int, noise: float, share: float) -> Change:
    """The difference of two blocks that are `count` apart, times that of the two next to them, summed over all blocks: to
    change the places of the former two would turn the sign of the product.
    """
    spans = len(sums) // (2 * count)
    halves = sums[: spans * 2 * count].reshape(spans, 2, count)
    apart = halves[:, 1] - halves[:, 0]
    products = (apart[:, ::2] * apart[:, 1::2]).ravel()
    widest = int(np.abs(apart.sum(axis=1)).argmax()) * 2 * count
    evidence = exponent(float(products.sum()), products, noise) + math.log(share)
    return Change(evidence, widest, widest + count, count)


def latest(sums: Numbers) -> Change:
    """Are the largest blocks among the last, or the smallest, as after a step? Of equal ones the earlier are farther out.

    Where the k farthest blocks are is a matter of chance, so that all are among the last w of m with probability
    C(w, k) / C(m, k).
    """
    count, noise = len(sums), rounding(sums)
    found = Change(0.0, 0, 0, 0)
    away = np.round((sums - np.median(sums)) / noise) if noise > 0.0 else sums  # what rounding moved is equal
    for side in (away, -away):
        places = np.argsort(-side, kind="stable")[: min(FARTHEST, count)]
        widths = count - np.minimum.accumulate(places)
        for k, width in enumerate(widths.tolist(), 1):
            evidence = log_choices(count, k) - log_choices(width, k) - math.log(2.0 * FARTHEST)
            found = max(found, Change(evidence, max(count - 2 * width, 0), count - width, width))
    return found


def log_choices(all_of: int, some: int) -> float:
    """ln of the number of ways to choose some of all."""
    return math.lgamma(all_of + 1) - math.lgamma(some + 1) - math.lgamma(all_of - some + 1)


def exponent(total: float, terms: Numbers, noise: float) -> float:
    """ln(1 / p) of a sum of terms with random signs, if it is above 0 and not the work of rounding."""
    squares = float(terms @ terms)
    if total <= 0.0 or squares <= len(terms) * noise * noise:
        return 0.0
    z = total / math.sqrt(squares)
    hoeffding = 0.5 * z * z
    return hoeffding if z > FAR else max(hoeffding, -math.log(0.5 * TAIL * math.erfc(z / math.sqrt(2.0))))


def rounding(sums: Numbers) -> float:
    """The size of a difference that may be rounding alone."""
    return ROUNDING * float(np.abs(sums).sum())
