"""Studies: ask, tell, decide; and what is refused."""

import json
import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot import Problem, Pull, Study, Variance, simulate
from surefoot.errors import Conflict, InvalidValue, Unsupported
from surefoot.simulation import draws as source
from tests.conftest import PROGRAMS
from tests.contract.test_programs import easy

MEANS = {"A": 0.3, "B": 0.6, "C": 0.5}


def fresh(**fields):
    return Study(list(MEANS), **{"risk": "variance <= 0.04", "delta": 0.1} | fields)


def measure(arm, generator):
    return float(np.clip(MEANS[arm] + generator.normal(0.0, 0.15 if arm != "B" else 0.05), 0.0, 1.0))


def drive(study, seed=0, workers=1, lose=0.0):
    """Tell in random order with so many pulls in flight; lose some."""
    generator = np.random.default_rng(seed)
    air = []
    while not study.decided:
        air += study.ask() if workers == 1 else study.ask(workers - len(air))
        pull = air.pop(int(generator.integers(len(air))))
        if generator.random() < lose:
            study.abandon(pull)
        else:
            study.tell(pull, measure(pull.arm, generator))
        if workers == 1:
            for pull in air:
                study.tell(pull, measure(pull.arm, generator))
            air = []
    return study


@pytest.mark.parametrize(("policy", "bounds", "kind", "risk"), [p for p in PROGRAMS if p[0] != "risk-averse-ucb"])
def test_without_pulls_in_the_air_a_study_is_a_simulated_run(policy, bounds, kind, risk):
    instance = easy(kind, risk, max_pulls=4000)
    (run,) = simulate(instance, policy, bounds, trials=1, seed=4, engine="interpreted").runs
    generator = np.random.default_rng(np.random.SeedSequence(4, spawn_key=(0,)))
    study, draws = Study(instance.problem, policy=policy, bounds=bounds), instance.draws()
    study._engine.chooser.generator = generator
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


def test_goal_min_is_shown_on_the_rewards_own_scale():
    study = Study(["slow", "fast"], goal="min", rewards=(0, 10), risk="variance <= 4", delta=0.1, bounds="sharp")
    generator = np.random.default_rng(0)
    while not study.decided:
        for pull in study.ask():
            study.tell(pull, {"slow": 7.0, "fast": 3.0}[pull.arm] + generator.uniform(-1, 1))
    slow, fast = study.table()
    assert study.decision.arm == "fast"
    assert fast.mean == pytest.approx(3.0, abs=0.5)
    assert fast.mean_lower <= fast.mean <= fast.mean_upper < slow.mean_lower
    assert fast.risk == pytest.approx(1 / 3, abs=0.2)
    assert "its mean is 3." in str(study.decision)
    assert slow.words.startswith("not better than fast: its mean is at least")


def test_verdicts_in_words():
    problem = Problem(arms=["steady", "wild", "low"], risk="variance <= 0.04", delta=0.05)
    study = Study(problem)
    assert study.table()[0].words == "not yet tried"
    generator = np.random.default_rng(1)
    seen = set()
    while not study.decided:
        for pull in study.ask():
            reward = {"steady": 0.6, "wild": float(generator.random() < 0.7), "low": 0.2}[pull.arm]
            study.tell(pull, reward)
            seen |= {row.words.split("%")[-1] for row in study.table()}
    steady, wild, low = study.table()
    assert steady.words == "the best"
    assert wild.words == "its variance is above 0.04"
    assert wild.verdict == "infeasible"
    assert low.words == "its mean is surely lower than that of steady"
    assert " of the way to showing that its variance is above 0.04" in seen
    assert " of the way to showing that its variance is within 0.04" in seen
    assert "steady is best: its mean is 0.6" in str(study.decision)
    assert "wrong with probability at most 0.05" in str(study.decision)


@pytest.mark.parametrize(
    ("risk", "goal", "within", "beyond"),
    [
        ("quantile(0.1) >= 40", "max", "its quantile(0.1) is 60.0 (at least 40)", "its quantile(0.1) is below 40"),
        ("cvar(0.2) >= 40", "max", "its cvar(0.2) is 60.0 (at least 40)", "its cvar(0.2) is below 40"),
        ("quantile(0.9) <= 70", "min", "its quantile(0.9) is 60.0 (within 70)", "its quantile(0.9) is above 70"),
        ("cvar_upper(0.2) <= 70", "min", "its cvar_upper(0.2) is 60.0 (within 70)", "its cvar_upper(0.2) is above 70"),
        (
            "probability(reward < 40) <= 0.1",
            "max",
            "its probability(reward < 40) is 0.000 (within 0.1)",
            "its probability(reward < 40) is above 0.1",
        ),
    ],
)
def test_tail_risks_in_words_and_numbers_on_the_rewards_own_scale(risk, goal, within, beyond):
    study = Study(["steady", "wild"], risk=risk, goal=goal, rewards=(0, 100))
    coin = np.random.default_rng(2)
    while not study.decided:
        for pull in study.ask():
            study.tell(pull, 60.0 if pull.arm == "steady" else 100.0 * (coin.random() < 0.5))
    steady, wild = study.table()
    assert within in str(study.decision)
    assert wild.words == beyond
    limit = study.problem.risk.bound
    assert steady.risk_lower <= steady.risk <= steady.risk_upper
    if study.problem.risk.is_floor:
        assert wild.risk_upper <= limit <= steady.risk_lower
    else:
        assert steady.risk_upper <= limit <= wild.risk_lower


