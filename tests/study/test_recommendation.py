"""The recommendation of a study, at any time: what it says, and that looking changes nothing."""

import numpy as np
import pytest

from surefoot import Recommendation, Study
from surefoot.core import verdicts
from surefoot.study.views.phrases import percent, rounded_up
from tests.storage.helpers import state

MEANS = {"a": 0.4, "b": 0.8, "c": 0.3}


def told(pulls, seed=3, **fields):
    """A study of three coins, so many pulls on."""
    study, generator = Study(list(MEANS), **fields), np.random.default_rng(seed)
    low, high = fields.get("rewards", (0, 1))
    while study.pulls < pulls and not study.decided:
        for pull in study.ask(1):
            study.tell(pull, low + (high - low) * float(generator.random() < MEANS[pull.arm]))
    return study


def test_before_the_first_result_nothing_is_recommended():
    study = Study(list(MEANS))
    assert study.recommendation == Recommendation(None, 0.0, None, ("a", "b", "c"), "Nothing can be recommended yet.")
    assert str(study.decision) == "Undecided after 0 pulls: a, b and c could each still be the best arm."
    assert study.decision.recommended is None


def test_while_it_goes_on_the_sentence_ends_with_the_best_guess():
    study = told(30, seed=7, delta=0.01)
    now = study.recommendation
    assert now.answer == ("b",)
    assert 0.0 < now.confidence < 0.95
    assert 0.0 < now.gap < 1.0
    assert now.candidates == ("a", "b", "c")
    sure = f"{percent(now.confidence)} confidence, at most {rounded_up(now.gap)} below the best"
    assert str(now) == f"The best guess so far is b ({sure})."
    assert str(study.decision) == f"Undecided after 30 pulls: a, b and c could each still be the best arm. {now}"
    decision = study.decision
    assert (decision.recommended, decision.recommended_confidence) == (now.answer, now.confidence)
    assert (decision.recommended_gap, decision.candidates) == (now.gap, now.candidates)
    assert [row.recommended for row in study.table()] == [False, True, False]
    assert str(study.table()).splitlines()[2].startswith("b *  ")
    assert study.plot().get_title(loc="left").startswith(f"b is the best guess ({percent(now.confidence)} confidence)")


@pytest.mark.parametrize("end", ["closed", "max_pulls"])
def test_when_it_ends_undecided_the_recommendation_is_the_headline(end):
    study = told(30, seed=7, delta=0.01, **({"max_pulls": 30} if end == "max_pulls" else {}))
    if end == "closed":
        study.close()
    now = study.recommendation
    sure = f"({percent(now.confidence)} confidence), at most {rounded_up(now.gap)} below the best"
    headline = f"b is the best guess {sure}; a and c could each still be the best."
    assert str(study.decision) == f"{headline} The study ended undecided after 30 pulls."
    assert study.decision.status == "undecided"


def test_of_the_smallest_mean_it_is_above_the_best():
    study = told(400, goal="min", rewards=(0, 5), delta=0.001)
    assert study.recommendation.answer == ("c",)
    assert "above the best" in str(study.decision)
    assert study.recommendation.gap < 5.0


def test_that_no_arm_keeps_the_limit_may_be_the_recommendation():
    study = told(40, risk="probability(reward < 0.5) <= 0.01", max_pulls=40)
    if study.decision.status == "undecided":
        assert study.recommendation.answer == ()
        assert study.recommendation.gap is None
        assert str(study.decision).startswith("The best guess is that no arm keeps the limit (")


def test_once_it_is_decided_the_decision_is_the_recommendation():
    study = told(10_000)
    decision, now = study.decision, study.recommendation
    assert (decision.arm, decision.confidence) == ("b", 0.95)
    assert (now.answer, now.confidence, now.gap, now.candidates) == (("b",), 0.95, 0.0, ("b",))
    assert str(now) == "b is best (95 % confidence)."
    assert str(study.table()).count("*") == 0
    none = told(10_000, risk="variance <= 0.01")
    assert (none.decision.status, none.recommendation.answer, none.recommendation.candidates) == ("infeasible", (), ())
    assert none.recommendation.confidence == none.decision.confidence


