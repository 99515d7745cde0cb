"""Goals: which number of an arm is to be large, or small."""

from dataclasses import dataclass

from surefoot.problem.distributions import Distribution
from surefoot.problem.metrics import REWARD

GOALS = ("max", "min")


@dataclass(frozen=True, slots=True)
class Mean:
    """A quantity: a number that belongs to an arm. The mean of a metric is the only one that a goal can have."""

    metric: str = REWARD

    def value(self, distribution: Distribution) -> float:
        return distribution.mean


@dataclass(frozen=True, slots=True)
class Goal:
    """A quantity to maximise or minimise.

    >>> from surefoot import Uniform
    >>> Goal("min", Mean()).worth(Uniform(0.0, 1.0))
    -0.5
    """

    direction: str  # of GOALS
    quantity: Mean

    def worth(self, distribution: Distribution) -> float:
        """The quantity of an arm with this distribution, so that more is better."""
        value = self.quantity.value(distribution)
        return value if self.direction == "max" else -value
