"""Hypothesis on the targets: well-formed input, cut, spliced and spiked. `make fuzz` goes on for as long as it is given."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.seeds import JOURNAL, SEEDS, TOKENS
from tests.fuzz.targets import TARGETS

EXAMPLES = {"journal": 60, "request": 60, "parquet": 80}


def edits(seeds):
    """A seed, with up to three pieces of it replaced by a token, by bytes, by another piece or by nothing."""
    piece = st.one_of(st.sampled_from(TOKENS), st.binary(max_size=6), st.sampled_from(seeds), st.just(b""))
    place = st.tuples(st.floats(0, 1), st.integers(0, 12), piece)
    return st.builds(edited, st.sampled_from(seeds), st.lists(place, max_size=3))


def edited(seed, places):
    for where, length, piece in places:
        start = int(where * len(seed))
        seed = seed[:start] + piece + seed[start + length :]
    return seed


@pytest.mark.parametrize("name", TARGETS)
def test_whatever_comes_is_taken_or_refused_in_a_sentence(name):
    @settings(max_examples=EXAMPLES.get(name, 200), suppress_health_check=list(HealthCheck))
    @given(st.one_of(edits(SEEDS[name]), st.binary(max_size=60)))
    def feed(data):
        TARGETS[name](data)

    feed()


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_well_formed(name):
    for seed in SEEDS[name]:
        TARGETS[name](seed)


def test_a_target_that_lets_an_error_through_is_caught(monkeypatch):
    """The negative control."""
    monkeypatch.setitem(TARGETS, "risk", lambda data: data.decode())
    with pytest.raises(UnicodeDecodeError):
        test_whatever_comes_is_taken_or_refused_in_a_sentence("risk")


VALUES = st.one_of(
    st.sampled_from(
        [None, True, -1, 0, 1, 2, 10**30, 1e308, -0.0, "", "A", "told", "asked", "decided", [], [0], [7], {}]
    ),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(),
    st.text(max_size=5),
)
CHANGES = st.one_of(
    st.tuples(st.just("set"), st.integers(0, 99), st.integers(0, 9), VALUES),
    st.tuples(st.just("lose"), st.integers(0, 99), st.integers(0, 9), st.none()),
    st.tuples(st.just("swap"), st.integers(0, 99), st.integers(0, 99), st.none()),
    st.tuples(st.just("double"), st.integers(0, 99), st.integers(0, 99), st.none()),
    st.tuples(st.just("drop"), st.integers(0, 99), st.none(), st.none()),
)


def changed(events, change):
    """A journal with one event changed, moved, doubled or left out."""
    kind, where, what, value = change
    events = [dict(event) for event in events]
    where %= len(events)
    if kind in ("set", "lose") and events[where]:
        field = list(events[where])[what % len(events[where])]
        events[where].pop(field)
        events[where] |= {field: value} if kind == "set" else {}
    elif kind == "swap":
        other = what % len(events)
        events[where], events[other] = events[other], events[where]
    elif kind == "double":
        events.insert(what % (len(events) + 1), events[where])
    elif len(events) > 1:
        del events[where]
    return events


@settings(max_examples=300)
@given(st.lists(CHANGES, min_size=1, max_size=3))
def test_a_journal_that_was_tampered_with_is_a_study_or_refused(changes):
    events = [json.loads(line) for line in JOURNAL.splitlines()]
    for change in changes:
        events = changed(events, change)
    TARGETS["journal"](b"\n".join(json.dumps(event).encode() for event in events))


def test_no_field_of_any_event_can_hold_what_it_should_not():
    """Each of them replaced by values of every kind, in the whole journal and in one that ends there."""
    events = [json.loads(line) for line in JOURNAL.splitlines()]
    for place, event in enumerate(events):
        for field in event:
            for value in (None, True, -1, 0, 2.5, 1e300, 10**40, "x", "A", [], [[]], {}):
                changed_events = [*events[:place], event | {field: value}, *events[place + 1 :]]
                for end in (place + 1, len(events)):
                    TARGETS["journal"](b"\n".join(json.dumps(event).encode() for event in changed_events[:end]))
