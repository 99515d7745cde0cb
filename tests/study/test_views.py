"""What a study shows: verdicts and decisions in words, numbers on the rewards' own scale, tables."""

import sys

import numpy as np
import pytest

from surefoot import Problem, Study
from surefoot.errors import Unsupported
from tests.study.helpers import drive, fresh


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
