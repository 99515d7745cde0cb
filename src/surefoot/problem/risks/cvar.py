"""Limits on how bad the worst rewards are on average."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from surefoot.core.limits import CvarLimit
from surefoot.errors import number
from surefoot.problem.grammar import Quantity, written
from surefoot.problem.risks.risk import Forms, Risk, reach, within_reach
from surefoot.problem.risks.tail import ABOVE, BELOW, seen, share_of

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_models import RewardModel, Scale


@dataclass(frozen=True, slots=True)
class Cvar(Risk):
    """The mean of the worst share of rewards, the worst being the smallest, must be at least so much.

    It is the largest value of c - E[max(c - reward, 0)] / share over all c.

    >>> str(Cvar(0.05, at_least=0.1))
    'cvar(0.05) >= 0.1'
    """

    share: float
    at_least: float
    test: ClassVar[str] = "cvar"
    is_reward: ClassVar[bool] = True
    forms: ClassVar[Forms] = {"cvar(A) >= C": lambda share, limit: Cvar(share, limit)}

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", share_of("the share of cvar", self.share))
        object.__setattr__(self, "at_least", number("the limit of cvar", self.at_least))

    @property
    def name(self) -> str:
        return f"cvar({written(self.share)})"

    @property
    def quantity(self) -> Quantity:
        return Quantity("cvar", share=self.share)

    @property
    def is_floor(self) -> bool:
        return True

    @property
    def bound(self) -> float:
        return self.at_least

    def check(self, rewards: "RewardModel") -> None:
        within_reach(f"the limit of {self.name}", self.bound, rewards)

    def limit(self, scale: "Scale", slack: float) -> CvarLimit:
        return cvar_limit(self, seen(ABOVE, scale), scale, slack)

    def outward(self, value: float, scale: "Scale") -> float:
        return scale.outward(value)

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        return self.widened(slack) > reach(rewards).low

    def value(self, distribution: "Distribution") -> float:
        quantile = distribution.quantile(self.share)
        return max(quantile - distribution.shortfall(quantile) / self.share, ends(distribution)[0])


@dataclass(frozen=True, slots=True)
class CvarUpper(Risk):
    """The mean of the worst share of rewards, the worst being the largest, must be at most so much.

    It is the smallest value of c + E[max(reward - c, 0)] / share over all c.

    >>> str(CvarUpper(0.05, at_most=0.9))
    'cvar_upper(0.05) <= 0.9'
    """

    share: float
    at_most: float
    test: ClassVar[str] = "cvar"
    is_reward: ClassVar[bool] = True
    forms: ClassVar[Forms] = {"cvar_upper(A) <= C": lambda share, limit: CvarUpper(share, limit)}

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", share_of("the share of cvar_upper", self.share))
        object.__setattr__(self, "at_most", number("the limit of cvar_upper", self.at_most))

    @property
    def name(self) -> str:
        return f"cvar_upper({written(self.share)})"

    @property
    def quantity(self) -> Quantity:
        return Quantity("cvar_upper", share=self.share)

    @property
    def bound(self) -> float:
        return self.at_most

    def check(self, rewards: "RewardModel") -> None:
        within_reach(f"the limit of {self.name}", self.bound, rewards)

    def limit(self, scale: "Scale", slack: float) -> CvarLimit:
        return cvar_limit(self, seen(BELOW, scale), scale, slack)

    def outward(self, value: float, scale: "Scale") -> float:
        return scale.outward(value)

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        return self.widened(slack) < reach(rewards).high

    def value(self, distribution: "Distribution") -> float:
        quantile = distribution.quantile(1.0 - self.share)
        beyond = distribution.mean - quantile + distribution.shortfall(quantile)
        return min(quantile + beyond / self.share, ends(distribution)[1])


def ends(distribution: "Distribution") -> tuple[float, float]:
    """Between what rewards lie: rounding may take their means a little further."""
    return distribution.support or (0.0, 1.0)


def cvar_limit(risk: Cvar | CvarUpper, sign: float, scale: "Scale", slack: float) -> CvarLimit:
    value, wide = scale.inward(risk.bound), scale.inward(risk.widened(slack))
    if sign < 0.0:
        value, wide = 1.0 - value, 1.0 - wide
    return CvarLimit(sign, risk.share, value, wide)
