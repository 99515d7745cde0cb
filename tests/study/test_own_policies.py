"""Whatever a policy of the user's own chooses, a study answers, is not harmed, and goes on; and so does a simulation."""

import math

import numpy as np
import pytest

from surefoot import Bernoulli, Instance, Study, SubGaussian, own, simulate
from surefoot.core.registry import POLICIES
from surefoot.errors import PartFailed
from surefoot.storage import Memory
from surefoot.study import chooser
from tests.storage.helpers import state as state_of
from tests.storage.helpers import untimed

CHOICE = []  # what the policy called "any" does; a live study calls it as it is


def any_choice(state, ranking, generator):
    return CHOICE[-1](state, generator)


def in_turn(state, generator):
    state.asked[0] = int(sum(arm.pulls for arm in state.arms)) % len(state.arms)
    return 1


def drawn(state, ranking, generator):
    state.asked[0] = int(generator.random() * len(state.arms))
    return 1


def always_the_first(state, ranking, generator):
    state.asked[0] = 0
    return 1


def by_the_number_of_arms(state, ranking, generator):
    """Sound for 30 pulls, then wrong in a way of its own for each number of arms."""
    arms = len(state.arms)
    state.asked[0] = 0
    if state.arms[0].pulls < 30:
        return 1
    if arms == 2:
        return 0
    if arms == 3:
        return 10**9
    if arms == 4:
        state.asked[0] = -1
    if arms == 5:
        state.asked[0] = 10**9
    if arms == 6:
        state.asked[10**9] = 0
    if arms == 7:
        state.asked[0] = 1 // (arms - 7)
    if arms == 8:
        raise ValueError("no idea")
    return 1


@pytest.fixture(autouse=True)
def registered():
    before = dict(POLICIES)
    CHOICE[:] = [in_turn]
    own.policy("any", any_choice)
    own.policy("drawn", drawn)
    own.policy("first", always_the_first)
    own.policy("by-arms", by_the_number_of_arms)
    yield
    POLICIES.clear()
    POLICIES.update(before)


def begin(policy, arms="ABC", **fields):
    return Study.open(Memory(), "study", list(arms), policy=policy, bounds="sharp", **fields)


def told(study, pulls, means=None):
    for pull in pulls:
        study.tell(pull, (means or {}).get(pull.arm, 0.5))


def test_a_policy_that_wants_excluded_arms_only_gets_the_others_in_turn():
    study = begin("first", "ABCD")
    told(study, study.ask(8))
    study.set_aside("A", "exit code 1")
    asked = [pull.arm for pull in study.ask(6)]
    assert sorted(asked) == list("BBCCDD")
    told(study, study.pending)
    while not study.decided:
        told(study, study.ask(), {"B": 0.2, "C": 0.7, "D": 0.3})
    assert study.decision.arm == "C"
    assert Study.from_events(study.events).decision == study.decision


def test_arms_found_infeasible_are_not_what_it_gets():
    study = begin("first", "ABC", risk="quantile(0.1) >= 0.5", delta=0.3)
    while study.table()[1].verdict != "infeasible":
        study.record("B", 0.0)
    told(study, study.ask(2))
    study.set_aside("A", "exit code 1")
    assert {pull.arm for pull in study.ask(5)} == {"C"}


@pytest.mark.parametrize("policy", ["drawn", "va-uniform"])
def test_a_policy_that_draws_arms_keeps_its_distribution(policy):
    """The draws are those of its generator, but for those of arms set aside."""
    study = begin(policy, "ABCD", seed=5)
    told(study, study.ask(4))
    study.set_aside("B", "exit code 1")
    asked = [pull.arm for pull in study.ask(40)]
    generator, expected = np.random.default_rng(np.random.SeedSequence(5)), []
    while len(expected) < 40:
        pair = [int(generator.random() * 4)]
        if policy == "va-uniform":
            other = int(generator.random() * 3)
            pair.append(other + (other >= pair[0]))
        expected += ["ABCD"[arm] for arm in pair if arm != 1]
    assert asked == expected[:40]


