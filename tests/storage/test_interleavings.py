"""Any calls, in any order, by several processes that come and go: the journal is that of one study that nobody left."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot import Study
from surefoot.errors import Conflict, InvalidValue
from surefoot.storage import Memory, connect
from surefoot.study import snapshot
from tests.storage.helpers import begin, set_clock, state, untimed

numbers = st.integers(1, 40)
rewards = st.sampled_from([0.0, 0.25, 0.5, 1.0])
calls = st.one_of(
    st.tuples(st.just("ask"), st.integers(1, 5)),
    st.tuples(st.just("ask"), st.none()),
    st.tuples(st.just("tell_all"), st.lists(st.tuples(numbers, rewards), max_size=5)),
    st.tuples(st.just("tell"), numbers, rewards),
    st.tuples(st.just("tell"), numbers, rewards),
    st.tuples(st.just("abandon"), numbers),
    st.tuples(st.just("heartbeat"), numbers),
    st.tuples(st.just("record"), st.sampled_from("ABC"), rewards),
    st.tuples(st.just("close")),
)
moments = st.tuples(st.integers(0, 2), st.booleans(), st.sampled_from([0.0, 1.0, 40.0]), calls)


def answer(study, call, *arguments):
    """What a call gives, be it a refusal."""
    try:
        return getattr(study, call)(*arguments)
    except (Conflict, InvalidValue) as refusal:
        return str(refusal)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@settings(max_examples=40)
@given(st.lists(moments, max_size=40))
def test_one_history(kind, history):
    folder = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=folder) as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshot, "between", lambda problem: 7)
        storage, model = connect(f"{name}/x.db") if kind == "sqlite" else Memory(), Memory()
        now = 1000.0
        for one in (storage, model):
            set_clock(patch, one, now)
        alone, several = (
            begin(model, lease=60, max_pulls=30),
            [begin(storage, lease=60, max_pulls=30) for _ in range(3)],
        )
        for who, comes_back, passed, call in history:
            now += passed
            for one in (storage, model):
                set_clock(patch, one, now)
            if comes_back:
                several[who] = Study.open(storage, "study")
            assert answer(several[who], *call) == answer(alone, *call)
        assert untimed(several[0].events) == untimed(alone.events)
        for study in several:
            study.refresh()
            assert state(study) == state(alone)
        told = [event["pull"] for event in alone.events if event["type"] == "told"]
        assert len(told) == len(set(told))
        storage.close()
