"""Studies on common items and in rounds, in every storage: what was handed out and told is there when they open again."""

import pytest

from surefoot import Study

ITEMS = {"design": "items", "items": ["x", "y", "z", "u", "v", "w"]}
DESIGNS = {"items": ITEMS, "finite": ITEMS | {"finite": True}, "rounds": {"design": "rounds"}}


@pytest.mark.parametrize("design", DESIGNS)
def test_a_study_goes_on_with_the_same_items_when_it_is_opened_again(storage, design):
    study = Study.open(storage, design, ["a", "b"], rewards=(0, 1), seed=3, **DESIGNS[design])
    alone = Study(["a", "b"], rewards=(0, 1), seed=3, **DESIGNS[design])
    for _ in range(3):
        pulls, same = study.ask(), alone.ask()
        assert [(pull.id, pull.arm, pull.item) for pull in pulls] == [(pull.id, pull.arm, pull.item) for pull in same]
        for pull, twin in zip(pulls, same, strict=True):
            for one, which in ((study, pull), (alone, twin)):
                one.tell(which, 1.0 if which.arm == "a" else 0.25)
        study = Study.open(storage, design)
    assert study.table() == alone.table()
    assert [row.item for row in study.results()] == [row.item for row in alone.results()]
