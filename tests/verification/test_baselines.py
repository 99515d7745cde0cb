"""What verifies limits against a baseline: instances that are what they say, and tables of what came of them."""

import numpy as np
import pytest

from verification.baselines import BASELINES, DELTA, QUANTITIES, Rate, instance, table_of_pulls, table_of_rates


@pytest.mark.parametrize("baseline", BASELINES)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_an_arm_is_on_the_limit_but_for_a_hair(quantity, baseline):
    generator = np.random.default_rng(3)
    for kept in (True, False) * 10:
        made = instance(QUANTITIES[quantity], baseline, kept, generator)
        current, on_limit, _ = made.feasible
        assert current == (baseline != "infeasible")
        assert on_limit == kept
        values = [limit.risk.value(made.distributions[1]) for limit in made.problem.limits[:1]]
        others = [limit.risk.value(made.distributions[0]) for limit in made.problem.limits[:1]]
        assert values[0] - others[0] == pytest.approx(made.problem.limits[0].risk.to.plus, abs=2e-9)
        assert made.right_answers or baseline == "infeasible"


def test_too_many_wrong_answers_are_noticed():
    row = Rate("top-two · tight", "mean of coins", "best", 0, 0, 1000)
    assert not row._replace(wrong=int(1000 * DELTA)).too_many
    assert row._replace(wrong=int(1400 * DELTA)).too_many


def test_the_tables_say_what_was_found():
    row = Rate("top-two · tight", "quantile", "tied", 30, 500, 1000)
    assert "| top-two · tight | quantile | tied | 0.030 | 0.50 | 1,000 |" in table_of_rates([row])
    found = [("quantile", 200.0, 100.0), ("quantile", 100.0, 50.0), ("mean of coins", 300.0, 100.0)]
    assert "| quantile | 2 | 2.00 | 2.00 | 2.00 |" in table_of_pulls(found)
    assert "| mean of coins | 1 | 3.00 | 3.00 | 3.00 |" in table_of_pulls(found)
