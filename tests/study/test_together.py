"""Arms compared in pairs with pulls in the air: by rewards in one order, those of a beginning of all pulls."""

import math

import numpy as np
import pytest

from surefoot import Study
from surefoot.core import statistics
from surefoot.study.together import KNOWN, Arms

MEANS = {"A": 0.65, "B": 0.35, "C": 0.4}


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
            arm = str(self.generator.choice(list(MEANS)))
            reward = self.reward(arm)
            self.pulls[f"recorded {len(self.pulls)} {self.study.position}"] = arm, reward
            self.study.record(arm, reward)

    def beginning(self):
        """Of each arm, the rewards before the first pull in the air."""
        found = {arm: [] for arm in MEANS}
        for arm, reward in self.pulls.values():
            if reward is None:
                break
            found[arm].append(reward)
        return found


def evidence(record):
    """What depends on the rewards and their order; of the bets too, where there are any."""
    sums, products = getattr(record, "rises", []), getattr(record, "rise_products", [])
    bets = [total + math.log(product) for total, product in zip(sums, products, strict=True)] if record.pulls else []
    return [record.pulls, record.total, record.spread, record.surprise, *bets]


def expected(live, rewards):
    record = type(live.state.arms[0])()
    record.lower, record.upper = -math.inf, math.inf
    for reward in rewards:
        statistics.observe(record, reward, statistics.guess(record))
        live.kernels.mean_bound.observe(record, live.state.mean_parameters, reward)
    return record


@pytest.mark.parametrize("rewards", [(0, 1), "gaussian"], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_pairs_see_a_beginning_of_all_pulls(rewards, seed):
    diary, ahead = Diary(rewards, seed), 0
    live = diary.study._live
    while not diary.study.decided:
        diary.go_on()
        for index, told in enumerate(diary.beginning().values()):
            wanted = pytest.approx(evidence(expected(live, told)), rel=1e-9, abs=1e-9)
            record = live.state.arms[index]
            assert evidence(live.together.before.get(index, record)) == wanted
            ahead += evidence(record) != wanted
            shown = Arms(live.state.arms, live.together.before)[index]  # of an arm by itself, all is known
            assert [getattr(shown, name) for name in KNOWN] == [getattr(record, name) for name in KNOWN]
    assert diary.study.decision.arm == "A"
    assert any(arm.behind for arm in live.state.arms)
    assert ahead > 20  # all the rewards that an arm has are often more than that


def rolling(order):
    """A study of two coins with three pulls in the air, of which `order` says which one is told; after each of them."""
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
        assert any(arm.behind for arm in study._live.state.arms)


def test_nothing_asked_for_after_a_pull_in_the_air_counts_for_pairs():
    *_, usual = rolling(lambda air, _: 0)
    held = usual.pulls // 3
    for study in rolling(lambda air, _: int(air[0].id == held)):
        if study.pulls == usual.pulls:
            break
    before, records = study._live.together.before, study._live.state.arms
    assert sum(before.get(arm, record).pulls for arm, record in enumerate(records)) == held - 1
    assert not any(record.behind for record in records)
    assert not study.decided


def test_an_arm_told_out_of_order_stays_behind_when_the_others_come():
    """What is found out beside the arm's own record is written into it."""
    for seed in range(30):
        diary = Diary((0, 1), seed)
        live = diary.study._live
        while not diary.study.decided:
            diary.go_on()
            for arm, record in live.together.before.items():
                if record.behind:
                    assert live.state.arms[arm].behind == record.behind
                    return
    pytest.fail("no arm was put behind while it had rewards out of order")
