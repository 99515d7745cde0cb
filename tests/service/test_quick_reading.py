"""What is read quickly is read as the models read it, and only if it is surely as it should be."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.json import Decoder

from surefoot.errors import InvalidValue
from surefoot.service import models, quick_reading
from surefoot.service.pull_calls import READERS, told
from surefoot.service.quick_reading import read_well_formed
from surefoot.service.reading import read

MODELS = {"ask": models.Ask, "tell": models.Tell, "exchange": models.Exchange}
ASK, TELL = Decoder(quick_reading.Ask), Decoder(quick_reading.Tell)


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (b'{"count": 1}', True),
        (
            b'{"count": 1, "worker": "w", "request": null}',
            False,
        ),  # a field that is null is read as one that is left out
        (b'{"count": null, "count": 5}', False),
        (b'{"worker": "null", "worker": "x"}', False),
        (b'{"count": 1, "worker": "host:1"}', True),  # a colon that stands behind no name
        (b'{"count": 1, "worker": "host\\u003a1"}', False),  # what is escaped is not counted: somebody has to look
        (b'{"count": 1, "count": 2, "worker": "host\\u003a1"}', False),
        (b'{"count": 1, "worker": "host:1", "worker": "host"}', False),
        (b'{"count": 1, "count": 2}', False),
        (b'{"count": 1, "\\u0063ount": 2}', False),
        (b'{"count": 1.0}', False),
    ],
)
def test_a_body_is_read_quickly_only_if_each_of_its_names_is_there_once(body, names):
    assert (read_well_formed(ASK, body) is not None) == names


def test_names_are_counted_at_every_depth():
    good = (
        b'{"results": [{"pull": 1, "reward": true}, {"pull": 2, "failed": "why: no"}, {"pull": 3, "values": {"a": 1}}]}'
    )
    found = read_well_formed(TELL, good)
    (first, second, third), outcome = found.results, quick_reading.Outcome
    assert (first, second) == (outcome(1, reward=True), outcome(2, failed="why: no"))
    assert third == outcome(3, values={"a": 1.0})
    assert read_well_formed(TELL, good.replace(b'"pull": 2', b'"pull": 2, "pull": 3')) is None
    assert read_well_formed(TELL, good.replace(b'"a": 1', b'"a": 1, "a": 2')) is None
    assert read_well_formed(TELL, good[:-1] + b', "results": []}') is None


TEXT = st.sampled_from(["", "null", "a:b", "pull", "ü", "\\", '"', "\x00", "x" * 20])
NUMBER = st.one_of(
    st.booleans(), st.integers(), st.floats(), st.sampled_from([2**62, 2**62 + 1, 1e308, 10**400, -0.0, "1", None])
)


class Fields(list):
    """Names with their values, as a body has them: a name may be there twice."""

    def json(self, ascii):
        written = (f"{json.dumps(name, ensure_ascii=ascii)}: {in_json(value, ascii)}" for name, value in self)
        return f"{{{', '.join(written)}}}"


def in_json(value, ascii):
    match value:
        case Fields():
            return value.json(ascii)
        case list():
            return f"[{', '.join(in_json(each, ascii) for each in value)}]"
    return json.dumps(value, ensure_ascii=ascii)


def fields(most, **values):
    """Some of these fields in any order, now and then one of them twice."""
    each = [st.tuples(st.just(name), value) for name, value in values.items()]
    return st.lists(st.one_of(each), max_size=most).map(Fields)


OUTCOME = st.builds(
    lambda pull, others: Fields([("pull", pull), *others]),
    st.one_of(st.integers(0, 9), NUMBER),
    fields(
        2,
        reward=NUMBER,
        values=st.none() | st.lists(st.tuples(TEXT, NUMBER), max_size=2).map(Fields),
        failed=st.none() | TEXT,
        more=NUMBER,
        pull=st.integers(0, 9),
    ),
)
BODY = fields(
    4,
    count=st.one_of(st.integers(-1, 1_001), NUMBER),
    worker=st.none() | TEXT,
    request=st.none() | TEXT,
    results=st.lists(OUTCOME, max_size=3),
    more=TEXT,
)


@settings(max_examples=600, deadline=None)
@given(st.sampled_from([*READERS]), BODY, st.booleans())
def test_what_is_read_quickly_means_what_the_models_say(what, fields, ascii):
    body = fields.json(ascii).encode()
    quickly = read_well_formed(READERS[what].decoder, body)
    if quickly is None:
        return
    said = MODELS[what].model_validate(read(body))
    for name in ("count", "worker", "request"):
        assert getattr(quickly, name, None) == getattr(said, name, None)
    assert outcomes(quickly) == outcomes(said)


def outcomes(body):
    """What it tells, or why that is refused."""
    try:
        return [(pull, repr(result)) for pull, result in told(getattr(body, "results", []))]
    except InvalidValue as error:
        return str(error)


def test_the_check_would_notice_a_field_that_is_there_twice():
    """The control: the decoder alone takes it, and the models refuse it."""
    body = b'{"results": [{"pull": 1, "pull": 2, "reward": 0.5}]}'
    assert TELL.decode(body).results[0].pull == 2
    with pytest.raises(InvalidValue, match="each field once"):
        read(body)
