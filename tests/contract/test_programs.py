"""What every (policy, bounds, rewards, risk) must do, because it is in the registry."""

import numpy as np
import pytest

from surefoot import Bernoulli, Beta, Discrete, Instance, Normal, Problem, Uniform, simulate
from surefoot.core import records, verdicts
from surefoot.core.chains import limit_parts
from surefoot.core.program import Program
from surefoot.core.registry import ANSWERS, FAMILIES, POLICIES, family
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics
from surefoot.problem import choice
from surefoot.problem.reward_models import Bounded, Gaussian, SubGaussian
from tests.conftest import PROGRAMS
from tests.examples_of import ExamplesOf
from tests.play import play

PROGRAM = ("policy", "bounds", "kind", "risk")
REWARDS = {"bounded": Bounded(), "subgaussian": SubGaussian(1.0), "gaussian": Gaussian()}
EASY = {
    "bounded": {"A": Uniform(0.55, 0.95), "B": Discrete((0.0, 1.0), (0.02, 0.98)), "C": Uniform(0.0, 0.1)},
    "subgaussian": {
        "A": Normal(mean=0, variance=0.01),
        "B": Normal(mean=6, variance=0.01),
        "C": Normal(mean=2, variance=0.5),
    },
    "gaussian": {
        "A": Normal(mean=0, variance=0.01),
        "B": Normal(mean=6, variance=0.01),
        "C": Normal(mean=7, variance=50.0),
    },
}
EASY_ALONE = EASY["gaussian"] | {"C": Normal(mean=2, variance=0.5)}  # where nothing limits the variance
NONE_QUALIFIES = {
    "bounded": {"A": Bernoulli(0.5), "B": Bernoulli(0.4)},
    "subgaussian": {"A": Normal(mean=1, variance=0.98), "B": Normal(mean=0, variance=0.95)},
    "gaussian": {"A": Normal(mean=1, variance=0.98), "B": Normal(mean=0, variance=0.95)},
}
LIMITS = {  # for each kind of rewards and of limit test, one that the best of the easy arms is within
    "bounded": ExamplesOf(
        "LIMITS of tests/contract/test_programs.py",
        {
            "variance": "variance <= 0.2",
            "quantile": "quantile(0.2) >= 0.1",
            "probability": "probability(reward < 0.1) <= 0.2",
            "cvar": "cvar(0.2) >= 0.1",
            "none": "none",
        },
    ),
    "subgaussian": ExamplesOf(
        "LIMITS of tests/contract/test_programs.py", {"variance": "variance <= 0.95", "none": "none"}
    ),
    "gaussian": ExamplesOf(
        "LIMITS of tests/contract/test_programs.py", {"variance": "variance <= 0.95", "none": "none"}
    ),
}
STRICT = ExamplesOf(
    "STRICT of tests/contract/test_programs.py",
    {  # and one that no coin is within
        "variance": "variance <= 0.03",
        "quantile": "quantile(0.1) >= 0.5",
        "probability": "probability(reward < 0.5) <= 0.1",
        "cvar": "cvar(0.1) >= 0.5",
    },
)
ENOUGH = 60_000  # pulls, for the widest of the radii

# Compiling costs seconds: these meet every policy, every family and every kind of limit test once.
COMPILED = [
    ("top-two", "tight", "bounded", "variance"),
    ("va-lucb", "sharp", "bounded", "variance"),
    ("va-lucb", "paper", "bounded", "variance"),
    ("va-uniform", "sharp", "bounded", "none"),
    ("risk-averse-ucb", "paper", "bounded", "variance"),
    ("successive-elimination", "paper", "bounded", "none"),
    ("lil-ucb", "lil", "bounded", "variance"),
    ("top-two", "tight", "bounded", "quantile"),
    ("top-two", "tight", "bounded", "probability"),
    ("top-two", "tight", "bounded", "cvar"),
    ("va-lucb", "sharp", "subgaussian", "variance"),
    ("va-lucb", "subgaussian", "subgaussian", "variance"),
    ("track-and-stop", "sharp", "gaussian", "variance"),
    ("top-two", "tight", "gaussian", "variance"),
]


def easy(kind, risk, **fields):
    arms = EASY_ALONE if (kind, risk) == ("gaussian", "none") else EASY[kind]
    return Instance(arms, risk=LIMITS[kind][risk], rewards=REWARDS[kind], **fields)


def interpreted(instance, policy, bounds, max_pulls=ENOUGH):
    return simulate(instance, policy, bounds, trials=1, engine="interpreted", max_pulls=max_pulls)


@pytest.mark.parametrize(PROGRAM, PROGRAMS)
def test_decides_rightly(policy, bounds, kind, risk):
    assert interpreted(easy(kind, risk), policy, bounds).decisions()["best"] == {"B": 1}


@pytest.mark.parametrize(PROGRAM, PROGRAMS)
def test_keeps_to_its_budget(policy, bounds, kind, risk):
    for budget in (1, 7, 20):
        (run,) = interpreted(easy(kind, risk), policy, bounds, budget).runs
        assert run.pulls <= budget
        assert run.pulls == budget or run.status != verdicts.UNDECIDED


