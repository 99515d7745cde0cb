"""Evidence from rounds: is what the candidate gains over the baseline above 0, on average over the rounds?

Each round gives one number from 0 to 1, and a place that it is compared with: above it the candidate is within the margin.
The bets are the fixed ones of `tight`: their wealth is evidence whatever drifts from round to round (docs/gate.md).
"""

import math
from typing import NamedTuple, Protocol

from surefoot.core.bounds.tight import BETS, wealth


class Reading(Protocol):
    """What a round says of one question."""

    @property
    def place(self) -> float:
        """What the numbers are compared with, between 0 and 1."""

    def number(self, baseline: float, candidate: float) -> float:
        """From 0 to 1; above `place` if the candidate is better than it must be."""


class Requirement(NamedTuple):
    """The candidate must be at least (sign 1) or at most (sign -1) `factor` times the baseline, plus `plus`."""

    sign: float
    factor: float
    plus: float

    def gain(self, baseline: float, candidate: float) -> float:
        """By how much the candidate is better than it must be."""
        return self.sign * (candidate - self.factor * baseline - self.plus)


class SignReading(NamedTuple):
    """In how many rounds is the candidate within the margin? It needs no range; a tie counts for neither side."""

    requirement: Requirement

    @property
    def place(self) -> float:
        return 0.5

    def number(self, baseline: float, candidate: float) -> float:
        if math.isinf(baseline) or math.isinf(candidate):  # one that failed is worse than all that did not
            worse = math.isinf(candidate)
            return 0.5 if worse and math.isinf(baseline) else 0.0 if worse else 1.0
        gain = self.requirement.gain(baseline, candidate)
        return 0.5 if gain == 0.0 else float(gain > 0.0)


class MeanReading(NamedTuple):
    """By how much is the candidate better than it must be, on average? Values lie in a range."""

    requirement: Requirement
    low: float
    high: float

    @property
    def ends(self) -> tuple[float, float]:
        """Between what the gain of a round lies."""
        gains = [self.requirement.gain(x, y) for x in (self.low, self.high) for y in (self.low, self.high)]
        return min(gains), max(gains)

    @property
    def place(self) -> float:
        least, most = self.ends
        return -least / (most - least)

    def number(self, baseline: float, candidate: float) -> float:
        least, most = self.ends
        return min(max((self.requirement.gain(baseline, candidate) - least) / (most - least), 0.0), 1.0)


class Stream:
    """The wealth of all bets on one reading, both that it is above its place on average and that it is below."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.place = reading, reading.place
        self.rounds = 0
        self.rises, self.falls = [0.0] * len(BETS), [0.0] * len(BETS)

    def add(self, baseline: float, candidate: float) -> None:
        number = self.reading.number(baseline, candidate)
        self.rounds += 1
        for index, bet in enumerate(BETS):
            self.rises[index] += math.log1p(bet * number)
            self.falls[index] += math.log1p(bet * (1.0 - number))

    @property
    def above(self) -> float:
        """ln of the evidence that the average is above the place."""
        return wealth(self.rises, self.rounds, self.place)[0]

    @property
    def below(self) -> float:
        """ln of the evidence that it is below."""
        return wealth(self.falls, self.rounds, 1.0 - self.place)[0]


def sign_log_evidence(more: int, fewer: int, ties: int) -> float:
    """ln of the evidence that the candidate is within the margin, which it was in so many rounds, and in so many was not."""
    sums = [more * math.log1p(bet) + ties * math.log1p(bet / 2.0) for bet in BETS]
    return wealth(sums, more + fewer + ties, 0.5)[0]
