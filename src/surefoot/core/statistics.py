"""Running statistics of an arm's rewards."""

from typing import Protocol


class Statistics(Protocol):
    pulls: float  # n
    total: float  # sum of rewards: exact for 0/1 rewards, so that equal counts tie exactly
    mean: float  # total / n
    spread: float  # sum of (X - mean)^2
    surprise: float  # V: sum of (X - guess)^2, each guess made before its X was seen


def guess(arm: Statistics) -> float:
    """The reward expected next, from earlier rewards only (m in docs/bounds.md)."""
    return (0.5 + arm.total) / (arm.pulls + 1.0)


def observe(arm: Statistics, reward: float, guessed: float) -> None:
    """Fold one reward in; `guessed` is what `guess` said before it."""
    pulls = arm.pulls + 1.0
    total = arm.total + reward
    mean = total / pulls
    arm.spread += (reward - arm.mean) * (reward - mean)  # Welford
    arm.surprise += (reward - guessed) * (reward - guessed)
    arm.pulls = pulls
    arm.total = total
    arm.mean = mean


def variance(arm: Statistics) -> float:
    """The unbiased sample variance, [HTZ] (6)."""
    return arm.spread / (arm.pulls - 1.0)
