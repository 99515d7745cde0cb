"""The least that a part can be, to copy and fill in. A contract test runs them; `parts` says what each function is for."""

from surefoot.core.parts import Answer, LimitTest, MeanBound, Policy
from surefoot.core.skeletons import answer, bound, policy, test

BOUND: MeanBound = bound
TEST: LimitTest = test
POLICY: Policy = policy
ANSWER: Answer = answer
