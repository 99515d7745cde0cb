"""One limit, and its test."""

from typing import Any

from surefoot.core.limit_tests import none as test
from surefoot.core.state import Results
from surefoot.core.statistics import Statistics

Evidence: type = test.Evidence
ShownEvidence: type = test.ShownEvidence
REVISES: bool = test.REVISES
start_anew = test.start_anew
verdict = test.verdict
shares = test.shares
sample_breaks = test.sample_breaks


def observe(own: Any, metric: Statistics, mean: Any, parameters: Any, results: Results, guessed: float) -> None:
    test.observe(own, metric, mean, parameters, results[0], guessed)


def shows(own: Any, metric: Statistics, mean: Any, parameters: Any, clock: float) -> tuple[bool, bool]:
    kept, broken = test.shares(own, metric, mean, parameters, clock)
    return kept >= 1.0, broken >= 1.0


def observe_for_display(shown: Any, metric: Statistics, parameters: Any, results: Results, guessed: float) -> None:
    test.observe_for_display(shown, metric, parameters, results[0], guessed)
