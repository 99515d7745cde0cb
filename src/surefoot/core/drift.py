"""Have results changed in the course of a study? Evidence that holds at every look (docs/warnings.md proves it).

A result becomes a 1 or a 0 by a coding that was fixed before it came: is it above a cut? If nothing changes, the ones of an
arm are tosses of one coin. Each model of a change predicts them otherwise: by a step at some moment of the study, or by the
last results alone. The evidence is the probability that the models gave to what was seen, over the largest that coins could
give it: universal inference [Wasserman, Ramdas and Balakrishnan, 2020].

Counts come in up to BLOCKS blocks of one size, with axes (block, coding, arm); the blocks not begun yet are 0.
"""

import math
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Numbers: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Indices: TypeAlias = np.ndarray[Any, np.dtype[np.intp]]

BLOCKS = 64  # of the study, at most: a power of two
STEPS = 0.7  # the weight of steps; models that forget have the rest
HAZARD = 0.25  # that there is a step while the results double, if there was none before
FINE, COARSE = 32, 4  # moments of a step while the results double: half of the weight is on each kind
MEMORIES = (0.5, 0.85)  # what a model that forgets keeps of its past, from span to span
SHORTEST = 8  # results in a span
ALIKE, EVERY, SOME = 0.5, 0.2, 0.3  # weights: all arms are one coin; every arm changes; some do
LOG_PI = math.log(math.pi)


def log_evidence(ones: Numbers, zeros: Numbers, size: int, weights: Numbers, urns: Numbers, arms: int) -> float:
    """ln of the evidence of a change, by codings with these weights. A block has `size` results of the study.

    Not all of the arms need be there: those without results show nothing.
    """
    codings = (weights > 0.0) & (ones.any(axis=(0, 2)) | zeros.any(axis=(0, 2)))
    if not codings.any():
        return -math.inf
    ones, zeros, urns = ones[:, codings], zeros[:, codings], urns[codings, :, np.newaxis]
    models = Models.of(size)
    unchanged = log_unchanged(ones.sum(axis=0), zeros.sum(axis=0), urns)
    predicted = log_predicted(with_all_arms(ones), with_all_arms(zeros), models)  # (model, coding, arm)
    each = predicted[:, :, :-1] - unchanged
    alike = predicted[:, :, -1] - unchanged.sum(axis=1)
    some = np.logaddexp(math.log1p(-1.0 / arms) if arms > 1 else -math.inf, each - math.log(arms)).sum(axis=2)
    kinds = np.array([alike, each.sum(axis=2), some])
    shares = np.log([ALIKE, EVERY, SOME])[:, np.newaxis, np.newaxis]
    return log_sum(kinds + shares + models.log_weights[:, np.newaxis] + np.log(weights[codings]))


def with_all_arms(counts: Numbers) -> Numbers:
    """A further arm that has the results of all of them."""
    return np.concatenate([counts, counts.sum(axis=2, keepdims=True)], axis=2)


class Models(NamedTuple):
    """How changes are modelled, when blocks have a certain size."""

    borders: Indices  # the blocks before each step
    lengths: list[int]  # of spans, in blocks
    log_weights: Numbers  # of all models: steps, then each length with each memory

    @staticmethod
    @cache
    def of(size: int) -> "Models":
        """A moment keeps its weight for ever, and has none once blocks no longer end there: so the evidence stays valid."""
        borders = np.array([blocks for blocks in range(1, BLOCKS) if blocks * size >= SHORTEST])
        lengths = [2**k for k in range(1, int(math.log2(BLOCKS))) if 2**k * size >= SHORTEST]
        ranks = np.log2(np.array(lengths) * size / SHORTEST) + 1.0
        forgetting = np.repeat(1.0 / (ranks * (ranks + 1.0)) / len(MEMORIES), len(MEMORIES))
        weights = np.concatenate([STEPS * step_weights(borders * size), (1.0 - STEPS) * forgetting])
        return Models(borders, lengths, np.log(weights))


def step_weights(moments: Indices) -> Numbers:
    """How probable a step is after so many results of the study: at most 1 for all moments together."""
    octaves = np.floor(np.log2(moments))
    coarse = moments % np.maximum(2.0**octaves / COARSE, 1.0) == 0.0
    within = 0.5 / np.minimum(2.0**octaves, FINE) + 0.5 / COARSE * coarse
    found: Numbers = HAZARD * (1.0 - HAZARD) ** (octaves - math.log2(SHORTEST)) * within
    return found


