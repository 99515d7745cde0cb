"""What a fixed budget buys: the share of right recommendations, of Surefoot and of two ways made for fixed budgets.

Uniform allocation pulls all arms alike. Successive rejects (Audibert, Bubeck and Munos, 2010) pulls the arms that are left
alike in each of N - 1 phases, and drops one after each. Both go by the sample: the best mean of the arms whose variance is
within the limit, and no arm if there is none. `make budgets` writes the table of the docs.
"""

import math
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from surefoot import Instance, simulate
from surefoot.paper.instances import CASES, paper_instance, random_instance
from surefoot.problem.distributions import Beta
from surefoot.simulation.sweep_results import recommends_rightly

BUDGETS = (5, 10, 20, 50, 100)  # pulls, times the number of arms
RUNS = {"the paper's instances": 100, "random instances": 20}
RANDOM = 100
FRESH = 2027  # the seed of random instances by which no rule was chosen: the rule of recommending was, by those of 2026

Rewards = NDArray[np.float64]  # by run, arm and pull
Way = Callable[[Rewards, int, float], NDArray[np.int64]]


def standing(rewards: Rewards, pulls: int, limit: float) -> Rewards:
    """By run and arm: the mean of the first pulls, far below all means if their variance is beyond the limit."""
    seen = rewards[:, :, :pulls]
    variance = seen.var(axis=2, ddof=1) if pulls > 1 else np.zeros(seen.shape[:2])
    worth: Rewards = np.where(variance <= limit, seen.mean(axis=2), seen.mean(axis=2) - 10.0)
    return worth


def named(worth: Rewards) -> NDArray[np.int64]:
    """The best arm of each run, -1 if none is within the limit."""
    best = worth.argmax(axis=1)
    return np.where(worth.max(axis=1) > -5.0, best, -1)


def uniform(rewards: Rewards, budget: int, limit: float) -> NDArray[np.int64]:
    return named(standing(rewards, budget // rewards.shape[1], limit))


def phases(arms: int, budget: int) -> list[int]:
    """Pulls of each arm that is left, by the end of each phase of successive rejects."""
    spread = 0.5 + sum(1.0 / rank for rank in range(2, arms + 1))
    return [max(math.ceil((budget - arms) / (spread * (arms - phase))), 1) for phase in range(arms - 1)]


def successive_rejects(rewards: Rewards, budget: int, limit: float) -> NDArray[np.int64]:
    runs, arms, _ = rewards.shape
    left, worth = np.ones((runs, arms), bool), standing(rewards, 1, limit)
    for pulls in phases(arms, budget):
        worth = np.where(left, standing(rewards, pulls, limit), np.inf)
        left[np.arange(runs), worth.argmin(axis=1)] = False
    return named(np.where(left, worth, -np.inf))


WAYS: dict[str, Way] = {"uniform": uniform, "successive rejects": successive_rejects}


def drawn(instance: Instance, runs: int, pulls: int, seed: int) -> Rewards:
    generator, rows = np.random.default_rng(seed), []
    for arm in instance.distributions:
        assert isinstance(arm, Beta)
        rows.append(generator.beta(*arm.shape, size=(runs, pulls)))
    return np.stack(rows, axis=1)


def right(instance: Instance, named: Iterable[int]) -> float:
    names, none = instance.problem.names, not any(instance.feasible)
    is_right = [none if arm < 0 else names[arm] in instance.right_answers for arm in named]
    return sum(is_right) / len(is_right)


def shares(instance: Instance, runs: int, seed: int) -> dict[str, list[float]]:
    """By way, the shares of right recommendations at each budget."""
    arms, limit = len(instance.distributions), instance.problem.risk.bound
    most = BUDGETS[-1] * arms
    rewards = drawn(instance, runs, max(BUDGETS[-1], *phases(arms, most)), seed)
    others = {
        way: [right(instance, name(rewards, times * arms, limit)) for times in BUDGETS] for way, name in WAYS.items()
    }
    ours, sure = [], []
    for times in BUDGETS:
        sweep = simulate(instance, trials=runs, seed=seed, max_pulls=times * arms, progress=False)
        ours.append(sum(recommends_rightly(instance, run) for run in sweep.runs) / runs)
        sure.append(sum(run.confidence for run in sweep.runs) / runs)
    return {"Surefoot": ours, **others, "mean confidence of Surefoot": sure}


def instances() -> dict[str, list[Instance]]:
    generator = np.random.default_rng(FRESH)
    return {
        "the paper's instances": [paper_instance(case, j) for case in CASES for j in (0, 10)],
        "random instances": [random_instance(generator) for _ in range(RANDOM)],
    }


def table() -> str:
    lines = [f"| | pulls per arm: {' | '.join(map(str, BUDGETS))} |", f"|---|{'---:|' * len(BUDGETS)}"]
    for kind, group in instances().items():
        per_instance = [shares(instance, RUNS[kind], seed) for seed, instance in enumerate(group)]
        for way in per_instance[0]:
            means = np.mean([one[way] for one in per_instance], axis=0)
            lines.append(f"| {kind}: {way} | {' | '.join(f'{100 * share:.1f} %' for share in means)} |")
    count = {kind: f"{len(group)} of {RUNS[kind]} runs each" for kind, group in instances().items()}
    return "\n".join(lines) + f"\n\nInstances: {'; '.join(f'{kind}, {text}' for kind, text in count.items())}.\n"


if __name__ == "__main__":
    text = table()
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    print(text)
