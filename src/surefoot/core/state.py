"""Everything a policy needs for its next step, and what it answers."""

from typing import Any, NamedTuple, Protocol

from surefoot.core.statistics import Statistics


class Standing(Statistics, Protocol):
    """What a policy may see of an arm."""

    lower: float  # L
    upper: float  # U
    verdict: int
    behind: int  # 1 + the arm that this one surely is no better than, if it is out of the ranking for that


class State(NamedTuple):
    arms: Any  # a record per arm: Standing and the evidence of the mean bound and the risk test
    board: Any  # what the standings module keeps to find the largest quickly
    mean_parameters: Any
    risk_parameters: Any
    tolerance: float
    highest: float  # that any mean can be
    asked: Any  # the arms of the current step, in the order they are to be pulled


class Ranking(NamedTuple):
    """The arms that matter now, -1 where there is none. Arms found infeasible are out of it."""

    leader: int  # i_t, the best mean
    optimist: int  # the largest U
    incumbent: int  # i*_t, of the arms known feasible the one with the largest L


class Step(NamedTuple):
    """What a policy answers: a status of `verdicts`, the arm if it is BEST, else how many of `asked` to pull."""

    status: int
    arm: int
    pulls: int