def log_predicted(ones: Numbers, zeros: Numbers, models: Models) -> Numbers:
    """ln of the probability of what was seen, by each model."""
    forgetting = (log_forgetting(ones, zeros, length) for length in models.lengths)
    return np.concatenate([log_steps(ones, zeros, models), *forgetting])


def log_steps(ones: Numbers, zeros: Numbers, models: Models) -> Numbers:
    """One coin before the step and another after it."""
    ones, zeros = ones.cumsum(axis=0), zeros.cumsum(axis=0)
    before_ones, before_zeros = ones[models.borders - 1], zeros[models.borders - 1]
    return log_mixture(before_ones, before_zeros) + log_mixture(ones[-1] - before_ones, zeros[-1] - before_zeros)


def log_forgetting(ones: Numbers, zeros: Numbers, length: int) -> Numbers:
    """Each span is predicted by the spans before it, of which the later count for more; by each of MEMORIES."""
    seen = np.stack([ones, zeros]).reshape(2, BLOCKS // length, length, 1, *ones.shape[1:]).sum(axis=2)
    kept = np.array(MEMORIES).reshape(-1, 1, 1)
    known = np.full((*seen.shape[:2], len(MEMORIES), *ones.shape[1:]), 0.5)
    past = np.zeros_like(known[:, 0])
    for span in range(1, BLOCKS // length):
        past = kept * (past + seen[:, span - 1])
        known[:, span] += past
    predicted: Numbers = (log_beta(*(known + seen)) - log_beta(*known)).sum(axis=0)
    return predicted


def log_mixture(ones: Numbers, zeros: Numbers) -> Numbers:
    """ln of the mean probability of such tosses, over all coins [Krichevsky and Trofimov]."""
    return log_beta(ones + 0.5, zeros + 0.5) - LOG_PI


def log_unchanged(ones: Numbers, zeros: Numbers, urns: Numbers) -> Numbers:
    """ln of the probability of such tosses if nothing changes: of an urn where it is known, the largest where it is not."""
    a, b = urns[:, 0], urns[:, 1]
    return np.where(a > 0.0, log_urn(ones, zeros, np.maximum(a, 1.0), np.maximum(b, 1.0)), log_coin(ones, zeros))


def log_urn(ones: Numbers, zeros: Numbers, a: Numbers, b: Numbers) -> Numbers:
    """ln of the probability of such draws from an urn [Pólya]: `a` of a + b - 1 earlier results, and one more, are above."""
    return log_beta(a + ones, b + zeros) - log_beta(a, b)


def log_coin(ones: Numbers, zeros: Numbers) -> Numbers:
    """ln of the largest probability that a coin gives to such tosses."""
    return entropy(ones) + entropy(zeros) - entropy(ones + zeros)


def entropy(counts: Numbers) -> Numbers:
    return counts * np.log(np.maximum(counts, 1.0))


def log_beta(a: Numbers, b: Numbers) -> Numbers:
    """ln of the beta function, to within 1e-7 for a and b of 1/2 and more. NumPy has none.

    Stirling's series of ln gamma, at 4 more: gamma(x + 4) is gamma(x) times x (x + 1) (x + 2) (x + 3).
    """
    found: Numbers = stirling(a + 4.0) + stirling(b + 4.0) - stirling(a + b + 4.0)
    found += np.log(four(a + b) / (four(a) * four(b)))
    return found


def four(x: Numbers) -> Numbers:
    """x (x + 1) (x + 2) (x + 3)."""
    y = x * (x + 3.0)
    return y * (y + 2.0)


def stirling(x: Numbers) -> Numbers:
    r = 1.0 / x
    s = r * r
    found: Numbers = (x - 0.5) * np.log(x) - x + r * (1.0 / 12.0 - s * (1.0 / 360.0 - s / 1260.0))
    found += 0.5 * math.log(2.0 * math.pi)
    return found


def log_sum(logs: Numbers) -> float:
    """ln of the sum of exponentials."""
    largest = float(logs.max())
    return largest + math.log(float(np.exp(logs - largest).sum()))
