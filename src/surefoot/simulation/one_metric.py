"""The results of simulated pulls where there is one metric, or only the goal's matters."""

import numpy as np

from surefoot.simulation import draws as tables
from surefoot.simulation.draws import Draws


def draw(draws: Draws, index: int, place: int, generator: np.random.Generator) -> tuple[float, ...]:
    """What one pull of an arm returns."""
    return (tables.draw(draws, index, generator),)
