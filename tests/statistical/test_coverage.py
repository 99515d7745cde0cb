"""Each bound alone: how often it ever fails, at all times at once, on arms chosen against it; with negative controls."""

import functools

import numpy as np
import pytest

from surefoot import Bernoulli, Beta, Discrete, Instance, Normal, Uniform
from surefoot.compiled import compile_program
from surefoot.core.program import Program
from surefoot.core.registry import FAMILIES, POLICIES
from surefoot.rewards.models import Bounded, Gaussian, SubGaussian
from tests.kernels import coverage
from tests.kernels.shrunk import shrunk
from tests.statistical.binomial import too_many

PATHS = 1000
PULLS = 1200
REWARDS = {"bounded": Bounded(), "subgaussian": SubGaussian(1.0), "gaussian": Gaussian()}
ARMS = {
    "bounded": {
        "fair coin": Bernoulli(0.5),
        "lopsided coin": Bernoulli(0.15),  # its sample variance varies most
        "rare event": Bernoulli(0.01),
        "rare failure": Bernoulli(0.99),
        "two points": Discrete((0.2, 0.25), (0.9, 0.1)),
        "rare jackpot": Discrete((0.0, 1.0), (0.999, 0.001)),
        "uniform": Uniform(0.0, 1.0),
        "tiny variance": Beta(mean=0.3, variance=1e-5),
        "U-shaped": Beta(a=0.1, b=0.1),
    },
    "subgaussian": {
        "normal": Normal(mean=3.0, variance=0.9),
        "small normal": Normal(mean=-2.0, variance=0.1),
        "two points": Discrete((-1.0, 1.0)),
        "lopsided": Discrete((-0.2, 1.8), (0.9, 0.1)),  # within 2 of each other: 1-sub-Gaussian
        "uniform": Uniform(-1.0, 1.0),
    },
    "gaussian": {"normal": Normal(mean=3.0, variance=0.9), "small normal": Normal(mean=-2000.0, variance=1e-3)},
}
KINDS = list(FAMILIES)
CASES = [(bounds, kind, name) for bounds, kind in FAMILIES for name in ARMS[kind]]


@functools.cache
def assembled(bounds, kind, small):
    family = FAMILIES[bounds, kind]
    mean_bound = shrunk(family.mean_bound) if small else family.mean_bound
    parts = Program(POLICIES["va-lucb"], family.standings, mean_bound, family.risk_tests["variance"])
    return parts, compile_program(coverage, parts.parts)


def failures(bounds, kind, arm, limit, small=False, early=False):
    """Of PATHS paths, how often L, U and each verdict failed or came about; and how often L, U and verdicts may fail."""
    parts, kernels = assembled(bounds, kind, small)
    delta = 0.09 if bounds == "lil" else 0.2
    instance = Instance({"A": arm}, risk=f"variance <= {limit!r}", rewards=REWARDS[kind], delta=delta)
    question, draws = instance.problem.question, instance.draws()
    asked, warm_up = [0] * 3, 0
    while made := FAMILIES[bounds, kind].mean_bound.warm_up(
        parts.mean_bound.parameters(question), asked, 1, warm_up + 1
    ):
        warm_up += made
    counts = np.zeros(4)
    for k in range(PATHS):
        state = parts.start(question, packed=True)
        if early:
            state = state._replace(risk_parameters=parts.risk_test.shrunk(state.risk_parameters))
        counts += kernels.path(state, draws, np.random.default_rng([11, k]), PULLS, warm_up, arm.mean)
    bound = FAMILIES[bounds, kind].mean_bound
    risk_misses = bound.risk_misses if hasattr(bound, "risk_misses") else parts.risk_test.misses
    return counts, bound.misses(question), risk_misses(question)


@pytest.mark.parametrize(("bounds", "kind", "name"), CASES)
def test_bounds_and_verdicts_fail_no_more_often_than_they_may(bounds, kind, name):
    arm = ARMS[kind][name]
    for limit in (arm.variance * (1.0 - 1e-9), arm.variance * (1.0 + 1e-9)):
        (above, below, feasible, infeasible), mean_level, risk_level = failures(bounds, kind, arm, limit)
        assert not too_many(above, PATHS, mean_level[0])
        assert not too_many(below, PATHS, mean_level[1])
        if arm.variance <= limit:
            assert not too_many(infeasible, PATHS, risk_level[1] + sum(mean_level))  # INFEASIBLE relies on L and U too
        else:
            assert not too_many(feasible, PATHS, risk_level[0])


@pytest.mark.parametrize(("bounds", "kind"), KINDS)
def test_shrunk_bounds_are_caught(bounds, kind):
    caught = []
    for name in {"bounded": ("fair coin", "uniform"), "gaussian": ("normal",)}.get(kind, ("normal", "uniform")):
        arm = ARMS[kind][name]
        (above, below, *_), level, _ = failures(bounds, kind, arm, 0.2, small=True)
        caught.append(too_many(above, PATHS, level[0]) and too_many(below, PATHS, level[1]))
    assert any(caught)


@pytest.mark.parametrize("kind", ["bounded", "subgaussian", "gaussian"])
def test_variance_tests_that_decide_early_are_caught(kind):
    arms = ARMS[kind].values()
    feasible = [failures("sharp", kind, arm, arm.variance * (1 - 1e-9), early=True) for arm in arms]
    infeasible = [failures("sharp", kind, arm, arm.variance * (1 + 1e-9), early=True) for arm in arms]
    assert any(too_many(counts[2], PATHS, level[0]) for counts, _, level in feasible)
    assert any(too_many(counts[3], PATHS, level[1] + sum(mean)) for counts, mean, level in infeasible)


@pytest.mark.parametrize(
    ("bounds", "kind", "name"), [("paper", "bounded", "lopsided coin"), ("subgaussian", "subgaussian", "normal")]
)
def test_shrunk_radii_misjudge_variances(bounds, kind, name):
    arm = ARMS[kind][name]
    counts, _, level = failures(bounds, kind, arm, arm.variance * (1 - 1e-9), small=True)
    assert too_many(counts[2], PATHS, level[0])
