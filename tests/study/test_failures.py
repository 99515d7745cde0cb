"""Pulls that fail: they count as the problem says, or are tried again and are never silent about it."""

import pytest

from surefoot import Failed, Problem, Study, find_best
from surefoot.errors import BadJournal, Conflict, InvalidValue, MeasureFailed
from surefoot.study import snapshot

PROBLEM = {"risk": "variance <= 0.04", "rewards": (0, 1)}
REWARDS = {"A": 0.3, "B": 0.9}


def drive(study, fails=lambda pull: False):
    for pull in study:
        if fails(pull):
            study.fail(pull, "timeout")
        else:
            study.tell(pull, REWARDS[pull.arm])
    return study


def of_arm(name, every):
    """Every so many-th pull of an arm fails."""
    seen = []

    def fails(pull):
        seen.extend([pull] * (pull.arm == name))
        return pull.arm == name and len(seen) % every == 0

    return fails


def test_a_failure_counts_as_the_problem_says():
    study = Study(["A", "B"], failure=0.0, **PROBLEM)
    first = study.ask()[0]
    study.fail(first, "exit code 1")
    assert (study.pulls, study.spent) == (1, 1)
    row = study.table()[0]
    assert (row.mean, row.pulls, row.failures) == (0.0, 1, 1)
    assert row.words.endswith("; 1 pull failed and counts as 0")
    assert study.events[-1] == study.events[-1] | {"type": "told", "pull": 1, "reward": 0.0, "failed": "exit code 1"}
    study.fail(first, "exit code 1")  # said twice
    assert study.pulls == 1
    with pytest.raises(Conflict, match=r"pull 1 was told as 0.0 and cannot be told as 0.5"):
        study.tell(first, 0.5)


def test_without_it_a_fresh_pull_of_the_arm_takes_its_place():
    study = Study(["A", "B"], **PROBLEM)
    (first,) = study.ask(1)
    study.fail(first, "timeout")
    assert (study.pulls, study.spent, study.pending) == (0, 0, [])
    (fresh,) = study.ask(1)
    assert (fresh.arm, fresh.id) == (first.arm, 2)
    study.fail(first, "again")  # said twice
    assert study.table()[0].failures == 1
    with pytest.raises(Conflict, match="pull 1 failed before and cannot be told any more"):
        study.tell(first, 0.5)
    with pytest.raises(Conflict, match="pull 1 failed and cannot be abandoned"):
        study.abandon(first)
    study.tell(fresh, 0.5)
    with pytest.raises(Conflict, match=r"pull 2 was told as 0.5 and cannot be told as failed"):
        study.fail(fresh, "timeout")


def test_the_decision_names_pulls_that_were_tried_again_and_what_it_assumes():
    study = drive(Study(["A", "B"], **PROBLEM), of_arm("B", 5))
    failures = study.table()[1].failures
    assert failures > 1
    assert study.decision.arm == "B"
    assert study.decision.sentence.endswith(
        f" Pulls that failed were tried again: B ({failures}). "
        "This assumes that whether a pull fails has nothing to do with its result."
    )
    assert study.table()[1].words == f"the best; {failures} pulls failed and were tried again"


def test_an_arm_that_fails_often_is_not_chosen_where_failures_count():
    study = drive(Study(["A", "B"], failure=0, **PROBLEM), of_arm("B", 4))
    row = study.table()[1]
    assert study.decision.arm == "A"
    assert row.failures >= row.pulls // 4
    assert "Pulls that failed count as 0: B (" in study.decision.sentence


@pytest.mark.parametrize("failure", [None, 0.25])
def test_failures_survive_replay_and_snapshot(failure):
    study = drive(Study(["A", "B"], failure=failure, max_pulls=60, **PROBLEM), of_arm("B", 3))
    again = Study.from_events(study.events)
    state = snapshot.restored(study.events[0], snapshot.taken(study._replica.state, study.position))
    assert list(again.table()) == list(study.table())
    assert state.engine.failures == study._engine.failures
    assert again.decision.sentence == study.decision.sentence


