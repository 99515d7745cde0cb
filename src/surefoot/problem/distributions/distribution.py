"""What every distribution of an arm's rewards is: plain data on the reward's own scale, that can be drawn from.

Beside the class, its file has the kernel `draw(arm, tables, generator)`, which a simulation compiles: a reward on the
kernels' scale, drawn with the numbers that the class puts into its `Row`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from surefoot.errors import InvalidValue, number
from surefoot.problem.metrics import Metric
from surefoot.problem.reward_models import Bounded, RewardModel

Inward: TypeAlias = Callable[[float], float]  # takes a reward to the kernels' scale
Sampler: TypeAlias = Callable[[np.random.Generator], float]


class Atoms(NamedTuple):
    """A distribution that takes these values and no others, each with the probability that is its weight."""

    values: Sequence[float]
    weights: Sequence[float]


class Points(NamedTuple):
    """For expectations under a distribution without atoms: the points of a quadrature, and their weights."""

    values: Sequence[float]
    weights: Sequence[float]


class BetaShape(NamedTuple):
    """For expectations: a beta distribution from low to high."""

    a: float
    b: float
    low: float
    high: float


class Row(NamedTuple):
    """What the kernel `draw` needs of an arm."""

    low: float = 0.0  # what a plain draw of 0 means on the reward's own scale
    high: float = 1.0  # and one of 1
    first: float = 0.0  # whatever the kernel takes them for
    second: float = 0.0
    third: float = 0.0
    fourth: float = 0.0
    values: Sequence[float] = ()  # on the kernels' scale
    weights: Sequence[float] = ()


class ArmDraws(Protocol):
    """A `Row` as the kernel sees it: a reward is offset + factor * (a plain draw)."""

    offset: float
    factor: float
    first: float
    second: float
    third: float
    fourth: float
    start: int  # of the arm's values in the tables
    stop: int


class Tables(Protocol):
    """The values of all arms, one arm after the other."""

    @property
    def values(self) -> NDArray[np.float64]: ...

    @property
    def cumulative(self) -> NDArray[np.float64]: ...


class Distribution(ABC):
    __slots__ = ()
    key: ClassVar[str]  # its name in a problem file
    form: ClassVar[str]  # what stands after the name there, in words
    guessed: ClassVar[bool] = False  # may its numbers be ranges of guesses, for `surefoot plan`?

    @property
    @abstractmethod
    def mean(self) -> float: ...

    @property
    @abstractmethod
    def variance(self) -> float: ...

    @property
    @abstractmethod
    def support(self) -> tuple[float, float] | None:
        """Between what rewards lie; None as long as that is not known."""

    @abstractmethod
    def below(self, x: float) -> float:
        """P(X < x)."""

    @abstractmethod
    def above(self, x: float) -> float:
        """P(X > x)."""

    @abstractmethod
    def quantile(self, share: float) -> float:
        """sup{x : P(X <= x) <= share}."""

    @abstractmethod
    def shortfall(self, x: float) -> float:
        """E[max(x - X, 0)]."""

    @classmethod
    @abstractmethod
    def read(cls, value: Any) -> Self:
        """From what stands after its name in a problem file; TypeError if that is not of its form."""

    @abstractmethod
    def plain(self) -> Any:
        """What `read` takes for it."""

    @abstractmethod
    def sampler(self) -> Sampler:
        """What draws a reward on its own scale."""

    @abstractmethod
    def row(self, inward: Inward) -> Row:
        """What the kernel `draw` needs. A value that a reward takes with a probability must go `inward`, as told rewards and
        thresholds do, so that it meets them.
        """

    def rule(self) -> Atoms | Points | BetaShape | None:
        """What stands for it in expectations; None if no range holds it, and only then."""
        return None

    def fitted_to(self, metrics: Sequence[Metric]) -> "Distribution":
        """The same under the only metric; refused if there are more."""
        if len(metrics) > 1:
            first = metrics[0].name
            raise InvalidValue(
                f"each of {len(metrics)} metrics must have a distribution of its own, such as "
                f"metrics.{first}.{self.key} = {self.form}, got one {self.key}"
            )
        return self.fitted(metrics[0].model)

    def fitted(self, rewards: RewardModel) -> "Distribution":
        """The same under these rewards; refused if it does not fit."""
        if not isinstance(rewards, Bounded):
            return self
        low, high = self.support or (0.0, 1.0)
        if low < rewards.low or high > rewards.high:
            raise InvalidValue(f"{self.key} must fit into {rewards}, got values from {low:g} to {high:g}")
        return self


def numbers(name: str, table: Any, *wanted: set[str]) -> dict[str, float]:
    """A table in a problem file that has exactly the wanted numbers."""
    if not isinstance(table, dict) or set(table) not in wanted:
        raise TypeError
    return {key: single(f"{key} of {name}", value) for key, value in table.items()}


def single(name: str, value: Any) -> float:
    if isinstance(value, list):
        raise InvalidValue(f"{name} must be a number, got {value!r}: only `surefoot plan` takes a range of guesses")
    return number(name, value)
