"""One limit, and its test."""

from typing import Any

from surefoot.core.limit_tests import none as test
from surefoot.core.state import Results
from surefoot.core.statistics import Statistics

Evidence: type = test.Evidence
ShownEvidence: type = test.ShownEvidence
REVISES: bool = test.REVISES


def observe(own: Any, metric: Statistics, mean: Any, parameters: Any, results: Results, guessed: float) -> None:
    test.observe(own, metric, mean, parameters, results[0], guessed)


def start_anew(own: Any, log_wealth: float) -> None:
    test.start_anew(own, log_wealth)


def verdict(own: Any, metric: Statistics, mean: Any, parameters: Any, clock: float) -> int:
    return test.verdict(own, metric, mean, parameters, clock)


def shares(own: Any, metric: Statistics, mean: Any, parameters: Any, clock: float) -> tuple[float, float]:
    return test.shares(own, metric, mean, parameters, clock)


def shows(own: Any, metric: Statistics, mean: Any, parameters: Any, clock: float) -> tuple[bool, bool]:
    kept, broken = test.shares(own, metric, mean, parameters, clock)
    return kept >= 1.0, broken >= 1.0


def sample_breaks(own: Any, metric: Statistics, mean: Any, parameters: Any) -> bool:
    return test.sample_breaks(own, metric, mean, parameters)


def observe_for_display(shown: Any, metric: Statistics, parameters: Any, results: Results, guessed: float) -> None:
    test.observe_for_display(shown, metric, parameters, results[0], guessed)
