"""Studies with limits against a baseline: who is pulled, what decides, what people see."""

import numpy as np
import pytest

from surefoot import Study
from surefoot.core import verdicts
from surefoot.storage import Memory
from surefoot.study import snapshot
from surefoot.study.reducer import begun, replay
from tests.storage.helpers import state

COINS = {"current": 0.5, "small": 0.35, "large": 0.75}


def coins(means=COINS, limit="mean >= baseline - 0.3", **fields):
    return Study(list(means), **{"limits": [limit], "baseline": "current", "delta": 0.1, "rewards": (0, 1)} | fields)


def drawn(generator, pull, means):
    return float(generator.random() < means[pull.arm])


def played(study, means=COINS, most=20_000, seed=1):
    generator = np.random.default_rng(seed)
    while not study.decided and study.pulls < most:
        for pull in study.ask():
            study.tell(pull, drawn(generator, pull, means))
    return study


@pytest.mark.parametrize(
    ("means", "limit", "fields", "answer"),
    [
        ({"current": 0.8, "a": 0.5, "b": 0.3}, "mean >= baseline + 0.1", {}, "current"),  # it is the best
        ({"current": 0.2, "a": 0.5, "b": 0.9}, "mean <= baseline + 0.5", {}, "a"),  # it is the worst
        ({"current": 0.5, "a": 0.5, "b": 0.9}, "mean <= 1.2 * baseline", {"tolerance": 0.15}, ("current", "a")),  # tied
        ({"current": 0.5, "a": 0.6, "b": 0.3}, "mean >= baseline + 0.3", {}, "current"),  # nothing is better by so much
        ({"current": 0.7, "a": 0.4, "b": 0.1}, "mean >= 0.7 * baseline", {"goal": "min"}, "current"),
    ],
)
def test_the_answer_beside_the_baseline(means, limit, fields, answer):
    study = played(coins(means, limit, **fields), means)
    assert study.decision.arm in answer
    assert study.decision.status == "best"


@pytest.mark.parametrize("policy", ["va-lucb", "successive-elimination"])
@pytest.mark.parametrize("bounds", ["tight", "sharp"])
def test_other_policies_pull_the_baseline_as_long_as_it_is_needed(policy, bounds):
    means = {"current": 0.02, "a": 0.5, "b": 0.95}
    study = coins(means, limits=["mean >= 0.4", "mean <= baseline + 0.85"], policy=policy, bounds=bounds)
    generator, after = np.random.default_rng(2), 0
    while not study.decided:
        for pull in study.ask():
            after += pull.arm == "current" and study._engine.state.arms[0].verdict == verdicts.INFEASIBLE
            study.tell(pull, drawn(generator, pull, means))
    assert study.decision.arm == "a"
    assert after > 20


def test_quantiles_of_a_metric_without_a_range():
    fields = {"goal": "max mean(accuracy)", "metrics": {"accuracy": "binary", "latency": "any"}}
    limits = ["quantile(0.8, latency) <= 1.3 * baseline"]
    study = coins(COINS, limits=limits, rewards=None, **fields)
    generator, scales = np.random.default_rng(7), {"current": 10.0, "small": 10.0, "large": 20.0}
    while not study.decided:
        for pull in study.ask():
            latency = float(scales[pull.arm] * generator.uniform(0.5, 1.0))
            study.tell(pull, {"accuracy": drawn(generator, pull, COINS), "latency": latency})
    assert study.decision.arm == "current"
    large = study.table()[2]
    assert large.verdict == "infeasible"
    assert 17 - 1.3 * 9 < large.limits[0].value < 19 - 1.3 * 8.5
    assert 0.0 < large.limits[0].lower < large.limits[0].value < large.limits[0].upper
    assert "quantile(0.8, latency) less 1.3 * baseline" in str(study.table())
    assert large.words == "its quantile(0.8, latency) is above 1.3 * baseline"


