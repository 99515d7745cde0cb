"""Limits: what an arm must keep to be feasible."""

from dataclasses import dataclass

from surefoot.problem.distributions import Distribution
from surefoot.problem.metrics import REWARD
from surefoot.problem.risks import Risk


@dataclass(frozen=True, slots=True)
class Limit:
    """A risk with what it may be, and by how much an arm may miss that and still be taken for feasible.

    >>> from surefoot import Uniform, Variance
    >>> limit = Limit(Variance(at_most=0.08), slack=0.01)
    >>> limit.kept_by(Uniform(0.0, 1.0)), limit.nearly_kept_by(Uniform(0.0, 1.0))
    (False, True)
    """

    risk: Risk
    slack: float = 0.0
    metric: str = REWARD

    def kept_by(self, distribution: Distribution) -> bool:
        """Is an arm with this distribution feasible?"""
        return self.risk.allows(distribution)

    def nearly_kept_by(self, distribution: Distribution) -> bool:
        """Is it right to take it for feasible?"""
        return self.risk.allows(distribution, self.slack)
