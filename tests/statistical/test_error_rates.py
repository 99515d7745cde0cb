"""Wrong answers are no more frequent than delta, on instances of every kind; with a negative control."""

import numpy as np
import pytest

from surefoot import Bernoulli, Beta, Discrete, Instance, Normal, Uniform, simulate
from surefoot.compiled import compile_program
from surefoot.core import verdicts
from surefoot.core.program import Program
from surefoot.core.registry import ANSWERS, FAMILIES, POLICIES
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from surefoot.problem.reward_models import SubGaussian
from surefoot.simulation import kernel
from tests.statistical.binomial import too_many
from verification.search.weakened import weakened

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

POINTS = {
    "A": Discrete((0.0, 0.5, 0.9), (0.04, 0.16, 0.8)),
    "B": Discrete((0.3, 0.6), (0.5, 0.5)),
    "C": Bernoulli(0.85),
}
INSTANCES |= {
    "mass at the threshold": Instance(POINTS, risk="probability(reward < 0.5) <= 0.09"),
    "large rewards are bad": Instance(POINTS, risk="probability(reward > 0.9) <= 0.3", goal="min"),
    "quantile of points": Instance(POINTS, risk="quantile(0.1) >= 0.3"),
    "quantile at most": Instance(
        {"A": Uniform(0, 1), "B": Beta(a=2.0, b=6.0)}, risk="quantile(0.9) <= 0.7", goal="min"
    ),
    "no quantile qualifies": Instance(POINTS, risk="quantile(0.25) >= 0.95"),
    "cvar of points": Instance(POINTS, risk="cvar(0.2) >= 0.35"),
    "cvar, skewed": Instance({"A": Beta(a=6.0, b=0.8), "B": Beta(a=0.5, b=0.3)}, risk="cvar(0.05) >= 0.3"),
    "cvar, goal min and slack": Instance(
        {"A": Beta(a=1.0, b=9.0), "B": Uniform(0.2, 0.6), "C": Bernoulli(0.2)},
        risk="cvar_upper(0.1) <= 0.55",
        goal="min",
        risk_slack=0.05,
    ),
    "no cvar qualifies": Instance({"A": Bernoulli(0.9), "B": Uniform(0, 1)}, risk="cvar(0.2) >= 0.8"),
}
PAPERS = [name for name, instance in INSTANCES.items() if instance.problem.risk.test in ("variance", "none")]


@pytest.mark.parametrize("name", INSTANCES)
def test_sharp_is_wrong_no_more_often_than_delta(name):
    found = simulate(INSTANCES[name], bounds="sharp", trials=200, delta=DELTA, seed=1).summary()
    assert not too_many(found["wrong"], 200, DELTA)
    assert found["undecided"] == 0


@pytest.mark.parametrize("name", PAPERS)
def test_paper_is_wrong_no_more_often_than_delta(name):
    found = simulate(INSTANCES[name], bounds="paper", trials=20, delta=DELTA, seed=1, max_pulls=400_000).summary()
    assert not too_many(found["wrong"], 20, DELTA)


GAUSSIAN = {
    "feasible": ({"A": Normal(mean=0, variance=0.3), "B": Normal(mean=0.4, variance=0.3)}, "variance <= 0.6"),
    "infeasible": ({"A": Normal(mean=0, variance=0.8), "B": Uniform(-1.5, 1.5)}, "variance <= 0.4"),
    "risky best": ({"A": Normal(mean=0, variance=0.2), "B": Normal(mean=1, variance=0.9)}, "variance <= 0.5"),
}


@pytest.mark.parametrize("name", GAUSSIAN)
def test_sharp_for_sub_gaussian_rewards_is_wrong_no_more_often_than_delta(name):
    arms, risk = GAUSSIAN[name]
    instance = Instance(arms, risk=risk, rewards=SubGaussian(1.0))
    found = simulate(instance, bounds="sharp", trials=200, delta=DELTA, seed=1).summary()
    assert not too_many(found["wrong"], 200, DELTA)
    assert found["undecided"] == 0


NORMAL = {  # some of them hard, so that errors would show
    "feasible": ([(0, 0.3), (0.3, 0.3)], "variance <= 0.6"),
    "infeasible": ([(0, 0.8), (1, 0.6)], "variance <= 0.4"),
    "risky best": ([(0, 0.2), (1, 0.7)], "variance <= 0.5"),
    "no limit": ([(0, 1), (0.3, 1), (0.1, 0.2)], "none"),
    "one arm": ([(0, 0.4)], "variance <= 0.5"),
    "other scale": ([(1e6, 4e4), (1e6 + 100, 4e4)], "variance <= 6e4"),
}


def normal_instance(name, **fields):
    arms, risk = NORMAL[name]
    named = {str(i): Normal(mean=mean, variance=variance) for i, (mean, variance) in enumerate(arms)}
    return Instance(named, risk=risk, rewards="gaussian", **fields)


