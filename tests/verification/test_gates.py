"""What `make gates` measures, in small."""

import math
from pathlib import Path

import pytest

from tests.statistical.binomial import too_many
from verification import gates

TABLE = Path(__file__).parents[2] / "docs" / "gate_table.md"


def test_simulated_gates_are_right_and_not_much_slower_than_a_test_made_for_the_regression():
    quick, slow = gates.simulated(0.0, 40), gates.simulated(0.2, 40)
    assert not too_many(quick.fails, 40, gates.DELTA)
    assert not too_many(slow.passes, 40, gates.DELTA)
    assert (quick.passes, slow.fails) > (36, 36)
    assert quick.pulls < 1.5 * gates.fixed_pulls(0.0)


def test_a_fixed_test_needs_the_rounds_that_the_binomial_distribution_says():
    share, rounds = gates.within(0.2), gates.fixed_pulls(0.2) / 2
    spread = math.sqrt(rounds * share * (1 - share))
    assert share == pytest.approx(0.269, abs=0.001)
    assert rounds * (0.5 - share) == pytest.approx(1.645 * (spread + math.sqrt(rounds) / 2), rel=0.05)
    assert math.isinf(gates.fixed_pulls(gates.MARGIN))


def test_what_people_do_is_wrong_too_often_and_a_gate_is_not():
    paths = 60
    assert too_many(gates.blocks(paths), paths, gates.DELTA)
    assert too_many(gates.peeked(paths), paths, gates.DELTA)
    assert not too_many(gates.equal_gates(paths), paths, gates.DELTA)


def test_the_tables_are_of_this_program():
    shown = TABLE.read_text()
    for name in (*gates.REAL, *(f"{100 * slower:g} %" for slower in gates.SLOWER)):
        assert f"| {name} |" in shown
