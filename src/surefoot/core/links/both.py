"""Two links are one: of one limit, and of the rest. An arm is feasible if it is for both, and infeasible if it is for one of
them (docs/several-limits.md).

Each is asked as long as it is open, and what it said stays: then it costs nothing more. Tests that know what is certain are
asked on, after FEASIBLE.
"""

from typing import Any, NamedTuple, Protocol

from surefoot.core import verdicts
from surefoot.core.links import one as first
from surefoot.core.links import one as rest
from surefoot.core.state import Results
from surefoot.core.statistics import Statistics

REVISES: bool = first.REVISES or rest.REVISES


class Parameters(NamedTuple):
    first: Any
    rest: Any


class Evidence(Protocol):
    """With the evidence of both before it."""

    first_verdict: int
    rest_verdict: int


class ShownEvidence(Protocol):
    """That of both."""


def observe(own: Any, metric: Statistics, mean: Any, parameters: Parameters, results: Results, guessed: float) -> None:
    if verdicts.is_asked(own.first_verdict, first.REVISES):
        first.observe(own.first, metric, mean, parameters.first, results, guessed)
    if verdicts.is_asked(own.rest_verdict, rest.REVISES):
        rest.observe(own.rest, metric, mean, parameters.rest, results, guessed)


def start_anew(own: Any, log_wealth: float) -> None:
    first.start_anew(own.first, log_wealth)
    rest.start_anew(own.rest, log_wealth)


def verdict(own: Any, metric: Statistics, mean: Any, parameters: Parameters, clock: float) -> int:
    if verdicts.is_asked(own.first_verdict, first.REVISES):
        own.first_verdict = first.verdict(own.first, metric, mean, parameters.first, clock)
    if verdicts.is_asked(own.rest_verdict, rest.REVISES):
        own.rest_verdict = rest.verdict(own.rest, metric, mean, parameters.rest, clock)
    if own.first_verdict == verdicts.INFEASIBLE or own.rest_verdict == verdicts.INFEASIBLE:
        return verdicts.INFEASIBLE
    if own.first_verdict == verdicts.FEASIBLE and own.rest_verdict == verdicts.FEASIBLE:
        return verdicts.FEASIBLE
    return verdicts.OPEN


def shares(own: Any, metric: Statistics, mean: Any, parameters: Parameters, clock: float) -> tuple[float, float]:
    """Kept and broken *of the same limit*: of the one that most looks broken, or else of the one least known to be kept.

    The least share kept beside the largest share broken would make a good arm look infeasible by noise, with many limits.
    """
    kept, broken = 1.0, 0.0
    if own.first_verdict == verdicts.OPEN:
        kept, broken = first.shares(own.first, metric, mean, parameters.first, clock)
    if own.rest_verdict == verdicts.OPEN:
        other_kept, other_broken = rest.shares(own.rest, metric, mean, parameters.rest, clock)
        ahead, other_ahead = broken - kept, other_broken - other_kept
        if other_ahead > ahead if max(ahead, other_ahead) > 0.0 else other_kept < kept:
            return other_kept, other_broken
    return kept, broken


def shows(own: Any, metric: Statistics, mean: Any, parameters: Parameters, clock: float) -> tuple[bool, bool]:
    """Does what there is show, at the levels of these parameters, that every limit is kept, and that one is broken?"""
    kept, broken = own.first_verdict == verdicts.FEASIBLE, own.first_verdict == verdicts.INFEASIBLE
    if own.first_verdict == verdicts.OPEN:
        kept, broken = first.shows(own.first, metric, mean, parameters.first, clock)
    other_kept, other_broken = own.rest_verdict == verdicts.FEASIBLE, own.rest_verdict == verdicts.INFEASIBLE
    if own.rest_verdict == verdicts.OPEN:
        other_kept, other_broken = rest.shows(own.rest, metric, mean, parameters.rest, clock)
    return kept and other_kept, broken or other_broken


def sample_breaks(own: Any, metric: Statistics, mean: Any, parameters: Parameters) -> bool:
    """Are the results so far beyond a limit that is open, taken as they are?"""
    if own.first_verdict == verdicts.OPEN and first.sample_breaks(own.first, metric, mean, parameters.first):
        return True
    return own.rest_verdict == verdicts.OPEN and rest.sample_breaks(own.rest, metric, mean, parameters.rest)


def observe_for_display(
    shown: Any, metric: Statistics, parameters: Parameters, results: Results, guessed: float
) -> None:
    first.observe_for_display(shown.first, metric, parameters.first, results, guessed)
    rest.observe_for_display(shown.rest, metric, parameters.rest, results, guessed)
