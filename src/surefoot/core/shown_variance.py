"""The variance as people see it: an estimate and an interval, for information. The tests decide, and have no interval."""

import math
from typing import Protocol

from surefoot.core import statistics
from surefoot.core.bounds import sharp
from surefoot.core.question import Question
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

LARGEST = 0.25  # variance of any distribution on [0, 1]


class Shown(Protocol):
    wobble: float  # sum of (Z - the Z expected)^2
    guess_mean: float
    guess_spread: float  # sum of (guess - guess_mean)^2


def observe(shown: Shown, metric: Statistics, reward: float, guessed: float) -> None:
    """Fold one reward in, before the statistics do."""
    squared = (reward - guessed) * (reward - guessed)
    expected = min((LARGEST / 2.0 + metric.surprise) / (metric.pulls + 1.0), LARGEST)
    shown.wobble += (squared - expected) * (squared - expected)
    away = guessed - shown.guess_mean
    shown.guess_mean += away / (metric.pulls + 1.0)
    shown.guess_spread += away * (guessed - shown.guess_mean)  # Welford


def interval(shown: Shown, metric: Statistics, mean: Interval, question: Question) -> tuple[float, float]:
    """An anytime empirical-Bernstein interval for the variance, at level delta/N for each arm.

    Z has conditional mean variance + (mean - guess)^2. Above, that is an upper bound of the variance as it stands. Below,
    the mean of (mean - guess)^2 goes off, at most what it is at an end of the mean's interval; and as the Z expected never
    exceeds 1/4, Z falls short of it by at most that, which allows slopes four times as steep.
    """
    if metric.pulls < 1.0:
        return 0.0, LARGEST
    level = math.log(2.0 * question.arms / question.delta * len(sharp.SLOPES))
    slopes = range(len(sharp.SLOPES))
    middle = metric.surprise / metric.pulls
    above = min([sharp.deviation(shown.wobble, level, slope) for slope in slopes])
    below = min([sharp.deviation(16.0 * shown.wobble, level, slope) for slope in slopes]) / 4.0
    ends = (max(mean.lower, 0.0), min(mean.upper, 1.0))
    offset = max([(end - shown.guess_mean) ** 2 for end in ends]) + shown.guess_spread / metric.pulls
    return max(middle - below / metric.pulls - offset, 0.0), min(middle + above / metric.pulls, LARGEST)


def estimate(metric: Statistics) -> float:
    """The sample variance."""
    return statistics.variance(metric) if metric.pulls > 1.0 else 0.0
