"""Limits: what an arm must keep to be feasible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from surefoot.errors import InvalidValue, nearest, number
from surefoot.problem.goals import metric_of
from surefoot.problem.metrics import REWARD, Metric
from surefoot.problem.reward_models import Unbounded
from surefoot.problem.risks import Risk
from surefoot.problem.risks.against import AgainstBaseline
from surefoot.problem.risks.expressions import read_risk

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution

WITHOUT_RANGE = ("quantile", "probability")  # the tests that need to know nothing of a metric


@dataclass(frozen=True, slots=True)
class Limit:
    """A quantity of a metric, what it may be at most or at least, and a slack: an arm that is this far beyond may count as
    feasible.

    >>> from surefoot import Quantile, Uniform, Variance
    >>> limit = Limit(Variance(at_most=0.08), slack=0.01)
    >>> limit.kept_by(Uniform(0.0, 1.0)), limit.nearly_kept_by(Uniform(0.0, 1.0))
    (False, True)
    >>> str(Limit(Quantile(0.95, at_most=2), metric="latency"))
    'quantile(0.95, latency) <= 2'
    """

    risk: Risk
    slack: float = 0.0
    metric: str = REWARD

    @property
    def is_short(self) -> bool:
        """Is it about the metric that needs no name?"""
        return self.metric == REWARD

    @property
    def name(self) -> str:
        """The quantity, as people call it."""
        return self.risk.name if self.is_short else str(replace(self.risk.quantity, metric=self.metric))

    @property
    def shown_name(self) -> str:
        """The number that is shown for it: of a limit against the baseline the difference to that."""
        return f"{self.name} less {self.risk.reference}" if isinstance(self.risk, AgainstBaseline) else self.name

    def __str__(self) -> str:
        if self.is_short:
            return str(self.risk)
        return f"{self.name} {'>=' if self.risk.is_floor else '<='} {self.risk.shown_bound}"

    @property
    def is_against_baseline(self) -> bool:
        return isinstance(self.risk, AgainstBaseline)

    def kept_by(self, distribution: "Distribution", baseline: "Distribution | None" = None) -> bool:
        """Is an arm with this distribution of the metric feasible, beside a baseline with that one?"""
        return self._keeps(distribution, baseline, 0.0)

    def nearly_kept_by(self, distribution: "Distribution", baseline: "Distribution | None" = None) -> bool:
        """Is it right to take it for feasible?"""
        return self._keeps(distribution, baseline, self.slack)

    def _keeps(self, distribution: "Distribution", baseline: "Distribution | None", slack: float) -> bool:
        if isinstance(self.risk, AgainstBaseline) and baseline is not None:
            return self.risk.keeps(distribution, baseline, slack)
        return self.risk.allows(distribution, slack)

    def check(self, metric: Metric) -> None:
        """Refuse a limit that cannot be one on this metric."""
        if isinstance(metric.model, Unbounded) and self.risk.test not in WITHOUT_RANGE and not self.is_against_baseline:
            raise InvalidValue(
                f"{self.name} cannot be limited, as {metric.name} has no range: quantiles and probabilities can be "
                f'limited, or give it a range, such as "{metric.name}" = [0, 10]'
            )
        self.risk.check(metric.model)

    def plain(self) -> Any:
        """As a problem file has it."""
        return {"limit": str(self), "slack": self.slack} if self.slack else str(self)


def limits_of(given: Any, metrics: tuple[Metric, ...]) -> tuple[Limit, ...]:
    """The limits that are meant, on these metrics: each an expression, a table of it and its slack, or a limit."""
    if isinstance(given, str | Risk | Limit | Mapping) or not isinstance(given, Sequence):
        raise InvalidValue(f'limits must be a list such as ["variance <= 0.04"], got {given!r}')
    found = tuple(limit_of(one, metrics) for one in given)
    for one in found:
        if sum(str(one) == str(other) for other in found) > 1:
            raise InvalidValue(f"each limit must be there once, got {str(one)!r} twice")
    return found


def limit_of(given: Any, metrics: tuple[Metric, ...]) -> Limit:
    slack: Any = 0.0
    if isinstance(given, Mapping):
        for key in given:
            if key not in ("limit", "slack"):
                close = nearest(key, ("limit", "slack"))
                raise InvalidValue(f"a limit has no field {key!r}; it has limit and slack{close}")
        if "limit" not in given:
            raise InvalidValue(f"a limit must be an expression, or have one as its limit, got {dict(given)!r}")
        given, slack = given["limit"], given.get("slack", 0.0)
    names = [metric.name for metric in metrics]
    if isinstance(given, Limit):
        given, slack, name = given.risk, given.slack, given.metric
        if name not in names:
            raise InvalidValue(f"limit {given} must be about one of the metrics {', '.join(names)}, got {name!r}")
    elif isinstance(given, Risk):
        if len(names) > 1:
            raise InvalidValue(
                f"limit {given!r} must say which metric it is about: write Limit({given!r}, metric={names[0]!r}), or text"
            )
        name = names[0]
    else:
        text = given
        given, quantity = read_risk("limit", text)
        name = metric_of("limit", text, quantity, names)
    limit = Limit(given, number(f"the slack of {given}", slack, at_least=0), name)
    limit.check(next(metric for metric in metrics if metric.name == name))
    return limit
