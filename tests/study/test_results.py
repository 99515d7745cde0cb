"""study.results(): a row for each result."""

from datetime import UTC, datetime

import pytest

from surefoot import Problem, PullResult, Study
from surefoot.study.results import results

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()


def told():
    study = Study(["A", "B"], rewards=(0, 1), failure=0, lease=60)
    one, two = study.ask(2, worker="laptop")
    study.tell(two, 0.25)
    study.record("B", True)
    study.tell(one, 0.5)
    (three,) = study.ask(1)
    study.fail(three, "timeout")
    return study


def test_a_row_for_each_result_in_the_order_of_asking():
    rows = told().results()
    assert [row[:5] for row in rows] == [
        (1, "A", 0.5, True, "laptop"),
        (2, "B", 0.25, True, "laptop"),
        (None, "B", 1.0, True, None),
        (3, rows[3].arm, 0.0, True, None),
    ]
    assert all(isinstance(row, PullResult) and row.time.tzinfo is UTC for row in rows)
    assert PullResult._fields == ("pull", "arm", "result", "counted", "worker", "time", "item")


def test_what_comes_too_late_does_not_count():
    study = Study(["A", "B"], rewards=(0, 1))
    pull, _ = study.ask(2)
    study.close()
    study.tell(pull, 0.5)
    study.record("A", 0.5)
    assert [(row.pull, row.counted) for row in study.results()] == [(1, False), (None, False)]
    assert study.pulls == 0


def test_what_failed_and_was_tried_again_is_no_result():
    study = Study(["A", "B"], rewards=(0, 1))
    study.fail(study.ask(1)[0], "timeout")
    assert study.results() == ()


def test_as_a_table():
    asked = {"type": "asked", "pull": 1, "arms": [0, 1] * 15, "time": NOW, "worker": "w"}
    events = [asked, *({"type": "told", "pull": n, "reward": n / 30, "time": NOW} for n in range(1, 31))]
    rows = results(Problem(["A", "<B>"]), events)
    lines = str(rows).splitlines()
    assert lines[0] == "pull  arm         result  counted  worker  time"
    assert lines[1] == "   1  A        0.0333333  yes      w       2026-01-02 03:04:05"
    assert lines[11].strip() == "…  10 more"
    assert len(lines) == 22
    assert repr(rows) == str(rows)
    page = rows._repr_html_()
    assert page.count("<tr>") == 22
    assert "&lt;B&gt;" in page
    assert str(results(Problem(["A"]), [])) == "pull  arm  result  counted  worker  time"


def test_as_a_data_frame():
    pytest.importorskip("pandas")
    frame = told().results().to_pandas()
    assert list(frame.columns) == list(PullResult._fields[:-1])
    assert frame["result"].tolist() == [0.5, 0.25, 1.0, 0.0]
    assert frame["counted"].all()
    assert str(frame["time"].dtype).endswith("UTC]")
    assert list(results(Problem(["A"]), []).to_pandas().columns) == list(PullResult._fields[:-1])
