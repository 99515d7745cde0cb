"""Warnings: as rarely false as is said, in time where an assumption is broken, and in every place that shows a decision."""

import json
import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import warnings
from surefoot import Study, SubGaussian
from surefoot.problem import Problem
from surefoot.storage import Memory
from surefoot.study import snapshot
from surefoot.study.blocks import LATER, MOST
from surefoot.study.watch import LATEST, Watch
from tests.statistical.binomial import too_many

RUNS, LEVEL = 20, 0.4


@pytest.mark.parametrize("arms", [1, 3])
@pytest.mark.parametrize("name", warnings.CLEAN)
def test_false_alarms_are_as_rare_as_is_said(name, arms):
    """In whole studies, whose policy is adaptive; for a drift somebody looks all the time."""
    alarms = ("bounds", "drift")
    rang = warnings.false_alarms(warnings.CLEAN[name], arms, LEVEL, RUNS, seed=5, pulls=600, alarms=alarms)
    assert not too_many(rang["bounds"], RUNS, LEVEL)
    assert not too_many(rang["drift"], RUNS, LEVEL)


def test_what_is_wrong_would_be_caught():
    """Coins fitted to what they predict; and bounds that are too narrow."""
    changes = ("drift", "control: fitted coins")
    fitted = warnings.false_alarms(warnings.CLEAN["coins"], 5, LEVEL, RUNS, seed=6, alarms=changes)
    assert too_many(fitted["control: fitted coins"], RUNS, LEVEL)
    assert not too_many(fitted["drift"], RUNS, LEVEL)
    bounds = ("bounds", "control: radii times 0.3")
    narrow = warnings.false_alarms(warnings.CLEAN["coins"], 1, 0.2, 200, seed=6, alarms=bounds)
    assert too_many(narrow["control: radii times 0.3"], 200, 0.2)
    assert not too_many(narrow["bounds"], 200, 0.2)


@pytest.mark.parametrize("name", [name for name in warnings.MOVING if name != "nothing"])
def test_what_moves_is_found(name):
    found = [warnings.found_at(warnings.MOVING[name], generator)["drift"] for generator in warnings.generators(4, 9)]
    assert np.median(found) <= warnings.LONG


SILENT = {  # of 12 studies that say that an arm is best, those without a warning, by chance as delta allows it
    "step from 0.3 to 0.7 at 100": 0,
    "step from 0.3 to 0.7 at 1,000": 0,
    "step of 1 deviation at 1,000": 0,
    "step of 2 deviations at 1,000": 0,
    "linear from 0.1 to 0.9 in 2,000": 0,
    "seasons of 400, 0.1 to 0.9": 0,
    "warm-up from 0.3 to 0.6": 2,  # 3 of 53 such decisions over 60 studies
    "five arms, step from 0.2 to 0.8 at 100": 0,
}


@pytest.mark.parametrize("name", SILENT)
def test_arms_that_change_together_are_not_told_apart_without_a_word(name):
    said = [warnings.drifting(warnings.COMMON_DRIFTS[name], generator) for generator in warnings.generators(12, 10)]
    assert said.count(("best", 0)) <= SILENT[name]
    assert sum(status == "best" for status, _ in said) >= 10


@pytest.mark.parametrize("name", ["step from 0.3 to 0.7 at 1,000", "seasons of 400, 0.1 to 0.9"])
def test_nor_in_a_log(name):
    logs = [
        warnings.drifting_log(warnings.COMMON_DRIFTS[name], generator, 2_000)
        for generator in warnings.generators(4, 11)
    ]
    assert all(warned for _, warned in logs)


def test_what_does_not_change_is_not_said_to():
    said = [
        warnings.drifting(warnings.COMMON_DRIFTS["nothing"], generator, 1_000)
        for generator in warnings.generators(12, 12)
    ]
    assert all(warned == 0 for _, warned in said)


def warmed_up():
    """Two equal coins that warm up, to a decision that all results together hardly show."""
    for generator in warnings.generators(100, 13):
        study = Study(["A", "B"])
        for count, pull in enumerate(study):
            study.tell(pull, warnings.COMMON_DRIFTS["warm-up from 0.3 to 0.6"].reward(generator, count))
        if "unsupported" in [notice.kind for notice in study.warnings]:
            return study
    raise AssertionError("no study was like that")


def test_a_decision_that_all_results_together_hardly_show_is_warned_of():
    study = warmed_up()
    (notice,) = (notice for notice in study.warnings if notice.kind == "unsupported")
    best = study.decision.arm
    (other,) = {"A", "B"} - {best}
    means = {arm: np.mean([row.result for row in study.results() if row.arm == arm]) for arm in "AB"}
    assert notice.arm == best
    assert notice.sentence == (
        f"All results together hardly show that {best!r} is better than {other!r}: their means are {means[best]:.4g} and "
        f"{means[other]:.4g}. The decision rests on bounds from earlier results. The guarantee assumes that nothing drifts."
    )
    assert Study.from_events(study.events).warnings == study.warnings


