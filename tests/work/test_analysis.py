"""A log is decided as a study would decide it, bit for bit."""

import math

import numpy as np
import pytest

from surefoot import Study
from surefoot.core import records
from surefoot.core.assembly import assemble
from surefoot.errors import InvalidValue, Unsupported
from surefoot.problem import Problem
from surefoot.study.engine import Engine
from surefoot.work import analysis, replay
from surefoot.work.analysis import Analysis
from surefoot.work.logs import Log

RISKS = [
    "variance <= 0.04",
    "std <= 0.2",
    "quantile(0.1) >= 0.2",
    "probability(reward > 0.8) <= 0.3",
    "cvar(0.2) >= 0.1",
    "none",
]


def made(rows, seed=0, means=(0.55, 0.5, 0.6), concentration=(20.0, 20.0, 0.5)):
    generator = np.random.default_rng(seed)
    arms = generator.integers(0, len(means), rows)
    mean, weight = np.array(means)[arms], np.array(concentration)[arms]
    return Log(("A", "B", "C"), arms, generator.beta(weight * mean, weight * (1 - mean)), 0)


def unsteady(seed):
    """Means far enough apart to decide by 200 rewards or not."""
    return made(200, seed, means=(0.66, 0.5, 0.4), concentration=(3.0, 3.0, 3.0))


LOST = 20  # the seed of such a log that decides at some row, and no longer at its end


def recorded(log, **fields):
    study = Study(log.names, **fields)
    study.record_all(
        (log.names[arm], reward) for arm, reward in zip(log.arms.tolist(), log.rewards.tolist(), strict=True)
    )
    return study


def bits(engine):
    return [records.contents(arm) for arm in engine.state.arms], list(engine.state.board)


@pytest.mark.parametrize(
    ("risk", "goal", "compiled"),
    [(risk, "max", False) for risk in RISKS]
    + [("variance <= 0.04", "min", False), ("variance <= 0.04", "min", True), ("cvar(0.2) >= 0.1", "max", True)],
)
def test_a_log_is_folded_as_a_study_records_it(risk, goal, compiled, monkeypatch):
    monkeypatch.setattr(analysis, "FEW", 0 if compiled else math.inf)
    log = made(150)
    fields = {"risk": risk, "rewards": (-1, 1.5), "goal": goal}
    study, found = recorded(log, **fields), Analysis(log, **fields)
    assert study.decision.status == "undecided"
    assert bits(found.engine) == bits(study._engine)
    assert (str(found.table()), found.decision) == (str(study.table()), study.decision)
    assert found.next == [pull.arm for pull in study.ask()]


@pytest.mark.parametrize(("bounds", "risk"), [("sharp", "variance <= 0.04"), ("lil", "none")])
def test_what_decided_a_study_at_some_row_decides_still_at_the_end(bounds, risk):
    fields = {"risk": risk, "rewards": (0, 1), "bounds": bounds}
    log = made(30_000, means=(0.7, 0.3, 0.9))
    study = recorded(log, **fields)
    assert study.decision.status == "best"
    assert study.pulls < len(log.rewards)
    whole = Analysis(log, **fields)
    assert (whole.decision.status, whole.decision.arm) == ("best", study.decision.arm)
    assert whole.decision.pulls == len(log.rewards)
    until = Analysis(Log(log.names, log.arms[: study.pulls], log.rewards[: study.pulls], 0), **fields)
    assert bits(until.engine) == bits(study._engine)
    assert until.decision == study.decision
    assert whole.next == []


@pytest.mark.parametrize(
    ("bounds", "goal", "tolerance"), [("tight", "max", 0), ("tight", "min", 0), ("sharp", "max", 0.2)]
)
def test_a_log_decides_as_a_study_that_records_it(bounds, goal, tolerance, monkeypatch):
    fields = {"risk": "variance <= 0.2", "rewards": (0, 1), "goal": goal, "tolerance": tolerance, "bounds": bounds}
    for seed in range(20):
        log = unsteady(seed)
        study = recorded(log, **fields).decision
        for few in (0, math.inf) if seed == LOST else (math.inf,):
            monkeypatch.setattr(analysis, "FEW", few)
            found = Analysis(log, **fields).decision
            assert (found.status, found.arm, found.pulls) == (study.status, study.arm, 200)


def test_one_look_at_the_end_would_miss_a_decision():
    """The negative control: evidence on two arms together may fall again."""
    log, problem = unsteady(LOST), Problem.of(["A", "B", "C"], risk="variance <= 0.2", rewards=(0, 1))
    assert recorded(log, risk="variance <= 0.2", rewards=(0, 1)).decided
    engine = Engine(problem, "top-two", "tight", seed=0)
    assemble(replay, engine.program.parts).replay(engine.state, log.arms.tolist(), (log.rewards.tolist(),), 0)
    engine.arms_not_warm = 0
    engine.look()
    assert not engine.finished


def test_bounds_with_a_clock_look_at_the_end():
    log = made(30_000, means=(0.9, 0.1, 0.5), concentration=(50.0, 50.0, 50.0))
    found = Analysis(log, rewards=(0, 1), bounds="paper")
    assert found.engine.steps == len(log.rewards)
    assert found.decision.status == "best"


def test_an_arm_without_rewards_is_what_to_pull_next():
    log = Log(("A", "B"), np.zeros(50, dtype=int), np.full(50, 0.9), 0)
    found = Analysis(log, rewards=(0, 1))
    assert found.decision.status == "undecided"
    assert found.decision.confidence is None
    assert found.next == ["B"]


def test_what_cannot_be_analyzed_is_refused():
    log = Log(("A", "B"), np.array([0, 1]), np.array([0.5, 2.0]), 0)
    with pytest.raises(InvalidValue, match=r"arm 'B' \(row 2 of those with a result\) must be in \[0, 1\], got 2.0"):
        Analysis(log, rewards=(0, 1))
    accuracies = {"tolerance": 0.1, "risk_slack": 0.1}
    with pytest.raises(Unsupported, match="risk-averse-ucb can use only the pulls that it asked for"):
        Analysis(made(9), risk="variance <= 0.04", policy="risk-averse-ucb", bounds="paper", **accuracies)
    with pytest.raises(InvalidValue, match="needs a range that the results lie in"):
        Analysis(made(9), rewards="gaussian")
