"""docs/own.md runs, and what it registers does what it says."""

import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad

from surefoot import Discrete, Instance, Study, Uniform, own, simulate
from surefoot.core.registry import BOUNDS, FAMILIES, POLICIES, SHARP_TESTS, TIGHT_TESTS
from surefoot.errors import InvalidValue, Unsupported
from surefoot.problem.risks.expressions import EXPRESSIONS, parse
from tests.statistical.binomial import too_many

PAGE = (Path(__file__).parents[2] / "docs" / "own.md").read_text()
CODE = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))


@pytest.fixture(scope="module", autouse=True)
def page():
    """The page's names; what it registers is gone afterwards."""
    before = [dict(POLICIES), dict(FAMILIES), dict(SHARP_TESTS), dict(TIGHT_TESTS), dict(EXPRESSIONS), list(BOUNDS)]
    names: dict = {}
    exec(CODE, names)
    yield names
    for registry, content in zip((POLICIES, FAMILIES, SHARP_TESTS, TIGHT_TESTS, EXPRESSIONS), before[:5], strict=True):
        registry.clear()
        registry.update(content)
    BOUNDS[:] = before[5]


def test_the_page_decides_rightly(page):
    for sweep in (page["ours"], page["by_turns"], page["sweep"]):
        assert sweep.summary()["correct"] == 20
    assert page["ours"].summary()["pulls"]["mean"] > page["default"].summary()["pulls"]["mean"]


@pytest.mark.parametrize("parts", [{}, {"policy": "least-pulled", "bounds": "hoeffding"}])
def test_compiled_and_interpreted_are_the_same_bits(page, parts):
    instance = page["careful"].but(goal="min", risk_slack=0.001)
    runs = [
        simulate(instance, trials=3, max_pulls=800, engine=engine, **parts).runs
        for engine in ("compiled", "interpreted")
    ]
    assert runs[0] == runs[1]


def test_live(page):
    study = Study(["A", "B"], risk="semivariance <= 0.02", policy="least-pulled", bounds="hoeffding")
    generator = np.random.default_rng(1)
    rewards = {"A": lambda: generator.uniform(0.5, 0.9), "B": lambda: generator.uniform(0.0, 1.0)}
    while not study.decided:
        for pull in study.ask():
            study.tell(pull, rewards[pull.arm]())
    assert study.decision.arm == "A"
    assert "its semivariance is 0 (within 0.02)" in str(study.decision)
    assert "its semivariance is above 0.02" in str(study.table())
    study.plot()


def test_the_own_risk_on_a_scale_of_its_own(page):
    """Limits and rewards are on the reward's own scale, whatever the goal."""
    arms = {"A": Uniform(0.3, 3.0), "B": Discrete((-1.0, 2.9), (0.2, 0.8))}
    instance = Instance(arms, risk="semivariance <= 0.3", rewards=(-1, 3), goal="min")
    exact = [quad(lambda x: page["loss"](x) / 2.7, 0.3, 3.0)[0], 0.2 * 1.5**2]
    assert page["semivariance"](arms["A"]) == pytest.approx(exact[0], rel=1e-4)
    assert instance.right_answers == ("A",)
    assert simulate(instance, trials=10).decisions()["best"] == {"A": 10}


def wrong_verdicts(risk):
    """Of 300 runs at the limit itself, how often the arm is called feasible just beyond it, and infeasible just within."""
    arm = Discrete((0.0, 0.5), (0.08, 0.92))  # semivariance 0.02
    found = [
        simulate(Instance({"A": arm}, risk=f"{risk} <= {limit!r}", delta=0.2), trials=300, max_pulls=1500).decisions()
        for limit in (0.02 * (1 - 1e-9), 0.02 * (1 + 1e-9))
    ]
    return sum(found[0]["best"].values()), found[1]["infeasible"]


@pytest.mark.long
def test_its_error_rate(page):
    """Each wrong verdict comes about no more often than it may."""
    feasible, infeasible = wrong_verdicts("semivariance")
    assert not too_many(feasible, 300, 0.08)
    assert not too_many(infeasible, 300, 0.02)


def hasty(arm, limit):
    return 4.0 * arm.within, 4.0 * arm.beyond


@pytest.mark.long
def test_wealths_that_are_no_supermartingales_are_caught(page):
    """The negative control."""
    others = {"value": page["semivariance"], "fields": page["fields"]}
    own.risk("hasty", page["observe"], hasty, page["estimate"], **others)
    feasible, infeasible = wrong_verdicts("hasty")
    assert too_many(feasible, 300, 0.08)
    assert too_many(infeasible, 300, 0.02)