@pytest.mark.parametrize("name", warnings.APART)
def test_a_decision_that_results_show_is_not(name):
    rang, decided = warnings.unsupported(warnings.APART[name], 0.3, 12, seed=14)
    assert (rang, decided) == (0, 12)


# --- what is counted, and in which order


def tosses(size, arms, seed=14):
    generator = np.random.default_rng(seed)
    return generator.integers(0, arms, size), generator.random(size)


def counted(watch):
    blocks = watch.blocks
    arrays = [getattr(blocks, name).tolist() for name in snapshot.BLOCK_ARRAYS]
    return arrays, blocks.rows, [getattr(blocks, name) for name in snapshot.BLOCKS], watch.counted, watch.alarms


@pytest.mark.parametrize("arms", [3, 100])
def test_results_may_be_counted_in_any_portions(arms):
    pulled, rewards = tosses(3_000, arms)
    rewards[1_500:] **= 3
    whole, portions = (Watch(Problem.of(list(map(str, range(arms))))) for _ in range(2))
    whole.count(pulled, rewards)
    for start, end in pairwise([0, 1, 15, 20, 300, 301, 1_111, 2_999, 3_000]):
        portions.count(pulled[start:end], rewards[start:end])
    assert counted(whole) == counted(portions)
    assert len(whole.blocks.rows) == min(arms, MOST)


def test_results_are_counted_in_the_order_of_asking_whatever_comes_first():
    """And what is recorded, after the pulls that were asked for before it."""
    watches = []
    for order in (list, reversed):
        study = Study(["A", "B"])
        pulls = study.ask(20)
        study.record("A", 0.25)
        for pull in order(pulls):
            study.tell(pull, 0.5 + pull.id / 100)
        study.record("B", 0.75)
        watch = study._engine.watch
        watch.gather(math.inf)
        watches.append(counted(watch))
        assert watch.blocks.sums[20, :].tolist().count(0.25) == 1
        assert watch.blocks.sums[21, :].tolist().count(0.75) == 1
    assert watches[0] == watches[1]


def test_results_behind_a_pull_in_flight_wait_for_it():
    study = Study(["A", "B"])
    first, *others = study.ask(300)
    for pull in others:
        study.tell(pull, 0.5)
    watch = study._engine.watch
    watch.gather(study._engine.queues.oldest())
    assert watch.counted == 0
    study.tell(first, 0.5)
    watch.gather(study._engine.queues.oldest())
    assert (watch.counted, watch.waiting) == (300, [])


def test_a_pull_that_never_comes_is_not_waited_for_for_ever():
    watch = Watch(Problem.of(["A", "B"]))
    for pull in range(2, LATEST + 500):
        watch.waiting.append(((pull, 0), pull % 2, 0.5))
    watch.gather(1)
    assert (len(watch.waiting), watch.counted) == (LATEST, 498)
    watch.waiting.append(((1, 0), 0, 0.5))
    watch.gather(math.inf)
    assert (watch.waiting, watch.counted) == ([], LATEST + 498)  # it comes too late to be counted


def test_of_many_arms_those_pulled_often_are_counted():
    study = Study([str(arm) for arm in range(100)])
    for n in range(LATER + 250):
        study.record("7", 0.1 if n < LATER + 150 else 0.9)
    watch = study._engine.watch
    watch.gather(math.inf)
    assert (list(watch.blocks.rows), watch.counted) == ([7], 250)
    watch.look_for_drift()
    assert watch.alarms["drift", 7].start in (0, LATER, LATER + 148, LATER + 150, LATER + 152)
    assert sorted(watch.alarms["drift", 7][2:4]) == pytest.approx([0.1, 0.9], abs=0.05)


@pytest.mark.parametrize(("tolerance", "rings"), [(0.0, True), (0.1, False)])
def test_bounds_that_decide_are_looked_at_where_a_rate_is_proven(tolerance, rings):
    watch = Watch(Problem.of(["A", "B"], tolerance=tolerance))
    watch.look_at_best(
        0, SimpleNamespace(metric=SimpleNamespace(pulls=5.0), goal=SimpleNamespace(lower=0.6, upper=0.5))
    )
    assert (("bounds", 0) in watch.alarms) is rings


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
    assert str(first).endswith(" The guarantee assumes that nothing drifts.")
    assert "some of them show that its mean is at least 0." in second.sentence
    assert study.decision.sentence.endswith(f" Warning: {first} There is one more warning.")
    shown = study._repr_html_()
    assert shown.count("do not look like independent draws") >= 2
    assert study.plot().get_title(loc="left").endswith("(see the warnings)")


def test_a_drift_of_other_than_the_mean_is_not_said_to_be_one_of_the_mean():
    study = Study(["A", "B"])
    for n in range(400):
        study.record("A", 0.5 + (0.05 if n < 200 else 0.3) * (-1) ** n)
    (notice,) = study.warnings
    assert ": its results 201 to 256 are distributed otherwise than the others of results 1 to 256. " in str(notice)


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
            assert quick._engine.watch.due == study._engine.watch.due
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
    watch = study._engine.watch
    return counted(watch), watch.ends, [getattr(watch, name) for name in snapshot.WATCH]


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
    assert silent == 0  # without the look at the decision it is 9 or 10
