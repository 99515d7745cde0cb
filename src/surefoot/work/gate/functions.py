"""A gate on two Python functions: their seconds, or what they return."""

import secrets
import time
from collections.abc import Callable
from typing import Any

from surefoot.problem import Problem
from surefoot.problem.metrics import REWARD, metric
from surefoot.work.gate.gate import Gate, Report, run
from surefoot.work.gate.gate_sources import BASELINE, CANDIDATE, CENTURIES, Asked
from surefoot.work.gate.rounds import SECONDS, MeasuredRounds
from surefoot.work.measures import Item

LEAST = 0.001  # seconds: if both functions take less, each pull calls them several times


def compare(
    baseline: Callable[[], Any],
    candidate: Callable[[], Any],
    *,
    margin: float | str = 0.0,
    slack: float | str = 0.0,
    rewards: tuple[float, float] | None = None,
    goal: str | None = None,
    delta: float = 0.05,
    max_rounds: int | None = 1_000,
    max_seconds: float | None = None,
    seed: int | None = None,
) -> Report:
    """Call both in rounds until it is known. An exception that one of them raises goes on to the caller.

    The parameters are the options of `surefoot gate`: without `rewards`, seconds are compared round by round.
    """
    asked = Asked(
        BASELINE, CANDIDATE, str(margin), str(slack), rewards=rewards, goal=goal, delta=delta, compare=None, seed=seed
    )
    functions = {BASELINE: baseline, CANDIDATE: candidate}
    if rewards is None:
        compared, direction = metric(SECONDS, {"any": True, "measure": SECONDS}), goal or "min"
        known = {SECONDS: {"range": (0.0, CENTURIES)}}
        calls = min(map(calls_per_pull, functions.values()))
        measures = {name: timed(function, calls) for name, function in functions.items()}
    else:
        compared, direction = metric(REWARD, rewards), goal or "max"
        known = {REWARD: {"range": rewards}}
        measures = {name: called(function) for name, function in functions.items()}
    gate = Gate(asked.question([compared], compared, direction))
    problem = Problem([BASELINE, CANDIDATE], metrics=known, goal=f"{direction} mean({compared.name})")
    order = secrets.randbits(32) if seed is None else seed
    rounds = MeasuredRounds(problem, measures, BASELINE, CANDIDATE, order)
    run(gate, rounds, max_pulls=None if max_rounds is None else 2 * max_rounds, max_seconds=max_seconds)
    return gate.report()


def calls_per_pull(function: Callable[[], Any]) -> int:
    """How often to call it, so that the clock can measure it; fixed before the first round."""
    calls = 1
    while calls * timed(function, calls)(0) < LEAST:
        calls *= 2
    return calls


def timed(function: Callable[[], Any], calls: int) -> Callable[..., float]:
    def measure(pull: int, item: Item = None) -> float:
        begun = time.perf_counter()
        for _ in range(calls):
            function()
        return (time.perf_counter() - begun) / calls

    return measure


def called(function: Callable[[], Any]) -> Callable[..., float]:
    def measure(pull: int, item: Item = None) -> float:
        value: float = function()
        return value

    return measure
