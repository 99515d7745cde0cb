"""A link of the chain of metrics (`several_metrics`): the last one."""

import numpy as np

from surefoot.simulation import draws as tables
from surefoot.simulation.draws import Draws

METRIC = 0


def draw(draws: tuple[Draws, ...], index: int, row: int, generator: np.random.Generator) -> tuple[float, ...]:
    return (tables.draw_or_take(draws[METRIC], index, row, generator),)
