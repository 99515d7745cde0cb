"""What every risk limit is: a number of a distribution, and how large or small it may be."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from surefoot.errors import InvalidValue, number
from surefoot.problem.grammar import Quantity, written

if TYPE_CHECKING:
    from surefoot.problem.distributions import Distribution
    from surefoot.problem.reward_models import RewardModel, Scale


class Risk(ABC):
    """A risk and its limit. `str` of it is the expression that `parse` reads."""

    __slots__ = ()
    test: ClassVar[str]  # the kind of limit test that decides it
    forms: ClassVar["Forms"]  # as people write it
    of_variance: ClassVar[bool] = False  # is the variance all that is limited, if anything is?
    is_reward: ClassVar[bool] = False  # is the risk a reward itself, and so within the range of rewards?

    @property
    @abstractmethod
    def name(self) -> str:
        """The number that is limited, as people call it."""

    @property
    @abstractmethod
    def quantity(self) -> Quantity:
        """The same as an expression has it, of the only metric."""

    @property
    @abstractmethod
    def bound(self) -> float:
        """The limit."""

    @property
    def is_floor(self) -> bool:
        """Is the limit the least that is allowed? Else it is the most."""
        return False

    @abstractmethod
    def limit(self, scale: "Scale", slack: float) -> Any:
        """The limit in the kernels' numbers: the record that the limit test reads."""

    def cuts(self, scale: "Scale", slack: float) -> tuple["Cut", ...]:
        """Where rounding must not take a value across, on the way to the kernels' scale."""
        return ()

    @abstractmethod
    def outward(self, value: float, scale: "Scale") -> float:
        """What the kernels call the risk, on the reward's own scale."""

    @abstractmethod
    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        """Could an arm with such rewards be infeasible?"""

    def span(self, rewards: "RewardModel") -> float:
        """How far apart the risks of two arms can be."""
        low, high = reach(rewards)
        return high - low

    @abstractmethod
    def value(self, distribution: "Distribution") -> float:
        """The risk of a distribution."""

    def check(self, rewards: "RewardModel") -> None:  # noqa: B027
        """Refuse a limit that cannot be one for such rewards."""

    def widened(self, slack: float) -> float:
        """The limit, wider by the slack."""
        return self.bound - slack if self.is_floor else self.bound + slack

    def allows(self, distribution: "Distribution", slack: float = 0.0) -> bool:
        value = self.value(distribution)
        return value >= self.widened(slack) if self.is_floor else value <= self.widened(slack)

    @property
    def shown_bound(self) -> str:
        """The limit, as people write it."""
        return written(self.bound)

    def __str__(self) -> str:
        return f"{self.name} {'>=' if self.is_floor else '<='} {self.shown_bound}"


class EitherWay(Risk):
    """A limit on a number of the reward's own scale, which may be the least or the most that is allowed."""

    __slots__ = ()
    at_least: float | None
    at_most: float | None
    is_reward: ClassVar[bool] = True

    def settle(self, what: str) -> None:
        """Check that there is one limit, and that it is a number."""
        if (self.at_least is None) == (self.at_most is None):
            raise InvalidValue(f"a {what} must have one limit, at_least or at_most, got both or none")
        side = "at_least" if self.is_floor else "at_most"
        object.__setattr__(self, side, number(f"the limit of the {what}", self.bound))

    @property
    def is_floor(self) -> bool:
        return self.at_least is not None

    @property
    def bound(self) -> float:
        return self.at_least if self.at_least is not None else self.at_most  # type: ignore[return-value]

    def outward(self, value: float, scale: "Scale") -> float:
        return scale.outward(value)

    def can_fail(self, rewards: "RewardModel", slack: float) -> bool:
        low, high = reach(rewards)
        return self.widened(slack) > low if self.is_floor else self.widened(slack) < high


class Cut(NamedTuple):
    """A threshold: a value is beyond its place on the kernels' scale if it is beyond it on its own."""

    tail: float  # which values are beyond it: BELOW or ABOVE
    threshold: float
    place: float


def mover(scale: "Scale", cuts: Sequence[Cut]) -> Callable[[float], float]:
    """What takes a value of a metric to the kernels' scale.

    Values and thresholds that are closer to each other than 2^-53 of the range may become the same number. Then the value
    is the next number instead.
    """
    if not cuts:
        return scale.inward

    def inward(value: float) -> float:
        moved = scale.inward(value)
        for tail, threshold, place in cuts:
            sign = tail if scale.width > 0.0 else -tail
            beyond = tail * (value - threshold) > 0.0
            if beyond != (sign * (moved - place) > 0.0):
                moved = math.nextafter(place, sign * math.inf) if beyond else place
        return moved

    return inward


class Range(NamedTuple):
    """Between what rewards lie."""

    low: float
    high: float


def within_reach(what: str, value: float, rewards: "RewardModel") -> None:
    """Refuse a reward that no reward can be."""
    low, high = reach(rewards)
    if not low <= value <= high:
        raise InvalidValue(
            f"{what} must be in the range of {rewards.called}, [{low:g}, {high:g}], got {written(value)}"
        )


def reach(rewards: "RewardModel") -> Range:
    """Between what rewards lie, as far as it is known."""
    return Range(rewards.low, rewards.high)


# From expressions, with a capital letter for each number, to what makes the risk of these numbers.
Forms: TypeAlias = dict[str, Callable[..., Risk]]
