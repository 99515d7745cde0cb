"""The soak notices what it looks for."""

import pytest

from benchmarks import soak
from surefoot import Study


@pytest.fixture
def study():
    study = Study(soak.ARMS)
    study.tell_all([(pull, 0.5) for pull in study.ask(4)])
    return study


def test_what_was_told_and_is_kept_is_no_fault(study):
    found = soak.verdict(study, [([1, 2], [(1, 0.5), (2, 0.5)]), ([3, 4], [(3, 0.5), (4, 0.5)])])
    assert (found["lost"], found["never_told"], found["twice"], found["handed_out_twice"]) == (0, 0, 0, 0)
    assert found["same_when_folded_anew"]


@pytest.mark.parametrize(
    ("fault", "asked", "told"),
    [
        ("lost", [1, 2, 3, 4], [(1, 0.5), (2, 0.75), (3, 0.5), (4, 0.5)]),
        ("never_told", [1, 2, 3, 4], [(1, 0.5), (2, 0.5), (3, 0.5)]),
        ("handed_out_twice", [1, 2, 2, 3, 4], [(pull, 0.5) for pull in (1, 2, 3, 4)]),
    ],
)
def test_what_is_wrong_is_counted(study, fault, asked, told):
    assert soak.verdict(study, [(asked, told)])[fault] == 1


def test_a_reader_notices_an_event_that_does_not_follow():
    reader = soak.Reader(0)
    reader.see(b"id: 1\nevent: created\ndata: {}\n\n")
    reader.see(b": alive\n\n")
    reader.see(b"id: 2\nevent: asked\ndata: {}\n\n")
    assert (reader.last, reader.gaps) == (2, 0)
    reader.see(b"id: 4\nevent: told\ndata: {}\n\n")
    reader.see(b"id: 4\nevent: told\ndata: {}\n\n")
    assert (reader.last, reader.gaps) == (4, 2)
