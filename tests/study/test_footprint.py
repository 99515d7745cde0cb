"""The estimate of a study's memory, beside what is really allocated."""

import gc
import tracemalloc

import pytest

from surefoot import Study, own
from surefoot.storage import connect
from surefoot.study import snapshot
from surefoot.study.footprint import footprint
from tests.recorded.adapter import registry_kept

RISKS = ["none", "variance <= 0.04", "quantile(0.1) >= 0.1", "probability(reward < 0.2) <= 0.1", "cvar(0.1) >= 0.1"]


def allocated(storage):
    """A study as it is read from a storage, and the bytes that this took."""
    gc.collect()
    tracemalloc.start()
    try:
        study = Study.open(storage, "s")
        gc.collect()
        return study, tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("risk", RISKS)
def test_a_study_whose_arms_were_all_pulled(risk):
    """And which is read from a snapshot, where no two arms share a number: it takes most then."""
    storage, names = connect("memory://"), [f"arm {index}" for index in range(1_000)]
    study = Study.open(storage, "s", names, risk=risk)
    for turn in range(6):
        rewards = [0.2 + 0.6 * ((7 * index + 3 * turn) % 101) / 101 for index in range(1_000)]
        study.record_all(zip(names, rewards, strict=True))
    study, taken = allocated(storage)
    assert taken <= footprint(study) <= 1.6 * taken


def test_a_study_with_many_pulls_in_flight():
    storage = connect("memory://")
    Study.open(storage, "s", ["a", "b"], lease=60).ask(5_000)
    study, taken = allocated(storage)
    assert taken <= footprint(study) <= 1.6 * taken


def test_a_study_on_items():
    storage, names = connect("memory://"), [f"arm {index}" for index in range(30)]
    study = Study.open(storage, "s", names, design="items", items=20_000)
    for turn in range(100):
        for pull in study.ask(30):
            study.tell(pull, ((7 * int(pull.arm[4:]) + 3 * turn) % 101) / 101)
    study.recommendation  # noqa: B018 - it compares many pairs
    study._replica.journal.keep(snapshot.taken(study._replica.state, study.position))
    study, taken = allocated(storage)
    assert taken <= footprint(study) <= 1.6 * taken


def test_a_study_with_parts_of_its_user():
    """Which has its kernels for itself."""

    def choose(state, ranking, generator):
        state.asked[0] = ranking.leader
        return 1

    with registry_kept():
        own.policy("leading", choose)
        storage = connect("memory://")
        study = Study.open(storage, "s", ["a", "b"], policy="leading")
        study.record_all([("a", 0.4), ("b", 0.5)] * 300)
        study, taken = allocated(storage)
        assert taken <= footprint(study) <= 2.5 * taken


def test_a_study_that_must_be_read_anew_takes_little(tmp_path):
    study = Study.open(tmp_path / "s.db", "s", [f"arm {index}" for index in range(1_000)])
    before = footprint(study)
    study._replica.loaded = None
    assert footprint(study) < before / 5
