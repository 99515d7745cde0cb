"""Finite lists: compiled and interpreted runs are the same, with every kind of limit on lists in one program."""

import csv

import numpy as np
import pytest

from surefoot import Instance, Problem, simulate

NAMES = ("A", "B", "C")
PROBLEM = """
goal = "max mean(score)"
design = "items"
delta = 0.3
limits = [
  "mean(cost) <= 0.6",
  "variance(score) <= 0.2",
  "variance(cost) <= 0.09",
  "quantile(0.5, seconds) <= 3",
  "probability(seconds > 8) <= 0.1",
]

[metrics]
score = [0, 1]
cost = [0, 1]
seconds = "any"

[items]
data = "scores.csv"
finite = true
"""


@pytest.mark.long
def test_compiled_and_interpreted_runs_on_a_list_are_the_same(tmp_path):
    generator = np.random.default_rng(3)
    common = generator.random((120, 1))
    score = 0.5 * common + 0.5 * generator.random((120, 3))
    cost, seconds = generator.random((120, 3)), generator.exponential(1.0, (120, 3))
    with open(tmp_path / "scores.csv", "w", newline="") as file:
        heads = [f"{name}:{metric}" for name in NAMES for metric in ("score", "cost", "seconds")]
        csv.writer(file).writerows([heads, *np.stack([score, cost, seconds], axis=2).reshape(120, 9).tolist()])
    arms = "".join(f'[[arms]]\nname = "{name}"\n' for name in NAMES)
    instance = Instance(Problem.loads(PROBLEM + arms, tmp_path))
    plain, compiled = (
        [(run.status, run.arm, run.pulls) for run in simulate(instance, trials=8, progress=False, engine=engine).runs]
        for engine in ("interpreted", "compiled")
    )
    assert plain == compiled
    assert all(pulls <= 360 for _, _, pulls in plain)
    assert all(instance.is_right(status, arm) for status, arm, _ in plain)
