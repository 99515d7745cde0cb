"""What is known of every reward before the first one is seen; and the scale the kernels work on."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

from surefoot.errors import InvalidValue, nearest, number, result


class Scale(NamedTuple):
    """Kernels see (reward - origin) / width: in [0, 1] when there is a range, mirrored when the goal is "min"."""

    origin: float
    width: float

    def inward(self, reward: float) -> float:
        return (reward - self.origin) / self.width

    def outward(self, value: float) -> float:
        return self.origin + self.width * value


@dataclass(frozen=True, slots=True)
class Bounded:
    """Every reward lies in [low, high]."""

    low: float = 0.0
    high: float = 1.0
    kind: ClassVar[str] = "bounded"
    highest: ClassVar[float] = 1.0  # that a mean can be, on the kernels' scale
    sigma: ClassVar[float] = math.nan  # of sub-Gaussian tails

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", number("the lower end of rewards", self.low))
        object.__setattr__(self, "high", number("the upper end of rewards", self.high, above=self.low))
        number("the width of the range of rewards", self.high - self.low, at_least=1e-100)

    def __str__(self) -> str:
        return f"rewards in [{self.low:g}, {self.high:g}]"

    def checked(self, name: str, value: Any) -> float:
        """`value` as a reward."""
        return result(name, value, at_least=self.low, at_most=self.high)

    def scale(self, goal: str) -> Scale:
        width = self.high - self.low
        return Scale(self.low, width) if goal == "max" else Scale(self.high, -width)

    @property
    def largest_variance(self) -> float:
        """That a reward can have: half of them at each end."""
        return (self.high - self.low) ** 2 / 4.0

    def fields(self) -> dict[str, Any]:
        """As a problem file has it."""
        return {"rewards": [self.low, self.high]}


@dataclass(frozen=True, slots=True)
class SubGaussian:
    """No range, but sub-Gaussian tails with parameter sigma."""

    sigma: float
    kind: ClassVar[str] = "subgaussian"
    low: ClassVar[float] = -math.inf
    high: ClassVar[float] = math.inf
    highest: ClassVar[float] = math.inf

    def __post_init__(self) -> None:
        sigma = number("subgaussian", self.sigma, at_least=1e-20, at_most=1e60)  # its fourth power is a float too
        object.__setattr__(self, "sigma", sigma)

    def __str__(self) -> str:
        return f"{self.sigma:g}-sub-Gaussian rewards"

    def checked(self, name: str, value: Any) -> float:
        """`value` as a reward."""
        return result(name, value)

    @property
    def largest_variance(self) -> float:
        return self.sigma**2

    def fields(self) -> dict[str, Any]:
        """As a problem file has it."""
        return {"subgaussian": self.sigma}

    def scale(self, goal: str) -> Scale:
        return Scale(0.0, 1.0 if goal == "max" else -1.0)


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Normal rewards, mean and variance unknown."""

    kind: ClassVar[str] = "gaussian"
    low: ClassVar[float] = -math.inf
    high: ClassVar[float] = math.inf
    highest: ClassVar[float] = math.inf
    sigma: ClassVar[float] = math.nan

    def __str__(self) -> str:
        return "Gaussian rewards"

    def checked(self, name: str, value: Any) -> float:
        """`value` as a reward."""
        return result(name, value)

    @property
    def largest_variance(self) -> float:
        return math.inf

    def fields(self) -> dict[str, Any]:
        """As a problem file has it."""
        return {"rewards": "gaussian"}

    def scale(self, goal: str) -> Scale:
        return Scale(0.0, 1.0 if goal == "max" else -1.0)


RewardModel: TypeAlias = Bounded | SubGaussian | Gaussian


def reward_model(value: Any) -> RewardModel:
    """The model that `rewards=` of a problem means: a pair (low, high), "gaussian", or a model itself."""
    if isinstance(value, (Bounded, SubGaussian, Gaussian)):
        return value
    if isinstance(value, str) and value == "gaussian":
        return Gaussian()
    if getattr(value, "ndim", None) == 1:  # an array, or a column
        value = list(value)
    if isinstance(value, (list, tuple)) and len(value) == 2:
        return Bounded(*(number("each end of rewards", end) for end in value))
    raise InvalidValue(
        f'rewards must be a range [low, high] or "gaussian", got {value!r}{nearest(value, ("gaussian",))}'
    )
