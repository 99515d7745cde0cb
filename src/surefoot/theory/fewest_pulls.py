"""The fewest pulls that anyone could need: T* and the shares w* of the pulls that attain it (docs/limit.md)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.problem import Problem
from surefoot.problem.distributions import Distribution, Normal
from surefoot.problem.limits import Limit
from surefoot.problem.reward_models import Bounded, Gaussian, RewardModel
from surefoot.theory.allocation import Allocation, Costs, allocate
from surefoot.theory.divergence import NEAR, BoundedLaws, GaussianLaws, Laws
from surefoot.theory.other_limits import Elsewhere
from surefoot.theory.quadrature import rules

Floats = NDArray[np.float64]

MOST = 1e16  # of T*: rounding alone keeps it from being infinite
CLOSEST = 100.0 * NEAR  # to an end of the range that an alternative is looked for, as a part of the range


@dataclass(frozen=True, slots=True)
class FewestPulls:
    """Whoever is wrong with probability at most delta needs T* kl(delta, 1 - delta) pulls on average, or more.

    `meeting` has for each arm the mean at which its cheapest alternative becomes the answer: the leader comes down to it,
    the arm comes to it from below or becomes feasible there. None for the leader itself.
    """

    T_star: float
    weights: tuple[float, ...]  # w*, the arms' shares of the pulls
    leader: int | None  # the best feasible arm
    leader_binds: bool  # is the leader, become infeasible, one of the cheapest alternatives?
    meeting: tuple[float | None, ...]

    def pulls(self, delta: float) -> float:
        """T* kl(delta, 1 - delta)."""
        return self.T_star * (1.0 - 2.0 * delta) * math.log((1.0 - delta) / delta)


class Contest(NamedTuple):
    """The leader and the others, on the kernels' scale: a row for each kind of arm."""

    leader: int | None  # the row of the best feasible kind
    champion: Laws | None  # the leader's law
    others: NDArray[np.bool_]  # the rows that are not the leader's
    rivals: Laws  # their laws
    feasible: NDArray[np.bool_]  # of the rivals, by the limit on their variance
    at_most: float  # what their variance may be
    to_keep: Floats  # of the rivals, what it costs to have them keep their limits on other metrics
    to_break: float  # what it costs to have the leader break one of its


def fewest_pulls(
    problem: Problem, distributions: Sequence[Distribution], others: Sequence[Elsewhere | None] = ()
) -> FewestPulls | None:
    """Those of a problem with these arms; None where T* is infinite, or where we do not know it.

    :param distributions: of the goal's metric, for each arm.
    :param others: of each arm, what it costs to move it across limits on other metrics. Left out: there are none.

    >>> arms = {"A": Normal(mean=1.0, variance=1.0), "B": Normal(mean=0.0, variance=1.0)}
    >>> fewest = fewest_pulls(Problem.of(arms, rewards="gaussian"), list(arms.values()))
    >>> round(fewest.T_star, 4), [round(weight, 4) for weight in fewest.weights]
    (8.9628, [0.5, 0.5])
    """
    own, known = on_goal(problem), others or [Elsewhere()] * len(distributions)
    if problem.tolerance or not all(limit.risk.of_variance and not limit.slack for limit in own) or len(own) > 1:
        return None
    kinds = list(dict.fromkeys(zip(distributions, known, strict=True)))  # arms that are alike need the same share
    contest = contest_of(problem, kinds)
    if contest is None:
        return None
    rows = {kind: row for row, kind in enumerate(kinds)}
    which = np.array([rows[kind] for kind in zip(distributions, known, strict=True)])
    counts = np.bincount(which).astype(float)
    to_infeasible, highest = leader_costs(contest)
    if contest.leader is not None and (counts[contest.leader] > 1.0 or highest <= 0.0):
        return None  # a tie, or a variance on the limit
    allocation = cheapest_allocation(contest, counts[contest.others], highest)
    if allocation.time > MOST:
        return None
    weights, meeting = of_all_kinds(contest, allocation)
    return FewestPulls(
        allocation.time,
        tuple((weights / (counts @ weights))[which].tolist()),
        None if contest.leader is None else int(np.flatnonzero(which == contest.leader)[0]),
        bool(contest.leader is not None and allocation.level == to_infeasible),
        tuple(None if row == contest.leader else problem.scale.outward(float(meeting[row])) for row in which),
    )


def on_goal(problem: Problem) -> list[Limit]:
    """The limits on the goal's metric."""
    return [limit for limit in problem.limits if limit.metric == problem.goal_metric.name]


def on_variance_alone(problem: Problem) -> bool:
    """Is the variance of the goal's metric all that is limited, if anything is?"""
    own = on_goal(problem)
    return len(own) == len(problem.limits) <= 1 and all(limit.risk.of_variance for limit in own)


def contest_of(problem: Problem, kinds: list[tuple[Distribution, Elsewhere | None]]) -> Contest | None:
    """None if the kinds' laws, or alternatives to them, are out of reach."""
    elsewhere = [other for _, other in kinds if other is not None]
    if len(elsewhere) < len(kinds):
        return None
    goals = [kind for kind, _ in kinds]
    laws = laws_of(problem, goals)
    if laws is None:
        return None
    own = on_goal(problem)
    feasible = np.array([all(limit.kept_by(kind) for limit in own) for kind in goals])
    to_keep = np.array([other.to_keep for other in elsewhere])
    kept = feasible & (to_keep == 0.0)
    leader = int(np.where(kept, laws.mean, -np.inf).argmax()) if kept.any() else None
    others = np.arange(len(kinds)) != leader
    if any(at_an_end(problem.rewards, goals[row].mean) for row in np.flatnonzero(~(feasible & others))):
        return None  # the others come to the leader
    champion = None if leader is None else laws.only(~others)
    return Contest(
        leader,
        champion,
        others,
        laws.only(others),
        feasible[others],
        variance_limit(problem, own),
        to_keep[others],
        math.inf if leader is None else elsewhere[leader].to_break,
    )


