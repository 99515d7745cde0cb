"""Going on without an arm that cannot be measured."""

import pytest

from surefoot import Study
from surefoot.errors import BadJournal, Unsupported
from surefoot.study import snapshot

PROBLEM = {"risk": "variance <= 0.04", "rewards": (0, 1)}
REWARDS = {"A": 0.3, "B": 0.6, "C": 0.9}


def drive(study, rewards=REWARDS):
    for pull in study:
        study.tell(pull, rewards[pull.arm])
    return study


def test_the_decision_is_about_the_others_and_says_so():
    study = Study(list(REWARDS), **PROBLEM)
    study.ask(3)
    study.set_aside("C", "exit code 1")
    assert [pull.arm for pull in study.pending] == ["A", "B"]
    for pull in study.pending:
        study.tell(pull, REWARDS[pull.arm])
    decision = drive(study).decision
    assert (decision.status, decision.arm, decision.confidence) == ("best", "B", 0.95)
    assert decision.sentence.endswith("Excluded because it could not be measured: C.")
    row = study.table()[2]
    assert (row.verdict, row.words, row.ruled_out) == ("excluded", "excluded: exit code 1", True)


@pytest.mark.parametrize(("bounds", "delta"), [("sharp", 0.075), ("tight", 0.1)])
def test_an_arm_that_gave_rewards_costs_half_of_delta_or_all_of_it_where_pairs_are_compared(bounds, delta):
    study = Study(list(REWARDS), bounds=bounds, **PROBLEM)
    for pull in study.ask(30):
        study.tell(pull, REWARDS[pull.arm])
    assert study.table()[2].pulls
    study.set_aside("C", "timeout")
    decision = drive(study).decision
    assert decision.arm == "B"
    assert decision.confidence == pytest.approx(1 - delta)
    assert f"wrong with probability at most {delta}" in decision.sentence


def test_an_incumbent_may_be_set_aside():
    rewards = {"A": 0.3, "B": 0.88, "C": 0.9}
    study = Study(list(rewards), **PROBLEM)
    for _ in range(3000):
        for arm, reward in rewards.items():
            study.record(arm, reward)
        if study.decided or all(row.verdict == "feasible" for row in study.table()):
            break
    assert not study.decided
    study.set_aside("C", "timeout")
    assert drive(study, rewards).decision.arm == "B"


@pytest.mark.parametrize("policy", ["va-lucb", "va-uniform", "successive-elimination", "lil-ucb"])
@pytest.mark.parametrize("bounds", ["sharp", "paper"])
def test_every_policy_goes_on_without_it(policy, bounds):
    study = Study(list(REWARDS), policy=policy, bounds=bounds, **PROBLEM)
    study.set_aside("C", "no such program")
    assert {pull.arm for pull in study.ask(20)} == {"A", "B"}
    for pull in study.pending:
        study.tell(pull, REWARDS[pull.arm])
    assert drive(study).decision.arm == "B"


def test_a_policy_that_judges_the_arm_pulled_last_cannot():
    study = Study(["A", "B"], policy="risk-averse-ucb", bounds="paper", tolerance=0.1, risk_slack=0.01, **PROBLEM)
    with pytest.raises(Unsupported, match="cannot go on if an arm is excluded"):
        study.set_aside("A", "broken")


def test_with_no_arm_left_nothing_is_decided():
    study = Study(["A", "B"], **PROBLEM)
    for arm in "AB":
        study.set_aside(arm, "broken")
    assert study.decided
    assert study.decision.status == "undecided"
    assert study.ask() == []


def test_none_that_could_be_measured_keeps_the_limit():
    study = Study(["A", "B"], **PROBLEM)
    study.set_aside("A", "broken")
    study.record_all([("B", float(index % 2)) for index in range(3000)])
    assert study.decision.status == "infeasible"
    assert study.decision.sentence.startswith("No arm that could be measured keeps the limit")


def test_journal_and_snapshot_keep_it(tmp_path):
    study = Study.open(tmp_path / "s.db", "x", list(REWARDS), **PROBLEM)
    study.ask(3)
    study.set_aside("C", "exit code 1")
    assert Study.open(tmp_path / "s.db", "x").aside == {"C": "exit code 1"}
    state = study._replica.state
    again = snapshot.restored(state.created, snapshot.taken(state, study.position))
    assert again.engine.aside == {2: "exit code 1"}
    assert study.worker_of(1) is None
    events = [event for event in study.events if event["type"] != "abandoned"]
    with pytest.raises(BadJournal, match="has pulls in flight"):
        Study.from_events(events)
    with pytest.raises(BadJournal, match="or is excluded already"):
        Study.from_events([*study.events, study.events[-1]])


def test_a_few_rows_are_those_that_matter():
    study = Study([f"arm{index}" for index in range(50)], **PROBLEM)
    study.set_aside("arm0", "broken")
    study.record("arm7", 0.5)
    assert [row.name for row in study.table(3)] == ["arm1", "arm2", "arm7"]
    assert len(study.table(99)) == 50


@pytest.mark.parametrize("risk", ["none", "variance <= 0.04"])
def test_an_arm_set_aside_is_not_said_to_be_beyond_the_limit(risk):
    study = Study(["A", "B", "C"], risk=risk)
    study.ask(3)
    study.set_aside("B", "exit code 1")
    for pull in study.pending:
        study.tell(pull, 0.5)
    assert drive(study, {"A": 0.5, "C": 0.1}).decision.arm == "A"
    assert "breaks the limit" not in study.decision.sentence


def test_every_arm_set_aside():
    study = Study(["A", "B"], **PROBLEM)
    study.ask(2)
    study.set_aside("A", "exit code 1")
    study.set_aside("B", "exit code 1")
    assert study.decision.sentence.startswith("Undecided after 0 pulls: every arm was excluded.")


def test_an_arm_left_alone_whose_risk_is_open_is_not_said_to_be_within_the_limit():
    """It was, as soon as the budget was spent."""
    study = Study(["A", "B"], risk="variance <= 0.04", max_pulls=6)
    study.set_aside("B", "it broke")
    for pull in study:
        study.tell(pull, 0.5)
    assert study.table()[0].verdict == "open"
    assert study.decision.recommended == ("A",)
    assert study.decision.sentence.startswith(
        "Undecided after 6 pulls: A is the only arm that could be measured, and nothing was compared with it. It is "
        "not known yet whether its variance is within 0.04."
    )


def test_a_decision_about_few_of_many_arms_is_never_wrong_with_a_probability_above_1():
    """It was wrong with probability at most 1.3, and had a confidence of -0.3."""
    names = [str(number) for number in range(30)]
    study = Study(names, delta=0.05)
    for pull in study.ask(30):
        study.tell(pull, 0.5)
    for name in names[:25]:
        study.set_aside(name, "it broke")
    for pull in study:
        study.tell(pull, 0.9 if pull.arm == "29" else 0.1)
    assert study.decision.arm == "29"
    assert study.decision.confidence == 0.0
    assert "; nothing is guaranteed, because too many arms were excluded after they gave results." in str(
        study.decision
    )
