"""Shared by all tests: deterministic Hypothesis, and the registry spelled out."""

import itertools

from hypothesis import settings
from numba.core.dispatcher import Dispatcher

from surefoot.core.registry import BOUNDS, POLICIES, family
from tests import compiling

settings.register_profile("surefoot", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("surefoot")
Dispatcher.compile = compiling.in_a_child

REWARDS = ("bounded", "subgaussian", "gaussian")

# Every (policy, bounds, rewards, limit test) there is: contract tests run over it because a program is registered, not
# because somebody remembered to add it.
PROGRAMS = [
    (policy, bounds, kind, risk)
    for policy, bounds, kind in itertools.product(POLICIES, BOUNDS, REWARDS)
    for found in [family(policy, bounds, kind)]
    for risk in (found.limit_tests if found else ())
]
