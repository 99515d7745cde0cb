"""Wrong answers are no more frequent than delta, on instances of every kind; with a negative control."""

import numpy as np
import pytest

from surefoot import Bernoulli, Beta, Discrete, Instance, Uniform, simulate
from surefoot.compiled import compile_program
from surefoot.core.program import Program
from surefoot.core.registry import FAMILIES, POLICIES
from surefoot.simulation import kernel
from tests.kernels import shrunk_paper, shrunk_sharp
from tests.statistical.binomial import too_many

DELTA = 0.2  # large, so that errors would show

INSTANCES = {
    "feasible": Instance(
        {"A": Beta(mean=0.6, variance=0.02), "B": Beta(mean=0.5, variance=0.02)}, risk="variance <= 0.05"
    ),
    "infeasible": Instance({"A": Uniform(0, 1), "B": Bernoulli(0.4)}, risk="variance <= 0.06"),
    "near-limit variance": Instance({"A": Uniform(0, 1), "B": Uniform(0, 0.8)}, risk="variance <= 0.075"),
    "coins": Instance({"A": Bernoulli(0.5), "B": Bernoulli(0.7), "C": Bernoulli(0.1)}, risk="variance <= 0.23"),
    "skewed": Instance(
        {"A": Discrete((0.0, 1.0), (0.99, 0.01)), "B": Discrete((0.0, 0.2), (0.8, 0.2)), "C": Beta(a=0.05, b=2.0)},
        risk="variance <= 0.02",
    ),
    "one arm, feasible": Instance({"A": Uniform(0, 1)}, risk="variance <= 0.1"),
    "one arm, infeasible": Instance({"A": Bernoulli(0.3)}, risk="variance <= 0.15"),
    "two tied that are not best": Instance(
        {"A": Uniform(0.2, 1), "B": Uniform(0, 0.8), "C": Uniform(0, 0.8)}, risk="none"
    ),
    "limit above 1/4": Instance({"A": Bernoulli(0.6), "B": Bernoulli(0.45)}, risk="variance <= 0.3"),
    "tolerance": Instance(
        {"A": Uniform(0, 1), "B": Uniform(0.1, 0.92), "C": Uniform(0.0, 0.9)}, risk="variance <= 0.075", tolerance=0.1
    ),
    "risk_slack": Instance({"A": Uniform(0, 1), "B": Uniform(0, 0.7)}, risk=f"variance <= {1 / 12}", risk_slack=0.03),
    "goal min": Instance({"A": Bernoulli(0.5), "B": Bernoulli(0.3)}, risk="variance <= 0.22", goal="min"),
}


@pytest.mark.parametrize("name", INSTANCES)
def test_sharp_is_wrong_no_more_often_than_delta(name):
    found = simulate(INSTANCES[name], bounds="sharp", trials=400, delta=DELTA, seed=1).summary()
    assert not too_many(found["wrong"], 400, DELTA)
    assert found["undecided"] == 0


@pytest.mark.parametrize("name", INSTANCES)
def test_paper_is_wrong_no_more_often_than_delta(name):
    found = simulate(INSTANCES[name], bounds="paper", trials=20, delta=DELTA, seed=1, max_pulls=400_000).summary()
    assert not too_many(found["wrong"], 20, DELTA)


def test_uniform_sampling_keeps_the_guarantee():
    """It rests on the bounds alone."""
    found = simulate(INSTANCES["coins"], "va-uniform", "sharp", trials=400, delta=DELTA, seed=1).summary()
    assert not too_many(found["wrong"], 400, DELTA)


@pytest.mark.parametrize(("bounds", "shrunk"), [("sharp", shrunk_sharp), ("paper", shrunk_paper)])
def test_shrunk_bounds_decide_wrongly_too_often(bounds, shrunk):
    family = FAMILIES[bounds]
    parts = Program(POLICIES["va-lucb"], family.standings, shrunk, family.risk_tests["none"])
    kernels = compile_program(kernel, parts.parts)
    instance = Instance(
        {name: Bernoulli(0.5) for name in "BCDEFGHIJK"} | {"A": Bernoulli(0.52)}, risk="none", delta=DELTA
    )
    draws, wrong, trials = instance.draws(), 0, 200
    for k in range(trials):
        state = parts.start(instance.problem.question, packed=True)
        end = kernels.advance(
            state, draws, np.random.default_rng([2, k]), kernel.Progress(0, 0, 0, -1, False), 10**7, 10**7
        )
        wrong += not instance.is_right(end.status, end.arm)
    assert too_many(wrong, trials, DELTA)
