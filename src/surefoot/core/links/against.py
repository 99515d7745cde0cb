"""Limits against the baseline, and the chain of all other limits: an arm is feasible if it keeps all of them.

A limit against the baseline depends on two arms. `core/baselines` looks at both and writes down here what they show; a
verdict, once there, stays. The baseline itself is exempt from these limits.
"""

import math
from typing import Annotated, Any, NamedTuple

from surefoot.core import verdicts
from surefoot.core.bounds.tight import BETS
from surefoot.core.error_budget import LimitShare
from surefoot.core.limits import BaselineLimit
from surefoot.core.links import one as rest
from surefoot.core.question import LimitQuestion
from surefoot.core.state import Results
from surefoot.core.statistics import Statistics

LIMITS = 1  # how many limits are against the baseline
REVISES = False  # what is certain of a list overrides verdicts: here there is none


class Stream(NamedTuple):
    """One limit against the baseline, and the number of each result that it is about."""

    metric: int  # which of a pull's results it is about
    # 0: the result itself; else 1 where the result is above (1) or below (-1) the threshold, and 0 elsewhere
    side: float
    threshold: float
    share: float  # of a quantile; 0: of a mean
    share_costs: tuple[float, ...]  # what each bet against coins of this share pays for a toss, in ln
    rest_costs: tuple[float, ...]  # and against those of the rest, 1 less the share
    mirrored: bool  # do the kernels see results mirrored?
    rounding: float  # what the way to the kernels' scale may move a quantile by
    sigma: float  # of a mean without a range: that of sub-Gaussian results, no number where they are normal
    sign: float  # 1 if the limit is the least that the quantity may be, -1 if it is the most
    factor: float  # of the baseline's quantity
    plus: float
    wide: float  # the same, wider by the slack
    tested: bool
    feasible_level: float  # ln(1 / the probability that the feasible test is ever wrong)
    infeasible_level: float


class Parameters(NamedTuple):
    rest: Any
    baseline: int
    streams: tuple[Stream, ...]


def evidence(limits: int, rest: type) -> type:
    """What is kept of an arm for so many limits, and what the other limits keep."""
    number = Annotated[list[float], limits]
    rows = {"rest": rest, "kept": number, "broken": number, "verdicts": number}
    counts = {"pulls": float, "other_pulls": float, "owed": float, "rest_verdict": int, "exempt": int}
    return type("Evidence", (), {"__annotations__": rows | counts})


def shown_evidence(rest: type) -> type:
    return type("ShownEvidence", (), {"__annotations__": {"rest": rest}})


Evidence: type = evidence(LIMITS, rest.Evidence)
ShownEvidence: type = shown_evidence(rest.ShownEvidence)


def stream(asked: LimitQuestion, share: LimitShare) -> Stream:
    limit: BaselineLimit = asked.limit
    return Stream(
        metric=asked.metric,
        side=limit.side,
        threshold=limit.threshold,
        share=limit.share,
        share_costs=costs(limit.share),
        rest_costs=costs(1.0 - limit.share),
        mirrored=limit.mirrored,
        rounding=limit.rounding,
        sigma=asked.sigma,
        sign=limit.sign,
        factor=limit.factor,
        plus=limit.plus,
        wide=limit.wide,
        tested=asked.tested,
        feasible_level=-math.log(share.feasible),
        infeasible_level=-math.log(share.infeasible),
    )


def costs(x: float) -> tuple[float, ...]:
    """What each bet against coins that show heads with a probability of at most x pays for a toss, in ln."""
    return tuple(math.log1p(bet * x) for bet in BETS)


def observe(own: Any, metric: Statistics, mean: Any, parameters: Parameters, results: Results, guessed: float) -> None:
    if own.rest_verdict == verdicts.OPEN:
        rest.observe(own.rest, metric, mean, parameters.rest, results, guessed)


def start_anew(own: Any, log_wealth: float) -> None:
    """What is compared with the baseline cannot: every arm has the same share of delta."""


def verdict(own: Any, metric: Statistics, mean: Any, parameters: Parameters, clock: float) -> int:
    if own.rest_verdict == verdicts.OPEN:
        own.rest_verdict = rest.verdict(own.rest, metric, mean, parameters.rest, clock)
    if own.exempt or own.rest_verdict == verdicts.INFEASIBLE:
        return own.rest_verdict  # type: ignore[no-any-return]
    kept = own.rest_verdict == verdicts.FEASIBLE
    for k in range(LIMITS):
        if own.verdicts[k] == verdicts.INFEASIBLE and parameters.streams[k].tested:
            return verdicts.INFEASIBLE
        kept = kept and (own.verdicts[k] == verdicts.FEASIBLE or not parameters.streams[k].tested)
    return verdicts.FEASIBLE if kept else verdicts.OPEN


def shares(own: Any, metric: Statistics, mean: Any, parameters: Parameters, clock: float) -> tuple[float, float]:
    """Kept and broken of the same limit, as `both` chooses it."""
    kept, broken = 1.0, 0.0
    if own.rest_verdict == verdicts.OPEN:
        kept, broken = rest.shares(own.rest, metric, mean, parameters.rest, clock)
    if own.exempt:
        return kept, broken
    for k in range(LIMITS):
        if own.verdicts[k] == verdicts.OPEN and parameters.streams[k].tested:
            other_kept, other_broken = shares_of(own, parameters, k)
            ahead, other_ahead = broken - kept, other_broken - other_kept
            if other_ahead > ahead if max(ahead, other_ahead) > 0.0 else other_kept < kept:
                kept, broken = other_kept, other_broken
    return kept, broken


def shares_of(own: Any, parameters: Parameters, k: int) -> tuple[float, float]:
    """Of one limit against the baseline: each side's log-wealth over its threshold, from 0 to 1."""
    kept = own.kept[k] / parameters.streams[k].feasible_level
    broken = own.broken[k] / parameters.streams[k].infeasible_level
    return min(max(kept, 0.0), 1.0), min(max(broken, 0.0), 1.0)


def shows(own: Any, metric: Statistics, mean: Any, parameters: Parameters, clock: float) -> tuple[bool, bool]:
    """Does what there is show, at the levels of these parameters, that every limit is kept, and that one is broken?"""
    kept, broken = own.rest_verdict == verdicts.FEASIBLE, own.rest_verdict == verdicts.INFEASIBLE
    if own.rest_verdict == verdicts.OPEN:
        kept, broken = rest.shows(own.rest, metric, mean, parameters.rest, clock)
    if own.exempt:
        return kept, broken
    for k in range(LIMITS):
        if not parameters.streams[k].tested:
            continue
        other_kept, other_broken = own.verdicts[k] == verdicts.FEASIBLE, own.verdicts[k] == verdicts.INFEASIBLE
        if own.verdicts[k] == verdicts.OPEN:
            share_kept, share_broken = shares_of(own, parameters, k)
            other_kept, other_broken = share_kept >= 1.0, share_broken >= 1.0
        kept, broken = kept and other_kept, broken or other_broken
    return kept, broken


def sample_breaks(own: Any, metric: Statistics, mean: Any, parameters: Parameters) -> bool:
    """Of the other limits: those against the baseline need to see two arms."""
    return own.rest_verdict == verdicts.OPEN and rest.sample_breaks(own.rest, metric, mean, parameters.rest)


def observe_for_display(
    shown: Any, metric: Statistics, parameters: Parameters, results: Results, guessed: float
) -> None:
    rest.observe_for_display(shown.rest, metric, parameters.rest, results, guessed)
