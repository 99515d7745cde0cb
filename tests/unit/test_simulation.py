"""Sweeps: reproducible, exportable, interruptible."""

import csv
import gc
import signal
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot import Bernoulli, Beta, Discrete, Instance, Study, Uniform, simulate
from surefoot.core import verdicts
from surefoot.errors import InvalidValue, Unsupported
from surefoot.problem import Problem, choice
from surefoot.simulation.draws import draw
from surefoot.simulation.generators import run_generator
from tests.play import play

TWO = Instance({"A": Uniform(0.2, 0.6), "B": Uniform(0.5, 0.9)}, risk="variance <= 0.1")


def quick(instance=TWO, **options):
    return simulate(instance, **{"trials": 3, "engine": "interpreted"} | options)


def test_run_k_draws_from_its_own_stream_whatever_the_number_of_trials():
    assert quick(trials=5, seed=9).runs[:3] == quick(trials=3, seed=9).runs
    assert quick(seed=9).runs != quick(seed=10).runs


def test_a_run_draws_from_the_stream_that_is_documented():
    def documented():
        return np.random.default_rng(np.random.SeedSequence(7, spawn_key=(3,)))

    assert run_generator(7, 3).random(5).tolist() == documented().random(5).tolist()
    assert run_generator(7, 4).random() != documented().random()


def test_runs_leave_no_generators_behind():
    """numba never lets go of one that it was called with."""

    def alive():
        return sum(type(thing) is np.random.Generator for thing in gc.get_objects())

    coins = Instance({"A": Bernoulli(0.2), "B": Bernoulli(0.8)}, risk="none", rewards=(0, 1))
    simulate(coins, trials=1, workers=1, progress=False)
    before = alive()
    simulate(coins, trials=50, workers=1, progress=False)
    assert alive() <= before + 1  # that of the thread


def test_draws_follow_their_distributions():
    from surefoot.simulation import draws as source

    arms = {
        "beta": Beta(mean=6, variance=2, support=(0, 10)),
        "coin": Bernoulli(0.2),
        "uniform": Uniform(1, 9),
        "discrete": Discrete((0, 5, 10), (0.5, 0.3, 0.2)),
    }
    for goal in ("max", "min"):
        instance = Instance(arms, rewards=(0, 10), goal=goal)
        table, scale = instance.draws(), instance.problem.scale
        for index, distribution in enumerate(instance.distributions):
            generator = np.random.default_rng(index)
            sample = np.array([scale.outward(source.draw(table, index, generator)) for _ in range(4000)])
            error = 6 * np.sqrt(distribution.variance / 4000)
            assert abs(sample.mean() - distribution.mean) < error
            assert sample.var() == pytest.approx(distribution.variance, rel=0.15)


@settings(max_examples=12)
@given(st.integers(-3, 3), st.integers(-4, 4), st.integers(0, 5))
def test_scaling_rewards_changes_nothing(power, shift, seed):
    """Powers of two and whole shifts are exact in floating point."""
    width, low = 2.0**power, float(shift)

    def stretched(points, weights):
        return Discrete(tuple(low + width * point for point in points), weights)

    arms = {"A": ((0.0, 0.5, 1.0), (0.2, 0.3, 0.5)), "B": ((0.25, 0.75), (0.5, 0.5)), "C": ((0.0, 1.0), (0.9, 0.1))}
    plain = Instance({name: Discrete(*arm) for name, arm in arms.items()}, risk="variance <= 0.125")
    scaled = Instance(
        {name: stretched(*arm) for name, arm in arms.items()},
        risk=f"variance <= {0.125 * width**2!r}",
        rewards=(low, low + width),
    )
    assert quick(plain, seed=seed).runs == quick(scaled, seed=seed).runs


