"""What is asked of an arm's risk, in the kernels' numbers: a record for each kind of limit test.

The feasible test has the limit wider by the slack; the infeasible test has the limit itself.
"""

from typing import NamedTuple


class VarianceLimit(NamedTuple):
    value: float  # infinite where there is no limit
    slack: float


class TailLimit(NamedTuple):
    """P(reward beyond the threshold) <= share, beyond meaning above (sign 1) or below (sign -1)."""

    sign: float
    threshold: float
    wide_threshold: float
    share: float
    wide_share: float
    strict: bool = False  # P(...) < share, which on a finite list is another number of items


class CvarLimit(NamedTuple):
    """The mean of the worst share of rewards is at least `value`, the worst being the smallest (sign 1) or the largest.

    With sign -1 value, wide and rewards are meant mirrored, x -> 1 - x, so that the smallest are the worst again.
    """

    sign: float
    share: float
    value: float
    wide: float


class MeanLimit(NamedTuple):
    """On a mean."""

    sign: float  # 1: the least that the mean may be; -1: the most
    value: float
    wide: float  # wider by the slack


class BaselineLimit(NamedTuple):
    """On a mean, a quantile, or the probability of a result beyond a threshold, against `factor` times the baseline's."""

    sign: float  # 1: the least that it may be; -1: the most
    factor: float
    plus: float
    wide: float  # wider by the slack
    side: float = 0.0  # of a probability: beyond means above (1) or below (-1) the threshold; else 0
    threshold: float = 0.0
    share: float = 0.0  # of a quantile, as the kernels see it; else 0
    mirrored: bool = False  # do the kernels see results mirrored?
    rounding: float = 0.0  # what the way to the kernels' scale may move a quantile by
