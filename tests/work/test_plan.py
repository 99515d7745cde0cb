"""Plans: guesses in, pulls out."""

import pytest

from surefoot.cli.plan import as_text
from surefoot.errors import InvalidValue
from surefoot.problem import Problem
from surefoot.problem.limits import Limit
from surefoot.problem.risks.expressions import parse
from surefoot.simulation import Instance, simulate
from surefoot.work.guesses import Guesses, doubts
from surefoot.work.plan import plan, tightened

HEAD = "risk = 'variance <= 0.04'\nrewards = [0, 1]\n"


def arms(**sources):
    return HEAD + "".join(f"[[arms]]\nname = '{name}'\n{source}\n" for name, source in sources.items())


RANGED = arms(A="beta = { mean = [0.6, 0.8], variance = 0.01 }", B="bernoulli = [0.1, 0.2]", C="uniform = [0.1, 0.4]")
PLAIN = arms(A="beta = { mean = 0.7, variance = 0.01 }", B="beta = { mean = 0.3, variance = 0.01 }")


def test_without_ranges_the_runs_are_those_of_simulate():
    found = plan(Guesses.loads(PLAIN), trials=20, seed=3)
    sweep = simulate(Instance(Problem.loads(PLAIN)), trials=20, seed=3)
    assert tuple(found.base.runs[trial] for trial in range(20)) == sweep.runs
    assert found.base.pulls()["mean"] == sweep.summary()["pulls"]["mean"]
    for trial, run in found.base.runs.items():
        assert sum(found.base.by_arm[trial]) == run.pulls


def test_each_run_draws_from_the_ranges_and_changes_meet_the_same_draws():
    found = plan(Guesses.loads(RANGED), trials=30, seed=1, workers=1)
    again = plan(Guesses.loads(RANGED), trials=30, seed=1, workers=3)
    assert found.base.runs == again.base.runs
    assert found.base.decisions() == {"A": 30}
    more, surer, stricter = found.costs
    assert (surer.change, stricter.change) == ("delta = 0.005", "variance <= 0.036")
    assert more.change in ("one more arm like B", "one more arm like C")
    assert surer.compared(found.base) > 1.0
    assert more.compared(found.base) > 1.0
    assert surer.guesses.middle.problem.delta == 0.005
    fixed = plan(Guesses.loads(RANGED.replace("[0.6, 0.8]", "0.7").replace("[0.1, 0.2]", "0.15")), trials=30, seed=1)
    assert fixed.base.runs != found.base.runs


def test_draws_stay_in_their_ranges():
    import numpy as np

    guesses = Guesses.loads(RANGED)
    means = [[arm.mean for arm in guesses.instance(np.random.default_rng(k)).distributions] for k in range(50)]
    first, second, third = np.array(means).T
    assert 0.6 <= first.min() < 0.65 < 0.75 < first.max() <= 0.8
    assert 0.1 <= second.min() < second.max() <= 0.2
    assert set(third) == {0.25}


