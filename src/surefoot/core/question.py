"""What is asked, in the kernels' numbers: rewards on [0, 1] when they have a range, the goal always "max"."""

from typing import Any, NamedTuple


class Question(NamedTuple):
    arms: int
    delta: float
    tolerance: float
    limit: Any  # of the risk: a record of `limits`, or of whoever wrote the limit test
    highest: float  # that any mean can be
    sigma: float  # of sub-Gaussian rewards
    largest_variance: float  # that any arm can have
    tested: bool  # can an arm be infeasible at all?
    widened: bool = False  # has the limit a slack?