def test_with_a_tolerance_the_gap_is_what_the_bounds_leave_and_no_more_than_the_tolerance():
    study = told(10_000, tolerance=0.2)
    assert study.decision.status == "best"
    assert 0.0 <= study.recommendation.gap <= 0.2


def test_an_arm_left_alone_was_compared_with_none():
    study = Study(["a", "b"])
    for _ in range(2):
        study.record("a", 0.9)
        study.record("b", 0.1)
    study.set_aside("b", "broken")
    now = study.recommendation
    assert (now.answer, now.confidence, now.gap) == (("a",), 0.0, None)
    study = Study(["a", "b"])
    study.record("a", 0.5)
    study.set_aside("a", "broken")
    study.set_aside("b", "broken")
    assert study.recommendation.answer is None


def test_excluded_arms_cost_confidence():
    study = told(60)
    before = study.recommendation.confidence
    twin = Study.from_events(study.events)
    twin.set_aside("c", "broken")
    assert twin._engine.dropped == 1
    if before and twin.recommendation.answer == study.recommendation.answer:
        assert twin.recommendation.confidence < 0.95


def test_bounds_with_fixed_radii_claim_nothing_before_the_decision():
    assert told(200, bounds="paper").recommendation.confidence == 0.0


@pytest.mark.parametrize(
    "fields",
    [{}, {"rewards": "gaussian"}, {"risk": "variance <= 0.24"}, {"policy": "va-lucb", "bounds": "sharp"}],
    ids=str,
)
def test_looking_at_any_time_changes_no_bit(fields):
    """With pulls in flight, told in random order: evidence is settled on copies."""
    studies, claimed = [Study(list(MEANS), delta=0.01, **fields) for _ in range(2)], 0
    generators = [np.random.default_rng(5) for _ in studies]
    air = [[], []]
    for step in range(400):
        for study, generator, flying in zip(studies, generators, air, strict=True):
            if study.decided:
                continue
            flying += study.ask(4 - len(flying))
            pull = flying.pop(int(generator.integers(len(flying))))
            study.tell(
                pull,
                float(generator.normal(MEANS[pull.arm], 0.5))
                if "rewards" in fields
                else float(generator.random() < MEANS[pull.arm]),
            )
        claimed += studies[0].recommendation.confidence > 0.0
        if step % 20 == 0:
            assert state(studies[0]) == state(studies[1])
    assert claimed
    assert state(studies[0]) == state(studies[1])


def test_what_was_found_is_kept_until_something_happens(monkeypatch):
    study = told(30)
    looks, engine = [], study._engine
    found = engine.recommender.found
    monkeypatch.setattr(engine.recommender, "found", lambda engine: looks.append(1) or found(engine))
    for _ in range(5):
        assert study.recommendation == study.recommendation
        study.table(), study.decision
    assert len(looks) <= 1
    looks.clear()
    first, second = study.ask(2)
    study.tell(first, 1.0)
    study.decision  # noqa: B018
    study.abandon(second)
    study.decision  # noqa: B018
    study.record("a", 0.0)
    study.decision  # noqa: B018
    study.set_aside("c", "broken")
    study.decision  # noqa: B018
    study.close()
    study.decision  # noqa: B018
    assert len(looks) == 5


def test_a_recommended_arm_is_a_candidate_at_every_step():
    study, generator = Study(list(MEANS), risk="variance <= 0.24"), np.random.default_rng(1)
    while not study.decided and study.pulls < 600:
        for pull in study.ask():
            study.tell(pull, float(generator.random() < MEANS[pull.arm]))
        now = study.recommendation
        assert set(now.answer or ()) <= set(now.candidates)
        assert all(
            study._engine.state.arms[list(MEANS).index(name)].verdict != verdicts.INFEASIBLE for name in now.candidates
        )
        assert 0.0 <= now.confidence <= 0.95
