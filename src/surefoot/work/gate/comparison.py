"""One comparison of the candidate with the baseline: the evidence that it is kept, and that it is broken."""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from surefoot.core.bounds.tight import lower_end
from surefoot.errors import InvalidValue
from surefoot.problem.limits import Limit
from surefoot.problem.metrics import Metric
from surefoot.problem.reward_models import Bounded
from surefoot.problem.risks.against import AgainstBaseline
from surefoot.work.gate.margin import Margin
from surefoot.work.gate.streams import MeanReading, Reading, Requirement, SignReading, Stream, sign_log_evidence

FAILS_MORE = "fails more often than the baseline"
Read = Callable[[Mapping[str, float] | None], float]  # from a result, None if the pull failed, to what is compared


class Difference(NamedTuple):
    """Candidate less baseline, and between what it lies."""

    value: float
    lower: float
    upper: float


class Comparison:
    """Two streams of evidence, which are the same without a slack: that the candidate keeps what `to_pass` says, and that it
    breaks what `to_fail` says.
    """

    def __init__(self, name: str, read: Read, to_pass: Reading, to_fail: Reading) -> None:
        self.name, self.read = name, read
        self.wide, self.strict = Stream(to_pass), Stream(to_fail)

    def add(self, baseline: Mapping[str, float] | None, candidate: Mapping[str, float] | None) -> None:
        pair = self.read(baseline), self.read(candidate)
        for stream in (self.wide, self.strict):
            stream.add(*pair)

    @property
    def kept(self) -> float:
        """ln of the evidence that it is kept, up to the slack."""
        return self.wide.above

    @property
    def broken(self) -> float:
        return self.strict.below


class Shown(Protocol):
    """Keeps what is shown of the difference."""

    def add(self, baseline: float, candidate: float) -> None: ...
    def difference(self, kept_level: float, broken_level: float) -> Difference:
        """At levels that are ln(1 / the probability of an error)."""


