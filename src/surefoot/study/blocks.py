"""What is kept of a study's results to see whether they change: how many were above some cuts, in blocks of the study.

A block has equally many results of the study, of whichever arms; once BLOCKS are full, each two become one. What is kept is
a function of the results in their order alone. It takes 8 kB for an arm, of at most MOST arms.
"""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from surefoot.core import drift
from surefoot.core.drift import BLOCKS, Indices, Numbers

MOST = 64  # arms that are counted
LATER = 32  # where there are more: each from so many results on, those that come first
FIRST = 16  # results of the study that set the cuts for all arms, and are not counted by these
CUTS = 7  # that they set, at most
OWN = 15  # results of an arm that set cuts of its own, and are not counted by these
RANKS = np.array([1, 4, 8, 12, 15])  # among them, the smallest being 1, of those that are cuts
MIDDLE, COMMON, RANKED = 0, 1, 1 + CUTS  # codings: above the middle of the range; above the cuts; above the arm's own
CODINGS = RANKED + len(RANKS)
URNS = np.zeros((CODINGS, 2))  # of a coding by ranks: see drift.log_urn
URNS[RANKED:] = np.stack([OWN + 1 - RANKS, RANKS], axis=1)
PLAINER = 0.5  # of what a cut shows, in squared standard errors: then means are shown, which are easier to read
WEIGHTS = (0.4, 0.3, 0.3)  # of the middle, of the common cuts, of the arms' own

Booleans: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]
Counts: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class Shift(NamedTuple):
    """Some of an arm's results in a row are others than the rest of those counted. Places are in its own order."""

    arm: int
    inside: float  # their mean, or the share of them above some cut
    outside: float  # the same of the rest
    start: int  # results before those of the first mean
    end: int  # and until their end
    since: int  # results before those counted
    until: int  # and until their end
    by_mean: bool = True  # do the means show it? Else the two are distributed otherwise


