"""Running statistics of an arm's rewards."""

from typing import Protocol


class Statistics(Protocol):
    pulls: float  # n
    total: float  # sum of rewards: exact for 0/1 rewards, so that equal counts tie exactly
    excess: float  # what rounding has put into the total, to be taken off with the next reward (Kahan)
    mean: float  # total / n
    spread: float  # sum of (X - mean)^2
    surprise: float  # V: sum of (X - guess)^2, each guess made before its X was seen


def guess(metric: Statistics) -> float:
    """The reward expected next, from earlier rewards only (m in docs/bounds.md)."""
    return (0.5 + metric.total) / (metric.pulls + 1.0)


def observe(metric: Statistics, reward: float, guessed: float) -> None:
    """Fold one reward in; `guessed` is what `guess` said before it."""
    pulls = metric.pulls + 1.0
    added = reward - metric.excess
    total = metric.total + added
    mean = total / pulls
    metric.excess = (total - metric.total) - added
    metric.spread += max(
        (reward - metric.mean) * (reward - mean), 0.0
    )  # Welford; rounding may give the factors two signs
    metric.surprise += (reward - guessed) * (reward - guessed)
    metric.pulls = pulls
    metric.total = total
    metric.mean = mean


def rounding_error(metric: Statistics) -> float:
    """More than rounding moves the mean, or a bound near it; only where means can be large it is not lost in the radius."""
    return 2.0**-50 * abs(metric.mean)


def variance(metric: Statistics) -> float:
    """The unbiased sample variance, [HTZ] (6)."""
    return metric.spread / (metric.pulls - 1.0)
