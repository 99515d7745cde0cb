"""Limits against a baseline: what a problem may ask, and the evidence that two arms give together."""

import math

import numpy as np
import pytest
from scipy import stats

from surefoot import Bernoulli, Beta, Instance, Normal, Problem, simulate
from surefoot.core import folding, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.bounds.mixture import PRIOR
from surefoot.core.bounds.tight import BETS, LOG_WEIGHTS
from surefoot.core.registry import SEVERAL
from surefoot.errors import InvalidValue, Unsupported
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from surefoot.simulation.job import ENGINES
from tests.unit.tight_arms import pair_wealth

ARMS = ["current", "small", "large"]
METRICS = {"accuracy": "binary", "latency": [0, 10], "seconds": "any", "profit": [-5, 5], "noise": "gaussian"}


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
        ("variance(latency) <= baseline", "current", "mean, quantile and probability can be limited against"),
        ("quantile(0.9, profit) <= 2 * baseline", "current", "must have no factor, as profit may be negative"),
        ("mean(noise) <= 2 * baseline", "current", "must have no factor, as noise may be negative"),
        ("quantile(1.5, latency) <= baseline", "current", r"the share of a quantile must be in \(0, 1\), got 1.5"),
    ],
)
def test_what_has_no_proof_is_refused(limit, baseline, words):
    with pytest.raises(InvalidValue, match=words):
        problem(limit, baseline=baseline)


@pytest.mark.parametrize(("policy", "bounds"), [("va-uniform", "paper"), ("lil-ucb", "lil")])
def test_other_policies_are_refused(policy, bounds):
    with pytest.raises(Unsupported, match="policy 'va-lucb' or 'successive-elimination' or 'top-two' would work"):
        choice.program(problem("mean(accuracy) >= baseline"), policy, bounds)


DECIDING = [(policy, bounds) for policy, several in SEVERAL.items() for bounds in several]


@pytest.mark.parametrize(("policy", "bounds"), DECIDING)
def test_whoever_decides_several_limits_decides_these(policy, bounds):
    arms = {"current": Bernoulli(0.5), "a": Bernoulli(0.7), "b": Bernoulli(0.95)}
    fields = {"rewards": "binary", "limits": ["mean <= baseline + 0.35"], "baseline": "current", "delta": 0.1}
    for instance, right in [
        (Instance(arms, **fields), "a"),
        (Instance(arms, **fields | {"limits": ["mean >= 0.6", "mean <= baseline + 0.35"]}), "a"),  # it is infeasible
        (Instance(arms, **fields | {"limits": ["mean <= baseline - 0.2"], "goal": "min"}), "current"),  # others are
    ]:
        sweep = simulate(instance, policy, bounds, trials=2, seed=3, engine="interpreted", max_pulls=20_000)
        assert [list(arms)[run.arm] for run in sweep.runs] == [right] * 2


def coin_wealth(heads, share):
    """Proposition 1 of docs/tight.md against a probability of heads of at most `share`; of a coin, their number says all."""
    bets = np.asarray(BETS)
    logs = np.count_nonzero(heads) * np.log1p(bets) - len(heads) * np.log1p(bets * share)
    return float(np.logaddexp.reduce(logs + LOG_WEIGHTS))


def naive(arm, other, factor, plus, sign):
    """ln of the evidence that the mean of an arm is above (sign 1) or below what `factor` and `plus` make of the other's:
    the least over a fine grid of all means that the other may have.
    """
    x = np.linspace(0.0, 1.0, 2001)
    y = factor * x + plus
    possible = y >= 0.0 if sign > 0 else y <= 1.0  # elsewhere no mean of the arm is on the other side
    x, y = x[possible], np.clip(y, 0.0, 1.0)[possible]
    return min(pair_wealth(arm, other, y, x) if sign > 0 else pair_wealth(other, arm, x, y), default=math.inf)


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


def naive_quantile(arm, other, share, factor, plus, sign):
    """ln of the evidence that the quantile of an arm is above (sign 1) or below what `factor` and `plus` make of the
    other's, as Proposition 2 of docs/baseline.md has it: the least over every place where a count changes, and just above.
    """
    arm, other = np.asarray(arm), np.asarray(other)
    places = np.concatenate([other, (arm - plus) / factor, [-1e6, 1e6]])
    found = []
    for x in np.concatenate([places, places + 1e-6, places - 1e-6]):
        y = factor * x + plus
        if sign > 0:
            wealth = coin_wealth(arm > y + 1e-9, 1 - share) + coin_wealth(other < x - 1e-9, share)
        else:
            wealth = coin_wealth(arm < y - 1e-9, share) + coin_wealth(other > x + 1e-9, 1 - share)
        found.append(wealth)
    return min(found)


