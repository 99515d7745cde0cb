"""A coin: 1 or 0."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surefoot.errors import number
from surefoot.problem.distributions.distribution import (
    ArmDraws,
    Atoms,
    Distribution,
    Inward,
    Row,
    Sampler,
    Tables,
    single,
)


@dataclass(frozen=True, slots=True)
class Bernoulli(Distribution):
    """1 with probability p, else 0."""

    p: float
    key: ClassVar[str] = "bernoulli"
    form: ClassVar[str] = "a probability"
    guessed: ClassVar[bool] = True
    support: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", number("bernoulli", self.p, at_least=0, at_most=1))

    @property
    def mean(self) -> float:
        return self.p

    @property
    def variance(self) -> float:
        return self.p * (1.0 - self.p)

    def below(self, x: float) -> float:
        return 0.0 if x <= 0.0 else 1.0 - self.p if x <= 1.0 else 1.0

    def above(self, x: float) -> float:
        return 1.0 if x < 0.0 else self.p if x < 1.0 else 0.0

    def quantile(self, share: float) -> float:
        return 1.0 if 1.0 - self.p <= share else 0.0

    def shortfall(self, x: float) -> float:
        return (1.0 - self.p) * max(x, 0.0) + self.p * max(x - 1.0, 0.0)

    @classmethod
    def read(cls, value: Any) -> "Bernoulli":
        return cls(single("bernoulli", value))

    def plain(self) -> float:
        return self.p

    def sampler(self) -> Sampler:
        p = self.p
        return lambda generator: float(generator.random() < p)

    def row(self, inward: Inward) -> Row:
        return Row(first=self.p, second=inward(1.0))

    def rule(self) -> Atoms:
        return Atoms((0.0, 1.0), (1.0 - self.p, self.p))


def draw(arm: ArmDraws, tables: Tables, generator: np.random.Generator) -> float:
    """The offset is the reward 0, and `second` the reward 1."""
    return arm.second if generator.random() < arm.first else arm.offset
