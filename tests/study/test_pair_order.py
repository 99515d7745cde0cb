"""Arms compared in pairs with pulls in flight: by rewards in one order, those of a beginning of the pair's pulls."""

import math
from itertools import combinations

import numpy as np
import pytest

from surefoot import Study
from surefoot.core import statistics
from surefoot.storage import Memory
from surefoot.study.pair_order import Arms
from tests.storage.helpers import set_clock

MEANS = {"A": 0.75, "B": 0.3, "C": 0.35}


class Diary:
    """A study of coins, or of normal rewards, whose pulls are told in random order, with what the beginning was."""

    def __init__(self, rewards, seed):
        self.study = Study(list(MEANS), rewards=rewards, delta=0.1)
        self.generator, self.gaussian = np.random.default_rng(seed), rewards == "gaussian"
        self.pulls = {}  # by number, in the order they were asked for: the arm, and the reward once it is told
        self.air = []

    def reward(self, arm):
        mean = MEANS[arm]
        return float(self.generator.normal(mean, 0.5) if self.gaussian else self.generator.random() < mean)

    def go_on(self):
        for pull in self.study.ask(6 - len(self.air)):
            self.pulls[pull.id] = pull.arm, None
            self.air.append(pull)
        pull = self.air.pop(int(self.generator.integers(len(self.air))))
        if self.generator.random() < 0.1:
            self.study.abandon(pull)
            del self.pulls[pull.id]
        else:
            reward = self.reward(pull.arm)
            self.pulls[pull.id] = pull.arm, reward
            self.study.tell(pull, reward)
        if self.generator.random() < 0.1 and not self.study.decided:
            arm = str(self.generator.choice([arm for arm in MEANS if arm not in self.study.aside]))
            reward = self.reward(arm)
            self.pulls[f"recorded {len(self.pulls)} {self.study.position}"] = arm, reward
            self.study.record(arm, reward)

    def set_aside(self, arm):
        for pull in [pull for pull in self.air if pull.arm == arm]:
            self.air.remove(pull)
            del self.pulls[pull.id]
        self.study.set_aside(arm, "broken")

    def begins(self, some):
        """Are these the first pulls of their arms, in the order all were asked for? `some` says how many of each arm."""
        pulls = [(arm, reward) for arm, reward in self.pulls.values() if arm in some][: sum(some.values())]
        return all(
            [reward is not None for name, reward in pulls if name == arm] == [True] * number
            for arm, number in some.items()
        )


def evidence(record):
    """What depends on the rewards and their order; of the bets too, where there are any."""
    metric, goal = record.metric, record.goal
    sums, products = getattr(goal, "rises", []), getattr(goal, "rise_products", [])
    bets = [total + math.log(product) for total, product in zip(sums, products, strict=True)] if metric.pulls else []
    return [metric.pulls, metric.total, metric.spread, metric.surprise, *bets]


def known(record):
    """Of an arm by itself."""
    return record.goal.lower, record.goal.upper, record.verdict, record.beaten_by


def expected(engine, rewards):
    record = type(engine.state.arms[0])()
    record.goal.lower, record.goal.upper = -math.inf, math.inf
    for reward in rewards:
        statistics.observe(record.metric, reward, statistics.guess(record.metric))
        engine.kernels.mean_bound.observe(record.goal, record.metric, engine.state.mean_parameters, reward)
    return record


def look(diary):
    """Is each pair that may be compared judged by a beginning of its pulls? And would all rewards told be one?"""
    engine, names = diary.study._engine, list(MEANS)
    pair_order = engine.pair_order
    shown = Arms(engine.state.arms, pair_order.before, set(pair_order.passed.values()))
    for index, record in enumerate(engine.state.arms):
        assert known(shown[index]) == known(record)
        told = [reward for arm, reward in diary.pulls.values() if arm == names[index] and reward is not None]
        wanted = evidence(expected(engine, told[: int(shown[index].metric.pulls)]))
        assert evidence(shown[index]) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    ranked = [index for index in range(len(names)) if pair_order.ranked(index)]
    begin = []
    for records in (shown, engine.state.arms):
        pulls = {
            names[arm]: int(records[arm].metric.pulls) for arm in ranked if records[arm].metric.pulls
        }  # without any, none is compared
        begin.append(all(diary.begins({one: pulls[one], other: pulls[other]}) for one, other in combinations(pulls, 2)))
    assert begin[0]
    return begin[1]


