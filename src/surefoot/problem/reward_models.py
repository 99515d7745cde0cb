"""What is known of every value of a metric before the first one is seen; and the scale the kernels work on."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, TypeAlias

from surefoot.errors import InvalidValue, nearest, number, result


class Scale(NamedTuple):
    """Kernels see (reward - origin) / width: in [0, 1] when there is a range, mirrored when the goal is "min"."""

    origin: float
    width: float
    has_ends: bool = False  # is there a range, which becomes [0, 1]?

    def inward(self, reward: float) -> float:
        return (reward - self.origin) / self.width

    def outward(self, value: float) -> float:
        return self.origin + self.width * value


REWARDS = "rewards"  # what the values of the only metric are called, where it has no name of its own


def called() -> Any:
    """What the values are called in sentences: no part of what is known of them."""
    return field(default=REWARDS, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Bounded:
    """Every reward lies in [low, high]."""

    low: float = 0.0
    high: float = 1.0
    called: str = called()
    kind: ClassVar[str] = "bounded"
    highest: ClassVar[float] = 1.0  # that a mean can be, on the kernels' scale
    sigma: ClassVar[float] = math.nan  # of sub-Gaussian tails

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", number(f"the lower end of {self.called}", self.low))
        object.__setattr__(self, "high", number(f"the upper end of {self.called}", self.high, above=self.low))
        number(f"the width of the range of {self.called}", self.high - self.low, at_least=1e-100)

    def __str__(self) -> str:
        return f"{self.called} in [{self.low:g}, {self.high:g}]"

    def checked(self, name: str, value: Any) -> float:
        """`value` as a reward."""
        return result(name, value, at_least=self.low, at_most=self.high)

    def scale(self, goal: str) -> Scale:
        width = self.high - self.low
        return Scale(self.low, width, True) if goal == "max" else Scale(self.high, -width, True)

    @property
    def largest_variance(self) -> float:
        """That a reward can have: half of them at each end."""
        return (self.high - self.low) ** 2 / 4.0

    def plain(self) -> Any:
        """As a problem file has it."""
        return [self.low, self.high]


@dataclass(frozen=True, slots=True)
class Binary(Bounded):
    """Every reward is 0 or 1."""

    low: float = field(default=0.0, init=False)
    high: float = field(default=1.0, init=False)

    def __str__(self) -> str:
        return f"{self.called} of 0 or 1"

    def checked(self, name: str, value: Any) -> float:
        """`value` as a reward."""
        if (found := result(name, value)) not in (0.0, 1.0):
            raise InvalidValue(f"{name} must be 0 or 1, got {found:g}")
        return found

    def plain(self) -> Any:
        """As a problem file has it."""
        return "binary"


class NoRange:
    """What models of values without a range have in common."""

    __slots__ = ()
    low: ClassVar[float] = -math.inf
    high: ClassVar[float] = math.inf
    highest: ClassVar[float] = math.inf

    def checked(self, name: str, value: Any) -> float:
        """`value` as a reward."""
        return result(name, value)

    def scale(self, goal: str) -> Scale:
        return Scale(0.0, 1.0 if goal == "max" else -1.0)


@dataclass(frozen=True, slots=True)
class SubGaussian(NoRange):
    """No range, but sub-Gaussian tails with parameter sigma."""

    sigma: float
    called: str = called()
    kind: ClassVar[str] = "subgaussian"

    def __post_init__(self) -> None:
        sigma = number("subgaussian", self.sigma, at_least=1e-20, at_most=1e60)  # its fourth power is a float too
        object.__setattr__(self, "sigma", sigma)

    def __str__(self) -> str:
        return f"{self.sigma:g}-sub-Gaussian {self.called}"

    @property
    def largest_variance(self) -> float:
        return self.sigma**2

    def plain(self) -> Any:
        """As a problem file has it."""
        return {"subgaussian": self.sigma}


@dataclass(frozen=True, slots=True)
class Gaussian(NoRange):
    """Normal rewards, mean and variance unknown."""

    called: str = called()
    kind: ClassVar[str] = "gaussian"
    sigma: ClassVar[float] = math.nan
    largest_variance: ClassVar[float] = math.inf

    def __str__(self) -> str:
        return f"Gaussian {self.called}"

    def plain(self) -> Any:
        """As a problem file has it."""
        return "gaussian"


@dataclass(frozen=True, slots=True)
class Unbounded(NoRange):
    """Any numbers: nothing is known of them."""

    called: str = called()
    kind: ClassVar[str] = "any"
    sigma: ClassVar[float] = math.nan
    largest_variance: ClassVar[float] = math.inf

    def __str__(self) -> str:
        return f"{self.called} without a range"

    def plain(self) -> Any:
        """As a problem file has it."""
        return "any"


RewardModel: TypeAlias = Bounded | SubGaussian | Gaussian | Unbounded
WORDS: dict[str, type[Binary | Gaussian | Unbounded]] = {"binary": Binary, "gaussian": Gaussian, "any": Unbounded}


def reward_model(value: Any, called: str = REWARDS) -> RewardModel:
    """The model that is meant: a pair (low, high), "binary", "gaussian", "any", `{ subgaussian = sigma }`, or a model."""
    if isinstance(value, (Bounded, SubGaussian, Gaussian, Unbounded)):
        return replace(value, called=called)
    if isinstance(value, str) and value in WORDS:
        return WORDS[value](called=called)
    if isinstance(value, Mapping) and set(value) == {"subgaussian"}:
        return SubGaussian(number(f"subgaussian of {called}", value["subgaussian"]), called=called)
    if getattr(value, "ndim", None) == 1:  # an array, or a column
        value = list(value)
    if isinstance(value, (list, tuple)) and len(value) == 2:
        low, high = (number(f"each end of {called}", end) for end in value)
        return Bounded(low, high, called=called)
    words = ", ".join(f'"{word}"' for word in WORDS)
    raise InvalidValue(f"{called} must be a range [low, high] or one of {words}, got {value!r}{nearest(value, WORDS)}")
