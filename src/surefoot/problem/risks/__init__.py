"""Risk limits: what may be asked of an arm beside a good mean, on the reward's own scale, both tails.

Adding one is a file, and a line here.
"""

from surefoot.problem.risks.cvar import Cvar, CvarUpper
from surefoot.problem.risks.mean import Mean
from surefoot.problem.risks.none import NoRisk
from surefoot.problem.risks.probability import Probability
from surefoot.problem.risks.quantile import Quantile
from surefoot.problem.risks.risk import Risk
from surefoot.problem.risks.variance import Deviation, Variance

RISKS: tuple[type[Risk], ...] = (Variance, Deviation, Quantile, Cvar, CvarUpper, Probability, Mean, NoRisk)

__all__ = ["RISKS", "Cvar", "CvarUpper", "Deviation", "Mean", "NoRisk", "Probability", "Quantile", "Risk", "Variance"]