def test_failures_in_a_batch_are_taken_all_or_none():
    study = Study(["A", "B"], **PROBLEM)
    one, two = study.ask(2)
    with pytest.raises(InvalidValue, match=r"must be in \[0, 1\], got 7"):
        study.tell_all([(one, Failed("timeout")), (two, 7)])
    assert study.pending == [one, two]
    study.tell_all([(one, Failed("timeout")), (two, 0.5)])
    assert study.pending == []


def test_a_failure_told_after_its_lease_is_no_news():
    study = Study(["A", "B"], lease=10, **PROBLEM)
    (first,) = study.ask(1)
    journal = [*study.events, study.events[-1] | {"type": "expired", "pull": first.id}]
    study = Study.from_events(journal)
    study.fail(first, "too late to matter")
    assert study.events == journal
    assert study.table()[0].failures == 0


def test_why_is_kept_on_one_line():
    study = Study(["A"], failure=0, **PROBLEM)
    study.fail(study.ask()[0], "Traceback\n  boom\x00 " + 500 * "x")
    kept = next(event for event in study.events if event["type"] == "told")["failed"]
    assert kept.startswith("Traceback boom x")
    assert len(kept) == 200
    with pytest.raises(InvalidValue, match="why a pull failed must be text, got 7"):
        study.fail(study.ask()[0], 7)


@pytest.mark.parametrize("failure", [-0.1, 1.5, "worst", float("nan")])
def test_what_a_failure_counts_as_lies_in_the_range(failure):
    with pytest.raises(InvalidValue, match=r"failure (must be (a number )?in \[0, 1\], got|is missing)"):
        Study(["A"], failure=failure, **PROBLEM)


def test_a_problem_file_says_what_a_failure_counts_as():
    text = 'rewards = [0, 60]\ngoal = "min"\nfailure = 60\n[[arms]]\nname = "a"\n'
    problem = Problem.loads(text)
    assert problem.failure == 60.0
    assert Problem.loads(problem.dumps()) == problem
    assert "failure" not in Problem(arms=("A",)).dumps()  # what uses nothing new is written as before


def test_journals_that_cannot_be():
    study = Study(["A"], **PROBLEM)
    study.ask()
    head, time = study.events, study.events[-1]["time"]
    for event in (
        {"type": "failed", "pull": 2, "why": "timeout"},
        {"type": "failed", "pull": 1, "why": 3},
        {"type": "told", "pull": 1, "reward": 0.5, "failed": 3},
    ):
        with pytest.raises(BadJournal):
            Study.from_events([*head, event | {"time": time}])


def test_find_best_counts_what_raises():
    calls = []

    def unreliable():
        calls.append(1)
        if len(calls) % 3 == 0:
            raise TimeoutError("no answer")
        return 0.9

    study = find_best({"A": lambda: 0.5, "B": unreliable}, failure=0, **PROBLEM)
    row = study.table()[1]
    assert row.failures == row.pulls // 3
    assert study.decision.arm == "A"  # B's mean is 0.6, and its variance beyond the limit
    with pytest.raises(MeasureFailed):
        find_best({"B": lambda: 1 / 0}, **PROBLEM)


def test_nothing_is_assumed_of_an_arm_that_was_excluded_before_it_had_a_result():
    def raising():
        raise OSError("no such device")

    study = find_best({"A": lambda: 0.5, "B": lambda: 0.7, "C": raising, "D": raising}, retries=2, **PROBLEM)
    assert "could not be measured: C (2 pulls failed), D (2 pulls failed)." in study.decision.sentence
    assert "assumes" not in study.decision.sentence
    assert [row.failures for row in study.table()] == [0, 0, 2, 2]
    assert study.warnings == []


def test_failures_of_an_arm_that_was_excluded_after_a_result_are_assumed_to_be_harmless():
    study = Study(["A", "B", "C"], **PROBLEM)
    study.record("C", 0.5)
    study.fail(next(pull for pull in study.ask(9) if pull.arm == "C"), "timeout")
    study.set_aside("C", "timeout")
    assert (
        "could not be measured: C. Pulls that failed were tried again: C (1). This assumes" in study.decision.sentence
    )
    assert [warning.kind for warning in study.warnings] == ["failures"]