def test_ranges_are_for_plans_only():
    with pytest.raises(InvalidValue, match=r"mean of beta must be a number, got \[0.6, 0.8\]: only `surefoot plan`"):
        Problem.loads(RANGED)
    with pytest.raises(InvalidValue, match="bernoulli must be a number"):
        Problem.loads(arms(B="bernoulli = [0.1, 0.2]"))


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("beta = { mean = [0.4, 0.5, 0.6], variance = 0.01 }", "mean of beta must be a number or a range"),
        (
            "beta = { mean = [0.6, 0.4], variance = 0.01 }",
            "the upper end of mean of beta must be a number of at least 0.6",
        ),
        ("beta = { mean = [0.6, 1.4], variance = 0.01 }", "the mean of beta must be in"),
        (
            "beta = { mean = ['x', 1], variance = 0.01 }",
            "the lower end of mean of beta must be a finite number, got 'x'",
        ),
        ("command = ['true']", "must have a distribution or data to be simulated, got a command"),
    ],
)
def test_guesses_that_cannot_be_are_refused(source, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        Guesses.loads(arms(A=source))


@pytest.mark.parametrize(
    ("others", "sentence"),
    [
        ({"B": "beta = { mean = 0.7, variance = 0.02 }"}, "B ties with the best, A: no number of pulls decides"),
        ({"B": "beta = { mean = 0.69, variance = 0.02 }"}, "B is within 0.01 of the best, A: to tell them apart"),
        ({"B": "beta = { mean = 0.8, variance = 0.04 }"}, "the variance of B is on the limit: no number of pulls"),
        ({"B": "beta = { mean = 0.8, variance = 0.0401 }"}, "the variance of B, 0.0401, is close to the limit"),
        ({"B": "beta = { mean = 0.2, variance = 0.04 }"}, None),  # not for being on the limit: it is no rival
        ({"B": "beta = { mean = 0.8, variance = 0.09 }"}, None),
    ],
)
def test_what_cannot_be_decided_is_warned_of(others, sentence):
    text = arms(A="beta = { mean = 0.7, variance = 0.01 }", **others)
    found = doubts(Instance(Problem.loads(text)))
    assert [warning.startswith(sentence) for warning in found] == [True] if sentence else found == []
    assert doubts(Instance(Problem.loads("tolerance = 0.05\nrisk_slack = 0.005\n" + text))) == []


@pytest.mark.parametrize(
    ("mean", "sentence"),
    [
        (0.6, "the mean of B is on the limit: no number of pulls decides"),
        (0.605, "the mean of B, 0.605, is close to the limit"),
        (0.7, None),
    ],
)
def test_an_arm_on_a_limit_against_the_baseline_is_warned_of(mean, sentence):
    text = arms(A="bernoulli = 0.4", B=f"bernoulli = {mean}").replace("variance <= 0.04", "mean <= 1.5 * baseline")
    found = doubts(Instance(Problem.loads("baseline = 'A'\n" + text)))
    assert [warning.startswith(sentence) for warning in found] == [True] if sentence else found == []


def test_an_unsolvable_problem_ends_with_its_budget_and_costs_nothing_more():
    text = "max_pulls = 2000\n" + arms(A="bernoulli = 0.01", B="bernoulli = 0.01")
    found = plan(Guesses.loads(text), trials=4)
    assert (found.base.undecided, found.costs) == (4, ())
    assert found.base.pulls()["p99"] == 2000
    assert any("4 of 4 runs were ended undecided after 2,000 pulls" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("risk", "stricter"),
    [
        ("variance <= 0.04", "variance <= 0.036"),
        ("std <= 0.2", "std <= 0.18"),
        ("quantile(0.05) >= 0.2", "quantile(0.05) >= 0.22"),
        ("quantile(0.9) <= -2", "quantile(0.9) <= -2.2"),
        ("probability(reward < 0.2) <= 0.05", "probability(reward < 0.2) <= 0.045"),
        ("cvar(0.05) >= 0.1", "cvar(0.05) >= 0.11"),
        ("mean <= 1.02 * baseline", "mean <= 1.018 * baseline"),
        ("mean >= 0.9 * baseline", "mean >= 0.91 * baseline"),
        ("mean >= baseline - 0.01", "mean >= baseline - 0.009"),
        ("quantile(0.9) <= baseline + 0.1", "quantile(0.9) <= baseline + 0.09"),
    ],
)
def test_a_limit_a_tenth_stricter(risk, stricter):
    assert str(tightened(Limit(parse(risk)))) == stricter


def test_a_plan_says_what_a_budget_buys():
    near = arms(A="bernoulli = 0.6", B="bernoulli = 0.45").replace("variance <= 0.04", "none")
    found = plan(Guesses.loads("max_pulls = 60\n" + near), trials=40)
    runs = found.base.runs.values()
    assert 0 < found.base.undecided < 40
    bought = {"decided": 1 - found.base.undecided / 40, "right": sum(run.recommended == 0 for run in runs) / 40}
    assert found.base.bought == pytest.approx(bought)
    assert bought["decided"] < bought["right"]
    said = f"60 pulls decide {100 * bought['decided']:.0f} % of the runs; the recommendation at their end is right in "
    assert said in as_text(found)
    assert "pulls decide" not in as_text(plan(Guesses.loads(PLAIN), trials=5))
