"""Warnings: as rarely false as is said, in time where an assumption is broken, and in every place that shows a decision."""

import json
import math

import numpy as np
import pytest

from benchmarks import warnings
from surefoot import Study, SubGaussian
from surefoot.core import drift
from surefoot.problem import Problem
from surefoot.storage import Memory
from surefoot.study import snapshot
from surefoot.study.watch import Watch
from tests.statistical.binomial import too_many

RUNS = 150


@pytest.mark.parametrize(("arms", "level"), [(1, 0.4), (4, 0.2)])
@pytest.mark.parametrize("name", warnings.CLEAN)
def test_false_alarms_are_as_rare_as_is_said(name, arms, level):
    runs = RUNS // arms
    rang = warnings.false_alarms(warnings.CLEAN[name], arms, level, runs, seed=5)
    assert not too_many(rang["bounds"], runs, level)
    assert not too_many(rang["drift"], runs, level)
    assert too_many(rang["control: level not shared"], runs, level) or name == "rare successes"


def test_bounds_that_are_too_narrow_would_be_caught():
    rang = warnings.false_alarms(warnings.CLEAN["coins"], 2, 0.2, 100, seed=6)
    assert too_many(rang["control: radii times 0.3"], 100, 0.2)
    assert not too_many(rang["bounds"], 100, 0.2)


@pytest.mark.parametrize("test", [drift.ends, drift.waves])
@pytest.mark.parametrize("blocks", [32, 45])
def test_each_look_keeps_its_level_whatever_the_distribution(test, blocks):
    """Heavy tails, signs, sums that are mostly equal."""
    generator = np.random.default_rng(7)
    for draw in (
        generator.standard_cauchy,
        generator.standard_normal,
        lambda size: generator.integers(0, 2, size) + 0.0,
    ):
        found = [test(draw(blocks)).evidence for _ in range(800)]
        for level in (0.4, 0.1):
            assert not too_many(sum(evidence >= math.log(1.0 / level) for evidence in found), len(found), level)


def test_a_look_would_miss_its_level_if_draws_depended_on_each_other():
    generator = np.random.default_rng(8)
    found = [drift.waves(np.cumsum(generator.standard_normal(64))).evidence for _ in range(100)]
    assert too_many(sum(evidence >= math.log(10.0) for evidence in found), len(found), 0.1)


@pytest.mark.parametrize("value", [0.1, 1.0 / 3.0, 1e9 + 0.1])
def test_equal_rewards_never_drift(value):
    """Sums of equal rewards differ by rounding alone."""
    for size in (64, 100):
        sums = np.diff(np.cumsum(np.full(size, value)), prepend=0.0)
        assert max(drift.ends(sums).evidence, drift.waves(sums).evidence, drift.latest(sums).evidence) <= 0.0


@pytest.mark.parametrize("name", [name for name in warnings.MOVING if name != "nothing"])
def test_what_moves_is_found(name):
    found = [warnings.found_at(warnings.MOVING[name], generator)["drift"] for generator in warnings.generators(6, 9)]
    assert np.median(found) <= warnings.LONG


@pytest.mark.parametrize("name", warnings.TOGETHER)
def test_two_arms_that_change_together_are_not_told_apart_without_a_word(name):
    """No more often than two arms that do not change, of which delta allows as many."""
    said = [warnings.drifting(warnings.TOGETHER[name], generator, 2_000) for generator in warnings.generators(25, 10)]
    assert not too_many(said.count(("best", 0)), len(said), 0.05)
    if name != "nothing":
        assert sum(warned > 0 for _, warned in said) >= 20


# --- the study and its warnings


def stepped(study, arms=("A",), size=200, low=0.1, high=0.9):
    for n in range(2 * size):
        for arm in arms:
            study.record(arm, (low if n < size else high) + 0.01 * (n % 7))
    return study


def test_a_study_says_that_its_arm_drifts():
    study = stepped(Study(["A", "B"], risk="variance <= 0.2"))
    first, second = study.warnings
    assert (first.kind, first.arm, second.kind, second.arm) == ("drift", "A", "bounds", "A")
    assert str(first).startswith(
        "The results of arm 'A' do not look like independent draws of one distribution: its mean over "
    )
    assert str(first).endswith(" The decision assumes that nothing drifts.")
    assert "some of them show that its mean is at least 0." in second.sentence
    assert study.decision.sentence.endswith(f" Warning: {first} There is one more warning.")
    shown = study._repr_html_()
    assert shown.count("do not look like independent draws") >= 2
    assert study.plot().get_title(loc="left").endswith("(see the warnings)")


def test_a_study_of_independent_draws_says_nothing():
    study, generator = Study(["A", "B"], max_pulls=600), np.random.default_rng(11)
    for pull in study:
        study.tell(pull, float(generator.random() < 0.5))
    assert study.warnings == []
    assert "Warning" not in study.decision.sentence


