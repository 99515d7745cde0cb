"""Studies that are busy go on with compiled kernels: no request waits for them, and nothing is otherwise."""

import time

import numpy as np
import pytest

from surefoot.core import records
from surefoot.service import busy_studies
from surefoot.service.studies import Studies
from surefoot.study import Study
from surefoot.study.url_id import identity

FIELDS = {"risk": "variance <= 0.2", "delta": 1e-9}
PATIENCE = 300  # seconds, on a machine that compiles them first


@pytest.fixture
def studies(storage, monkeypatch):
    monkeypatch.setattr(busy_studies, "ENOUGH", 100)
    studies = Studies(storage)
    yield studies
    studies.busy.close()


def work(studies, name, generator, calls=1):
    """Ask for pulls and tell them in another order, as requests do."""
    for _ in range(calls):
        pulls = studies.with_study(identity(name), lambda study: study.ask(10))
        results = [(pull.id, float(generator.random() * (0.9 if pull.arm == "A" else 1.0))) for pull in pulls]
        generator.shuffle(results)
        studies.with_study(identity(name), lambda study, results=results: study.tell_all(results))


def test_a_busy_study_goes_on_with_compiled_kernels_and_does_the_same(studies, storage):
    Study.open(storage, "busy", ["A", "B", "C"], **FIELDS)
    generator, until = np.random.default_rng(1), time.monotonic() + PATIENCE
    work(studies, "busy", generator, calls=5)
    assert not studies.busy.programs  # it is not a busy one yet
    while not studies.with_study(identity("busy"), lambda study: study._engine.is_compiled):
        work(studies, "busy", generator)
        assert time.monotonic() < until
        time.sleep(0.05)  # or else it would have many results before that
    work(studies, "busy", generator, calls=20)
    compiled = studies.with_study(identity("busy"), lambda study: study)
    again = Study.from_events(compiled.history())
    assert compiled._engine.is_compiled
    assert not again._engine.is_compiled
    arms = [[records.contents(arm) for arm in study._engine.state.arms] for study in (compiled, again)]
    assert arms[0] == arms[1]
    assert compiled.ask(30) == again.ask(30)
    assert str(compiled.table()) == str(again.table())


def test_where_they_cannot_be_compiled_kernels_stay_interpreted(studies, storage, monkeypatch, caplog):
    monkeypatch.setattr(busy_studies.sys, "executable", "/nowhere/python")
    Study.open(storage, "busy", ["A", "B"], **FIELDS)
    generator = np.random.default_rng(2)
    work(studies, "busy", generator, calls=15)
    (program,) = studies.busy.programs.values()
    until = time.monotonic() + 30
    while "stay interpreted" not in caplog.text:
        assert time.monotonic() < until
        time.sleep(0.01)
    work(studies, "busy", generator, calls=5)
    assert not program.is_loaded
    assert not studies.with_study(identity("busy"), lambda study: study._engine.is_compiled)


def test_a_study_on_items_is_left_as_it_is(studies, storage):
    Study.open(storage, "items", ["A", "B"], design="items", items=1_000, delta=1e-9)
    work(studies, "items", np.random.default_rng(3), calls=20)
    assert not studies.busy.programs