class SignsShown:
    """The median of the rounds' differences; its ends are the margins at which the same rounds would pass and fail."""

    def __init__(self, margin: Margin) -> None:
        self.margin, self.differences, self.both_failed = margin, list[float](), 0

    def add(self, baseline: float, candidate: float) -> None:
        if math.isinf(baseline) and math.isinf(candidate):
            self.both_failed += 1
        elif math.isinf(baseline) or math.isinf(candidate):
            self.differences.append(self.margin.sign * (math.inf if math.isinf(baseline) else -math.inf))
        else:
            self.differences.append(self.margin.difference(baseline, candidate))

    def difference(self, kept_level: float, broken_level: float) -> Difference:
        rounds = len(self.differences)
        if not rounds:
            return Difference(math.nan, -math.inf, math.inf)
        worse = sorted(-self.margin.sign * difference for difference in self.differences)
        middle = worse[(rounds - 1) // 2], worse[rounds // 2]
        value = middle[0] if middle[0] == middle[1] else sum(middle) / 2.0
        # So many rounds on one side settle it, whichever rounds they are.
        above, below = self.enough(kept_level), self.enough(broken_level)
        upper = worse[above - 1] if above is not None else math.inf
        lower = worse[rounds - below] if below is not None else -math.inf
        return turned(Difference(value, lower, upper), -self.margin.sign)

    def enough(self, level: float) -> int | None:
        """In how many rounds, at least, one side must be ahead; None if all would not do."""
        rounds = len(self.differences)
        counts = range(rounds // 2, rounds + 1)  # the evidence grows with the count
        place = bisect_left(counts, level, key=lambda count: sign_log_evidence(count, rounds - count, self.both_failed))
        return counts[place] if place < len(counts) else None


class MeansShown:
    """The difference of the means over the rounds."""

    def __init__(self, margin: Margin, low: float, high: float) -> None:
        self.sign, self.width = margin.sign, high - low
        self.stream, self.total = Stream(MeanReading(Requirement(self.sign, 1.0, 0.0), low, high)), 0.0

    def add(self, baseline: float, candidate: float) -> None:
        self.total += self.sign * (candidate - baseline)
        self.stream.add(baseline, candidate)

    def difference(self, kept_level: float, broken_level: float) -> Difference:
        rounds = self.stream.rounds
        if not rounds:
            return Difference(math.nan, -self.width, self.width)
        gain = self.total / rounds
        place = (gain / self.width + 1.0) / 2.0
        low = max(lower_end(self.stream.rises, rounds, kept_level, 0.0, place), 0.0)
        room = max(lower_end(self.stream.falls, rounds, broken_level, 0.0, 1.0 - place), 0.0)
        ends = (2.0 * low - 1.0) * self.width, (1.0 - 2.0 * room) * self.width
        return turned(Difference(gain, min(ends[0], gain), max(ends[1], gain)), self.sign)


def turned(difference: Difference, sign: float) -> Difference:
    """A gain as candidate less baseline: the other way round where less is better."""
    if sign > 0.0:
        return difference
    return Difference(-difference.value, -difference.upper, -difference.lower)


def by_signs(metric: Metric, margin: Margin) -> Comparison:
    """In more than half of the rounds, on average, is the candidate within the margin? A failed pull is the worst."""

    def read(result: Mapping[str, float] | None) -> float:
        return math.inf if result is None else result[metric.name]

    name = f"{metric.name} round by round"
    return Comparison(name, read, SignReading(margin.to_pass), SignReading(margin.to_fail))


def by_means(metric: Metric, margin: Margin) -> Comparison:
    """Is the candidate within the margin on average? A failed pull counts as the worst end of the range."""
    low, high = ends(metric)
    if margin.part and low < 0.0:
        raise InvalidValue(f"a margin in percent needs a range of at least 0, got {metric.name} from {low:g} on")
    if not margin.part and margin.value + margin.slack >= high - low:
        raise InvalidValue(
            f"margin and slack must be below {high - low:g} together, the width of the range, got "
            f"{margin.value + margin.slack:g}: otherwise every candidate would pass"
        )
    worst = low if margin.sign > 0.0 else high

    def read(result: Mapping[str, float] | None) -> float:
        return worst if result is None else metric.clipped(result[metric.name])

    to_pass, to_fail = (MeanReading(needed, low, high) for needed in (margin.to_pass, margin.to_fail))
    return Comparison(f"mean({metric.name})", read, to_pass, to_fail)


def by_failures() -> Comparison:
    """Does the candidate fail more often than the baseline? Rounds in which both fail, or none, say nothing."""

    def read(result: Mapping[str, float] | None) -> float:
        return float(result is None)

    reading = SignReading(Requirement(-1.0, 1.0, 0.0))
    return Comparison(FAILS_MORE, read, reading, reading)


def by_limit(limit: Limit, metric: Metric) -> Comparison:
    """A limit against the baseline, whose evidence is that of the rounds."""
    risk = limit.risk
    assert isinstance(risk, AgainstBaseline)
    if risk.quantity.share is not None:
        raise InvalidValue(
            f"limit {str(limit)!r} cannot be decided by a gate: in rounds, mean and probability can be limited against the "
            f"baseline"
        )
    sign, factor = (1.0 if risk.is_floor else -1.0), risk.to.factor
    low, high = ends(metric) if risk.of_mean else (0.0, 1.0)
    worst = low if risk.is_floor else high

    def read(result: Mapping[str, float] | None) -> float:
        if result is None:
            return worst
        value = metric.clipped(result[metric.name])
        if risk.of_mean:
            return value
        return float(value < risk.threshold if risk.quantity.side == "<" else value > risk.threshold)

    to_pass, to_fail = (
        MeanReading(Requirement(sign, factor, plus), low, high) for plus in (risk.widened(limit.slack), risk.bound)
    )
    return Comparison(str(limit), read, to_pass, to_fail)


def ends(metric: Metric) -> tuple[float, float]:
    """The range of a metric."""
    if not isinstance(metric.model, Bounded):
        raise InvalidValue(
            f"means of {metric.name} cannot be compared, as it has no range: compare its signs, or give it a range"
        )
    return metric.model.low, metric.model.high
