"""Surefoot finds the best option you can afford to risk."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from surefoot import errors as errors
    from surefoot import own as own
    from surefoot.client import ServedStudy, connect
    from surefoot.problem import Problem
    from surefoot.problem.distributions import Bernoulli, Beta, Discrete, Exponential, LogNormal, Normal, Uniform
    from surefoot.problem.items import Items
    from surefoot.problem.limits import Limit
    from surefoot.problem.reward_models import SubGaussian
    from surefoot.problem.risks import Cvar, CvarUpper, Deviation, NoRisk, Probability, Quantile, Variance
    from surefoot.simulation import Instance, Sweep, simulate
    from surefoot.study import AnyStudy, Failed, Pull, Study
    from surefoot.study.results import PullResult, Results
    from surefoot.study.views.arm_report import ArmReport
    from surefoot.study.views.decision import Decision
    from surefoot.study.views.recommendation import Recommendation
    from surefoot.work.find_best import find_best

_HOMES = {  # loaded when first used, so that importing surefoot costs nothing
    "Items": "surefoot.problem.items",
    "Problem": "surefoot.problem",
    "Bernoulli": "surefoot.problem.distributions",
    "Beta": "surefoot.problem.distributions",
    "Discrete": "surefoot.problem.distributions",
    "Exponential": "surefoot.problem.distributions",
    "LogNormal": "surefoot.problem.distributions",
    "Normal": "surefoot.problem.distributions",
    "Uniform": "surefoot.problem.distributions",
    "Limit": "surefoot.problem.limits",
    "SubGaussian": "surefoot.problem.reward_models",
    "Cvar": "surefoot.problem.risks",
    "CvarUpper": "surefoot.problem.risks",
    "Deviation": "surefoot.problem.risks",
    "NoRisk": "surefoot.problem.risks",
    "Probability": "surefoot.problem.risks",
    "Quantile": "surefoot.problem.risks",
    "Variance": "surefoot.problem.risks",
    "AnyStudy": "surefoot.study",
    "ArmReport": "surefoot.study.views.arm_report",
    "Decision": "surefoot.study.views.decision",
    "Failed": "surefoot.study",
    "Pull": "surefoot.study",
    "PullResult": "surefoot.study.results",
    "Recommendation": "surefoot.study.views.recommendation",
    "Results": "surefoot.study.results",
    "Study": "surefoot.study",
    "find_best": "surefoot.work.find_best",
    "Instance": "surefoot.simulation",
    "Sweep": "surefoot.simulation",
    "simulate": "surefoot.simulation",
    "ServedStudy": "surefoot.client",
    "connect": "surefoot.client",
}

_MODULES = ("errors", "own")  # that are used as surefoot.errors, surefoot.own

__all__ = [
    "AnyStudy",
    "ArmReport",
    "Bernoulli",
    "Beta",
    "Cvar",
    "CvarUpper",
    "Decision",
    "Deviation",
    "Discrete",
    "Exponential",
    "Failed",
    "Instance",
    "Items",
    "Limit",
    "LogNormal",
    "NoRisk",
    "Normal",
    "Probability",
    "Problem",
    "Pull",
    "PullResult",
    "Quantile",
    "Recommendation",
    "Results",
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
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"surefoot.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'surefoot' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What is offered where a name is completed, loaded or not."""
    return [*__all__, *_MODULES, "__version__"]
