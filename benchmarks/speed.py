"""What a simulated pull costs: over the bare draw of its reward, and as arms grow in number."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from surefoot.compiled import compile_program
from surefoot.paper.instances import beta_instance, paper_instance
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from surefoot.simulation import Instance, kernel
from surefoot.simulation.kernel import Progress

REPEATS = 9
PROGRAMS = {  # by policy and bounds, and how many times the draw of a reward a pull may cost
    ("top-two", "tight"): "<= 5",
    ("va-lucb", "sharp"): "<= 1.6",
    ("va-lucb", "paper"): "<= 2.5",
}
BEGUN = Progress(0, 0, 0, -1, False)


def fastest(*works: Callable[[], int]) -> list[float]:
    """Nanoseconds per unit of each work, the best of several rounds in which they take turns."""
    best = [float("inf")] * len(works)
    for _ in range(REPEATS):
        for index, work in enumerate(works):
            started = time.perf_counter()
            units = work()
            best[index] = min(best[index], 1e9 * (time.perf_counter() - started) / units)
    return best


def pulling(instance: Instance, policy: str, bounds: str, pulls: int) -> tuple[Callable[[], int], Any]:
    """A work of so many pulls, begun anew each time."""
    program = choice.program(instance.problem, policy, bounds)
    kernels = compile_program(kernel, program.parts)
    draws, question = instance.draws(), question_of(instance.problem)

    def work() -> int:
        state = program.start(question, packed=True)
        return int(kernels.advance(state, draws, np.random.default_rng(1), BEGUN, pulls, 10**12).pulls)

    work()
    return work, kernels


def over_the_draw() -> list[dict[str, Any]]:
    """On three instances of 20 beta arms that take long enough: the two best alike, all alike, variance at the limit."""
    rows = []
    instances = {
        "case 1a: two close, 18 far": paper_instance("1a", 0),
        "case 2: all close": paper_instance("2", 0),
        "variance at the limit": beta_instance([0.5] * 20, [0.04] * 20, 0.0401),
    }
    for (policy, bounds), aim in PROGRAMS.items():
        for name, instance in instances.items():
            work, kernels = pulling(instance, policy, bounds, 60_000)
            draws, generator = instance.draws(), np.random.default_rng(1)

            def drawing(kernels: Any = kernels, draws: Any = draws, generator: Any = generator) -> int:
                kernels.bare_draws(draws, generator, 60_000)
                return 60_000

            drawing()
            pull, draw = fastest(work, drawing)
            what = f"time per pull over time per draw, {policy} with {bounds}, {name}"
            rows.append({"what": what, "value": pull / draw, "aim": aim, "ns_per_pull": pull, "ns_per_draw": draw})
    return rows


def over_arms() -> list[dict[str, Any]]:
    """Two good arms alike, so that no run ends; the others anywhere below, and five pulls for each arm."""
    rows: list[dict[str, Any]] = []
    for policy, bounds in (("top-two", "tight"), ("va-lucb", "sharp")):
        first = 0.0
        for arms in (10, 1_000, 100_000, 1_000_000):
            generator = np.random.default_rng(arms)
            means = [0.8, 0.8, *generator.uniform(0.2, 0.6, arms - 2).tolist()]
            instance = beta_instance(means, [0.02] * arms, 0.2)
            work, _ = pulling(instance, policy, bounds, max(5 * arms, 300_000))
            (pull,) = fastest(work)
            first = first or pull
            row = {
                "what": f"time per pull at {arms:,} arms over that at 10, {policy} with {bounds}",
                "value": pull / first,
                "ns_per_pull": pull,
            }
            rows.append(row | ({"aim": "<= 6"} if arms == 1_000_000 else {}))
    return rows


def measure() -> list[dict[str, Any]]:
    return over_the_draw() + over_arms()