SHAPES = {
    "continuous": lambda generator, size, scale: scale * generator.exponential(size=size),
    "atoms": lambda generator, size, scale: scale * generator.integers(1, 5, size),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("bound", ["baseline", "baseline + 1", "1.5 * baseline - 0.5"])
@pytest.mark.parametrize("relation", ["<=", ">="])
@pytest.mark.parametrize(("metric", "goal"), [("any", "max mean(accuracy)"), ([0, 30], "min mean(latency)")])
def test_the_evidence_on_quantiles_is_that_of_its_definition(shape, bound, relation, metric, goal):
    generator = np.random.default_rng(5)
    results = [SHAPES[shape](generator, size, scale).tolist() for size, scale in ((70, 1.0), (55, 1.5))]
    rows = [[{"accuracy": 1, "latency": value} for value in some] for some in results]
    metrics = {"accuracy": "binary", "latency": metric}
    asked = problem(f"quantile(0.7, latency) {relation} {bound}", arms=ARMS[:2], metrics=metrics, goal=goal)
    state, module = played(asked, rows)
    module.compare(state.arms[1], state.arms[0], state.limit_parameters)
    to = asked.limits[0].risk.to
    above, below = (naive_quantile(results[1], results[0], 0.7, to.factor, to.plus, sign) for sign in (1, -1))
    wanted = (above, below) if relation == ">=" else (below, above)
    found = state.arms[1].limit.kept[0], state.arms[1].limit.broken[0]
    for one, other in zip(found, wanted, strict=True):
        assert one == pytest.approx(other, abs=1e-9) or max(one, other) <= 0.0  # where there is none, it may be any


def test_of_many_results_on_quantiles_the_evidence_is_never_more():
    generator = np.random.default_rng(6)
    results = [generator.exponential(scale, 1_500).tolist() for scale in (1.0, 1.3)]
    rows = [[{"accuracy": 1, "latency": value} for value in some] for some in results]
    metrics = {"accuracy": "binary", "latency": "any"}
    state, module = played(problem("quantile(0.7, latency) >= baseline", arms=ARMS[:2], metrics=metrics), rows)
    module.compare(state.arms[1], state.arms[0], state.limit_parameters)
    wanted = naive_quantile(*reversed(results), 0.7, 1.0, 0.0, 1)
    assert 0.8 * wanted < state.arms[1].limit.kept[0] <= wanted + 1e-9


def predicted(results):
    """ln of the product of predictions by Student's t, each from the results before it."""
    logs = 0.0
    for n in range(3, len(results)):
        scale = math.sqrt((1 + 1 / n) * np.var(results[:n]) * n / (n - 1))
        logs += stats.t.logpdf(results[n], n - 1, np.mean(results[:n]), scale)
    return logs


def naive_normal(arm, other, plus, sigma):
    """ln of the evidence that the mean of an arm is above that of the other and `plus`: the least over a grid of means."""
    sides = [(np.asarray(arm), plus, 1.0, predicted(arm)), (np.asarray(other), 0.0, -1.0, predicted(other))]
    found = []
    for x in np.linspace(-3.0, 3.0, 6001):
        logs = 0.0
        for results, more, sign, guesses in sides:
            mean = x + more
            if sigma:
                n, away = len(results), max(sign * (np.mean(results) - mean), 0.0)
                logs += 0.5 * (n * n * away * away / (sigma**2 * (n + PRIOR)) - math.log((n + PRIOR) / PRIOR))
            else:  # the predictions over the likeliest normal density of this mean
                later = results[3:]
                side = min(mean, np.mean(later)) if sign > 0 else max(mean, np.mean(later))
                square = np.mean((later - side) ** 2)
                logs += guesses + 0.5 * len(later) * (math.log(2 * math.pi * square) + 1)
        found.append(logs)
    return min(found)


@pytest.mark.parametrize("model", ["gaussian", {"subgaussian": 1.0}])
def test_the_evidence_on_means_without_a_range_is_that_of_its_definition(model):
    generator = np.random.default_rng(8)
    results = [generator.normal(mean, 1.0, size).tolist() for mean, size in ((0.0, 12), (1.2, 9))]
    rows = [[{"accuracy": 1, "noise": value} for value in some] for some in results]
    asked = problem("mean(noise) >= baseline + 0.1", arms=ARMS[:2], metrics={"accuracy": "binary", "noise": model})
    state, module = played(asked, rows)
    module.compare(state.arms[1], state.arms[0], state.limit_parameters)
    sigma = None if model == "gaussian" else 1.0
    baseline, arm = results
    assert state.arms[1].limit.kept[0] == pytest.approx(naive_normal(arm, baseline, 0.1, sigma), abs=1e-3)
    turned = naive_normal(baseline, arm, -0.1, sigma)
    assert state.arms[1].limit.broken[0] == pytest.approx(turned, abs=1e-3)


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


@pytest.mark.long
def test_both_engines_take_the_same_pulls_and_recommend_the_same():
    """On means, quantiles and normal means in one program: to compile one takes half a minute."""
    shapes = {"current": (0.5, 0.05), "a": (0.7, 0.05), "b": (0.9, 0.05)}
    arms = {
        name: {"x": Beta(mean=mean, variance=variance), "y": Normal(mean=mean, variance=variance)}
        for name, (mean, variance) in shapes.items()
    }
    limits = ["mean(x) <= 1.5 * baseline", "quantile(0.5, x) <= 1.6 * baseline", "mean(y) <= baseline + 0.25"]
    asked = {"metrics": {"x": (0, 1), "y": "gaussian"}, "goal": "max mean(x)", "limits": limits}
    instance = Instance(arms, **asked, baseline="current", delta=0.1)
    for most in (1_000, 60):
        one, other = (
            simulate(instance, "va-lucb", trials=3, seed=5, max_pulls=most, engine=engine).runs for engine in ENGINES
        )
        assert one == other