@settings(max_examples=15)
@given(st.permutations(range(4)), st.integers(0, 1000), st.sampled_from(["sharp", "paper"]))
def test_permuting_arms_permutes_the_result(order, seed, bounds):
    generator = np.random.default_rng(seed)
    rows = generator.beta([[8], [4], [4], [1]], [[1], [3], [2], [4]], (4, 3000))
    problem = Problem(arms=list("ABCD"), risk="variance <= 0.2", delta=0.2)
    warm_up = 4 * choice.program(problem, bounds=bounds).mean_bound.WARM_UP
    straight = play(problem, lambda arm, n: rows[arm, n], bounds=bounds, max_pulls=1500)
    permuted = play(problem, lambda arm, n: rows[order[arm], n], bounds=bounds, max_pulls=1500)
    assert [order[arm] for arm in permuted.pulled[warm_up:]] == straight.pulled[warm_up:]
    assert (permuted.status, order[permuted.arm] if permuted.arm >= 0 else -1) == (straight.status, straight.arm)


def test_without_a_limit_va_lucb_is_lucb():
    """No arm is ever open or infeasible, and a limit that every arm meets changes nothing."""
    arms = {"A": Bernoulli(0.7), "B": Bernoulli(0.4), "C": Bernoulli(0.1)}
    free, loose = Instance(arms, risk="none"), Instance(arms, risk="variance <= 0.25")
    assert quick(free).runs == quick(loose).runs


def test_a_budget_that_bites_leaves_the_run_undecided():
    sweep = quick(max_pulls=5)
    assert {run.status for run in sweep.runs} == {verdicts.UNDECIDED}
    summary = sweep.summary()
    assert (summary["correct"], summary["wrong"], summary["undecided"]) == (0, 0, 3)


def test_results_say_where_they_come_from(tmp_path, monkeypatch):
    sweep = quick(seed=4, delta=0.1)
    sweep.to_csv(tmp_path / "runs.csv")
    with open(tmp_path / "runs.csv") as file:
        rows = list(csv.DictReader(file))
    assert [row["trial"] for row in rows] == ["0", "1", "2"]
    assert rows[0]["arm"] == "B"
    assert rows[0]["seed"] == "4"
    assert rows[0]["delta"] == "0.1"
    assert rows[0]["version"]
    assert list(sweep.to_pandas()["pulls"]) == [run.pulls for run in sweep.runs]
    assert "B is best in 3 of 3 runs" in str(sweep)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(Unsupported, match="a DataFrame needs pandas: pip install pandas"):
        sweep.to_pandas()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"trials": 0}, "trials must be a whole number of at least 1, got 0"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"workers": 0}, "workers must be a whole number of at least 1, got 0"),
        ({"engine": "fast"}, "engine must be one of compiled, interpreted, got 'fast'"),
        ({"delta": 0.0}, r"delta must be in \(0, 1\), got 0.0"),
        ({"max_pulls": 0}, "max_pulls must be a whole number of at least 1, got 0"),
    ],
)
def test_bad_options_are_refused(options, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        simulate(TWO, **options)


def test_interruption_keeps_what_was_finished(tmp_path):
    """With this seed the first run decides after four pulls, and the next two would go on for days."""
    script = tmp_path / "long.py"
    script.write_text(
        "from surefoot import Bernoulli, Instance, display, simulate\n"
        "from surefoot.errors import Interrupted\n"
        "tied = Instance({'A': Bernoulli(0.5), 'B': Bernoulli(0.5)})\n"
        "display.SELDOM = 0.0\n"
        "try:\n"
        "    simulate(tied, trials=50, delta=0.3, seed=2, workers=2, max_pulls=10**12, progress=True)\n"
        "except Interrupted as stop:\n"
        "    print(stop, 1 <= len(stop.finished.runs) < 50)\n"
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, str(script)], **pipes)
    try:
        assert any(line.startswith("1 of 50 runs") for line in islice(process.stderr, 500))
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert said.startswith("interrupted after")
    assert said.strip().endswith("of 50 runs True")


