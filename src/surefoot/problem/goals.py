"""Goals: which number of an arm is to be large, or small."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from surefoot.errors import InvalidValue, nearest
from surefoot.problem.grammar import Quantity, read_goal
from surefoot.problem.metrics import REWARD, Metric

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution


@dataclass(frozen=True, slots=True)
class Goal:
    """A quantity to maximise or minimise: the mean of a metric.

    >>> from surefoot import Uniform
    >>> Goal("min", "reward").worth(Uniform(0.0, 1.0))
    -0.5
    """

    direction: str  # of `grammar.DIRECTIONS`
    metric: str = REWARD

    @property
    def quantity(self) -> Quantity:
        return Quantity("mean", self.metric)

    def __str__(self) -> str:
        return f"{self.direction} {self.quantity}"

    def worth(self, distribution: "Distribution") -> float:
        """The quantity of an arm with this distribution of the metric, so that more is better."""
        return distribution.mean if self.direction == "max" else -distribution.mean


def goal_of(given: Any, metrics: tuple[Metric, ...]) -> Goal:
    """The goal that is meant, of these metrics."""
    if isinstance(given, Goal):
        given = str(given)
    names = [metric.name for metric in metrics]
    read = read_goal("goal", given)
    if read.quantity is None:
        if len(names) > 1:
            first = f"{read.direction} mean({names[0]})"
            raise InvalidValue(f"goal must name one of the metrics, such as {first!r}, got {given!r}")
        return Goal(read.direction, names[0])
    if read.quantity.name != "mean" or read.weight:
        mean = f"{read.direction} {replace(read.quantity, name='mean', share=None, side='', threshold=None)}"
        raise InvalidValue(f"goal must be a mean for now, such as {mean!r}, got {given!r}")
    return Goal(read.direction, metric_of("goal", given, read.quantity, names))


def metric_of(what: str, given: Any, quantity: Quantity, names: list[str]) -> str:
    """Which metric an expression speaks of."""
    if quantity.metric in names:
        return quantity.metric
    known = ", ".join(map(repr, names))
    if quantity.metric:
        close = nearest(quantity.metric, names)
        raise InvalidValue(f"{what} {given!r} must be about one of the metrics {known}, got {quantity.metric!r}{close}")
    if len(names) > 1 and REWARD not in names:
        raise InvalidValue(f"{what} {given!r} must say which metric it is about: one of {known}")
    return names[0] if len(names) == 1 else REWARD
