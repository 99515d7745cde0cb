"""How many more pulls a decision may take: an estimate for people, from the bounds as they stand. It decides nothing.

It supposes that sample means and variances are the true ones, and that the evidence on a risk grows in proportion to the
pulls. Then some level between the arm that looks best and the others is the cheapest one to show that its mean is above
and theirs are below, or that their risk is beyond the limit.
"""

import math
from typing import NamedTuple

from surefoot.core import statistics, verdicts
from surefoot.problem import Problem
from surefoot.study.engine import Engine
from surefoot.study.views.in_play import contest, in_play
from surefoot.study.views.item_differences import items_left
from surefoot.study.views.limit_numbers import all_evidence, doubtful

TOGETHER = math.sqrt(2.0)  # radii may be so much wider where two arms are compared by their evidence together
LEVELS = 16  # tried between the means


class Prospect(NamedTuple):
    """An arm in play: its mean and pulls, how wide its bound is, and the pulls until its risk is known."""

    mean: float
    pulls: float
    radius: float
    deviation: float
    by_risk: float

    def to_narrow(self, wanted: float) -> float:
        """Pulls until the radius is as small as wanted, were it deviation * x + x^2 with x falling like 1/sqrt(pulls)."""
        if self.radius <= wanted:
            return 0.0
        if wanted <= 0.0:
            return math.inf
        return self.pulls * ((root(self.deviation, self.radius) / root(self.deviation, wanted)) ** 2 - 1.0)


def root(deviation: float, radius: float) -> float:
    """The x > 0 at which deviation * x + x^2 is the radius."""
    return (math.sqrt(deviation * deviation + 4.0 * radius) - deviation) / 2.0


def pulls_left(problem: Problem, engine: Engine) -> int | None:
    """About how many rewards are missing; None if nothing can be said, as before every arm was tried or when two tie."""
    if engine.finished:
        return 0
    if engine.arms_not_warm:
        return None
    left = in_play(engine)
    sides = {index: evidence(problem, engine, index) for index in left}
    likely = [index for index in left if sides[index][0] >= sides[index][1]]
    if likely:
        best = max(likely, key=lambda index: engine.state.arms[index].metric.mean)
        if engine.items and contest(engine)[0] in likely:
            best = contest(engine)[0]
        leader = prospect(engine, best, above=False, share=sides[best][0])
        rivals = [prospect(engine, index, above=True, share=sides[index][1]) for index in left if index != best]
        pairs = engine.program.mean_bound.PAIRS
        missing = cheapest(leader, rivals, engine.state.tolerance, TOGETHER if pairs else 1.0)
        if engine.items:
            missing = max(leader.by_risk, items_left(engine, best, [index for index in left if index != best]))
    else:
        missing = sum(to_gather(engine.state.arms[index].metric.pulls, sides[index][1]) for index in left)
    if math.isinf(missing):
        return None
    budget = math.inf if problem.max_pulls is None else problem.max_pulls - engine.counted
    return int(min(max(missing, 1.0), max(budget, 0.0)))


def cheapest(leader: Prospect, rivals: list[Prospect], tolerance: float, pair_order: float) -> float:
    """Pulls to show that the leader is feasible and above some level that every rival is below, or infeasible."""
    close = max([rival.mean for rival in rivals if math.isinf(rival.by_risk)], default=-math.inf)
    lowest = max(close - tolerance, leader.mean - leader.radius)
    found = math.inf
    for step in range(LEVELS):
        level = leader.mean - (leader.mean - lowest) * step / LEVELS
        own = max(leader.by_risk, leader.to_narrow(pair_order * (leader.mean - level)))
        others = [
            min(rival.by_risk, rival.to_narrow(pair_order * (level + tolerance - rival.mean))) for rival in rivals
        ]
        found = min(found, own + sum(others))
    return found


def prospect(engine: Engine, index: int, above: bool, share: float) -> Prospect:
    arm = engine.state.arms[index]
    metric, goal = arm.metric, arm.goal
    radius = goal.upper - metric.mean if above else metric.mean - goal.lower
    # Only some radii know the variance; others fall like 1/sqrt(pulls), as if it were large.
    knows = engine.program.mean_bound.FOLLOWS_VARIANCE and metric.pulls > 1.0
    spread = math.sqrt(2.0 * statistics.variance(metric)) if knows else 1e3
    return Prospect(metric.mean, metric.pulls, max(radius, 0.0), spread, to_gather(metric.pulls, share))


def evidence(problem: Problem, engine: Engine, index: int) -> tuple[float, float]:
    """The shares of what the verdicts feasible and infeasible need, on the limit that the verdict depends on."""
    if engine.state.arms[index].verdict == verdicts.FEASIBLE or not problem.limits:
        return 1.0, 0.0
    shares = [one.shares(engine.clock()) for one in all_evidence(problem, engine, index)]
    return shares[doubtful(shares)]


def to_gather(pulls: float, share: float) -> float:
    """Pulls until a share of the evidence is all of it."""
    return pulls * (1.0 / share - 1.0) if share > 0.0 else math.inf
