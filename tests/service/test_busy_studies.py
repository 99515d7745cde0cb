"""Studies that are busy go on with compiled kernels: no request waits for them, and nothing is otherwise."""

import signal
import sys
import time

import numpy as np
import pytest

from surefoot import compiled
from surefoot.core import records
from surefoot.service import busy_studies
from surefoot.service.studies import Studies
from surefoot.study import Study
from surefoot.study.engine import Engine
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


def test_what_goes_wrong_then_takes_no_answer_away(studies, storage, monkeypatch, caplog):
    class Loaded:
        is_loaded = True

        def close(self):
            pass

    def fails(engine):
        raise MemoryError("no memory for that")

    monkeypatch.setattr(studies.busy, "program", lambda *said: Loaded())
    monkeypatch.setattr(Engine, "compile", fails)
    Study.open(storage, "busy", ["A", "B"], **FIELDS)
    work(studies, "busy", np.random.default_rng(4), calls=15)
    assert studies.with_study(identity("busy"), lambda study: study.pulls) == 150
    assert caplog.text.count("MemoryError: no memory for that") == 1  # and not at each call


def test_no_process_is_left_behind(monkeypatch):
    """Whether a service ends while one compiles, or just before it is started."""
    started, usual = [], busy_studies.subprocess.Popen

    def popen(*arguments, **options):
        started.append(usual([sys.executable, "-c", "import time; time.sleep(60)"], **options))
        return started[-1]

    monkeypatch.setattr(busy_studies.subprocess, "Popen", popen)
    with busy_studies.ONE_AT_A_TIME:
        early = busy_studies.Program("", "", "")
        early.close()
    late = busy_studies.Program("", "", "")
    until = time.monotonic() + 30
    while not started:
        assert time.monotonic() < until
        time.sleep(0.01)
    late.close()
    (process,) = started
    assert process.wait(30) == -signal.SIGTERM
    assert not early.is_loaded
    assert early.process is None


def test_a_cache_that_was_cut_off_is_made_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "RESIDENT", {})
    monkeypatch.setenv("SUREFOOT_CACHE_DIR", str(tmp_path))
    engine = Study(["A", "B"], policy="va-uniform", bounds="sharp")._engine
    engine.compile()
    for file in tmp_path.rglob("*look*.nbc"):
        file.write_bytes(file.read_bytes()[:100])
    compiled.RESIDENT.clear()
    other = Study(["A", "B"], policy="va-uniform", bounds="sharp")._engine
    other.compile()
    assert other.is_compiled
    assert all(len(file.read_bytes()) > 100 for file in tmp_path.rglob("*look*.nbc"))
