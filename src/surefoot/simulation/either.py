"""A link of the chain of samplers (`draws`): that of one distribution, or else the rest."""

from typing import Any

import numpy as np

from surefoot.problem.distributions import uniform as rest
from surefoot.problem.distributions import uniform as sampler
from surefoot.problem.distributions.distribution import Tables

KIND = 0


def draw(arm: Any, tables: Tables, generator: np.random.Generator) -> float:
    if arm.kind == KIND:
        return sampler.draw(arm, tables, generator)
    return rest.draw(arm, tables, generator)
