"""Several limits at once, for tests of chains: programs and questions made by hand."""

import math

from surefoot.core.chains import limit_parts
from surefoot.core.limits import CvarLimit, TailLimit, VarianceLimit
from surefoot.core.program import Program
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.registry import ANSWERS, POLICIES, family

# Of each kind, one that results spread evenly over [0, 1] break, and that those of a Beta(8, 2) arm keep.
LIMITS = {
    "variance": VarianceLimit(0.04, 0.0),
    "probability": TailLimit(-1.0, 0.3, 0.3, 0.1, 0.1),
    "quantile": TailLimit(-1.0, 0.4, 0.4, 0.2, 0.2),
    "cvar": CvarLimit(1.0, 0.2, 0.3, 0.3),
}


def program_of(policy, bounds, *kinds):
    found = family(policy, bounds, "bounded")
    parts = limit_parts(*(found.limit_tests[kind] for kind in kinds))
    return Program(POLICIES[policy], found.ranker, found.mean_bound, parts, ANSWERS["best"])


def question_of(*limits, arms=3, delta=0.05):
    """With these limits: kinds of LIMITS, or records."""
    asked = (LIMITS[limit] if isinstance(limit, str) else limit for limit in limits)
    limits = tuple(LimitQuestion(limit, tested=True) for limit in asked)
    return Question(arms, delta, 0.0, limits, highest=1.0, sigma=math.nan, largest_variance=0.25)