@pytest.mark.long
@pytest.mark.parametrize("policy", ["va-lucb", "track-and-stop"])
@pytest.mark.parametrize("name", NORMAL)
def test_gaussian_rewards_are_decided_wrongly_no_more_often_than_delta(policy, name):
    found = simulate(normal_instance(name), policy, trials=200, delta=0.05, seed=1).summary()
    assert not too_many(found["wrong"], 200, 0.05)
    assert found["undecided"] == 0


def test_track_and_stop_with_tolerance_and_slack():
    for fields in ({"tolerance": 0.1}, {"risk_slack": 0.1}, {"goal": "min"}):
        found = simulate(normal_instance("feasible", **fields), "track-and-stop", trials=200, delta=DELTA).summary()
        assert not too_many(found["wrong"], 200, DELTA)
        assert found["undecided"] == 0


@pytest.mark.parametrize("name", ["feasible", "infeasible"])
def test_track_and_stop_without_the_price_of_not_knowing_is_caught(name):
    """The negative control."""
    if name == "infeasible":
        instance = Instance(
            {"A": Normal(mean=0, variance=0.38)}, risk="variance <= 0.4", rewards="gaussian", delta=0.05
        )
    else:
        instance = Instance(
            {str(i): Normal(mean=0.05 * (i == 0), variance=0.3) for i in range(6)}, rewards="gaussian", delta=0.05
        )
    parts = choice.program(instance.problem, "track-and-stop")
    kernels = compile_program(kernel, parts.parts)
    question, draws, wrong, trials = question_of(instance.problem), instance.draws(), 0, 200
    for k in range(trials):
        state = parts.start(question, packed=True)
        begun = kernel.Progress(0, 0, 0, -1, False)
        end = kernels.advance(parts.policy.weakened(state), draws, np.random.default_rng([2, k]), begun, 10**6, 10**6)
        wrong += not instance.is_right(end.status, end.arm)
    assert too_many(wrong, trials, 0.05)


@pytest.mark.parametrize(
    ("policy", "name"),
    [("va-uniform", "two tied that are not best"), ("successive-elimination", "coins"), ("lil-ucb", "coins")],
)
def test_other_sampling_keeps_the_guarantee(policy, name):
    """It rests on the bounds alone."""
    found = simulate(INSTANCES[name], policy, "sharp", trials=200, delta=DELTA, seed=1).summary()
    assert not too_many(found["wrong"], 200, DELTA)
    assert found["undecided"] == 0


def test_risk_averse_ucb_with_the_accuracies_of_the_instance():
    found = simulate(INSTANCES["coins"], "risk-averse-ucb", "paper", trials=40, delta=DELTA, seed=1).summary()
    assert not too_many(found["wrong"], 40, DELTA)
    assert found["undecided"] == 0


@pytest.mark.parametrize("bounds", ["sharp", "paper"])
def test_weakened_bounds_decide_wrongly_too_often(bounds):
    family = FAMILIES[bounds, "bounded"]
    parts = Program(POLICIES["va-lucb"], family.ranker, weakened(family), (), ANSWERS["best"])
    kernels = compile_program(kernel, parts.parts)
    instance = Instance({name: Bernoulli(0.5) for name in "BCDEFGHIJK"} | {"A": Bernoulli(0.52)}, delta=DELTA)
    draws, wrong, trials = instance.draws(), 0, 200
    for k in range(trials):
        state = parts.start(question_of(instance.problem), packed=True)
        begun = kernel.Progress(0, 0, 0, -1, False)
        end = kernels.advance(state, draws, np.random.default_rng([2, k]), begun, 10**7, 10**7)
        wrong += not instance.is_right(end.status, end.arm)
    assert too_many(wrong, trials, DELTA)


@pytest.mark.parametrize(
    "risk", ["probability(reward < 0.5) <= 0.299", "quantile(0.299) >= 0.5", "cvar(0.5) >= 0.401", "cvar(0.5) >= 0.399"]
)
def test_tests_that_decide_early_decide_wrongly_too_often(risk):
    instance = Instance({"A": Bernoulli(0.7)}, risk=risk, delta=DELTA)
    parts = choice.program(instance.problem)
    kernels, draws, wrong, trials = compile_program(kernel, parts.parts), instance.draws(), 0, 200
    for k in range(trials):
        state = parts.start(question_of(instance.problem), packed=True)
        state = state._replace(limit_parameters=parts.limits[0].test.weakened(state.limit_parameters))
        begun = kernel.Progress(0, 0, 0, -1, False)
        end = kernels.advance(state, draws, np.random.default_rng([3, k]), begun, 5000, 5000)
        wrong += end.status != verdicts.UNDECIDED and not instance.is_right(end.status, end.arm)
    assert too_many(wrong, trials, DELTA)
