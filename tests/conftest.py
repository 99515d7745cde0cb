"""Shared by all tests: deterministic Hypothesis, and the registry spelled out."""

import itertools

from hypothesis import settings

from surefoot.core.registry import FAMILIES, POLICIES

settings.register_profile("surefoot", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("surefoot")

# Every (policy, bounds, risk test) there is: contract tests run over it because a program is registered, not because
# somebody remembered to add it.
PROGRAMS = [
    (policy, bounds, risk)
    for policy, (bounds, family) in itertools.product(POLICIES, FAMILIES.items())
    for risk in family.risk_tests
]
