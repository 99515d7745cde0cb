"""Risk limits: what may be asked of an arm beside a good mean, on the reward's own scale, both tails."""

from surefoot.problem.risks.expressions import parse
from surefoot.problem.risks.risk import NoRisk, Risk
from surefoot.problem.risks.spread import Deviation, Variance
from surefoot.problem.risks.tails import Cvar, CvarUpper, Probability, Quantile

__all__ = ["Cvar", "CvarUpper", "Deviation", "NoRisk", "Probability", "Quantile", "Risk", "Variance", "parse"]
