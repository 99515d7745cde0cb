"""Journals: exact, and refused where they cannot be what happened."""

import pytest

from surefoot import Problem, Study, Variance
from surefoot.errors import BadJournal, InvalidValue
from tests.study.helpers import drive, fresh


def told(pull, reward):
    return {"type": "told", "time": 0.0, "pull": pull, "reward": reward}


def test_the_problem_is_journalled_to_the_last_bit():
    study = Study(["A", "B"], risk=Variance(at_most=1 / 30), rewards=(0.1, 0.7), delta=1 / 7, tolerance=1 / 3)
    assert Study.from_events(study.events).problem == study.problem


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda events: [], "a journal must begin with an event of type 'created', got no event"),
        (
            lambda events: events[1:],
            "event 1 of the journal is not valid: a journal must begin with an event of type 'created', got 'asked'",
        ),
        (lambda events: [*events, events[0]], "there is no event of type 'created' here"),
        (
            lambda events: [events[0] | {"version": 3}],
            "event 1 of the journal is not valid: the version must be 1 or 2, got 3",
        ),
        (lambda events: [{"type": "created", "version": 1}], "event 1 of the journal is not valid: 'problem'"),
        (
            lambda events: [events[0] | {"problem": "x"}],
            "event 1 of the journal is not valid: the problem must be valid TOML",
        ),
        (
            lambda events: [*events[:2], events[1] | {"pull": 77}],
            "event 3 of the journal is not valid: its pulls must begin with 2, got 77",
        ),
        (lambda events: [*events[:2], events[1] | {"pull": 2, "arms": [3]}], "arm must be 0 to 2, got 3"),
        (
            lambda events: [*events[:2], {"type": "expired", "time": 0.0, "pull": 2}],
            "event 3 of the journal is not valid: pull 2 is not in flight",
        ),
        (lambda events: [*events[:2], told(9, 0.5)], "pull must be one that was asked for, 1 to 1, got 9"),
        (
            lambda events: [*events[:2], told(1, 0.5), told(1, 0.6)],
            "event 4 of the journal is not valid: pull 1 was told",
        ),
        (lambda events: [*events[:2], told(1, float("nan"))], "a result of arm 'A' is missing (NaN)"),
        (lambda events: [*events[:2], told(1, 9.0)], "must be in [0, 1], got 9.0"),
        (
            lambda events: [*events[:2], {"type": "recorded", "time": 0.0, "arm": -1, "reward": 0.5}],
            "arm must be 0 to 2, got -1",
        ),
        (lambda events: [*events[:2], {"type": "surprised"}], "there is no event of type 'surprised'"),
        (lambda events: [*events[:2], {}], "there is no event of type None"),
        (
            lambda events: [*events[:2], {"type": "decided", "status": "best", "arm": 9}],
            "event 3 of the journal is not valid: there is no decision 'best' with arm 9",
        ),
    ],
)
def test_journals_that_cannot_be_are_refused(change, sentence):
    events = drive(fresh(max_pulls=9)).events
    with pytest.raises(BadJournal) as refusal:
        Study.from_events(change(events))
    assert sentence in str(refusal.value)


def test_a_pull_of_another_study_is_noticed():
    study = fresh()
    pull, *_ = study.ask(3)
    with pytest.raises(InvalidValue, match="pull 1 is one of arm 'A', got one of arm 'B': is it from another study"):
        study.tell(pull._replace(arm="B"), 0.5)


def test_a_problem_may_be_changed_on_the_way_and_only_where_it_has_fields():
    problem = Problem(arms=["A", "B"], delta=0.05)
    assert Study(problem, delta=0.001, max_pulls=3).problem.delta == 0.001
    assert Study(problem, delta=None).problem == problem  # None is as good as left out
    with pytest.raises(InvalidValue, match="a problem has no field 'foo'; it has goal, risk"):
        Problem.of(["A"], foo=1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        Study(["A"], foo=1)


def test_records_end_a_budget_too():
    study = fresh(max_pulls=4)
    for _ in range(6):
        study.record("A", 0.5)
    assert study.decided
    assert study.pulls == 4
    assert study.decision.status == "undecided"


def test_a_straggler_does_not_draw_all_pulls_to_its_arm():
    study = fresh(risk="none")
    study.tell_all([(pull, 0.5) for pull in study.ask(3)])
    straggler = next(pull for pull in study.ask(20) if pull.arm == "C")
    study.tell_all([(pull, 0.5) for pull in study.pending if pull != straggler])
    asked = []
    for _ in range(60):
        for pull in study.ask():
            asked.append(pull.arm)
            study.tell(pull, {"A": 0.48, "B": 0.52, "C": 0.5}[pull.arm])
    assert 0 < asked.count("C") < 50
    assert "more results are waiting for earlier pulls to finish" in str(study.decision)


def test_many_pulls_in_the_air_are_handed_out_quickly():
    """Linear in their number: the sum over thousands of steps stays small."""
    study = fresh(risk="none")
    study.tell_all([(pull, 0.5) for pull in study.ask(30)])
    pulls = study.ask(5_000)
    study.tell_all([(pull, 0.5) for pull in reversed(pulls)])
    assert study.pulls == 5_030


def test_late_rewards_of_a_batch_are_counted_as_late():
    study = Study(["A"], risk="none")
    study.tell_all([(pull, 0.5) for pull in study.ask(5)])
    assert study.pulls == 1
    assert [(event["type"], event.get("late", False)) for event in study.events[2:]] == [
        ("told", False),
        ("decided", False),
        *[("told", True)] * 4,
    ]


def test_means_are_shown_to_the_digits_that_matter():
    study = Study(["A", "B"], rewards=(1000, 1001), risk="none")
    while not study.decided:
        for pull in study.ask():
            study.tell(pull, 1000.25 if pull.arm == "A" else 1000.75)
    assert "B is best: its mean is 1000.750 (at least" in str(study.decision)
    assert "limit" not in str(study.decision)
