"""Studies of several metrics: told whole or not at all, kept, resumed, exported and decided by every limit."""

import json
import random

import pytest

from surefoot import Study, find_best
from surefoot.errors import BadJournal, Conflict, InvalidValue

METRICS = {"accuracy": "binary", "latency": "any", "cost": {"range": [0, 20], "clip": True}, "note": "any"}
FIELDS = {
    "goal": "max mean(accuracy)",
    "metrics": METRICS,
    "limits": ["quantile(0.9, latency) <= 2", "probability(cost > 10) <= 0.2"],
}
# Chance of being right, the longest latency, the largest cost.
ARMS = {"quick": (0.6, 1.0, 5.0), "good": (0.9, 1.5, 8.0), "slow": (0.99, 9.0, 8.0), "dear": (0.99, 1.0, 30.0)}


def result(arm, generator):
    right, latency, cost = ARMS[arm]
    return {
        "accuracy": generator.random() < right,
        "latency": latency * generator.random(),
        "cost": cost * generator.random(),
        "note": generator.random(),
    }


def drive(study, generator, most=None):
    while not study.decided and (most is None or study.pulls < most):
        for pull in study.ask():
            study.tell(pull, result(pull.arm, generator))
    return study


def test_the_best_of_those_that_keep_every_limit():
    study = drive(Study(list(ARMS), **FIELDS), random.Random(1))
    assert study.decision.arm == "good"
    sentence = str(study.decision)
    assert "its quantile(0.9, latency) is" in sentence
    assert "its probability(cost > 10) is" in sentence
    words = {row.name: row.words for row in study.table()}
    assert "quantile(0.9, latency) is above 2" in words["slow"]
    assert "probability(cost > 10) is above 0.2" in words["dear"]


def test_a_study_that_was_closed_in_the_middle_goes_on_to_the_same_decision(tmp_path):
    file, generator = tmp_path / "s.db", random.Random(1)
    drive(Study.open(file, "s", list(ARMS), **FIELDS), generator, most=60)
    again = drive(Study.open(file, "s"), generator)
    whole = drive(Study(list(ARMS), **FIELDS), random.Random(1))
    assert next(event for event in again.events if event["type"] == "decided")["arm"] == 1
    assert again.results()[30].result == whole.results()[30].result
    assert (again.pulls, str(again.decision)) == (whole.pulls, str(whole.decision))
    assert Study.from_events(again.events).decision == again.decision
    with pytest.raises(Conflict, match="limits"):
        Study.open(file, "s", list(ARMS), **FIELDS | {"limits": ["quantile(0.9, latency) <= 3"]})


def test_events_have_the_numbers_in_the_order_of_the_metrics():
    study = Study(["quick"], **FIELDS)
    (pull,) = study.ask(1)
    study.tell(pull, {"note": 4, "cost": 3.0, "latency": 2.0, "accuracy": True})
    created, _, told = study.events[:3]
    assert created["version"] == 2
    assert told["values"] == [1.0, 2.0, 3.0, 4.0]
    assert "reward" not in told


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (0.5, "must have a number for each of 'accuracy', 'latency', 'cost', 'note', got 0.5"),
        ({"accuracy": 1, "latency": 1.0, "cost": 1.0}, "got 'note' missing"),
        ({"accuracy": 1, "latency": 1.0, "cost": 1.0, "note": 0, "x": 1}, "got 'x' besides"),
        (
            {"accuracy": 0.5, "latency": 1.0, "cost": 1.0, "note": 0},
            "accuracy of a result of arm 'quick' must be 0 or 1",
        ),
        (
            {"accuracy": 1, "latency": float("nan"), "cost": 1.0, "note": 0},
            "latency of a result of arm 'quick' is missing",
        ),
    ],
)
def test_a_result_that_is_none_changes_nothing(wrong, sentence):
    study = Study(["quick"], **FIELDS)
    (pull,) = study.ask(1)
    before = study.events
    with pytest.raises(InvalidValue, match=sentence):
        study.tell(pull, wrong)
    assert study.events == before
    study.tell(pull, {"accuracy": 1, "latency": 1.0, "cost": 1.0, "note": 0})
    study.tell(pull, {"accuracy": 1, "latency": 1.0, "cost": 1.0, "note": 0})
    assert study.pulls == 1
    with pytest.raises(Conflict, match=r"was told as \[1.0, 1.0, 1.0, 0.0\]"):
        study.tell(pull, {"accuracy": 0, "latency": 1.0, "cost": 1.0, "note": 0})


def test_values_beyond_the_range_are_clipped_and_counted_and_told_as_they_came():
    study = Study(["dear"], **FIELDS)
    for cost in (5.0, 25.0, -1.0):
        study.record("dear", {"accuracy": 1, "latency": 1.0, "cost": cost, "note": 0})
    assert study.table()[0].clipped == 2
    (notice,) = [notice for notice in study.warnings if notice.kind == "clipped"]
    assert "2 values of cost of arm 'dear' were beyond the range and count as its end" in str(notice)
    assert [row.result["cost"] for row in study.results()] == [5.0, 25.0, -1.0]


def test_a_failed_pull_counts_as_what_the_problem_says_of_each_metric():
    failure = {"accuracy": 0, "latency": 30, "cost": 0, "note": 0}
    study = Study(["quick"], **FIELDS, failure=failure)
    (pull,) = study.ask(1)
    study.fail(pull, "no answer")
    assert study.results()[0].result == {name: float(value) for name, value in failure.items()}


def test_a_journal_with_too_few_numbers_is_refused():
    study = Study(["quick"], **FIELDS)
    study.tell(study.ask(1)[0], {"accuracy": 1, "latency": 1.0, "cost": 1.0, "note": 0})
    events = json.loads(json.dumps(study.events))
    for values in ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.0, 0.0], [7.0, 1.0, 1.0, 0.0], "none", None):
        with pytest.raises(BadJournal, match="event 3 of the journal is not valid"):
            Study.from_events([*events[:2], events[2] | {"values": values}])


def test_find_best_takes_measures_that_return_a_number_for_each_metric():
    generator = random.Random(2)
    study = find_best({arm: lambda arm=arm: result(arm, generator) for arm in ARMS}, **FIELDS)
    assert study.decision.arm == "good"
    frame = pytest.importorskip("pandas") and study.results().to_pandas()
    assert list(frame.columns) == ["pull", "arm", *METRICS, "counted", "worker", "time"]


def test_a_metric_without_a_limit_decides_nothing():
    """The same pulls whatever a metric is that has no limit."""
    pulls = []
    for note in (0.0, 1e9):
        study, generator = Study(list(ARMS), **FIELDS), random.Random(1)
        while not study.decided:
            for pull in study.ask():
                study.tell(pull, result(pull.arm, generator) | {"note": note})
        pulls.append([row.arm for row in study.results()])
    assert pulls[0] == pulls[1]


def test_a_metric_of_failures_needs_to_know_what_a_failure_counts_as():
    fields = {"goal": "max mean(x)", "metrics": {"x": (0, 1), "failed": {"binary": True, "measure": "failed"}}}
    with pytest.raises(
        InvalidValue, match="failed would never be 1, as a failed pull does not tell x and is tried again"
    ):
        Study(["A"], **fields)
    assert Study(["A"], **fields, failure={"x": 0, "failed": 1}).problem.failure == {"x": 0.0, "failed": 1.0}