def test_a_baseline_that_breaks_another_limit_is_pulled_as_long_as_it_is_needed():
    means = {"current": 0.2, "a": 0.5, "b": 0.62}
    study = coins(means, limits=["mean >= 0.4", "mean <= baseline + 0.35"])
    generator, after = np.random.default_rng(2), 0
    while not study.decided:
        for pull in study.ask():
            after += pull.arm == "current" and study._engine.state.arms[0].verdict == verdicts.INFEASIBLE
            study.tell(pull, drawn(generator, pull, means))
    assert study.decision.arm == "a"
    assert after > 100


def test_no_arm_need_be_feasible():
    means = {"current": 0.2, "a": 0.3}
    study = played(coins(means, limits=["mean >= 0.4", "mean <= baseline - 0.1"]), means)
    assert study.decision.status == "infeasible"


def test_without_the_baseline_nothing_is_decided():
    study = coins()
    for pull in study.ask(6):
        study.tell(pull, 0.5)
    study.set_aside("current", "broken")
    assert study.decided
    assert study.decision.status == "undecided"
    assert study.decision.recommended_confidence == 0.0
    assert "the baseline, current, was excluded, so that no arm can be compared with it" in str(study.decision)


def test_the_difference_to_the_baseline_is_shown():
    study = played(coins(limit="mean >= 1.2 * baseline"))
    current, small, large = study.table()
    assert current.limits[0].value is None
    assert current.limits[0].lower is None
    assert current.limits[0].verdict == "feasible"
    report = large.limits[0]
    assert report.limit == "mean >= 1.2 * baseline"
    assert report.value == pytest.approx(large.goal.value - 1.2 * current.goal.value)
    assert report.lower < report.value < report.upper
    assert report.verdict == "feasible"
    assert small.verdict != "feasible"
    assert "mean less 1.2 * baseline" in str(study.table())
    assert "its mean is at least 1.2 * baseline (the difference to 1.2 * baseline is" in str(study.decision)


@pytest.mark.parametrize("limit", ["mean >= baseline + 0.2", "mean <= 1.2 * baseline", "quantile(0.5) >= baseline"])
def test_no_interval_denies_its_verdict_or_its_estimate(limit):
    """With pulls in flight, of arms that nobody looks at any more, and when a sample has moved since its verdict."""
    means = {"current": 0.3, "a": 0.95, "b": 0.1, "c": 0.6}
    study, seen = coins(means, limit=limit, delta=0.3), set()
    bound, floor = study.problem.limits[0].risk.bound, ">=" in limit

    def check():
        for row in study.table()[1:]:
            report = row.limits[0]
            lower = -np.inf if report.lower is None else report.lower
            upper = np.inf if report.upper is None else report.upper
            assert report.value is None or lower <= report.value <= upper
            if report.verdict == "open":
                assert lower <= bound <= upper
            else:
                assert lower >= bound if (report.verdict == "feasible") == floor else upper <= bound
            seen.add(report.verdict)

    for step, _ in enumerate(in_the_air(study, 5, 600, means)):
        if step % 7 == 0:
            check()
    check()
    assert len(seen) > 1


def test_with_pulls_in_flight_the_interval_is_of_what_may_be_compared():
    study = Study(["current", "new"], limits=["mean >= baseline"], baseline="current", rewards=(0, 1), delta=0.1)
    for pull in study.ask(2):
        study.tell(pull, 0.5)
    before = study.table()[1].limits[0]
    held, *others = study.ask(60)
    for pull in others:
        study.tell(pull, 1.0 if pull.arm == "new" else 0.0)
    during = study.table()[1].limits[0]
    assert (during.lower, during.upper) == (before.lower, before.upper)
    study.tell(held, 1.0 if held.arm == "new" else 0.0)
    assert study.table()[1].limits[0].lower >= 0.0


def test_the_picture_has_room_for_every_difference():
    axes = pytest.importorskip("matplotlib.figure").Figure().add_subplot()
    study = played(coins(limit="mean <= baseline + 0.6"), most=300)
    study.plot(axes)
    differences = [arm.limits[0].value for arm in study.table()[1:]]
    assert min(differences) < 0.0 < max(differences)
    assert axes.get_xlim()[0] < min(differences) < max(differences) < axes.get_xlim()[1]
    assert axes.get_xlabel() == "mean less baseline"


