"""How many more pulls a decision may take: an estimate for people, from the bounds as they stand. It decides nothing.

It supposes that sample means and variances are the true ones, and that the evidence on a risk grows in proportion to the
pulls. Then some level between the arm that looks best and the others is the cheapest one to show that its mean is above
and theirs are below, or that their risk is beyond the limit.
"""

import math
from typing import NamedTuple

from surefoot.core import statistics, verdicts
from surefoot.core.mean_bounds import sharp
from surefoot.problem import Problem
from surefoot.study.live import Live
from surefoot.study.report import in_play

SHORT = 0.7  # of the evidence in a pair is what blurs make of it
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


def pulls_left(problem: Problem, live: Live) -> int | None:
    """About how many rewards are missing; None if nothing can be said, as before every arm was tried or when two tie."""
    if live.finished:
        return 0
    if live.cold:
        return None
    left = in_play(live)
    sides = {index: evidence(live, index) for index in left}
    likely = [index for index in left if sides[index][0] >= sides[index][1]]
    if likely:
        best = max(likely, key=lambda index: live.state.arms[index].mean)
        if hasattr(live.state.mean_parameters, "lead_level"):
            missing = by_pairs(live, best, [index for index in left if index != best], sides)
            return in_budget(problem, live, missing)
        leader = prospect(live, best, above=False, share=sides[best][0])
        rivals = [prospect(live, index, above=True, share=sides[index][1]) for index in left if index != best]
        missing = cheapest(leader, rivals, live.state.tolerance)
    else:
        missing = sum(to_gather(live.state.arms[index].pulls, sides[index][1]) for index in left)
    return in_budget(problem, live, missing)


def in_budget(problem: Problem, live: Live, missing: float) -> int | None:
    if math.isinf(missing):
        return None
    budget = math.inf if problem.max_pulls is None else problem.max_pulls - live.counted
    return int(min(max(missing, 1.0), max(budget, 0.0)))


def by_pairs(live: Live, best: int, rivals: list[int], sides: dict[int, tuple[float, float]]) -> float:
    """Pulls to show that the best is feasible, and of each rival that it is not or that its mean is smaller, in a pair."""
    arms, wanted = live.state.arms, SHORT * live.state.mean_parameters.lead_level
    first = arms[best]
    own, others = to_gather(first.pulls, sides[best][0]), 0.0
    for index in rivals:
        arm, gap = arms[index], first.mean - arms[index].mean
        blur, its_blur = live.program.mean_bound.blurs(first, arm)
        by_risk = to_gather(arm.pulls, sides[index][1])
        allowed = 0.5 * gap * gap / wanted  # for both blurs together, once it is shown
        room = max(allowed - blur * first.pulls / (first.pulls + own), 0.5 * allowed) if gap > 0.0 else 0.0
        by_mean = max(arm.pulls * (its_blur / room - 1.0), 0.0) if room > 0.0 else math.inf
        others += min(by_mean, by_risk)
        if by_mean <= by_risk and by_mean < math.inf:
            own = max(own, first.pulls * (blur / max(allowed - room, 0.5 * allowed) - 1.0))
    return own + others


def cheapest(leader: Prospect, rivals: list[Prospect], tolerance: float) -> float:
    """Pulls to show that the leader is feasible and above some level that every rival is below, or infeasible."""
    close = max([rival.mean for rival in rivals if math.isinf(rival.by_risk)], default=-math.inf)
    lowest = max(close - tolerance, leader.mean - leader.radius)
    found = math.inf
    for step in range(LEVELS):
        level = leader.mean - (leader.mean - lowest) * step / LEVELS
        own = max(leader.by_risk, leader.to_narrow(leader.mean - level))
        others = [min(rival.by_risk, rival.to_narrow(level + tolerance - rival.mean)) for rival in rivals]
        found = min(found, own + sum(others))
    return found


def prospect(live: Live, index: int, above: bool, share: float) -> Prospect:
    arm = live.state.arms[index]
    radius = arm.upper - arm.mean if above else arm.mean - arm.lower
    # Only the radii of `sharp` know the variance; others fall like 1/sqrt(pulls), as if it were large.
    spread = math.sqrt(2.0 * statistics.variance(arm)) if live.program.mean_bound is sharp and arm.pulls > 1.0 else 1e3
    return Prospect(arm.mean, arm.pulls, max(radius, 0.0), spread, to_gather(arm.pulls, share))


def evidence(live: Live, index: int) -> tuple[float, float]:
    """The shares of what the verdicts feasible and infeasible need."""
    arm = live.state.arms[index]
    if arm.verdict == verdicts.FEASIBLE:
        return 1.0, 0.0
    test, parameters = live.program.risk_test, live.state.risk_parameters
    feasible, infeasible = test.shares(arm, parameters, arm.lower, arm.upper, *live.clock())
    return feasible, infeasible


def to_gather(pulls: float, share: float) -> float:
    """Pulls until a share of the evidence is all of it."""
    return pulls * (1.0 / share - 1.0) if share > 0.0 else math.inf