@pytest.mark.parametrize("rewards", [(0, 1), "gaussian"], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_pairs_are_judged_by_a_beginning_of_their_pulls(rewards, seed):
    diary, out_of_order = Diary(rewards, seed), 0
    while not diary.study.decided:
        diary.go_on()
        out_of_order += not look(diary)
    assert diary.study.decision.arm == "A"
    assert any(arm.beaten_by for arm in diary.study._engine.state.arms)
    assert out_of_order > 20  # the negative control: all that was told is often no beginning


def rolling(order):
    """A study of two coins with three pulls in flight, of which `order` says which one is told; after each of them."""
    study, generator, air = Study(["A", "B"], delta=0.1), np.random.default_rng(7), []
    while not study.decided:
        air += study.ask(3 - len(air))
        pull = air.pop(order(air, generator))
        study.tell(pull, float(generator.random() < MEANS[pull.arm]))
        yield study


def test_with_pulls_in_the_air_arms_are_compared_in_pairs():
    for order in (lambda air, _: 0, lambda air, generator: int(generator.integers(len(air)))):
        *_, study = rolling(order)
        assert study.decision.arm == "A"
        assert any(arm.beaten_by for arm in study._engine.state.arms)


def test_nothing_asked_for_after_a_pull_in_the_air_counts_for_pairs():
    *_, usual = rolling(lambda air, _: 0)
    held = usual.pulls // 3
    for study in rolling(lambda air, _: int(air[0].id == held)):
        if study.pulls == usual.pulls:
            break
    before, records = study._engine.pair_order.before, study._engine.state.arms
    assert sum(before.get(arm, record).metric.pulls for arm, record in enumerate(records)) == held - 1
    assert not any(record.beaten_by for record in records)
    assert not study.decided


def test_an_arm_told_out_of_order_stays_behind_when_the_others_come():
    """What is found out beside the arm's own record is written into it."""
    for seed in range(30):
        diary = Diary((0, 1), seed)
        engine = diary.study._engine
        while not diary.study.decided:
            diary.go_on()
            for arm, record in engine.pair_order.before.items():
                if record.beaten_by:
                    assert engine.state.arms[arm].beaten_by == record.beaten_by
                    return
    pytest.fail("no arm was put behind while it had rewards out of order")


def passing(seed):
    """A study with a pull in flight that the line has passed, because its arm is behind another."""
    diary = Diary((0, 1), seed)
    pair_order = diary.study._engine.pair_order
    while not (diary.study.decided or pair_order.passed):
        diary.go_on()
    return diary


def test_a_pull_of_an_arm_that_is_out_holds_nobody_up():
    for seed in range(30):
        diary = passing(seed)
        if diary.study.decided:
            continue
        held, engine = list(diary.study._engine.pair_order.passed), diary.study._engine
        diary.air = [pull for pull in diary.air if pull.id not in held]
        while not diary.study.decided:
            diary.go_on()
            look(diary)
        assert set(held) <= set(engine.pair_order.passed)
        if sum(arm.beaten_by > 0 for arm in engine.state.arms) == 2:
            return
    pytest.fail("no two arms were told apart while a pull of a third was in flight")


def test_an_arm_back_in_the_ranking_is_compared_once_its_pulls_are_told():
    for seed in range(30):
        diary = passing(seed)
        if diary.study.decided:
            continue
        engine = diary.study._engine
        back = next(iter(engine.pair_order.passed.values()))
        if engine.state.arms[back].beaten_by == 0:
            continue
        diary.set_aside(list(MEANS)[engine.state.arms[back].beaten_by - 1])
        assert engine.pair_order.ranked(back)
        assert Arms(engine.state.arms, engine.pair_order.before, {back})[back].metric.pulls == 0.0
        for _ in range(40):
            look(diary)
            diary.go_on()
        assert not engine.pair_order.passed
        return
    pytest.fail("no arm was behind another with a pull in flight")


@pytest.mark.parametrize("give_up", ["abandon", "expire"])
def test_it_is_decided_as_soon_as_the_pull_that_held_pairs_up_is_given_up(give_up, monkeypatch):
    storage = Memory()
    set_clock(monkeypatch, storage, 1_000.0)
    study = Study.open(storage, "study", ["A", "B"], lease=10)
    while study.pulls < 6:
        for pull in study.ask():
            study.tell(pull, {"A": 1.0, "B": 0.0}[pull.arm])
    (held,) = study.ask()
    set_clock(monkeypatch, storage, 1_008.0)
    for _ in range(20):
        (pull,) = study.ask(1)
        study.tell(pull, {"A": 1.0, "B": 0.0}[pull.arm])
    assert not study.decided
    if give_up == "abandon":
        study.abandon(held)
    else:
        set_clock(monkeypatch, storage, 1_011.0)
        study.standing()
    assert study.decision.arm == "A"
    assert Study.from_events(study.events).decision == study.decision
