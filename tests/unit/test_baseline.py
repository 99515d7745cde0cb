"""Limits against a baseline: what a problem may ask, and the evidence that two arms give together."""

import math

import numpy as np
import pytest

from surefoot import Bernoulli, Beta, Instance, Problem, simulate
from surefoot.core import folding, verdicts
from surefoot.core.assembly import assemble
from surefoot.errors import InvalidValue, Unsupported
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from surefoot.simulation.job import ENGINES
from tests.unit.tight_arms import pair_wealth

ARMS = ["current", "small", "large"]
METRICS = {"accuracy": "binary", "latency": [0, 10], "seconds": "any", "profit": [-5, 5]}


def problem(*limits, arms=ARMS, baseline="current", metrics=METRICS, **fields):
    return Problem(arms, **{"goal": "max mean(accuracy)"} | fields, limits=limits, baseline=baseline, metrics=metrics)


def test_a_problem_file_says_it():
    written = problem(
        "mean(latency) <= 1.02 * baseline",
        {"limit": "mean(accuracy) >= baseline - 0.01", "slack": 0.005},
        "probability(seconds > 2) <= baseline + 0.1",
        "mean(latency) <= 9",
    )
    assert Problem.loads(written.dumps()) == written
    assert written.baseline == "current"
    assert [str(limit) for limit in written.limits] == [
        "mean(latency) <= 1.02 * baseline",
        "mean(accuracy) >= baseline - 0.01",
        "probability(seconds > 2) <= baseline + 0.1",
        "mean(latency) <= 9",
    ]
    assert written.but(delta=0.1).baseline == "current"


@pytest.mark.parametrize(
    ("limit", "baseline", "words"),
    [
        ("mean(accuracy) >= baseline", None, "needs a baseline: say which arm that is, such as baseline = 'current'"),
        ("mean(accuracy) >= baseline", "curent", "must be the name of an arm, got 'curent'; did you mean current"),
        ("mean(accuracy) >= 0.5", "current", "must be used by a limit"),
        ("mean(profit) >= 0.9 * baseline", "current", "must have no factor, as profit may be negative"),
        ("mean(latency) >= -1 * baseline", "current", "must have a factor above 0 at character 19, got '1'"),
        ("mean(latency) >= 0 * baseline", "current", "must have a factor above 0 at character 18, got '0'"),
        ("mean(seconds) <= baseline", "current", "must have a range"),
        ("variance(latency) <= baseline", "current", "mean and probability can be limited against the baseline"),
        ("quantile(0.9, latency) <= baseline", "current", "mean and probability can be limited against the baseline"),
    ],
)
def test_what_has_no_proof_is_refused(limit, baseline, words):
    with pytest.raises(InvalidValue, match=words):
        problem(limit, baseline=baseline)


@pytest.mark.parametrize(("policy", "bounds"), [("va-lucb", "tight"), ("va-lucb", "sharp"), ("va-uniform", "paper")])
def test_other_policies_are_refused(policy, bounds):
    with pytest.raises(Unsupported, match="policy 'top-two' would work"):
        choice.program(problem("mean(accuracy) >= baseline"), policy, bounds)


def naive(arm, other, factor, plus, sign):
    """ln of the evidence that the mean of an arm is above (sign 1) or below what `factor` and `plus` make of the other's:
    the least over a fine grid of all means that the other may have.
    """
    found = []
    for x in np.linspace(0.0, 1.0, 2001):
        y = factor * x + plus
        if y < 0.0 if sign > 0 else y > 1.0:
            continue  # no mean of the arm is on the other side
        y = min(max(y, 0.0), 1.0)
        found.append(pair_wealth(arm, other, y, x) if sign > 0 else pair_wealth(other, arm, x, y))
    return min(found, default=math.inf)


def played(asked, results):
    """The state after these results of each arm."""
    program = choice.program(asked)
    kernels, state = assemble(folding, program.parts), program.start(question_of(asked), packed=False)
    inward = asked.inward
    for index, rows in enumerate(results):
        for row in rows:
            kernels.fold(state, index, inward(asked.values("a result", row)))
    return state, kernels.baseline


