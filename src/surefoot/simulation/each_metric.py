"""A link of the chain of metrics (`several_metrics`): one of them, then the rest."""

import numpy as np

from surefoot.simulation import draws as tables
from surefoot.simulation import last_metric as rest
from surefoot.simulation.draws import Draws

METRIC = 0


def draw(draws: tuple[Draws, ...], index: int, row: int, generator: np.random.Generator) -> tuple[float, ...]:
    value = tables.draw_or_take(draws[METRIC], index, row, generator)
    return (value,) + rest.draw(draws, index, row, generator)  # noqa: RUF005 - the compiler knows sums of tuples
