"""What people see of a study whose arms are tried on the same items: its words, its picture and its latest results."""

import pytest

from surefoot import Study
from surefoot.study.views.axes import axes

MEANS = {"A": 0.8, "B": 0.6, "C": 0.4}


def played(**fields):
    study = Study(list(MEANS), **({"design": "items", "items": [f"file {k}" for k in range(90)]} | fields))
    while not study.decided:
        for pull in study.ask():
            study.tell(pull, MEANS[pull.arm] - 0.1 * (int(str(pull.item).split()[-1]) % 3))
    return study


@pytest.mark.parametrize(
    ("tolerance", "words"),
    [
        (0.0, "its mean is surely lower than that of A on the same items"),
        (0.1, "surely not better than A by more than the tolerance of 0.1 on the same items"),
    ],
)
def test_the_verdict_on_an_arm_says_what_it_was_compared_on(tolerance, words):
    assert words in [row.words for row in played(tolerance=tolerance).table()]


def test_the_picture_says_it_too():
    on_items, alone = played(), Study(list(MEANS))
    assert axes(on_items.problem, [], None, None, None)[1].label == "mean reward on the same items (higher is better)"
    assert axes(alone.problem, [], None, None, None)[1].label == "mean reward (higher is better)"


def test_the_latest_results_have_their_items():
    study = played(items=None)
    latest = study.standing().recent
    assert [row.item for row in latest] == [row.item for row in study.results()[-1:-13:-1]]


def test_recorded_results_have_their_items_and_independent_ones_have_none():
    study = Study(["A", "B"], design="items", items=["x"])
    study.record("B", 0.5, item="x")
    assert study.standing().recent[0].item == "x"
    alone = Study(["A", "B"])
    alone.record("B", 0.5)
    assert alone.standing().recent[0].item is None


def test_items_whose_names_are_not_known_are_shown_by_their_numbers(tmp_path):
    """The journal of a long list has its digest only; who looks at the study does not need the names."""
    names = [f"item {number}" for number in range(10_001)]
    study = Study.open(tmp_path / "s.db", "s", ["A", "B"], design="items", items=names)
    (pull,) = study.ask(1)
    study.tell(pull, 0.5)
    seen = Study.open(tmp_path / "s.db", "s")
    assert seen.standing().recent[0].item == seen.results()[0].item == names.index(pull.item)
    assert study.standing().recent[0].item == pull.item
