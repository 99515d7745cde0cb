"""Parts as users write them (docs/own.md): what they see of an arm stays as it is, whatever records become."""

import math
from collections.abc import Iterator
from typing import Any

from surefoot import Problem, own
from surefoot.core import verdicts  # as docs/own.md has it
from tests.recorded import adapter, kernels
from tests.recorded.rows import Recorded

TARGET = 0.5
PARTS = {
    "bound": ("va-lucb", "own-bound", "variance <= 0.2"),
    "policy": ("own-policy", "sharp", "variance <= 0.2"),
    "risk": ("top-two", "tight", "ownrisk <= 0.02"),
    "all": ("own-policy", "own-bound", "ownrisk <= 0.02"),
}


def interval(arm: Any, lower_miss: float, upper_miss: float) -> tuple[float, float]:
    lower = math.sqrt(math.log(arm.pulls * (arm.pulls + 1.0) / lower_miss) / (2.0 * arm.pulls))
    upper = math.sqrt(math.log(arm.pulls * (arm.pulls + 1.0) / upper_miss) / (2.0 * arm.pulls))
    return arm.mean - lower - 1e-9 * arm.spread, arm.mean + upper + 1e-9 * arm.surprise


def choose(state: Any, ranking: Any, generator: Any) -> int:
    """The leader, and the arm pulled least often of those that may still be the best."""
    best = -math.inf if ranking.incumbent < 0 else state.arms[ranking.incumbent].lower
    chosen = ranking.optimist
    for index in range(len(state.arms)):
        arm = state.arms[index]
        if arm.verdict != verdicts.INFEASIBLE and arm.upper >= best and arm.pulls < state.arms[chosen].pulls:
            chosen = index
    state.asked[0] = ranking.leader
    state.asked[1] = chosen
    return 2 if generator.random() < 0.8 else 1


def observe(arm: Any, limit: Any, reward: float) -> None:
    seen = max(TARGET - reward, 0.0) ** 2
    arm.within += math.log(1.0 + 0.9 * (limit.wide - seen))
    arm.beyond += math.log(1.0 + 2.0 * (seen - limit.value))
    arm.lost += seen
    arm.trials += 1.0


def log_wealths(arm: Any, limit: Any) -> tuple[float, float]:
    return arm.within, arm.beyond


def estimate(arm: Any, limit: Any) -> float:
    return float(arm.lost / arm.trials)


def register() -> None:
    own.mean_bound("own-bound", interval)
    own.policy("own-policy", choose)
    fields = ("within", "beyond", "lost", "trials")
    own.risk("ownrisk", observe, log_wealths, estimate, value=lambda distribution: 0.0, fields=fields)


def groups() -> list[str]:
    return list(PARTS)


def record(group: str) -> Iterator[Recorded]:
    policy, bounds, risk = PARTS[group]
    with adapter.registry_kept():
        register()
        for name in ("2", "5", "20"):
            case = kernels.BOUNDED[name]
            problem = Problem(arms=[f"arm {index}" for index in range(len(case.arms))], risk=risk, tolerance=0.05)
            yield kernels.one(f"{group}: {name}", policy, bounds, problem, case)
