"""A study takes values as people have them; what is asked of new ones is not asked of old ones."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from surefoot import Study, find_best
from surefoot.errors import InvalidValue, MeasureFailed
from surefoot.storage import connect
from surefoot.study.creation import created

VALUES = [True, np.True_, np.int64(1), np.float16(1), np.float32(1), np.array(1.0), Decimal(1), np.longdouble(1)]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_rewards_of_every_kind_are_journalled_as_floats(value):
    study = Study([1, 2])
    (pull,) = study.ask(np.int64(1))
    study.tell(np.int64(pull.id), value)
    study.tell(pull, 1.0)  # the same reward
    study.record(1, value)
    told, recorded = study.events[-2:]
    assert (type(told["pull"]), type(told["reward"]), told["reward"]) == (int, float, 1.0)
    assert (recorded["arm"], type(recorded["reward"]), recorded["reward"]) == (0, float, 1.0)


def test_a_missing_reward_is_refused_by_name():
    study = Study(["A", "B"])
    with pytest.raises(InvalidValue, match=r"^a result of arm 'A' is missing \(pandas\.NA\)$"):
        study.record("A", pd.NA)
    assert study.pulls == 0


def test_arms_named_by_numbers_are_found_again():
    study = Study([1, 2.0, "3"])
    for name in (1, 1.0, np.int8(1), "1", 2, np.float64(2), 3):
        study.record(name, 0.5)
    assert [row.pulls for row in study.table()] == [4, 2, 1]
    for name in (True, 4, None, ["1"], 1.5):
        with pytest.raises(InvalidValue, match="arm must be one of '1', '2', '3', got "):
            study.record(name, 0.5)


def test_find_best_of_callables_named_by_numbers():
    frame = pd.DataFrame({1: [False], np.int64(2): [True]})
    study = find_best({name: lambda name=name: frame[name][0] for name in frame})
    assert study.decision.arm == "2"
    with pytest.raises(InvalidValue, match="got '1' twice"):
        find_best({1: lambda: 0.5, "1": lambda: 0.5})
    with pytest.raises(MeasureFailed, match=r"measuring arm '1' failed: its result is missing \(pandas\.NaT\)"):
        find_best({1: lambda: pd.NaT})


OLD = [
    {"tolerance": 3.0},
    {"risk": "variance <= 0.04", "risk_slack": 2.0},
    {"lease": 0.5},
    {"delta": 0.95},
]


@pytest.mark.parametrize("fields", OLD[:3])
def test_what_a_new_study_may_not_have_is_refused_and_nothing_is_written(tmp_path, fields):
    for create in (
        lambda: Study(["A", "B"], **fields),
        lambda: Study.open(tmp_path / "s.db", "s", ["A", "B"], **fields),
    ):
        with pytest.raises(InvalidValue, match=r"tolerance|risk_slack|lease must be at least 1 second, got 0\.5"):
            create()
    assert not (tmp_path / "s.db").exists()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("fields", OLD)
def test_a_study_that_was_begun_before_such_checks_goes_on(tmp_path, fields):
    storage = connect(tmp_path / "s.db")
    storage.create("s", created(storage, ["A", "B"], new=False, **fields))
    Study.open(storage, "s").record("A", 0.5)
    Study.open(storage, "s", ["A", "B"], **fields).record("B", 0.25)  # by the call that made it
    assert Study.check(storage, "s") >= 3
    assert Study.from_events(Study.open(storage, "s").events).spent == 2
    assert Study.salvage(storage, "s", tmp_path / "rescued.db").spent == 2