class Blocks:
    def __init__(self, arms: int, ranged: bool) -> None:
        self.ranged = ranged  # is there a range of results, from 0 to 1?
        self.arms = min(arms, MOST)  # that are counted
        self.before = LATER if arms > MOST else 0  # results of an arm that are not counted
        self.clock = 0  # results counted
        self.size = 1  # of them in a block
        self.rows: dict[int, int] = {}  # of each arm that is counted
        self.tallies = np.zeros((2, BLOCKS, CODINGS, 0), np.int32)  # ones, and zeros
        self.pulls = np.zeros((BLOCKS, 0), np.int32)
        self.sums = np.zeros((BLOCKS, 0))
        self.squares = np.zeros(0)  # of each arm's results, summed
        self.first: list[float] = []  # the study's first results
        self.cuts: list[float] = []
        self.own: list[list[list[float]]] = []  # each arm's first results, with their ties
        self.ranked = np.zeros((0, 2, len(RANKS)))  # each arm's own cuts, once they are set, and their ties
        self.drawn = -1  # of how many results `generator` drew the ties; -1 if there is none

    # --- counting

    def count(self, arms: Indices, rewards: Numbers) -> None:
        """The next results of the study, in the order in which they were asked for."""
        for arm in dict.fromkeys(arms.tolist()):
            if arm not in self.rows and len(self.rows) < MOST:
                self.rows[arm] = len(self.rows)
        self.make_room()
        rows = np.array([self.rows.get(arm, -1) for arm in arms.tolist()], np.intp)
        rows, rewards = rows[rows >= 0], rewards[rows >= 0]
        while len(rows):
            if self.clock == BLOCKS * self.size:
                self.merge()
            room = BLOCKS * self.size - self.clock
            self.add(rows[:room], rewards[:room])
            rows, rewards = rows[room:], rewards[room:]

    def make_room(self) -> None:
        """For arms that are new."""
        new = len(self.rows) - len(self.own)
        if new:
            self.tallies = np.pad(self.tallies, [(0, 0)] * 3 + [(0, new)])
            self.pulls = np.pad(self.pulls, [(0, 0), (0, new)])
            self.sums = np.pad(self.sums, [(0, 0), (0, new)])
            self.squares = np.pad(self.squares, (0, new))
            self.ranked = np.pad(self.ranked, [(0, new), (0, 0), (0, 0)])
            self.own += [[] for _ in range(new)]

    def merge(self) -> None:
        """Of each two blocks make one."""
        self.size *= 2
        for kept in (self.pulls, self.sums, *self.tallies):
            kept[: BLOCKS // 2] = kept[::2] + kept[1::2]
            kept[BLOCKS // 2 :] = 0

    def add(self, rows: Indices, rewards: Numbers) -> None:
        """Results that there are blocks for."""
        arms = len(self.own)
        blocks = np.arange(self.clock, self.clock + len(rows)) // self.size
        cells = blocks * arms + rows
        np.add.at(self.sums.reshape(-1), cells, rewards)
        np.add.at(self.squares, rows, rewards * rewards)
        above, counted = self.coded(rows, rewards)
        start, end = int(blocks[0]), int(blocks[-1]) + 1
        add_counts(self.pulls[start:end], cells - start * arms)
        there = self.tallies[:, start:end]
        ones = ((blocks - start) * CODINGS * arms + rows)[:, np.newaxis] + arms * np.arange(CODINGS)
        add_counts(there, np.where(above, ones, ones + there[0].size)[counted])
        self.clock += len(rows)

    def coded(self, rows: Indices, rewards: Numbers) -> tuple[Booleans, Booleans]:
        """By each coding: is a result above its cut, and was the cut set before it came?"""
        above, counted = np.zeros((2, len(rows), CODINGS), bool)
        above[:, MIDDLE], counted[:, MIDDLE] = rewards > 0.5, self.ranged
        early = max(FIRST - self.clock, 0)
        self.set_cuts(rewards[:early].tolist())
        common = slice(COMMON, COMMON + len(self.cuts))
        above[:, common], counted[early:, common] = rewards[:, np.newaxis] > np.array(self.cuts), True
        ties = self.ties(len(rows))
        counted[:, RANKED:] = self.after_own(rows, rewards, ties)[:, np.newaxis]
        ranked = self.ranked.take(rows, axis=0)
        cuts, at = ranked[:, 0], ranked[:, 1]
        above[:, RANKED:] = (rewards[:, np.newaxis] > cuts) | (
            (rewards[:, np.newaxis] == cuts) & (ties[:, np.newaxis] > at)
        )
        return above, counted

    def ties(self, size: int) -> Numbers:
        """A number for each of the next results, by which the larger of two equal ones is chosen: drawn without them."""
        if self.drawn != self.clock:  # some were counted before this was read
            self.generator, self.drawn = np.random.Generator(np.random.PCG64(0).advance(self.clock)), self.clock
        self.drawn += size
        return self.generator.random(size)

    def after_own(self, rows: Indices, rewards: Numbers, ties: Numbers) -> Booleans:
        """Which results came after their arm's own cuts were set; from the others they are."""
        later = np.ones(len(rows), bool)
        for row, own in enumerate(self.own):
            if len(own) < OWN:
                places = np.flatnonzero(rows == row)[: OWN - len(own)]
                later[places] = False
                own += np.stack([rewards[places], ties[places]], axis=1).tolist()
                if len(own) == OWN:
                    self.ranked[row] = np.array(sorted(own))[RANKS - 1].T
        return later

    def set_cuts(self, rewards: list[float]) -> None:
        """At the eighths of the first results, below the largest; if all are equal, just below and above."""
        self.first += rewards
        if rewards and len(self.first) == FIRST:
            ordered = sorted(self.first)
            eighths = {ordered[FIRST * part // (CUTS + 1) - 1] for part in range(1, CUTS + 1)}
            self.cuts = sorted(eighths - {ordered[-1]}) or [math.nextafter(ordered[0], -math.inf), ordered[0]]

    # --- looking

    def weights(self) -> Numbers:
        """Of the codings. They are fixed before the first result that each counts."""
        weights = np.zeros(CODINGS)
        weights[MIDDLE], common, ranked = WEIGHTS if self.ranged else (0.0, 0.5, 0.5)
        weights[COMMON : COMMON + len(self.cuts)] = common / max(len(self.cuts), 1)
        weights[RANKED:] = ranked / len(RANKS)
        return weights

    def log_evidence(self) -> float:
        """ln of the evidence that results change."""
        ones, zeros = self.tallies.astype(float)
        return drift.log_evidence(ones, zeros, self.size, self.weights(), URNS, self.arms)

    def shift(self) -> Shift:
        """The results in a row, of one arm, that differ most from its others: to show what the evidence is about.

        By their means, unless these show far less than how many are above some cut.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            pulls = self.pulls.sum(axis=0)
            variances = self.squares / pulls - (self.sums.sum(axis=0) / pulls) ** 2
            by_mean = farthest(self.pulls, self.sums, variances)
            ones, zeros = self.tallies.astype(float)
            shares = ones.sum(axis=0) / (ones + zeros).sum(axis=0)
            by_cut = [farthest((ones + zeros)[:, k], ones[:, k], shares[k] * (1.0 - shares[k])) for k in range(CODINGS)]
            most = max(by_cut, key=lambda window: window.squared_errors)
        if by_mean.squared_errors >= PLAINER * most.squared_errors:
            return self.between(by_mean)
        return self.between(most)._replace(by_mean=False)

    def between(self, window: "Window") -> Shift:
        """What to say of a window of blocks."""
        pulls = np.pad(self.pulls[:, window.row], (1, 0)).cumsum()
        start, end, until = (self.before + int(pulls[place]) for place in (window.start, window.end, -1))
        arm = next(arm for arm, place in self.rows.items() if place == window.row)
        return Shift(arm, window.inside, window.outside, start, end, self.before, until)


def add_counts(there: Counts, cells: Indices) -> None:
    """Count how often each cell, by its place in the array laid out flat, is one of these."""
    there += np.bincount(cells, minlength=there.size).reshape(there.shape).astype(there.dtype)


class Window(NamedTuple):
    """Some blocks in a row, and the results of an arm in them."""

    row: int
    start: int
    end: int
    inside: float  # their mean
    outside: float  # that of the arm's other results
    squared_errors: float  # how far these are apart


def farthest(counts: Counts, sums: Counts, variances: Numbers) -> Window:
    """The window whose results differ most from the others of an arm, from counts and sums by (block, arm)."""
    counted, summed = (np.pad(kept, [(1, 0), (0, 0)]).cumsum(axis=0) for kept in (counts, sums))
    starts, ends = np.triu_indices(BLOCKS + 1, 1)
    inside, total = counted[ends] - counted[starts], summed[ends] - summed[starts]
    outside = counted[-1] - inside
    means = total / inside, (summed[-1] - total) / outside
    apart = (means[0] - means[1]) ** 2 / variances * inside * outside / counted[-1]
    apart = np.where(np.isfinite(apart), apart, -1.0)
    window, row = np.unravel_index(np.argmax(apart), apart.shape)
    first, second = (float(mean[window, row]) for mean in means)
    return Window(int(row), int(starts[window]), int(ends[window]), first, second, float(apart[window, row]))
