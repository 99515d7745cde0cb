"""Running statistics of an arm's rewards."""

from typing import Protocol


class Statistics(Protocol):
    pulls: float  # n
    total: float  # sum of rewards: exact for 0/1 rewards, so that equal counts tie exactly
    excess: float  # what rounding has put into the total, to be taken off with the next reward (Kahan)
    mean: float  # total / n
    spread: float  # sum of (X - mean)^2
    surprise: float  # V: sum of (X - guess)^2, each guess made before its X was seen


def guess(arm: Statistics) -> float:
    """The reward expected next, from earlier rewards only (m in docs/bounds.md)."""
    return (0.5 + arm.total) / (arm.pulls + 1.0)


def observe(arm: Statistics, reward: float, guessed: float) -> None:
    """Fold one reward in; `guessed` is what `guess` said before it."""
    pulls = arm.pulls + 1.0
    added = reward - arm.excess
    total = arm.total + added
    mean = total / pulls
    arm.excess = (total - arm.total) - added
    arm.spread += max((reward - arm.mean) * (reward - mean), 0.0)  # Welford; rounding may give the factors two signs
    arm.surprise += (reward - guessed) * (reward - guessed)
    arm.pulls = pulls
    arm.total = total
    arm.mean = mean


def blur(arm: Statistics) -> float:
    """More than rounding moves the mean, or a bound near it; only where means can be large it is not lost in the radius."""
    return 2.0**-50 * abs(arm.mean)


def variance(arm: Statistics) -> float:
    """The unbiased sample variance, [HTZ] (6)."""
    return arm.spread / (arm.pulls - 1.0)
