"""Columns that depend on each other are found; those that do not, hardly ever."""

import math

import numpy as np
import pytest

from benchmarks import warnings
from surefoot.work import columns
from surefoot.work.analysis import Analysis
from surefoot.work.logs import Log
from tests.statistical.binomial import too_many


@pytest.mark.parametrize("level", [0.4, 0.2])
@pytest.mark.parametrize("arms", [2, 5])
def test_independent_columns_are_said_to_depend_as_rarely_as_is_said(arms, level, monkeypatch):
    monkeypatch.setattr(columns, "LEVEL", level)
    assert not too_many(warnings.dependent(arms, 300, False, 300, seed=1), 300, level)


def test_a_plain_test_at_every_row_would_be_caught():
    """The control: two standard deviations, looked at again and again."""
    wrong = 0
    for generator in warnings.generators(200, 2):
        log = warnings.table_of(generator, 600, 2, False)
        alike, opposite = columns.moves(columns.steps(log, np.arange(2)))
        alike, opposite = alike[:, 0, 1], opposite[:, 0, 1]
        wrong += bool((np.abs(alike - opposite) > 1.96 * np.sqrt(alike + opposite)).any())
    assert too_many(wrong, 200, 0.05)


@pytest.mark.parametrize(("arms", "rows"), [(2, 80), (10, 110), (50, 140)])
def test_opposite_columns_are_found(arms, rows):
    assert warnings.dependent(arms, rows, True, 20, seed=3) == 20


def test_the_evidence_is_the_mean_over_all_bets():
    alike, opposite = np.array([0.0, 3.0, 7.0]), np.array([0.0, 5.0, 1.0])
    bets = np.linspace(-1.0, 1.0, 200_001)
    for one, other, found in zip(alike, opposite, columns.mixed(alike, opposite), strict=True):
        assert math.exp(found) == pytest.approx(np.mean((1 + bets) ** one * (1 - bets) ** other), rel=1e-3)


def test_missing_cells_say_nothing_and_many_columns_are_sampled():
    table = warnings.table_of(np.random.default_rng(4), 200, 2, True)
    kept = np.arange(400) % 4 < 2  # of each two rows, the first
    gaps = Log(table.names, table.arms[kept], table.rewards[kept], 200, table.rows[kept])
    assert columns.dependent(gaps, "sharp", False) == []
    assert columns.dependent(table._replace(rows=None), "sharp", False) == []
    wide = warnings.table_of(np.random.default_rng(5), 100, 3 * columns.MOST, False)
    wide = wide._replace(rewards=np.repeat(wide.rewards[:: len(wide.names)], len(wide.names)))
    assert columns.dependent(wide, "sharp", False)


def test_a_drift_is_said_before_columns_that_depend_on_each_other():
    luck = np.random.default_rng(6).random(400) / 2.0 + np.repeat([0.0, 0.5], 200)
    log = warnings.log_of(np.array([luck, luck]))._replace(rows=np.repeat(np.arange(400), 2))
    kinds = [notice.kind for notice in Analysis(log, rewards=(0, 1)).warnings]
    assert kinds[0] == "drift"
    assert kinds.index("columns") > kinds.index("bounds")
