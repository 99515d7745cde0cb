"""Every distribution of an arm's rewards, by its name in a problem file. Adding one is a file, and a line here."""

from surefoot.problem.distributions.bernoulli import Bernoulli
from surefoot.problem.distributions.beta import Beta
from surefoot.problem.distributions.discrete import Discrete
from surefoot.problem.distributions.distribution import Distribution
from surefoot.problem.distributions.exponential import Exponential
from surefoot.problem.distributions.lognormal import LogNormal
from surefoot.problem.distributions.normal import Normal
from surefoot.problem.distributions.uniform import Uniform

DISTRIBUTIONS: dict[str, type[Distribution]] = {
    kind.key: kind for kind in (Beta, Bernoulli, Normal, Uniform, LogNormal, Exponential, Discrete)
}

__all__ = [
    "DISTRIBUTIONS",
    "Bernoulli",
    "Beta",
    "Discrete",
    "Distribution",
    "Exponential",
    "LogNormal",
    "Normal",
    "Uniform",
]
