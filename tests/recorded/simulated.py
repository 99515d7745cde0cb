"""Runs as `simulate` gives them: every combination interpreted, and a few of them compiled too.

That all others are the same bits when they are compiled, tests/contract says.
"""

from collections.abc import Iterator
from typing import Any

from surefoot import Bernoulli, Beta, Discrete, Instance, Normal, Uniform, simulate
from tests.recorded import adapter, kernels
from tests.recorded.rows import Recorded

BOUNDED = {
    "beta": Beta(mean=0.8, variance=0.02),
    "coin": Bernoulli(0.3),
    "uniform": Uniform(0.1, 0.5),
    "discrete": Discrete((0.0, 0.25, 1.0), (0.7, 0.2, 0.1)),
}
UNBOUNDED = BOUNDED | {"normal": Normal(mean=0.5, variance=0.2)}
COMPILED = [  # few, because a compilation takes seconds
    "top-two tight bounded variance",
    "va-lucb sharp bounded variance",
    "va-lucb paper bounded variance",
    "va-lucb sharp subgaussian variance",
    "lil-ucb lil bounded variance",
    "track-and-stop sharp gaussian variance",
]


def groups() -> list[str]:
    names = [" ".join(names) for names in adapter.combinations()]
    return [f"interpreted {name}" for name in names] + [f"compiled {name}" for name in COMPILED]


def record(group: str) -> Iterator[Recorded]:
    engine, policy, bounds, kind, risk = group.split()
    for goal in ("max", "min"):
        fields: dict[str, Any] = {"goal": goal, "tolerance": 0.01} | ({"risk_slack": 0.001} if risk != "none" else {})
        instance = Instance(
            BOUNDED if kind == "bounded" else UNBOUNDED,
            risk=kernels.LIMITS[kind][risk][kernels.EASY],
            rewards=adapter.reward_model(kind),
            **fields,
        )
        sweep = simulate(instance, policy, bounds, trials=3, seed=5, max_pulls=800, engine=engine, progress=False)
        runs = [[row["status"], row["arm"], row["pulls"], row["correct"]] for row in sweep.rows()]
        yield Recorded(f"{group}: {goal}", {"runs": runs})