@pytest.mark.parametrize(
    "bound", ["baseline", "baseline + 1", "1.3 * baseline - 2", "0.8 * baseline", "0.5 * baseline + 6"]
)
@pytest.mark.parametrize("relation", ["<=", ">="])
@pytest.mark.parametrize("goal", ["max mean(latency)", "min mean(latency)", "max mean(accuracy)"])
def test_the_evidence_is_that_of_its_definition(bound, relation, goal):
    generator = np.random.default_rng(3)
    rows = [
        [{"accuracy": 1, "latency": float(10 * value)} for value in generator.beta(*shape, size)]
        for *shape, size in ((4, 3, 60), (7, 2, 45))
    ]
    metrics = {"accuracy": "binary", "latency": [0, 10]}
    asked = problem(f"mean(latency) {relation} {bound}", arms=ARMS[:2], metrics=metrics, goal=goal)
    state, module = played(asked, rows)
    module.compare(state.arms[1], state.arms[0], state.limit_parameters)
    baseline, arm = ([row["latency"] / 10 for row in some] for some in rows)
    to = asked.limits[0].risk.to
    above, below = (naive(arm, baseline, to.factor, to.plus / 10, sign) for sign in (1, -1))
    wanted = (above, below) if relation == ">=" else (below, above)
    found = state.arms[1].limit.kept[0], state.arms[1].limit.broken[0]
    for one, other in zip(found, wanted, strict=True):
        assert one <= other + 1e-9  # never above it
        assert one == pytest.approx(other, abs=0.02)


def test_a_probability_is_the_mean_of_what_is_beyond():
    rows = [[{"accuracy": 1, "seconds": value} for value in some] for some in ([1.0, 3.0, 2.0] * 20, [5.0, 1.0] * 20)]
    metrics = {"accuracy": "binary", "seconds": "any"}
    state, module = played(problem("probability(seconds > 2) <= baseline", arms=ARMS[:2], metrics=metrics), rows)
    module.compare(state.arms[1], state.arms[0], state.limit_parameters)
    baseline, arm = [0, 1, 0] * 20, [1, 0] * 20
    assert state.arms[1].limit.broken[0] == pytest.approx(naive(arm, baseline, 1.0, 0.0, 1), abs=0.02)


def test_a_verdict_stays():
    rows = [[0.2] * 40, [0.8] * 40]
    asked = Problem(["current", "new"], rewards=(0, 1), limits=["mean >= baseline + 0.1"], baseline="current")
    state, module = played(asked, rows)
    assert module.look(state, 1)
    assert state.arms[1].verdict == verdicts.FEASIBLE
    kernels = assemble(folding, choice.program(asked).parts)
    for _ in range(500):
        kernels.fold(state, 0, (1.0,))
    module.look(state, 1)
    assert state.arms[1].verdict == verdicts.FEASIBLE
    assert state.arms[0].compared.totals[0] == pytest.approx(0.2 * 40 + 500)  # the baseline's evidence is kept up


def test_what_is_right_depends_on_the_baseline():
    arms = {"current": Bernoulli(0.5), "worse": Bernoulli(0.45), "better": Bernoulli(0.6)}
    fields = {"rewards": (0, 1), "baseline": "current"}
    assert Instance(arms, limits=["mean >= baseline + 0.2"], **fields).right_answers == ("current",)
    assert Instance(arms, limits=["mean >= baseline + 0.05"], **fields).right_answers == ("better",)
    assert Instance(arms, limits=["mean <= 0.95 * baseline"], **fields).feasible == (True, True, False)
    slack = [{"limit": "mean <= baseline", "slack": 0.1}]
    assert Instance(arms, limits=slack, goal="max", **fields).right_answers == ("current", "better")


def test_both_engines_take_the_same_pulls_and_recommend_the_same():
    arms = {"current": Beta(mean=0.5, variance=0.05), "a": Beta(mean=0.7, variance=0.05), "b": Bernoulli(0.9)}
    instance = Instance(arms, rewards=(0, 1), limits=["mean <= 1.5 * baseline"], baseline="current", delta=0.1)
    for most in (1_000, 60):
        one, other = (simulate(instance, trials=3, seed=5, max_pulls=most, engine=engine).runs for engine in ENGINES)
        assert one == other