def test_a_broken_cache_is_thrown_away(tmp_path, monkeypatch):
    """With the parts that take the least time to compile: it is done twice."""
    quickest = {"policy": "va-uniform", "bounds": "paper", "trials": 2}
    monkeypatch.setenv("SUREFOOT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("surefoot.simulation.job.LOOPS", {})
    before = simulate(TWO, **quickest).runs
    written = list(tmp_path.rglob("*.nb?"))
    assert written
    for path in written:
        path.write_bytes(path.read_bytes()[:100])
    monkeypatch.setattr("surefoot.simulation.job.LOOPS", {})
    assert simulate(TWO, **quickest).runs == before


def test_nowhere_to_cache_is_no_obstacle(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("SUREFOOT_CACHE_DIR", str(tmp_path / "file"))
    from surefoot.compiled import cache_file
    from surefoot.simulation import kernel

    assert cache_file(kernel, choice.program(TWO.problem).parts) is None


def test_a_path_or_a_problem_will_do(tmp_path):
    file = tmp_path / "p.toml"
    file.write_text(TWO.problem.dumps())
    assert quick(str(file)).runs == quick(file).runs == quick(TWO.problem).runs == quick().runs
    with pytest.raises(
        InvalidValue, match="instance must be an Instance, a Problem or the path of a problem file, got 3"
    ):
        simulate(3)


def test_a_beta_in_python_speaks_on_the_scale_of_its_problem():
    (arm,) = Instance({"A": Beta(mean=5, variance=1)}, rewards=(0, 10)).distributions
    assert arm.shape == pytest.approx((12.0, 12.0))
    with pytest.raises(InvalidValue, match=r"arm 'A': the mean of beta must be in \(0, 1\), got 5"):
        Instance({"A": Beta(mean=5, variance=1)})


NEAR = Instance({"A": Bernoulli(0.4), "B": Bernoulli(0.6), "C": Bernoulli(0.3)}, max_pulls=60)


def test_runs_that_end_undecided_say_what_they_would_recommend(tmp_path):
    sweep = simulate(NEAR, trials=60, engine="interpreted")
    undecided = [run for run in sweep.runs if run.status == verdicts.UNDECIDED]
    decided = [run for run in sweep.runs if run.status == verdicts.BEST]
    assert len(undecided) > 30
    assert decided
    assert all(run.recommended == run.arm and run.confidence == 0.95 for run in decided)
    assert all(0.0 <= run.confidence <= 0.95 for run in undecided)
    found = sweep.summary()["recommendations"]
    assert found["right"] == sum(run.recommended == 1 for run in undecided)
    assert found["right"] + found["wrong"] == len(undecided)
    assert found["mean_confidence"] == pytest.approx(sum(run.confidence for run in undecided) / len(undecided))
    assert [claim["confidence"] for claim in found["claimed"]] == [0.5, 0.8, 0.9]
    half = found["claimed"][0]
    assert half["runs"] == sum(run.confidence >= 0.5 for run in undecided) > 0
    assert half["wrong"] == sum(run.confidence >= 0.5 and run.recommended != 1 for run in undecided)
    assert half["allowed"] == 30.0
    assert f"right in {found['right']} of the {len(undecided)} undecided runs" in str(sweep)
    sweep.to_csv(tmp_path / "runs.csv")
    with open(tmp_path / "runs.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["recommended"] in "ABC"
    assert [float(row["confidence"]) for row in rows] == [run.confidence for run in sweep.runs]


def test_a_run_ends_with_the_recommendation_that_a_study_has():
    """The same kernels, of the same results."""
    for seed in range(3):
        (run,) = simulate(NEAR, trials=1, seed=seed, engine="interpreted").runs
        study, generator = Study(NEAR.problem), np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
        for pull in study:
            study.tell(pull, draw(NEAR.draws(), NEAR.problem.names.index(pull.arm), generator))
        now = study.recommendation
        assert (NEAR.problem.names[run.recommended], run.confidence) == (*now.answer, now.confidence)


def test_a_run_may_recommend_no_arm_or_nothing():
    strict = Instance({"A": Bernoulli(0.5), "B": Bernoulli(0.5)}, risk="variance <= 0.01", max_pulls=8)
    found = simulate(strict, trials=20, engine="interpreted")
    assert found.summary()["recommendations"]["right"] > 0
    assert "no arm" in [row["recommended"] for row in found.rows()]
    (run,) = simulate(strict, trials=1, max_pulls=1, engine="interpreted", policy="va-lucb", bounds="sharp").runs
    assert run.recommended == 0
    assert simulate(NEAR, trials=2, max_pulls=100_000, engine="interpreted").summary()["recommendations"]["right"] == 0
