"""Studies: ask, tell, decide; and what is refused."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot import Pull, Study, Variance, simulate
from surefoot.errors import Conflict, InvalidValue, Unsupported
from surefoot.simulation import draws as source
from tests.conftest import PROGRAMS
from tests.contract.test_programs import easy
from tests.study.helpers import MEANS, drive, fresh, measure


@pytest.mark.parametrize(("policy", "bounds", "kind", "risk"), [p for p in PROGRAMS if p[0] != "risk-averse-ucb"])
def test_without_pulls_in_the_air_a_study_is_a_simulated_run(policy, bounds, kind, risk):
    instance = easy(kind, risk, max_pulls=4000)
    (run,) = simulate(instance, policy, bounds, trials=1, seed=4, engine="interpreted").runs
    generator = np.random.default_rng(np.random.SeedSequence(4, spawn_key=(0,)))
    study, draws = Study(instance.problem, policy=policy, bounds=bounds), instance.draws()
    calls = study._engine.calls
    calls.live = calls.live._replace(generator=generator)
    while not study.decided:
        for pull in study.ask():
            reward = source.draw(draws, instance.problem.names.index(pull.arm), generator)
            study.tell(pull, instance.problem.scale.outward(reward))
    names = instance.problem.names
    assert (study.pulls, study.decision.arm) == (run.pulls, names[run.arm] if run.arm >= 0 else None)


@pytest.mark.parametrize("bounds", ["sharp", "paper"])
@pytest.mark.parametrize("workers", [1, 3, 16])
def test_decides_with_any_number_of_pulls_in_the_air(workers, bounds):
    study = drive(fresh(bounds=bounds, risk="none"), workers=workers)
    assert study.decision.arm == "B"
    assert study.decision.status == "best"
    assert study.decision.confidence == pytest.approx(0.9)


def test_lost_pulls_cost_nothing_but_themselves():
    assert drive(fresh(), workers=5, lose=0.3).decision.arm == "B"


@settings(max_examples=15)
@given(
    st.integers(0, 10_000), st.sampled_from([1, 2, 7]), st.sampled_from([0.0, 0.2]), st.sampled_from(["sharp", "paper"])
)
def test_a_study_is_the_fold_of_its_events(seed, workers, lose, bounds):
    study = drive(fresh(max_pulls=150, bounds=bounds), seed, workers, lose)
    again = Study.from_events(json.loads(json.dumps(study.events)))
    assert again.events == study.events
    assert (again.decision, again.table()) == (study.decision, study.table())
    for cut in (3, len(study.events) // 2):
        part = Study.from_events(study.events[:cut])
        assert part.events == study.events[:cut]


def test_rewards_are_folded_in_ask_order():
    """Whatever the order of telling, the state is the same."""
    states = []
    for order in ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [3, 0, 5, 1, 4, 2]):
        study = Study(["A"], risk="variance <= 0.04")
        pulls = study.ask(6)
        for position in order:
            study.tell(pulls[position], 0.1 * position)
        states.append(study.table())
    assert states[0] == states[1] == states[2]


def test_a_reward_waits_for_the_ones_asked_before_it():
    study = Study(["A"], risk="variance <= 0.04")
    first, second = study.ask(2)
    study.tell(second, 0.5)
    assert study.pulls == 0
    study.tell(first, 0.5)
    assert study.pulls == 2


def test_abandoned_pulls_let_those_behind_them_through():
    study = Study(["A"], risk="variance <= 0.04")
    first, second = study.ask(2)
    study.tell(second, 0.5)
    study.abandon(first)
    assert study.pulls == 1
    with pytest.raises(Conflict, match="pull 1 was abandoned and cannot be told any more"):
        study.tell(first, 0.5)
    with pytest.raises(Conflict, match="pull 2 was told before and cannot be abandoned"):
        study.abandon(second)


def test_recorded_rewards_count_in_the_order_given():
    study = fresh()
    generator = np.random.default_rng(0)
    while not study.decided:
        for arm in MEANS:
            study.record(arm, measure(arm, generator))
    assert study.decision.arm == "B"
    with pytest.raises(InvalidValue, match="arm must be one of 'A', 'B', 'C', got 'D'"):
        fresh().record("D", 0.5)


def test_after_a_log_is_recorded_the_study_goes_on_where_it_matters():
    study = fresh()
    for _ in range(30):
        study.record("A", 0.3)
        study.record("C", 0.5)
    assert {pull.arm for pull in study.ask()} == {"B"}


@pytest.mark.parametrize(
    ("reward", "sentence"),
    [
        (math.nan, "a result of arm 'A' is missing (NaN)"),
        (math.inf, "a result of arm 'A' must be in [0, 1], got inf"),
        (1.2, "a result of arm 'A' must be in [0, 1], got 1.2"),
        (-1e-9, "a result of arm 'A' must be in [0, 1], got -1e-09"),
        ("0.5", "a result of arm 'A' must be a number in [0, 1], got '0.5'"),
        (None, "a result of arm 'A' is missing (None)"),
        (0.5 + 0j, "a result of arm 'A' must be a number in [0, 1], got (0.5+0j)"),
    ],
)
def test_bad_rewards_are_refused_and_change_nothing(reward, sentence):
    study = fresh()
    (pull,) = study.ask()
    before = list(study.events)
    for telling in (lambda: study.tell(pull, reward), lambda: study.record("A", reward)):
        with pytest.raises(InvalidValue) as refusal:
            telling()
        assert str(refusal.value) == sentence
    assert study.events == before
    study.tell(pull, 0.5)
    assert study.pulls == 1


@pytest.mark.parametrize("pull", [0, 2, -1, 99, "1", None, True, Pull(7, "A")])
def test_unknown_pulls_are_refused(pull):
    study = fresh()
    study.ask()
    with pytest.raises(InvalidValue, match="does not exist: pulls 1 to 1 have been asked for"):
        study.tell(pull, 0.5)


def test_a_pull_told_twice_counts_once_and_never_with_another_reward():
    study = fresh()
    (pull,) = study.ask()
    study.tell(pull, 0.5)
    study.tell(pull.id, 0.5)
    assert study.pulls == 1
    with pytest.raises(Conflict, match=r"pull 1 was told as 0\.5 and cannot be told as 0\.6"):
        study.tell(pull, 0.6)


def test_a_batch_is_taken_whole_or_not_at_all():
    study = fresh()
    pulls = study.ask(3)
    with pytest.raises(InvalidValue):
        study.tell_all([(pulls[0], 0.5), (pulls[1], 2.0)])
    assert study.pulls == 0
    study.tell_all([(pull, 0.5) for pull in pulls])
    assert study.pulls == 3


@pytest.mark.parametrize("count", [0, -1, 1.5, "2", True])
def test_count_must_be_a_whole_number(count):
    with pytest.raises(InvalidValue, match="count must be a whole number of at least 1"):
        fresh().ask(count)


def test_a_decision_stays_and_later_rewards_are_late():
    study = drive(fresh(), workers=8)
    decision, pulls = study.decision, study.pulls
    assert study.ask() == []
    late = study.pending
    assert late
    study.tell(late[0], 0.0)
    study.record("B", 0.0)
    study.abandon(late[1])
    assert study.decision == decision
    assert study.pulls == pulls
    assert study.events[-3]["late"] is True
    assert study.events[-2]["late"] is True


@pytest.mark.parametrize("workers", [1, 4])
def test_a_spent_budget_ends_undecided(workers):
    study = drive(fresh(max_pulls=7), workers=workers)
    assert study.decision.status == "undecided"
    assert study.decision.confidence is None
    assert study.pulls == 7
    assert str(study.decision).startswith("B is the best guess (nothing can be claimed yet)")
    assert str(study.decision).endswith(
        "; A and C could each still be the best within the limit. The study ended undecided after 7 pulls."
    )


def test_closing_ends_undecided():
    study = fresh()
    study.ask()
    study.close()
    assert study.decided
    assert study.decision.status == "undecided"
    assert study.ask() == []


def test_pending_pulls_spread_over_the_arms():
    """Many workers are not all sent to the same two arms."""
    study = fresh(risk="none")
    pulls = study.ask(30)
    assert [sum(pull.arm == arm for pull in pulls) for arm in MEANS] == [10, 10, 10]
    study.tell_all([(pull, {"A": 0.45, "B": 0.55, "C": 0.5}[pull.arm]) for pull in pulls])
    asked = [pull.arm for pull in study.ask(24)]
    assert set(asked) == {"A", "B", "C"}


def completed_in_order_of_time(seed, tell):
    """One arm whose ones take fifty times as long as its zeros, sixteen workers; `tell` takes rewards as they complete."""
    generator = np.random.default_rng(seed)
    study = Study(["A"], risk=Variance(at_most=0.12), delta=0.2, max_pulls=250)
    air, now = [], 0.0
    while not study.decided:
        for pull in study.ask(16 - len(air)):
            reward = float(generator.random() < 0.25)  # variance 0.1875
            air.append((now + (50.0 if reward else 1.0), pull.id, pull, reward))
        air.sort()
        now, _, pull, reward = air.pop(0)
        tell(study, pull, reward)
    return study.decision.status == "best"


def test_slow_bad_rewards_fool_the_order_of_completion_but_not_a_study():
    """The same rewards, recorded as they complete, make the arm seem steady: the negative control."""

    def record_instead(study, pull, reward):
        study.abandon(pull)
        study.record(pull.arm, reward)

    assert sum(completed_in_order_of_time(seed, Study.tell) for seed in range(60)) <= 3
    assert sum(completed_in_order_of_time(seed, record_instead) for seed in range(60)) >= 50


def test_a_hundred_thousand_arms():
    study = Study([str(index) for index in range(100_000)], risk="variance <= 0.04")
    for pull in study.ask(2_000):
        study.tell(pull, 0.5)
    assert study.pulls == 2_000


def test_a_policy_that_judges_the_last_pull_asks_for_one_at_a_time():
    study = fresh(policy="risk-averse-ucb", bounds="paper", tolerance=0.1, risk_slack=0.02)
    while study.pulls < 6:
        for pull in study.ask(9):
            study.tell(pull, 0.5)
    assert len(study.ask(5)) == 1
    with pytest.raises(Unsupported, match="takes no other results"):
        study.record("A", 0.5)


@pytest.mark.parametrize(
    ("policy", "fields"),
    [
        ("track-and-stop", {"rewards": "gaussian"}),
        ("risk-averse-ucb", {"bounds": "paper", "risk": "variance <= 0.1", "tolerance": 0.3, "risk_slack": 0.2}),
    ],
)
def test_policies_that_do_not_see_pulls_in_the_air_have_one_at_a_time(policy, fields):
    study = Study(["A", "B"], policy=policy, **fields)
    generator = np.random.default_rng(1)
    for _ in range(12):
        for pull in study.ask():
            study.tell(pull, generator.uniform(0.2, 0.6))
    assert len(study.ask(5)) == 1
    assert study.ask(5) == []
