"""Every policy, family of bounds and risk test by its name. Adding one is a file and a line here."""

from types import ModuleType
from typing import NamedTuple

from surefoot.core.mean_bounds import paper, sharp
from surefoot.core.policies import va_lucb, va_uniform
from surefoot.core.risk_tests import none, paper_variance, sharp_variance
from surefoot.core.standings import scan, tournament


class Family(NamedTuple):
    """A mean bound, and for each risk it knows a test that goes with it."""

    mean_bound: ModuleType
    risk_tests: dict[str, ModuleType]
    rewards: tuple[str, ...]  # the models of rewards under which its bounds hold
    standings: ModuleType  # tournament if an arm's bounds change only when it is pulled, scan if they follow a clock


POLICIES: dict[str, ModuleType] = {
    "va-lucb": va_lucb,
    "va-uniform": va_uniform,
}

FAMILIES: dict[str, Family] = {
    "sharp": Family(sharp, {"variance": sharp_variance, "none": none}, ("bounded",), tournament),
    "paper": Family(paper, {"variance": paper_variance, "none": none}, ("bounded",), scan),
}
