"""Surefoot finds the best option you can afford to risk."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from surefoot.client import ServedStudy, connect
    from surefoot.problem import Problem
    from surefoot.rewards.distributions import Bernoulli, Beta, Discrete, Normal, Uniform
    from surefoot.rewards.models import SubGaussian
    from surefoot.risk import Cvar, CvarUpper, Deviation, NoRisk, Probability, Quantile, Variance
    from surefoot.simulation import Instance, Sweep, simulate
    from surefoot.study import Decision, Failed, Pull, Study, find_best

_HOMES = {  # loaded when first used, so that importing surefoot costs nothing
    "Problem": "surefoot.problem",
    "Bernoulli": "surefoot.rewards.distributions",
    "Beta": "surefoot.rewards.distributions",
    "Discrete": "surefoot.rewards.distributions",
    "Normal": "surefoot.rewards.distributions",
    "Uniform": "surefoot.rewards.distributions",
    "SubGaussian": "surefoot.rewards.models",
    "Cvar": "surefoot.risk",
    "CvarUpper": "surefoot.risk",
    "Deviation": "surefoot.risk",
    "NoRisk": "surefoot.risk",
    "Probability": "surefoot.risk",
    "Quantile": "surefoot.risk",
    "Variance": "surefoot.risk",
    "Decision": "surefoot.study",
    "Failed": "surefoot.study",
    "Pull": "surefoot.study",
    "Study": "surefoot.study",
    "find_best": "surefoot.study",
    "Instance": "surefoot.simulation",
    "Sweep": "surefoot.simulation",
    "simulate": "surefoot.simulation",
    "ServedStudy": "surefoot.client",
    "connect": "surefoot.client",
}

__all__ = [
    "Bernoulli",
    "Beta",
    "Cvar",
    "CvarUpper",
    "Decision",
    "Deviation",
    "Discrete",
    "Failed",
    "Instance",
    "NoRisk",
    "Normal",
    "Probability",
    "Problem",
    "Pull",
    "Quantile",
    "ServedStudy",
    "Study",
    "SubGaussian",
    "Sweep",
    "Uniform",
    "Variance",
    "connect",
    "find_best",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'surefoot' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