def variance_limit(problem: Problem, own: Sequence[Limit]) -> float:
    """On the goal's metric, on the kernels' scale; infinite if there is none."""
    for limit in own:
        value: float = limit.risk.limit(problem.scale, limit.slack).value
        return value
    return math.inf


def leader_costs(contest: Contest) -> tuple[float, float]:
    """What it costs to make the leader infeasible; and the least that it costs to do so or to lower it to a feasible rival,
    which no level of an allocation is above. Without a leader the level is free.
    """
    if contest.champion is None:
        return math.inf, 1.0
    to_infeasible = min(float(contest.champion.to_infeasible(contest.at_most)[0]), contest.to_break)
    kept = contest.feasible & (contest.to_keep == 0.0)
    to_rivals = to_lower(contest.champion, contest.rivals.mean[kept, None])[0][:, 0]
    return to_infeasible, min([to_infeasible, *to_rivals])


def cheapest_allocation(contest: Contest, counts: Floats, highest: float) -> Allocation:
    """The rivals' shares; `counts` says how many arms are of each of their kinds."""

    def prices(rows: NDArray[np.intp], m: Floats) -> Costs:
        K, K_slope = to_lower(contest.champion, m)
        worth = np.where(highest > K, m, np.nan)  # no level is above the highest: elsewhere G does not matter
        G, G_slope = contest.rivals.only(rows).to_feasible(worth, contest.at_most)
        return Costs(K, K_slope, G + contest.to_keep[rows, None], G_slope)

    points = grid(contest.rivals, contest.feasible, contest.champion, contest.at_most)
    return allocate(prices, points, counts, 0.0 if contest.champion is None else 1.0, highest)


def of_all_kinds(contest: Contest, allocation: Allocation) -> tuple[Floats, Floats]:
    """Weights and meeting means with those of the leader among them: 1, and none."""
    weights, meeting = np.ones(len(contest.others)), np.full(len(contest.others), math.nan)
    weights[contest.others], meeting[contest.others] = allocation.weights, allocation.meeting
    return weights, meeting


def laws_of(problem: Problem, kinds: Sequence[Distribution]) -> Laws | None:
    """The distributions on the kernels' scale, as laws of the model of rewards; None if it has no limit that we know."""
    scale = problem.scale
    if isinstance(problem.rewards, Gaussian) and all(isinstance(kind, Normal) for kind in kinds):
        means = [scale.inward(kind.mean) for kind in kinds]
        return GaussianLaws(np.array(means), np.array([kind.variance for kind in kinds]))
    if not isinstance(problem.rewards, Bounded):
        return None
    return BoundedLaws(rules([kind for kind in kinds if not isinstance(kind, Normal)], scale.origin, scale.width))


def at_an_end(rewards: RewardModel, mean: float) -> bool:
    """Is the mean so close to an end of the range, and yet not there, that its alternatives are out of sight?"""
    if not isinstance(rewards, Bounded):
        return False
    return 0.0 < min(mean - rewards.low, rewards.high - mean) < CLOSEST * (rewards.high - rewards.low)


def to_lower(champion: Laws | None, m: Floats) -> tuple[Floats, Floats]:
    """What it costs to bring the leader's mean down to m, and the derivative: nothing above its mean, or without one."""
    cost, slope = np.zeros((2, *m.shape))
    if champion is not None:
        below = m < champion.mean
        cost[below], slope[below] = (part[0] for part in champion.to_mean(m[below][None]))
    return cost, slope


def grid(rivals: Laws, feasible: NDArray[np.bool_], champion: Laws | None, at_most: float) -> Floats:
    """Where each rival may meet the leader, to begin with: near its own mean, near the leader's, and all over.

    Feasible arms come up; only infeasible ones may do better by coming down.
    """
    all_over = rivals.all_over(champion, at_most)
    low, high = all_over[:, :1], all_over[:, -1:]
    least = 1e-6 * (high - low)  # of a deviation, where an arm has none
    mean, near = rivals.mean[:, None], 1e-4 * np.maximum(np.sqrt(rivals.variance)[:, None], least)
    low = np.where(feasible[:, None], mean + near, low)

    def spaced(nearest: Floats, farthest: Floats, points: int) -> Floats:
        farthest = np.maximum(farthest, nearest)
        return nearest * (farthest / nearest) ** np.linspace(0.0, 1.0, points)

    parts = [
        mean + spaced(near, high - mean, 8),
        mean + np.where(feasible[:, None], 1.6, -1.0) * spaced(near, mean - low, 5),
        all_over,
        mean,
    ]
    if champion is not None:
        near = 1e-4 * np.maximum(np.sqrt(champion.variance)[:, None], least)
        parts.append(champion.mean - spaced(near, champion.mean - low, 6))
        parts.append(np.broadcast_to(champion.mean, mean.shape))
    return np.sort(np.clip(np.concatenate(parts, axis=1), low, high), axis=1)