@pytest.mark.parametrize("goal", ["max", "min"])
@pytest.mark.parametrize("rewards", [(-5, 15), SubGaussian(3.0), "gaussian"], ids=str)
def test_every_kind_of_rewards_is_watched_on_its_own_scale(rewards, goal):
    study, generator = Study(["A", "B"], rewards=rewards, goal=goal), np.random.default_rng(12)
    for n in range(1_200):
        study.record("A", float(np.clip(generator.normal(2.0 if n < 600 else 8.0, 1.0), -5, 15)))
    assert [notice.kind for notice in study.warnings] == ["drift", "bounds"]
    for notice in study.warnings:
        words = [word.rstrip(".,") for word in notice.sentence.split()]
        numbers = [float(word) for word in words if word[0].isdigit() and "." in word]
        assert len(numbers) == 2
        assert all(1.0 < number < 9.0 for number in numbers)
        assert notice.kind == "drift" or numbers[0] > numbers[1]  # at least, at most


def test_bounds_that_cross_are_said_with_their_ends():
    watch, problem = Watch(Problem.of(["A"])), Problem.of(["A"])
    tosses = np.repeat([0.2, 0.8], 3_000)[np.newaxis]
    warnings.show_to(watch, problem, warnings.log_of(tosses))
    alarm = watch.alarms["bounds", 0]
    assert 0.2 < alarm.second < alarm.first < 0.8


def test_a_study_opened_anew_warns_as_before(monkeypatch):
    """From a snapshot and from the whole journal; and goes on to the same alarms."""
    monkeypatch.setattr(snapshot, "between", lambda fold: 50)
    storage = Memory()
    generator, study = np.random.default_rng(13), Study.open(storage, "study", ["A", "B"], risk="variance <= 0.3")
    for n in range(1_500):
        study.record("A", float(generator.random() < (0.3 if n < 700 else 0.7)))
        if n in (40, 600, 1_100, 1_499):
            quick = Study.open(storage, "study")
            assert quick._live.watch.due == study._live.watch.due
            assert watched(quick) == watched(study) == watched(Study.from_events(study.events))
    assert study.warnings
    assert Study.open(storage, "study").warnings == study.warnings
    json.dumps([notice._asdict() for notice in study.warnings])


def test_what_failed_and_what_was_probably_not_meant_are_warnings_too():
    with pytest.warns(UserWarning, match="did you mean"):
        study = Study(["A", "B"], delta=0.9)
    (meant,) = study.warnings
    assert meant == ("problem", None, "Delta is the probability of a wrong decision, got 0.9: did you mean 0.1?")
    assert study.decision.sentence.endswith(f" Warning: {meant}")
    study.fail(study.ask()[0], "no answer")
    failed, _ = study.warnings
    assert (failed.kind, failed.arm) == ("failures", "A")
    assert failed.sentence.startswith("1 pull of arm 'A' failed and others took their place.")
    assert study.decision.sentence.count("failed") == 1


def watched(study):
    arms = study._live.watch.arms
    kept = {arm: [getattr(one, name) for name in type(one).__slots__] for arm, one in arms.items()}
    return kept, study._live.watch.alarms


def test_a_decision_whose_own_bounds_exclude_each_other_says_so():
    """A step that both arms make decides at once, before the next look."""
    generator, silent = np.random.default_rng(7), 0
    for _ in range(10):
        study = Study(["A", "B"])
        for count, pull in enumerate(study):
            mean = 0.3 if count < 1_000 else 0.7
            study.tell(pull, float(np.clip(mean + 0.1 * generator.normal(), 0, 1)))
        assert study.decision.status == "best"
        for row in study.table():
            assert "contradict" not in row.words or study.warnings
        silent += not study.warnings
    assert silent <= 1  # without the look at the decision it is 9 or 10


@pytest.mark.parametrize("blocks", [32, 400])
def test_a_step_is_seen_no_more_often_than_is_said_where_there_is_none(blocks):
    """Whatever the distribution: of equal blocks the earlier count as farther out; the other way round it would fail."""
    generator, level = np.random.default_rng(9), 0.4
    for draw in (
        generator.random,
        generator.standard_cauchy,
        lambda size: generator.integers(0, 2, size).astype(float),
    ):
        samples = [draw(blocks) for _ in range(300)]
        rang = sum(drift.latest(sums).evidence >= -math.log(level) for sums in samples)
        assert not too_many(rang, len(samples), level)
    wrong = sum(drift.latest(sums[::-1] + 1e-9 * np.arange(blocks)).evidence >= -math.log(level) for sums in samples)
    assert too_many(wrong, len(samples), level)


def test_a_step_is_seen_in_a_few_blocks():
    sums = np.random.default_rng(10).normal(size=400)
    sums[-12:] += 6.0
    assert drift.latest(sums).evidence > 30.0
    assert drift.latest(-sums).evidence > 30.0