def test_when_no_arm_keeps_the_limit_it_says_so():
    study = Study(["A"], risk="std <= 0.1")
    while not study.decided:
        for pull in study.ask():
            study.tell(pull, float(pull.id % 2))
    assert str(study.decision).startswith("No arm keeps the limit: the standard deviation of each is above 0.1.")


def test_without_pandas_a_sentence_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(Unsupported, match="a DataFrame needs pandas: pip install pandas"):
        fresh().table().to_pandas()


def test_shown_as_table_html_and_pandas():
    study = drive(fresh(max_pulls=20))
    assert str(study.table()).count("\n") == 3
    assert "<table>" in study._repr_html_()
    assert list(study.table().to_pandas()["name"]) == list("ABC")
    assert "20 pulls" in repr(study)
    sly = Study(["<b>x</b>"], risk="none")
    assert "<b>" not in sly._repr_html_()
    assert "&lt;b&gt;" in sly._repr_html_()


def test_the_interval_shown_for_the_variance_covers():
    """At its level of delta/N, on coins and on uniform rewards; and it is not trivially wide."""
    missed, widths = 0, []
    for seed in range(150):
        generator = np.random.default_rng(seed)
        study = Study(["A"], risk="variance <= 0.2", delta=0.2)
        for _ in range(150):
            study.record("A", float(generator.random() < 0.1))
            if study.decided:
                break
        (row,) = study.table()
        missed += not row.risk_lower <= 0.09 <= row.risk_upper
        widths.append(row.risk_upper - row.risk_lower)
    assert missed <= 30
    assert np.mean(widths) < 0.2


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


def test_bounds_that_contradict_each_other_are_said_to():
    study = Study(["A", "B"], risk="variance <= 0.2")
    for n in range(400):
        study.record("A", 0.1 if n < 200 else 0.9)  # a drift
    row = study.table()[0]
    arm = study._engine.state.arms[0].goal
    assert arm.lower > arm.upper
    assert row.mean == pytest.approx(0.5)
    assert row.mean_lower <= arm.upper < arm.lower <= row.mean_upper
    assert row.mean_lower <= row.mean <= row.mean_upper
    assert row.words == "the bounds of its mean contradict each other"


def test_bounds_that_decide_are_told_apart():
    from surefoot.study.views.numbers import apart

    assert apart(0.56001, 0.56004, ".4f") == ("0.56001", "0.56004")
    assert apart(0.5, 0.5, ".4f") == ("0.5000", "0.5000")


@pytest.mark.parametrize(
    "risk", ["probability(reward < 0.123456) <= 0.05", "cvar_upper(0.25) <= 0.95", "std <= 0.4", "none"]
)
def test_a_table_keeps_to_eighty_columns(risk):
    study = Study(["a name of some length", "B", "C"], risk=risk)
    for n in range(120):
        for arm in study.problem.names:
            study.record(arm, (0.1 + n % 7) / 10)
    lines = study.table().fitted(80).splitlines()
    assert len(lines) == 4
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("a name of some length")


def test_without_a_limit_there_are_no_columns_of_risk():
    study = Study(["A", "B"])
    study.record_all([("A", 0.5), ("B", 0.25)])
    table = study.table()
    assert table.heads == ("arm", "pulls", "mean", "interval of the mean", "verdict")
    assert table.short_heads == ("arm", "pulls", "mean", "its interval", "verdict")
    assert table.cells()[0] == ("A *", "1", "0.500", "0.000 … 1.000", "it may be the best")
    assert str(table) == table.fitted(80)
    assert str(table).splitlines()[0] == "arm  pulls  mean   interval of the mean  verdict"


def test_where_there_is_little_room_an_arm_that_is_beaten_is_not_called_open():
    study = Study(["a name of some length", "better"], risk="probability(reward < 0.123456) <= 0.5")
    for n in range(400):
        if not study.decided:
            study.record_all([("a name of some length", 0.12 + n % 2 / 10), ("better", 0.9)])
    assert study.decision.arm == "better"
    row, best = study.table()
    assert (row.verdict, row.ruled_out) == ("open", True)
    assert (row.brief, best.brief) == ("not the best", "the best")
    _, beaten, chosen = study.table().fitted(60).splitlines()
    assert beaten.endswith("  not the best")
    assert chosen.endswith("  the best")
    assert {row.brief for row in Study(["A", "B"], risk="variance <= 0.04").table()} == {"open"}


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
