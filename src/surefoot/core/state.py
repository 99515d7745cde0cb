"""Everything a policy needs for its next step, and what it answers."""

from typing import Any, NamedTuple, Protocol, TypeAlias

from surefoot.core.statistics import Statistics

Results: TypeAlias = tuple[float, ...]  # of one pull: that of the goal's metric, then those of others that have limits


class Interval(Protocol):
    """Where a mean lies. Every mean bound keeps it, with evidence of its own."""

    lower: float  # L
    upper: float  # U


class Arm(Protocol):
    """What is kept of an arm: a part for each module that keeps something, and what several of them go by."""

    metric: Statistics
    goal: Interval  # and the mean bound's evidence
    limit: Any  # the limit test's evidence
    comparison: Any  # what the comparison of two arms keeps
    compared: Any  # the evidence on limits against the baseline
    policy: Any  # what the policy keeps
    shown: Any  # what is kept for people to see, and decides nothing
    verdict: int
    # 1 + the arm that surely surpasses this one, which is out of the ranking for that; 0 if none does; -1 - the leader that
    # it surely does not exceed by more than the tolerance, and whose rival it is not as long as that leads
    beaten_by: int
    order: float  # 1 for the first arm that was taken up as a leader, 2 for the next one; 0: it never was
    since: float  # the pulls that had been asked for by then: evidence of a leader counts from there


class State(NamedTuple):
    arms: Any  # an Arm for each
    board: Any  # what the ranker keeps to find the largest quickly
    policy: Any  # what the policy keeps besides, in the only element
    mean_parameters: Any
    limit_parameters: Any
    policy_parameters: Any  # empty where the policy has none
    tolerance: float
    highest: float  # that any mean can be
    asked: Any  # the arms of the current step, in the order they are to be pulled
    seen: Any  # the arms as a user's own policy sees them
    items: Any = ()  # what the arms have in common, where they are tried on the same items: `comparisons/on_items`
    waiting: Any = ()  # of each arm, the pulls asked for that its record does not hold yet


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
