"""Means of normal and of sub-Gaussian results beside that of the baseline (docs/baseline.md, Proposition 3)."""

import math
from typing import Annotated, Any, Protocol

from surefoot.core import normal_evidence, statistics, transport
from surefoot.core.bounds.mixture import PRIOR
from surefoot.core.normal_evidence import NormalEvidence
from surefoot.core.statistics import Statistics

FEW = 3.0  # results, of which the deviation is not known
CALLED = ("above",)  # functions to compile once and not into each caller: they are large


class Normal(Protocol):
    metric: Statistics
    evidence: NormalEvidence


def fields(limits: int) -> dict[str, Any]:
    """What is kept of an arm for so many limits."""
    return {"normals": Annotated[list[Normal], limits]} if limits else {}


def observe(own: Any, value: float) -> None:
    statistics.observe(own.metric, value, statistics.guess(own.metric))
    normal_evidence.observe(own.evidence, own.metric)


def above(own: Any, other: Any, sigma: float, plus: float) -> float:
    """ln of the evidence that the mean of one arm is above that of the other, and `plus`. A sigma that is no number: both
    are normal with unknown variances.
    """
    rounding = statistics.rounding_error(own.metric) + statistics.rounding_error(other.metric)
    if not math.isnan(sigma):
        grown, other_grown = own.metric.pulls + PRIOR, other.metric.pulls + PRIOR
        gap = max(own.metric.mean - other.metric.mean - plus - rounding, 0.0) / sigma
        spread = grown / (own.metric.pulls * own.metric.pulls)
        spread += other_grown / (other.metric.pulls * other.metric.pulls)
        return 0.5 * (gap * gap / spread - math.log(grown / PRIOR) - math.log(other_grown / PRIOR))  # type: ignore[no-any-return]
    one, two = own.evidence, other.evidence
    if not (normal_evidence.known(one, own.metric) and normal_evidence.known(two, other.metric)):
        return -math.inf
    rounding *= max(own.metric.pulls / one.later, other.metric.pulls / two.later)
    return transport.against_rival(one, two, -plus - rounding, math.inf)


def deviation(own: Any, sigma: float) -> float:
    if not math.isnan(sigma):
        return sigma
    return math.sqrt(statistics.variance(own.metric)) if own.metric.pulls >= FEW else 1e300
