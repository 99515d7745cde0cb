"""Limits on another metric than the goal's: with statistics, a bound of the mean and links of their own.

They see that metric alone (docs/several-limits.md). As other links do, they end with their verdict; what people see of the
metric is kept apart, and goes on.
"""

import math
from typing import Any, NamedTuple, Protocol

from surefoot.core import statistics
from surefoot.core.links import no_mean as bound
from surefoot.core.links import one as limits
from surefoot.core.state import Results
from surefoot.core.statistics import Statistics

METRIC = 1  # which of a pull's results it is
REVISES: bool = limits.REVISES


class Parameters(NamedTuple):
    mean: Any
    limits: Any


class Evidence(Protocol):
    """That of the metric, of the bound of its mean, and of the limits."""


class ShownEvidence(Protocol):
    """The same, for people."""


def observe(own: Any, metric: Statistics, mean: Any, parameters: Parameters, results: Results, guessed: float) -> None:
    value, expected = results[METRIC], statistics.guess(own.metric)
    gather(own, parameters, value, expected)
    limits.observe(own.limits, own.metric, own.mean, parameters.limits, (value,), expected)


def gather(own: Any, parameters: Parameters, value: float, expected: float) -> None:
    """Fold one result into the statistics and the bound of the mean, of which the largest L and the smallest U stay."""
    statistics.observe(own.metric, value, expected)
    if own.metric.pulls == 1.0:
        own.mean.lower, own.mean.upper = -math.inf, math.inf
    bound.observe(own.mean, own.metric, parameters.mean, value)
    lower, upper = bound.interval(own.mean, own.metric, parameters.mean, 1.0)
    own.mean.lower, own.mean.upper = max(own.mean.lower, lower), min(own.mean.upper, upper)


def start_anew(own: Any, log_wealth: float) -> None:
    limits.start_anew(own.limits, log_wealth)


def verdict(own: Any, metric: Statistics, mean: Any, parameters: Parameters, clock: float) -> int:
    return limits.verdict(own.limits, own.metric, own.mean, parameters.limits, clock)


def shares(own: Any, metric: Statistics, mean: Any, parameters: Parameters, clock: float) -> tuple[float, float]:
    return limits.shares(own.limits, own.metric, own.mean, parameters.limits, clock)


def shows(own: Any, metric: Statistics, mean: Any, parameters: Parameters, clock: float) -> tuple[bool, bool]:
    return limits.shows(own.limits, own.metric, own.mean, parameters.limits, clock)


def sample_breaks(own: Any, metric: Statistics, mean: Any, parameters: Parameters) -> bool:
    return limits.sample_breaks(own.limits, own.metric, own.mean, parameters.limits)


def observe_for_display(
    shown: Any, metric: Statistics, parameters: Parameters, results: Results, guessed: float
) -> None:
    value, expected = results[METRIC], statistics.guess(shown.metric)
    limits.observe_for_display(shown.limits, shown.metric, parameters.limits, (value,), expected)
    gather(shown, parameters, value, expected)
