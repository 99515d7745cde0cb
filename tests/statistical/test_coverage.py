"""Each bound alone: how often it ever fails, at all times at once, on arms chosen against it; with negative controls."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from surefoot import Bernoulli, Beta, Discrete, Instance, Normal, Uniform
from surefoot.compiled import compile_program
from surefoot.core.chains import limit_parts
from surefoot.core.program import Program
from surefoot.core.registry import ANSWERS, FAMILIES, POLICIES
from surefoot.problem.kernel_question import question_of
from surefoot.problem.reward_models import Bounded, Gaussian, SubGaussian
from surefoot.problem.risks import Cvar, CvarUpper, Probability, Quantile
from tests.statistical.binomial import too_many
from verification.search import one_arm
from verification.search.weakened import weakened

PATHS = 400  # enough to catch every weakened part below
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
SAME_TEST = {"quantile": "probability"}  # to compile one the less
CASES = [(bounds, kind, name) for bounds, kind in FAMILIES for name in ARMS[kind]]


@functools.cache
def assembled(bounds, kind, limit_test, small):
    family = FAMILIES[bounds, kind]
    mean_bound = weakened(family) if small else family.mean_bound
    limits = limit_parts(family.limit_tests[limit_test])
    parts = Program(POLICIES["va-lucb"], family.ranker, mean_bound, limits, ANSWERS["best"])
    return parts, compile_program(one_arm, parts.parts)


def variance_failures(bounds, kind, arm, limit, small=False, early=False):
    delta = 0.09 if bounds == "lil" else 0.2
    instance = Instance({"A": arm}, risk=f"variance <= {limit!r}", rewards=REWARDS[kind], delta=delta)
    return failures(bounds, kind, instance, small, early)


def failures(bounds, kind, instance, small=False, early=False):
    """Of PATHS paths, how often L, U and each verdict failed or came about; and how often L, U and verdicts may fail."""
    limit_test = SAME_TEST.get(instance.problem.risk.test, instance.problem.risk.test)
    parts, kernels = assembled(bounds, kind, limit_test, small)
    question, draws, (mean,) = question_of(instance.problem), instance.draws(), instance.unit_means
    asked, warm_up = [0] * 3, 0
    while made := FAMILIES[bounds, kind].mean_bound.warm_up(
        parts.start(question, packed=False).mean_parameters, asked, 1, warm_up + 1
    ):
        warm_up += made
    counts = np.zeros(4)
    for k in range(PATHS):
        state = parts.start(question, packed=True)
        if early:
            state = state._replace(limit_parameters=parts.limits[0].test.weakened(state.limit_parameters))
        counts += kernels.path(state, draws, np.random.default_rng([11, k]), PULLS, warm_up, mean)
    budget = parts.error_budget(question)
    return counts, (budget.lower, budget.upper), budget.limits[0][:2] if budget.limits else ()


@pytest.mark.parametrize(("bounds", "kind", "name"), CASES)
def test_bounds_and_verdicts_fail_no_more_often_than_they_may(bounds, kind, name):
    arm = ARMS[kind][name]
    for limit in (arm.variance * (1.0 - 1e-9), arm.variance * (1.0 + 1e-9)):
        (above, below, feasible, infeasible), mean_level, risk_level = variance_failures(bounds, kind, arm, limit)
        assert not too_many(above, PATHS, mean_level[0])
        assert not too_many(below, PATHS, mean_level[1])
        if arm.variance <= limit:
            assert not too_many(infeasible, PATHS, risk_level[1] + sum(mean_level))  # INFEASIBLE relies on L and U too
        else:
            assert not too_many(feasible, PATHS, risk_level[0])


@pytest.mark.parametrize(("bounds", "kind"), KINDS)
def test_weakened_bounds_are_caught(bounds, kind):
    caught = []
    for name in {"bounded": ("fair coin", "uniform"), "gaussian": ("normal",)}.get(kind, ("normal", "uniform")):
        arm = ARMS[kind][name]
        (above, below, *_), level, _ = variance_failures(bounds, kind, arm, 0.2, small=True)
        caught.append(too_many(above, PATHS, level[0]) and too_many(below, PATHS, level[1]))
    assert any(caught)


@pytest.mark.parametrize("kind", ["bounded", "subgaussian", "gaussian"])
def test_variance_tests_that_decide_early_are_caught(kind):
    arms = ARMS[kind].values()
    feasible = [variance_failures("sharp", kind, arm, arm.variance * (1 - 1e-9), early=True) for arm in arms]
    infeasible = [variance_failures("sharp", kind, arm, arm.variance * (1 + 1e-9), early=True) for arm in arms]
    assert any(too_many(counts[2], PATHS, level[0]) for counts, _, level in feasible)
    assert any(too_many(counts[3], PATHS, level[1] + sum(mean)) for counts, mean, level in infeasible)


@pytest.mark.parametrize(
    ("bounds", "kind", "name"), [("paper", "bounded", "lopsided coin"), ("subgaussian", "subgaussian", "normal")]
)
def test_weakened_radii_misjudge_variances(bounds, kind, name):
    arm = ARMS[kind][name]
    counts, _, level = variance_failures(bounds, kind, arm, arm.variance * (1 - 1e-9), small=True)
    assert too_many(counts[2], PATHS, level[0])


# Arms exactly on their limit, where neither verdict may come about more often than its test allows.
POINTS = Discrete((0.2, 0.3, 0.8), (0.1, 0.3, 0.6))
SKEWED = Beta(a=0.5, b=3.0)
ON_THE_LIMIT = {
    "mass at the threshold": (POINTS, Probability("<", 0.3, 0.1), "max"),
    "mass at the threshold, goal min": (POINTS, Probability("<", 0.3, 0.1), "min"),
    "large rewards are bad": (POINTS, Probability(">", 0.3, 0.6), "max"),
    "coin at the edge": (Bernoulli(0.8), Probability("<", 1.0, 0.2), "max"),
    "rare and bad": (Bernoulli(0.01), Probability(">", 0.0, 0.01), "min"),
    "quantile at a point": (POINTS, Quantile(0.1, at_least=0.3), "max"),
    "quantile at a point, goal min": (POINTS, Quantile(0.1, at_least=0.3), "min"),
    "quantile at most": (SKEWED, Quantile(0.9, at_most=SKEWED.quantile(0.9)), "max"),
    "cvar of points": (POINTS, Cvar(0.2, Cvar(0.2, 0.0).value(POINTS)), "max"),
    "cvar of a coin": (Bernoulli(0.5), Cvar(0.8, 0.375), "max"),
    "cvar of a coin, goal min": (Bernoulli(0.5), Cvar(0.8, 0.375), "min"),
    "cvar of a rare loss": (Bernoulli(0.98), Cvar(0.05, 0.6), "max"),
    "cvar of a uniform": (Uniform(0.0, 1.0), Cvar(0.3, 0.15), "max"),
    "cvar_upper, skewed": (SKEWED, CvarUpper(0.2, CvarUpper(0.2, 0.0).value(SKEWED)), "max"),
    "cvar_upper, skewed, goal min": (SKEWED, CvarUpper(0.2, CvarUpper(0.2, 0.0).value(SKEWED)), "min"),
}


def on_the_limit(name, slack=0.0):
    """An arm on its limit; or on its limit with the slack, so that FEASIBLE is the verdict to watch."""
    arm, risk, goal = ON_THE_LIMIT[name]
    limit = risk.bound + slack if risk.is_floor else risk.bound - slack
    side = "at_least" if risk.is_floor else "at_most"
    return Instance({"A": arm}, risk=replace(risk, **{side: limit}), goal=goal, risk_slack=slack, delta=0.2)


@pytest.mark.parametrize("name", ON_THE_LIMIT)
def test_on_the_limit_neither_verdict_comes_too_often(name):
    (*_, feasible, infeasible), _, level = failures("sharp", "bounded", on_the_limit(name))
    assert not too_many(feasible, PATHS, level[0])
    assert not too_many(infeasible, PATHS, level[1])


@pytest.mark.parametrize("name", ["quantile at most", "cvar of a rare loss", "cvar_upper, skewed, goal min"])
def test_on_the_limit_and_slack_feasible_does_not_come_too_often(name):
    (*_, feasible, _), _, level = failures("sharp", "bounded", on_the_limit(name, slack=0.005))
    assert not too_many(feasible, PATHS, level[0])


@pytest.mark.parametrize("kind", ["probability", "cvar"])
def test_tests_of_tails_that_decide_early_are_caught(kind):
    instances = [on_the_limit(name) for name, (_, risk, _) in ON_THE_LIMIT.items() if risk.test == kind]
    found = [failures("sharp", "bounded", instance, early=True) for instance in instances]
    assert any(too_many(counts[2], PATHS, level[0]) for counts, _, level in found)
    assert any(too_many(counts[3], PATHS, level[1]) for counts, _, level in found)
