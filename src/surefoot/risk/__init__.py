"""Risk limits: what may be asked of an arm beside a good mean, on the reward's own scale, both tails."""

from surefoot.risk.expressions import parse
from surefoot.risk.risk import NoRisk, Risk
from surefoot.risk.spread import Deviation, Variance
from surefoot.risk.tails import Cvar, CvarUpper, Probability, Quantile

__all__ = ["Cvar", "CvarUpper", "Deviation", "NoRisk", "Probability", "Quantile", "Risk", "Variance", "parse"]
