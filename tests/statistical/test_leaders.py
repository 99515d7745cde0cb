"""With many arms, of which only leaders pay, few answers are wrong. `unit/test_leaders.py` has the negative control."""

import pytest

from surefoot import Bernoulli, Beta, Instance, simulate
from tests.statistical.binomial import too_many

TRIALS = 300
MANY = {
    "twenty coins": Instance({f"{k}": Bernoulli(0.6 - 0.02 * k) for k in range(20)}, risk="none"),
    "better arms are hardly infeasible": Instance(
        {"best": Beta(mean=0.5, variance=0.03)}
        | {f"{k}": Beta(mean=0.6, variance=0.047) for k in range(6)}
        | {f"worse {k}": Beta(mean=0.45, variance=0.02) for k in range(5)},
        risk="variance <= 0.04",
    ),
    "none of eight is feasible": Instance(
        {f"{k}": Beta(mean=0.4 + 0.02 * k, variance=0.06) for k in range(8)}, risk="variance <= 0.05"
    ),
}


@pytest.mark.parametrize("delta", [0.5, 0.2, 0.05])
@pytest.mark.parametrize("name", MANY)
def test_few_answers_are_wrong_with_many_arms(name, delta):
    summary = simulate(MANY[name], trials=TRIALS, delta=delta, seed=3, progress=False).summary()
    assert summary["undecided"] == 0
    assert not too_many(summary["wrong"], TRIALS, delta)
