"""Each bound alone: how often it ever fails, at all times at once, on arms chosen against it; with negative controls."""

import numpy as np
import pytest

from surefoot import Bernoulli, Beta, Discrete, Instance, Uniform
from surefoot.compiled import compile_program
from surefoot.core import registry
from surefoot.core.program import Program
from tests.kernels import coverage, shrunk_paper, shrunk_sharp
from tests.statistical.binomial import too_many

DELTA = 0.2
PATHS = 1200
PULLS = 1500

ARMS = {
    "fair coin": Bernoulli(0.5),
    "lopsided coin": Bernoulli(0.15),  # its sample variance varies most
    "rare event": Bernoulli(0.01),
    "rare failure": Bernoulli(0.99),
    "two points": Discrete((0.2, 0.25), (0.9, 0.1)),
    "rare jackpot": Discrete((0.0, 1.0), (0.999, 0.001)),
    "uniform": Uniform(0.0, 1.0),
    "tiny variance": Beta(mean=0.3, variance=1e-5),
    "U-shaped": Beta(a=0.1, b=0.1),
}
SHRUNK = {"sharp": shrunk_sharp, "paper": shrunk_paper}


def failures(bounds, arm, limit, mean_bound=None, shrink_test=False):
    """Of PATHS paths: how often L, U, a verdict FEASIBLE and a verdict INFEASIBLE came about wrongly or at all."""
    family = registry.FAMILIES[bounds]
    parts = Program(
        registry.POLICIES["va-lucb"], family.standings, mean_bound or family.mean_bound, family.risk_tests["variance"]
    )
    kernels = compile_program(coverage, parts.parts)
    instance = Instance({"A": arm}, risk=f"variance <= {limit!r}", delta=DELTA)
    question, draws = instance.problem.question, instance.draws()
    counts = np.zeros(4)
    for k in range(PATHS):
        state = parts.start(question, packed=True)
        if shrink_test:
            state = state._replace(risk_parameters=parts.risk_test.shrunk(state.risk_parameters))
        counts += kernels.path(state, draws, np.random.default_rng([11, k]), PULLS, arm.mean)
    return counts, family.mean_bound.misses(question), family.risk_tests["variance"].misses(question)


@pytest.mark.parametrize("bounds", registry.FAMILIES)
@pytest.mark.parametrize("name", ARMS)
def test_bounds_and_verdicts_fail_no_more_often_than_they_may(bounds, name):
    arm = ARMS[name]
    for limit in (arm.variance * (1.0 - 1e-9), arm.variance * (1.0 + 1e-9)):
        (above, below, feasible, infeasible), mean_level, risk_level = failures(bounds, arm, limit)
        assert not too_many(above, PATHS, mean_level[0])
        assert not too_many(below, PATHS, mean_level[1])
        wrongly, level = (infeasible, risk_level[1]) if arm.variance <= limit else (feasible, risk_level[0])
        # INFEASIBLE relies on L and U too
        level += sum(mean_level) if arm.variance <= limit else 0.0
        assert not too_many(wrongly, PATHS, level)


@pytest.mark.parametrize("bounds", registry.FAMILIES)
def test_shrunk_bounds_are_caught(bounds):
    caught = []
    for arm in (ARMS["fair coin"], ARMS["uniform"]):
        (above, below, *_), level, _ = failures(bounds, arm, 0.2, mean_bound=SHRUNK[bounds])
        caught.append(too_many(above, PATHS, level[0]) and too_many(below, PATHS, level[1]))
    assert any(caught)


def test_shrunk_variance_tests_are_caught():
    feasible = [failures("sharp", arm, arm.variance * (1 - 1e-9), shrink_test=True) for arm in ARMS.values()]
    infeasible = [failures("sharp", arm, arm.variance * (1 + 1e-9), shrink_test=True) for arm in ARMS.values()]
    assert any(too_many(counts[2], PATHS, level[0]) for counts, _, level in feasible)
    assert any(too_many(counts[3], PATHS, level[1] + sum(mean)) for counts, mean, level in infeasible)


def test_shrunk_radii_of_the_paper_misjudge_variances():
    arm = ARMS["lopsided coin"]
    counts, _, level = failures("paper", arm, arm.variance * (1 - 1e-9), mean_bound=shrunk_paper)
    assert too_many(counts[2], PATHS, level[0])
