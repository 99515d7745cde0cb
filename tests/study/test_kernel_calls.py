"""A study goes on with compiled kernels as if they were interpreted, whatever is in flight: the same events, to the bit."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from surefoot import Study, core
from surefoot.core import records
from surefoot.core.assembly import assemble
from surefoot.study import kernel_calls, snapshot
from tests.conftest import PROGRAMS
from tests.contract.test_programs import LIMITS, REWARDS

ARMS = {"A": 0.72, "B": 0.7, "C": 0.3, "D": 0.69}
# Functions of `math` that give the same bits when they are compiled.
ALIKE = {"ceil", "copysign", "exp", "expm1", "floor", "fsum", "isfinite", "isinf", "isnan", "log", "log1p", "sqrt"}
SEVERAL = {
    "metrics": {"gain": [0, 1], "cost": [0, 1]},
    "goal": "max mean(gain)",
    "limits": ["mean(cost) <= 0.55", "variance(cost) <= 0.2", "variance(gain) <= 0.2"],
}
BESIDE = {
    "metrics": {"gain": [0, 1], "cost": [0, 1]},
    "goal": "max mean(gain)",
    "limits": ["quantile(0.5, cost) <= 1.4 * baseline", "variance(cost) <= 0.2", "mean(gain) >= baseline - 0.3"],
    "baseline": "B",
}
COMPILED = {  # a ranking with and without a clock, a policy that draws, several metrics and limits
    "top-two": {"policy": "top-two", "bounds": "tight", "risk": "variance <= 0.2"},
    "paper": {"policy": "va-lucb", "bounds": "paper", "risk": "variance <= 0.2"},
    "drawn": {"policy": "va-uniform", "bounds": "sharp"},
    "several": {"policy": "top-two", "bounds": "tight", **SEVERAL},
}


def result(study, arm, generator):
    gain = float(np.clip(ARMS[arm] + generator.normal(0.0, 0.25), 0.0, 1.0))
    if len(study.problem.metrics) == 1:
        return gain
    return {"gain": gain, "cost": float(generator.random())}


def go_on(study, generator, air, steps):
    """Ask, tell in random order, abandon, record and exclude."""
    alone = study._engine.one_at_a_time
    for step in steps:
        if study.decided:
            return
        if len(air) < 25:
            air += study.ask(int(generator.integers(1, 8)))
        pull = air.pop(int(generator.integers(len(air))))
        if generator.random() < 0.1:
            study.abandon(pull)
        else:
            study.tell(pull, result(study, pull.arm, generator))
        if not alone and generator.random() < 0.05:
            arm = str(generator.choice([arm for arm in ARMS if arm not in study.aside]))
            study.record(arm, result(study, arm, generator))
        if not alone and step == 200:
            study.set_aside("D", "broken")
            air[:] = [pull for pull in air if pull.arm != "D"]


def played(fields, compile_at, seed=0, steps=400):
    """A study of so many steps, which goes on with compiled kernels after some."""
    study, generator, air = Study(list(ARMS), delta=1e-3, **fields), np.random.default_rng(seed), []
    go_on(study, generator, air, range(compile_at))
    if compile_at < steps:
        study._replica.compile()
        assert study._engine.is_compiled
    go_on(study, generator, air, range(compile_at, steps))
    return study


def all_of(study):
    """What happened, what is known, and what people see."""
    engine = study._engine
    events = [{name: value for name, value in event.items() if name != "time"} for event in study.history()]
    arms = [records.contents(arm) for arm in engine.state.arms]
    order, queues = engine.pair_order, engine.queues
    before = {
        arm: (records.contents(record.metric), list(record.goal.__fields__)) for arm, record in order.before.items()
    }
    flying = [[asked.row for asked in pulls] for pulls in (order.line, queues.in_flight.values(), queues.queued())]
    line = flying, order.passed, queues.open_by_step, queues.rows()
    drawn = engine.calls.generator.bit_generator.state, engine.chooser.warm, records.contents(engine.state.policy[0])
    shown = str(study.decision), str(study.table()), str(study.recommendation), study.contest, study.pulls_left
    return (
        events,
        arms,
        before,
        line,
        drawn,
        list(engine.state.waiting),
        [list(each) for each in engine.state.board],
        shown,
    )


def on_views(root, parts, first, calls):
    """In place of compiled kernels, interpreted ones on the same memory."""
    kernels = assemble(root, parts)

    class Resident:
        def bound(self, memory):
            seen = kernel_calls.seen_memory(memory)
            return {name: partial(getattr(kernels, name), seen) for name in calls}

    return Resident()


@pytest.mark.parametrize(("policy", "bounds", "kind", "risk"), [p for p in PROGRAMS if p[0] != "risk-averse-ucb"])
def test_on_arrays_kernels_do_what_they_do_on_plain_records(policy, bounds, kind, risk, monkeypatch):
    monkeypatch.setattr("surefoot.compiled.resident_program", on_views)
    fields = {"policy": policy, "bounds": bounds, "rewards": REWARDS[kind], "risk": LIMITS[kind][risk]}
    assert all_of(played(fields, 150)) == all_of(played(fields, 400))


@pytest.mark.parametrize("seed", range(3))
def test_and_with_several_limits_and_a_baseline(seed, monkeypatch):
    monkeypatch.setattr("surefoot.compiled.resident_program", on_views)
    studies = [played(BESIDE, begin, seed, steps=600) for begin in (0, 100, 300, 600)]
    assert all_of(studies[0]) == all_of(studies[1]) == all_of(studies[2]) == all_of(studies[3])


@pytest.mark.parametrize("name", COMPILED)
def test_these_may_be_compiled(name):
    assert Study(list(ARMS), **COMPILED[name])._engine.can_be_compiled


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if name in ("several", "paper") else []) for name in COMPILED]
)
def test_compiled_kernels_do_what_interpreted_ones_do(name):
    studies = [played(COMPILED[name], begin) for begin in (0, 150, 400)]
    assert all_of(studies[0]) == all_of(studies[1]) == all_of(studies[2])


def test_what_differs_is_seen():
    """The negative control: one result that is another in its last bit."""
    fields = COMPILED["top-two"]
    study, other = played(fields, 400), played(fields, 400)
    other._engine.state.arms[0].metric.total = np.nextafter(other._engine.state.arms[0].metric.total, 9.0)
    assert all_of(study) != all_of(other)


def test_arms_are_compared_by_earlier_records_meanwhile(monkeypatch):
    """Or else the tests above would say little."""
    looked = []
    usual = kernel_calls.Compiled.look
    monkeypatch.setattr(
        kernel_calls.Compiled, "look", lambda calls, t: (looked.append(calls.replacements), usual(calls, t))[1]
    )
    monkeypatch.setattr("surefoot.compiled.resident_program", on_views)
    played(COMPILED["top-two"], 0)
    assert sum(number > 0 for number in looked) > 100


def test_a_snapshot_does_not_say_how_the_kernels_were_run():
    compiled, interpreted = (played(COMPILED["top-two"], begin) for begin in (100, 400))
    created = next(compiled.history())
    states = [snapshot.restored(created, snapshot.taken(study._replica.state, 9)) for study in (compiled, interpreted)]
    arms = [[records.contents(arm) for arm in state.engine.state.arms] for state in states]
    assert arms[0] == arms[1] == [records.contents(arm) for arm in interpreted._engine.state.arms]
    assert [state.engine.is_compiled for state in states] == [False, False]
    boards = [[list(values) for values in state.engine.state.board] for state in states]
    assert boards[0] == boards[1]


def test_items_and_own_parts_stay_interpreted():
    assert not Study(["A", "B"], design="items", items=100)._engine.can_be_compiled
    assert Study(["A", "B"])._engine.can_be_compiled


@pytest.mark.parametrize("fields", [{"rewards": "gaussian"}, {"risk": "quantile(0.1) >= 0.2"}], ids=str)
def test_what_a_compiler_rounds_otherwise_stays_interpreted(fields):
    assert not Study(["A", "B"], **fields)._engine.can_be_compiled


def test_every_kernel_that_a_compiler_rounds_otherwise_says_so():
    """Of the functions of `math` that kernels use, it is `lgamma`; or else this test asks what to do about another."""
    sources = {path: path.read_text() for path in Path(core.__file__).parent.rglob("*.py") if path.name != "drift.py"}
    used = {name for text in sources.values() for name in re.findall(r"math\.(\w+)\(", text)}
    assert used <= ALIKE | {"lgamma"}
    said = {path.name for path, text in sources.items() if re.search(r"^ROUNDS_APART = True", text, re.MULTILINE)}
    assert said == {path.name for path, text in sources.items() if "math.lgamma(" in text}


def test_a_study_of_many_arms_is_not_held_up():
    assert Study([str(arm) for arm in range(1_000)])._engine.can_be_compiled
    assert not Study([str(arm) for arm in range(1_001)])._engine.can_be_compiled


def test_if_nothing_of_the_warm_up_comes_it_is_begun_anew():
    """With nothing in flight a pull is chosen by the policy; as soon as one is, all arms are asked for once more."""
    study = Study(list("ABCD"), policy="lil-ucb", bounds="sharp")
    for pull in study.ask(4):
        study.abandon(pull)
    assert "".join(pull.arm for pull in study.ask(8)) == "AABCDABC"
