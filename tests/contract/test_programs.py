"""What every (policy, bounds, risk) must do, because it is in the registry."""

import numpy as np
import pytest

from surefoot import Bernoulli, Beta, Discrete, Instance, Normal, Uniform, simulate
from surefoot.core import records, verdicts
from surefoot.core.program import program
from surefoot.core.registry import FAMILIES, POLICIES
from surefoot.core.state import Standing
from tests.conftest import PROGRAMS
from tests.play import play

EASY = {"A": Uniform(0.55, 0.95), "B": Discrete((0.0, 1.0), (0.02, 0.98)), "C": Uniform(0.0, 0.1)}
RISKS = {"variance": "variance <= 0.2", "none": "none"}
RIGHT = {"variance": "B", "none": "B"}

# Compiling costs seconds: these meet every policy, every family and every kind of risk test once.
COMPILED = [
    ("va-lucb", "sharp", "variance"),
    ("va-lucb", "paper", "variance"),
    ("va-uniform", "sharp", "none"),
    ("va-uniform", "paper", "none"),
]


def easy(risk, **fields):
    return Instance(EASY, risk=RISKS[risk], **fields)


@pytest.mark.parametrize(("policy", "bounds", "risk"), PROGRAMS)
def test_decides_rightly(policy, bounds, risk):
    sweep = simulate(easy(risk), policy, bounds, trials=2, engine="interpreted")
    assert sweep.decisions()["best"] == {RIGHT[risk]: 2}


@pytest.mark.parametrize(("policy", "bounds", "risk"), PROGRAMS)
def test_keeps_to_its_budget(policy, bounds, risk):
    for budget in (1, 7, 20):
        (run,) = simulate(easy(risk), policy, bounds, trials=1, max_pulls=budget, engine="interpreted").runs
        assert run.pulls <= budget
        assert run.pulls == budget or run.status != verdicts.UNDECIDED


@pytest.mark.parametrize(("policy", "bounds", "risk"), PROGRAMS)
def test_says_when_no_arm_qualifies(policy, bounds, risk):
    if risk == "none":
        pytest.skip("without a limit every arm qualifies")
    instance = Instance({"A": Bernoulli(0.5), "B": Bernoulli(0.4)}, risk="variance <= 0.03")
    sweep = simulate(instance, policy, bounds, trials=2, engine="interpreted")
    assert sweep.decisions()["infeasible"] == 2


@pytest.mark.parametrize(("policy", "bounds", "risk"), PROGRAMS)
def test_one_arm(policy, bounds, risk):
    sweep = simulate(
        Instance({"A": Uniform(0.2, 0.4)}, risk=RISKS[risk]), policy, bounds, trials=1, engine="interpreted"
    )
    assert sweep.decisions()["best"] == {"A": 1}


@pytest.mark.parametrize(("policy", "bounds", "risk"), COMPILED)
def test_compiled_and_interpreted_are_the_same_bits(policy, bounds, risk):
    arms = {
        "beta": Beta(mean=0.8, variance=0.02),
        "small beta": Beta(a=0.3, b=0.4),
        "coin": Bernoulli(0.3),
        "uniform": Uniform(0.1, 0.5),
        "discrete": Discrete((0.0, 0.25, 1.0), (0.7, 0.2, 0.1)),
    }
    limit = {"variance": "variance <= 0.1", "none": "none"}[risk]
    for goal in ("max", "min"):
        instance = Instance(arms, risk=limit, goal=goal, delta=0.2, tolerance=0.01, risk_slack=0.001)
        both = [
            simulate(instance, policy, bounds, trials=4, max_pulls=1500, engine=e).runs
            for e in ("compiled", "interpreted")
        ]
        assert both[0] == both[1]


@pytest.mark.parametrize(("policy", "bounds", "risk"), COMPILED)
def test_results_do_not_depend_on_the_number_of_workers(policy, bounds, risk):
    sweeps = [simulate(easy(risk), policy, bounds, trials=9, seed=3, workers=workers).runs for workers in (1, 2, 5)]
    assert sweeps[0] == sweeps[1] == sweeps[2]


def test_every_policy_and_family_is_compiled_somewhere():
    assert {policy for policy, _, _ in COMPILED} == set(POLICIES)
    assert {bounds for _, bounds, _ in COMPILED} == set(FAMILIES)


@pytest.mark.parametrize(("policy", "bounds", "risk"), PROGRAMS)
def test_fields_of_one_program_do_not_collide(policy, bounds, risk):
    """Two modules may share a field only by inheriting it."""
    parts = program(policy, bounds, risk)
    declared = {}
    for declaration in (Standing, parts.mean_bound.Evidence, parts.risk_test.Evidence):
        for owner in declaration.__mro__:
            for name in vars(owner).get("__annotations__", {}):
                assert declared.setdefault(name, owner) is owner, f"{name} is declared twice"
    assert set(declared) == set(records.fields(Standing, parts.mean_bound.Evidence, parts.risk_test.Evidence))


@pytest.mark.parametrize(
    "bounds", [name for name, family in FAMILIES.items() if family.standings.__name__.endswith("tournament")]
)
def test_per_arm_bounds_only_tighten_and_verdicts_stay(bounds):
    instance = Instance(
        {"A": Bernoulli(0.6), "B": Bernoulli(0.5), "C": Uniform(0.3, 0.7)}, risk="variance <= 0.2", delta=0.3
    )
    generator = np.random.default_rng(5)
    rows = [(generator.random(4000) < 0.6), (generator.random(4000) < 0.5), generator.uniform(0.3, 0.7, 4000)]
    seen = [(-np.inf, np.inf, verdicts.OPEN)] * 3

    def watch(state):
        for index, arm in enumerate(state.arms):
            lower, upper, verdict = seen[index]
            assert arm.lower >= lower
            assert arm.upper <= upper
            assert verdict in (verdicts.OPEN, arm.verdict)
            seen[index] = arm.lower, arm.upper, arm.verdict

    game = play(instance.problem, lambda arm, n: float(rows[arm][n]), bounds=bounds, watch=watch)
    assert game.status == verdicts.BEST


def test_normal_rewards_are_drawn_alike():
    """No family takes them yet; the simulator already does."""
    from surefoot.compiled import compile_program
    from surefoot.simulation import kernel

    instance = Instance({"A": Normal(mean=-1.0, variance=4.0)}, rewards="gaussian")
    draws = instance.draws()
    compiled = compile_program(kernel, program("va-lucb", "sharp", "none").parts)
    totals = [bare(draws, np.random.default_rng(7), 2000) for bare in (compiled.bare_draws, kernel.bare_draws)]
    assert totals[0] == totals[1]
    assert abs(totals[0] / 2000 + 1.0) < 0.3