def test_expressions_of_an_own_risk():
    risk = parse("semivariance<=0.02")
    assert str(risk) == "semivariance <= 0.02"
    assert parse(str(risk)) == risk
    with pytest.raises(InvalidValue, match="did you mean semivariance <= X"):
        parse("semivariance >= 0.02")


def fine(arm, lower_miss, upper_miss):
    return 0.0, 1.0


def test_names(page):
    for name in ("sharp", "va-lucb", "variance"):
        with pytest.raises(InvalidValue, match=f"'{name}' is a name that Surefoot uses itself; choose another"):
            own.mean_bound(name, fine)
    for name in ("", "Mine", "a b", 3):
        with pytest.raises(InvalidValue, match="a name must be small letters"):
            own.mean_bound(name, fine)
    own.mean_bound("hoeffding", page["interval"])  # one's own may be given anew
    assert BOUNDS.count("hoeffding") == 1


def nothing(*arguments):
    return None


def fails(arm, lower_miss, upper_miss):
    return arm.nonsense, 1.0


def writes_nonsense(state, ranking, generator):
    state.asked[0] = 7
    return 1


REFUSED = [
    (
        lambda: own.mean_bound("x", lambda arm: 1.0),
        "interval of the mean bound 'x' must take (arm, lower_miss, upper_miss)",
    ),
    (lambda: own.mean_bound("x", math.sqrt), "must be a plain function, got <built-in function sqrt>"),
    (lambda: own.mean_bound("x", nothing), "must return L and U, a tuple of two floats, got None"),
    (lambda: own.mean_bound("x", lambda arm, a, b: (0, 1)), "must return L and U, a tuple of two floats, got (0, 1)"),
    (
        lambda: own.mean_bound("x", lambda arm, a, b: (1.0, 0.0)),
        "must have the mean 0.4 between L and U, got (1.0, 0.0)",
    ),
    (
        lambda: own.mean_bound("x", lambda arm, a, b: (math.nan, 1.0)),
        "must have the mean 0.4 between L and U, got (nan, 1.0)",
    ),
    (lambda: own.mean_bound("x", fails), "interval of the mean bound 'x' failed on an example: AttributeError"),
    (lambda: own.policy("x", lambda state: 1), "choose of the policy 'x' must take (state, ranking, generator)"),
    (lambda: own.policy("x", nothing), "must return how many arms it wrote into state.asked, got None"),
    (lambda: own.policy("x", writes_nonsense), "must write indices of arms into state.asked, got 7"),
    (
        lambda: own.risk("x", nothing, nothing, nothing, value=nothing, fields=()),
        "log_wealths of the risk 'x' must return two log-wealths, a tuple of two floats, got None",
    ),
    (
        lambda: own.risk("x", nothing, nothing, nothing, value=nothing, fields=("mean",)),
        "the fields of the risk 'x' must be names that no other part has, got 'mean'",
    ),
]


@pytest.mark.parametrize(("register", "sentence"), REFUSED)
def test_refuses_with_a_sentence(register, sentence):
    with pytest.raises(InvalidValue) as refusal:
        register()
    assert sentence in str(refusal.value)


def untyped(arm, lower_miss, upper_miss):
    return (0.0, 1.0) if arm.pulls < 1e9 else ("none", "none")


def uses_json(arm, lower_miss, upper_miss):
    import json

    return 0.0, float(json.dumps(1))


@pytest.mark.parametrize("interval", [untyped, uses_json])
def test_what_cannot_be_compiled_gets_a_sentence_and_runs_interpreted(page, interval):
    own.mean_bound("odd", interval)
    with pytest.raises(Unsupported) as refusal:
        simulate(page["instance"], bounds="odd", trials=1, max_pulls=50)
    assert "a part of this program cannot be compiled: " in str(refusal.value)
    assert "engine='interpreted' runs them as they are" in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert len(simulate(page["instance"], bounds="odd", trials=1, max_pulls=50, engine="interpreted").runs) == 1


def test_the_command_line_imports_them(tmp_path, monkeypatch, capsys):
    from surefoot.cli import main

    (tmp_path / "my_bounds.py").write_text(
        CODE.split("from surefoot import Beta")[0].replace('"hoeffding"', '"hoeffding-2"')
    )
    (tmp_path / "broken.py").write_text("1 / 0")
    (tmp_path / "p.toml").write_text('rewards = [0, 1]\n[[arms]]\nname = "A"\nbernoulli = 0.5\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    command = ["simulate", "p.toml", "--trials", "2", "--bounds", "hoeffding-2", "--engine", "interpreted"]
    assert main([*command, "--import", "my_bounds"]) == 0
    assert main([*command, "--import", "broken"]) == 2
    assert "--import must name a module that can be imported, got 'broken': division by zero" in capsys.readouterr().err
