"""Every registered combination on small instances: what it asks for, L, U and verdict of every arm, at every step."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from surefoot import Problem
from tests.recorded import adapter
from tests.recorded.rows import Recorded

Draw: TypeAlias = Callable[[np.random.Generator], float]


# Rewards by arithmetic alone, so that no library's logarithm has a say in them.
def flat(low: float, high: float) -> Draw:
    return lambda generator: low + (high - low) * generator.random()


def coin(p: float, low: float = 0.0, high: float = 1.0) -> Draw:
    return lambda generator: high if generator.random() < p else low


def stairs(count: int) -> Draw:
    return lambda generator: int(generator.random() * (count + 1)) / count


def bell(mean: float, deviation: float) -> Draw:
    return lambda generator: mean + deviation * (sum(generator.random(12).tolist()) - 6.0)


class Case(NamedTuple):
    arms: list[Draw]
    limit: str  # which of the limits
    max_pulls: int
    fields: dict[str, Any] = {}  # noqa: RUF012, nobody writes to it


EASY, UPPER, STRICT = "easy", "upper", "strict"
LIMITS = {
    "bounded": {
        "variance": {EASY: "variance <= 0.2", UPPER: "std <= 1.6", STRICT: "variance <= 0.03"},
        "quantile": {EASY: "quantile(0.2) >= 0.1", UPPER: "quantile(0.8) <= 2", STRICT: "quantile(0.1) >= 0.5"},
        "probability": {
            EASY: "probability(reward < 0.1) <= 0.2",
            UPPER: "probability(reward > 2) <= 0.3",
            STRICT: "probability(reward < 0.5) <= 0.1",
        },
        "cvar": {EASY: "cvar(0.2) >= 0.1", UPPER: "cvar_upper(0.2) <= 2.5", STRICT: "cvar(0.1) >= 0.5"},
        "none": {EASY: "none", UPPER: "none"},
    },
    "subgaussian": {
        "variance": {EASY: "variance <= 0.95", UPPER: "std <= 0.9", STRICT: "variance <= 0.03"},
        "none": {EASY: "none", UPPER: "none"},
    },
}
LIMITS["gaussian"] = LIMITS["subgaussian"]

BOUNDED = {
    "1": Case([flat(0.6, 0.8)], EASY, 8000),
    "2": Case([flat(0.85, 1.0), coin(0.1)], EASY, 10_000),
    "2 min": Case(
        [flat(-2.0, -1.0), coin(0.3, -2.0, 3.0)], UPPER, 10_000, {"goal": "min", "tolerance": 0.4, "risk_slack": 0.1}
    ),
    "3 close": Case([stairs(10), flat(0.2, 0.8), coin(0.51)], EASY, 1500),
    "5": Case([flat(0.5, 0.9), coin(0.02), stairs(3), coin(0.5), flat(0.0, 0.3)], EASY, 5000),
    "2 none": Case([coin(0.5), coin(0.4)], STRICT, 10_000),
    "20": Case([flat(0.04 * k, 0.04 * k + 0.2) for k in range(20)], EASY, 1500, {"tolerance": 0.05}),
}
UNBOUNDED = {
    "1": Case([bell(0.5, 0.1)], EASY, 8000),
    "2": Case([bell(5.0, 0.1), bell(0.0, 0.5)], EASY, 10_000),
    "2 min": Case(
        [bell(-3.0, 0.5), bell(2.0, 0.9)], UPPER, 10_000, {"goal": "min", "tolerance": 0.4, "risk_slack": 0.1}
    ),
    "3 close": Case([bell(0.1, 0.9), bell(0.0, 1.0), bell(0.05, 0.2)], EASY, 1500),
    "5": Case([bell(4.0, 0.1), bell(-1.0, 0.3), bell(0.0, 0.9), bell(0.0, 0.1), bell(6.0, 0.999)], EASY, 5000),
    "2 none": Case([bell(0.0, 0.99), bell(0.5, 0.9)], STRICT, 10_000),
    "20": Case([bell(0.5 * k, 0.2) for k in range(20)], EASY, 1500, {"tolerance": 0.05}),
}
CASES = {"bounded": BOUNDED, "subgaussian": UNBOUNDED, "gaussian": UNBOUNDED}
NEEDS_ACCURACY = {"tolerance": 0.1, "risk_slack": 0.02}  # what risk-averse-ucb must be given


def groups() -> list[str]:
    return [" ".join(names) for names in adapter.combinations()]


def record(group: str) -> Iterator[Recorded]:
    policy, bounds, kind, risk = group.split()
    for name, case in CASES[kind].items():
        if case.limit in LIMITS[kind][risk]:
            yield one(f"{group}: {name}", policy, bounds, problem_of(case, policy, kind, risk), case)


def problem_of(case: Case, policy: str, kind: str, risk: str) -> Problem:
    fields = (NEEDS_ACCURACY if policy == "risk-averse-ucb" else {}) | case.fields
    if risk == "none":
        fields = {name: value for name, value in fields.items() if name != "risk_slack"}
    low, high = (-2.0, 3.0) if case.limit == UPPER else (0.0, 1.0)
    names = [f"arm {index}" for index in range(len(case.arms))]
    return Problem(
        arms=names, risk=LIMITS[kind][risk][case.limit], rewards=adapter.reward_model(kind, low, high), **fields
    )


def one(title: str, policy: str, bounds: str, problem: Problem, case: Case) -> Recorded:
    generators = [np.random.default_rng([7, index]) for index in range(len(case.arms))]
    pulls = [0] * len(case.arms)

    def reward(arm: int) -> float:
        pulls[arm] += 1
        return case.arms[arm](generators[arm])

    asked, ends, verdicts = [], [], []
    for step in adapter.steps(problem, policy, bounds, reward, 3, case.max_pulls):
        asked.append(f"{step.status} {step.arm} {step.asked}")
        ends.append(" ".join(f"{lower.hex()} {upper.hex()}" for lower, upper in step.bounds))
        verdicts.append(" ".join(step.verdicts))
    lower, upper = step.bounds[max(step.arm, 0)]
    fields = {
        "status": step.status,
        "arm": step.arm,
        "pulls": pulls,
        "steps": len(asked),
        "L": f"{lower:.6g}",
        "U": f"{upper:.6g}",
        "last": "".join(verdict[0] for verdict in step.verdicts),
    }
    return Recorded(title, fields, {"asked": asked, "bounds": ends, "verdicts": verdicts})