@pytest.mark.parametrize(PROGRAM, [program for program in PROGRAMS if program[3] != "none"])
def test_says_when_no_arm_qualifies(policy, bounds, kind, risk):
    instance = Instance(NONE_QUALIFIES[kind], risk=STRICT[risk], rewards=REWARDS[kind])
    assert interpreted(instance, policy, bounds).decisions()["infeasible"] == 1


@pytest.mark.parametrize(PROGRAM, PROGRAMS)
def test_one_arm(policy, bounds, kind, risk):
    instance = Instance({"A": Uniform(0.2, 0.4)}, risk=LIMITS[kind][risk], rewards=REWARDS[kind])
    assert interpreted(instance, policy, bounds).decisions()["best"] == {"A": 1}


@pytest.mark.parametrize(PROGRAM, COMPILED)
def test_compiled_and_interpreted_are_the_same_bits(policy, bounds, kind, risk):
    arms = {
        "beta": Beta(mean=0.8, variance=0.02),
        "small beta": Beta(a=0.3, b=0.4),
        "coin": Bernoulli(0.3),
        "uniform": Uniform(0.1, 0.5),
        "discrete": Discrete((0.0, 0.25, 1.0), (0.7, 0.2, 0.1)),
    }
    if kind != "bounded":
        arms["normal"] = Normal(mean=0.5, variance=0.2)
    limit = LIMITS[kind][risk]
    for goal in ("max", "min"):
        slack = 0.001 if risk != "none" else 0.0
        fields = {"risk": limit, "rewards": REWARDS[kind], "goal": goal, "tolerance": 0.01, "risk_slack": slack}
        instance = Instance(arms, **fields)
        runs = [
            simulate(instance, policy, bounds, trials=4, max_pulls=1500, engine=engine).runs
            for engine in ("compiled", "interpreted")
        ]
        assert runs[0] == runs[1]


@pytest.mark.parametrize(PROGRAM, COMPILED[:3])
def test_results_do_not_depend_on_the_number_of_workers(policy, bounds, kind, risk):
    sweeps = [
        simulate(easy(kind, risk), policy, bounds, trials=9, seed=3, workers=workers).runs for workers in (1, 2, 5)
    ]
    assert sweeps[0] == sweeps[1] == sweeps[2]


def test_every_policy_family_and_limit_test_is_compiled_somewhere():
    assert {policy for policy, *_ in COMPILED} == set(POLICIES)
    assert {(bounds, kind) for _, bounds, kind, _ in COMPILED} == set(FAMILIES)
    tests = {id(family(policy, bounds, kind).limit_tests[risk]) for policy, bounds, kind, risk in COMPILED}
    assert tests == {id(test) for found in FAMILIES.values() for test in found.limit_tests.values()}


@pytest.mark.parametrize(PROGRAM, PROGRAMS)
def test_an_arm_has_a_part_for_each_module_with_the_fields_that_it_declares(policy, bounds, kind, risk):
    found = family(policy, bounds, kind)
    limits = limit_parts(found.limit_tests[risk])
    program = Program(POLICIES[policy], found.ranker, found.mean_bound, limits, ANSWERS["best"])
    arm = records.plain_record(program.displayed.arm)()
    for part, declaration in (
        (arm.metric, Statistics),
        (arm.goal, found.mean_bound.Evidence),
        (arm.limit, found.limit_tests[risk].Evidence),
        (arm.shown, found.limit_tests[risk].ShownEvidence),
    ):
        assert part.__slots__ == tuple(records.fields(declaration))
    assert set(records.fields(Interval)) <= set(arm.goal.__slots__)


PER_ARM = [name for (name, kind), found in FAMILIES.items() if kind == "bounded" and not found.ranker.CLOCKED]


@pytest.mark.parametrize("bounds", PER_ARM)
def test_per_arm_bounds_only_tighten_and_verdicts_stay(bounds):
    problem = Problem(arms=["A", "B", "C"], risk="variance <= 0.2", delta=0.05)
    generator = np.random.default_rng(5)
    rows = [(generator.random(9000) < 0.6), (generator.random(9000) < 0.5), generator.uniform(0.3, 0.7, 9000)]
    seen = [(-np.inf, np.inf, verdicts.OPEN)] * 3

    def watch(state):
        for index, arm in enumerate(state.arms):
            lower, upper, verdict = seen[index]
            assert arm.goal.lower >= lower
            assert arm.goal.upper <= upper
            assert verdict in (verdicts.OPEN, arm.verdict)
            seen[index] = arm.goal.lower, arm.goal.upper, arm.verdict

    game = play(problem, lambda arm, n: float(rows[arm][n]), bounds=bounds, watch=watch, max_pulls=6000)
    assert game.status == verdicts.BEST or bounds == "lil"


def test_normal_rewards_are_drawn_alike():
    from surefoot.compiled import compile_program
    from surefoot.simulation import kernel

    instance = Instance({"A": Normal(mean=-1.0, variance=4.0)}, rewards="gaussian")
    draws = instance.draws()
    compiled = compile_program(kernel, choice.program(Problem(arms=["A"]), "va-uniform").parts)
    totals = [bare(draws, np.random.default_rng(7), 2000) for bare in (compiled.bare_draws, kernel.bare_draws)]
    assert totals[0] == totals[1]
    assert abs(totals[0] / 2000 + 1.0) < 0.3