def test_a_policy_that_draws_is_not_asked_for_ever(monkeypatch):
    monkeypatch.setattr(chooser, "TRIES", 1)
    study = begin("va-uniform", "ABCD")
    told(study, study.ask(4))
    for arm in "ABC":
        study.set_aside(arm, "exit code 1")
    assert {pull.arm for pull in study.ask(20)} <= {"D"}


def writes(value, pulls=1):
    def choice(state, generator):
        generator.random()
        state.asked[0] = value
        return pulls

    return choice


def fails(state, generator):
    generator.random()
    raise ZeroDivisionError("division by nothing")


COUNT = "the policy 'any' must return how many arms it wrote into state.asked, from 1 to len(state.asked)"
INDEX = "the policy 'any' must write indices of arms into state.asked, from 0 to len(state.arms) - 1"

FAULTS = [
    (writes(0, 0), COUNT),
    (writes(0, -1), COUNT),
    (writes(0, 10**9), COUNT),
    (writes(0, math.nan), COUNT),
    (writes(0, 1.5), "the policy 'any' failed: TypeError: 'float' object cannot be interpreted as an integer"),
    (writes(0, None), "the policy 'any' failed: TypeError"),
    (writes(3), INDEX),
    (writes(-1), INDEX),
    (writes(1.5), INDEX),
    (writes(math.nan), INDEX),
    (writes("A"), "the policy 'any' failed: TypeError"),
    (fails, "the policy 'any' failed: ZeroDivisionError: division by nothing"),
]


@pytest.mark.parametrize("count", [None, 2])
@pytest.mark.parametrize(("choice", "sentence"), FAULTS)
def test_a_choice_that_cannot_be_is_refused_and_the_study_goes_on(choice, sentence, count):
    study, undisturbed = begin("any", seed=3), begin("any", seed=3)
    for one in (study, undisturbed):
        told(one, one.ask(5)[:3])
    CHOICE.append(choice)
    events = study.events
    for _ in range(2):
        with pytest.raises(PartFailed) as refusal:
            study.ask(count)
        assert str(refusal.value).startswith(sentence)
    assert study.events == events
    assert state_of(study) == state_of(undisturbed)
    opened = Study.from_events(events)  # what was asked for is taken as it was written
    told(opened, opened.pending)
    assert opened.pulls == 5
    CHOICE.pop()
    for one in (study, undisturbed):
        told(one, one.ask(4))
    assert state_of(study) == state_of(undisturbed)
    assert untimed(study.events) == untimed(undisturbed.events)


def test_an_index_that_is_whole_is_one():
    study = begin("any")
    CHOICE.append(writes(2.0))
    assert [pull.arm for pull in study.ask(5)[3:]] == ["A", "B"]  # nothing is told yet: round the arms
    told(study, study.pending)
    assert [pull.arm for pull in study.ask(2)] == ["C", "C"]


SIMULATED = {
    2: "must return how many arms it wrote into state.asked",
    3: "must return how many arms it wrote into state.asked",
    4: "must write indices of arms into state.asked",
    5: "must write indices of arms into state.asked",
    6: "failed: IndexError: ",
    7: "failed: ZeroDivisionError: ",
    8: "failed: ValueError: no idea",
}


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_simulations_end_with_a_sentence(engine):
    """Of a compiled program, no memory is read or written that is not its own."""
    for arms, sentence in SIMULATED.items():
        instance = Instance({str(arm): Bernoulli(0.5) for arm in range(arms)}, max_pulls=10_000)
        with pytest.raises(PartFailed) as refusal:
            simulate(instance, policy="by-arms", bounds="sharp", trials=2, engine=engine, workers=2)
        assert str(refusal.value).startswith(f"the policy 'by-arms' {sentence}")


def test_a_policy_may_ask_for_an_arm_many_times_where_bounds_force_pulls():
    """There is room for so many pulls in a step, and no more."""

    def five_times(state, generator):
        state.asked[:] = [0] * len(state.asked)
        return len(state.asked)

    CHOICE.append(five_times)
    arms = {str(arm): Bernoulli(0.5) for arm in range(3)}
    instance = Instance(arms, risk="variance <= 0.3", rewards=SubGaussian(0.5), max_pulls=2_000)
    options = {"policy": "any", "bounds": "subgaussian", "trials": 1, "engine": "interpreted"}
    assert simulate(instance, **options).runs[0].pulls == 2_000