@pytest.mark.parametrize("limit", ["mean >= baseline - 0.3", "quantile(0.5) >= baseline - 0.3"])
def test_a_look_changes_nothing(limit):
    one, other = coins(limit=limit), coins(limit=limit)
    generator = np.random.default_rng(4)
    for _ in range(150):
        for first, second in zip(one.ask(), other.ask(), strict=True):
            assert first.arm == second.arm
            reward = drawn(generator, first, COINS)
            one.tell(first, reward)
            other.tell(second, reward)
        one.table(), str(one.decision), one.recommendation
    assert state(one) == state(other)


def in_the_air(study, seed, steps, means=COINS):
    """Tell pulls in random order, with six in flight; after each of them."""
    generator, air = np.random.default_rng(seed), []
    for _ in range(steps):
        if study.decided:
            return
        air += study.ask(6 - len(air))
        pull = air.pop(int(generator.integers(len(air))))
        study.tell(pull, drawn(generator, pull, means))
        yield air


@pytest.mark.parametrize(
    ("limit", "policy"),
    [
        ("mean >= baseline + 0.2", "top-two"),
        ("quantile(0.5) >= baseline + 0.2", "top-two"),
        ("mean >= baseline + 0.2", "va-lucb"),
        ("mean >= baseline + 0.2", "successive-elimination"),
    ],
)
def test_a_snapshot_is_the_whole_journal(limit, policy):
    study = coins(limit=limit, policy=policy)
    for step, _ in enumerate(in_the_air(study, 3, 400)):
        if step % 60 == 30:
            taken = snapshot.taken(study._replica.state, study.position)
            kept, whole = snapshot.restored(study.events[0], taken), begun(study.events[0])
            for position, event in enumerate(study.events[1:], 2):
                replay(whole, dict(event), position)
            assert kept is not None
            assert snapshot.taken(kept, 0).body == snapshot.taken(whole, 0).body


@pytest.mark.parametrize(
    ("limit", "policy"),
    [
        ("mean >= baseline + 0.1", "top-two"),
        ("quantile(0.5) >= baseline + 0.1", "top-two"),
        ("mean >= baseline + 0.1", "va-lucb"),
        ("mean >= baseline + 0.1", "successive-elimination"),
    ],
)
def test_with_pulls_in_flight_the_evidence_is_of_a_beginning_of_both_arms_pulls(limit, policy):
    """What is known of the baseline's later results must not speak for an arm before those asked for earlier are told."""
    fields = {"rewards": (0, 1), "delta": 0.1, "policy": policy}
    study = Study(["current", "new"], limits=[limit], baseline="current", **fields)
    engine = study._engine
    for pull in study.ask(2):
        study.tell(pull, 0.5)
    held, *others = study.ask(200)
    for pull in others:
        study.tell(pull, 1.0 if pull.arm == "new" else 0.0)
    assert {pull.arm for pull in others} == {"current", "new"}
    assert engine.state.arms[1].limit.verdicts[0] == verdicts.OPEN
    assert engine.state.arms[1].limit.kept[0] < 1.0
    study.tell(held, 1.0 if held.arm == "new" else 0.0)
    assert engine.state.arms[1].limit.verdicts[0] == verdicts.FEASIBLE


def test_the_baseline_holds_up_the_line_even_when_it_is_infeasible():
    study = coins(limits=["mean >= 0.9", "mean <= baseline + 0.3"])
    while study.table()[0].verdict != "infeasible":
        for pull in study.ask():
            study.tell(pull, 0.0 if pull.arm == "current" else 0.95)
    assert study._engine.pair_order.ranked(0)


def test_it_is_kept_and_opened_again():
    storage = Memory()
    fields = {"limits": ["mean >= baseline - 0.3"], "baseline": "current", "rewards": (0, 1)}
    study = Study.open(storage, "study", list(COINS), **fields)
    played(study, most=60)
    again = Study.open(storage, "study")
    assert again.problem.baseline == "current"
    assert state(again) == state(study)
