"""What a pull of an arm does."""

import math
import os

import pytest

from surefoot import Problem
from surefoot.work.commands import Commands, Ended
from surefoot.work.measures import Measures

SOURCES = {
    "bernoulli = 0.3": "[0, 1]",
    "uniform = [-1, 2]": "[-1, 2]",
    "beta = { mean = 3, variance = 2 }": "[1, 9]",
    "normal = { mean = -2, variance = 4 }": '"gaussian"',
    "discrete = { values = [0, 1, 5], weights = [1, 0, 3] }": "[0, 5]",
    'data = "d.csv:x"': "[0, 5]",
}


@pytest.mark.parametrize("source", SOURCES)
def test_draws_are_of_the_distribution_and_the_same_for_the_same_pull(source, tmp_path):
    (tmp_path / "d.csv").write_text("x\n0\n5\n5\n5\n")
    problem = Problem.loads(f'rewards = {SOURCES[source]}\n[[arms]]\nname = "a"\n{source}\n')
    measure = Measures(problem, tmp_path, seed=3).of["a"]
    found = [measure(pull) for pull in range(1, 4001)]
    assert found[:50] == [Measures(problem, tmp_path, seed=3).of["a"](pull) for pull in range(1, 51)]
    assert found[:50] != [Measures(problem, tmp_path, seed=4).of["a"](pull) for pull in range(1, 51)]
    arm = problem.arms[0].source
    mean, variance = (3.75, 4.6875) if source.startswith("data") else (arm.mean, arm.variance)
    error = 5 * math.sqrt(variance / len(found))
    average = sum(found) / len(found)
    assert abs(average - mean) < error
    assert abs(average - mean - 0.2 * math.sqrt(variance)) > error  # a mean that far off would be seen
    spread = sum((value - average) ** 2 for value in found) / len(found)
    assert spread == pytest.approx(variance, rel=0.15)


def test_the_seconds_of_a_command_are_those_that_it_ran(tmp_path, monkeypatch):
    """Not those that it took to start what watches over it, and to hear from it."""
    problem = Problem.loads(
        'goal = "min mean(seconds)"\n[metrics]\nseconds = { range = [0, 60], measure = "seconds" }\n'
        '[[arms]]\nname = "a"\ncommand = ["true"]\n'
    )
    measures = Measures(problem, tmp_path)
    monkeypatch.setattr(measures.commands, "run", lambda *task: Ended(0, seconds=12.5))
    assert measures.of["a"](1) == {"seconds": 12.5}
    assert measures.seconds == {}


def test_a_guardian_says_how_long_its_command_ran(tmp_path):
    commands = Commands()
    ended = commands.run(("sleep", "0.05"), tmp_path, dict(os.environ))
    commands.stop()
    assert (ended.code, ended.seconds >= 0.05) == (0, True)