def test_an_arm_left_alone_is_recommended_and_not_decided():
    study = Study(["A", "B"], **PROBLEM)
    study.set_aside("A", "no such program")
    decision = drive(study).decision
    assert (decision.status, decision.arm, decision.recommended) == ("undecided", None, ("B",))
    assert "B is the only arm that could be measured, and nothing was compared with it." in decision.sentence
    assert "it. Its variance is within 0.04. Excluded because it could not be measured: A." in decision.sentence
    assert Study.from_events(study.events).decision == decision


def test_an_arm_left_alone_may_still_be_beyond_the_limit():
    study = Study(["A", "B"], **PROBLEM)
    study.set_aside("A", "no such program")
    for number, pull in enumerate(study):
        study.tell(pull, float(number % 2))
    assert study.decision.status == "infeasible"


def test_a_problem_of_one_arm_is_decided_as_ever():
    assert drive(Study(["B"], **PROBLEM)).decision.arm == "B"


def test_a_narrow_table_shows_failures_too():
    study = drive(Study(["A", "B"], **PROBLEM), of_arm("B", 5))
    row = study.table()[1]
    assert row.brief == f"the best; {row.failures} failed"
    assert row.brief in study.table().fitted(60)


@pytest.mark.parametrize("name", ["policy", "bounds"])
def test_an_empty_name_of_a_part_is_not_taken_for_none(name):
    with pytest.raises(InvalidValue, match=f"{name} must be one of"):
        Study(["A", "B"], **{name: ""}, **PROBLEM)


@pytest.mark.parametrize(
    ("nothing", "why"),
    [(None, "is missing (None)"), (float("nan"), "is missing (NaN)"), ("x", "must be a number, got 'x'")],
)
def test_a_measure_that_returns_no_number_has_failed(nothing, why):
    """It raised, whatever `failure` said."""
    study = find_best({"A": lambda: nothing, "B": lambda: 0.9}, failure=0, **PROBLEM)
    row = study.table()[0]
    assert study.decision.arm == "B"
    assert row.failures == row.pulls > 0
    assert next(event["failed"] for event in study.events if "failed" in event) == f"its result {why}"
    study = find_best({"A": lambda: nothing, "B": lambda: 0.9}, retries=2, **PROBLEM)
    assert study.table()[0].failures == 2  # each was tried again; the third excludes the arm
    assert f"its result {why}" in study.aside["A"]


def test_a_measure_out_of_the_range_has_not_failed():
    for value in (1.5, float("inf")):
        study = find_best({"A": lambda value=value: value, "B": lambda: 0.9}, failure=0, **PROBLEM)
        assert "must be in [0, 1]" in study.aside["A"]
        assert study.table()[0].failures == 0


def test_telling_what_is_no_result_is_refused_and_changes_nothing():
    study = Study(["A", "B"], failure=0, **PROBLEM)
    (pull,) = study.ask(1)
    for nothing in (None, float("nan")):
        with pytest.raises(InvalidValue, match=r"a result of arm 'A' is missing"):
            study.tell(pull, nothing)
    assert (study.pulls, study.table()[0].failures, len(study.pending)) == (0, 0, 1)


def test_pulls_that_expire_are_named():
    """A worker that hangs where the result would be bad flatters its arm: the decision says on what it rests."""
    study = Study(["A", "B"], lease=10, **PROBLEM)
    first, second = study.ask(2)
    study.tell(first, 0.5)
    journal = [*study.events, study.events[-1] | {"type": "expired", "pull": second.id}]
    del journal[-1]["reward"]
    again = Study.from_events(journal)
    assert [(notice.kind, notice.arm) for notice in again.warnings] == [("expired", second.arm)]
    assert f"Pulls that brought no result within the lease were replaced: {second.arm} (1)." in again.decision.sentence
    kept = snapshot.restored(again.events[0], snapshot.taken(again._replica.state, again.position))
    assert kept.engine.expired == {["A", "B"].index(second.arm): 1}
