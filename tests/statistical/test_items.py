"""Arms on the same items: how often the answer is wrong, whatever the arms have to do with each other and however fast each
goes, with a negative control that chooses items by results.
"""

import math

import numpy as np
import pytest

from surefoot import Bernoulli, Discrete, Instance, Items, Study, simulate
from surefoot.core import differences, records
from tests.statistical.binomial import too_many

RUNS = 600
NEAR_TIES = {"A": Bernoulli(0.5), "B": Bernoulli(0.51), "C": Discrete((0.3, 0.7))}


def wrong(delta, correlation=0.0, arms=NEAR_TIES, **fields):
    instance = Instance(arms, design="items", items=Items(correlation=correlation), delta=delta, **fields)
    return simulate(instance, trials=RUNS, max_pulls=1_500, progress=False).summary()["wrong"]


@pytest.mark.parametrize("correlation", [0.0, 0.9, 1.0])
@pytest.mark.parametrize("delta", [0.5, 0.2, 0.05])
def test_the_worse_arm_is_seldom_put_first(delta, correlation):
    assert not too_many(wrong(delta, correlation), RUNS, delta)


@pytest.mark.parametrize("delta", [0.5, 0.2])
def test_answers_up_to_a_tolerance_are_seldom_wrong(delta):
    arms = {"A": Bernoulli(0.4), "B": Bernoulli(0.51), "C": Discrete((0.3, 0.7))}
    assert not too_many(wrong(delta, 0.8, arms, tolerance=0.1), RUNS, delta)


def test_arms_told_apart_too_early_are_caught(pairs_weakened):
    assert too_many(wrong(0.2), RUNS, 0.2)


@pytest.mark.long
@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_an_arm_on_its_limit_against_the_baseline_is_seldom_judged_wrongly(correlation):
    """It is better than the baseline by a hair less than it must be: the baseline is the only right answer."""
    arms = {"A": Bernoulli(0.5), "B": Bernoulli(0.599)}
    limits = {"limits": ["mean >= baseline + 0.1"], "baseline": "A"}
    assert not too_many(wrong(0.3, correlation, arms, **limits), RUNS, 0.3)


def opposite(tmp_path, gap):
    """A table of two arms that never agree, the second better by the gap."""
    heads = round((0.5 - gap / 2) * 100)
    rows = ["1,0"] * heads + ["0,1"] * (100 - heads)
    (tmp_path / "scores.csv").write_text("\n".join(["a,b", *rows]))
    return Study(["a", "b"], design="items", items={"data": str(tmp_path / "scores.csv")}).problem


@pytest.mark.parametrize("delta", [0.5, 0.2, 0.05])
def test_arms_that_never_agree_are_seldom_put_in_the_wrong_order(tmp_path, delta):
    problem = opposite(tmp_path, 0.02).but(items=None)
    table = opposite(tmp_path, 0.02).items
    endless = problem.but(items=Items(None, data=table.data), delta=delta)
    sweep = simulate(Instance(endless), trials=RUNS, max_pulls=1_500, progress=False)
    assert not too_many(sweep.summary()["wrong"], RUNS, delta)


# --- an adversary that looks at everything, and one that may choose items

LEVEL, LENGTH, LOOKS = 0.4, 200, 400


def reached(pace, choose=False):
    """In how many runs a pace makes two equal arms look apart. It sees all results of both on all items, and says at each
    step how many places each has had; or which item comes next, if it may choose.
    """
    found = 0
    for run in range(LOOKS):
        generator = np.random.default_rng([11, run])
        values = (generator.random(LENGTH) < 0.5) * 1.0 - (generator.random(LENGTH) < 0.5) * 1.0
        if choose:
            values = np.sort(values)[::-1]  # the items on which the first arm is better come first
        record = records.plain_record(differences.Differences)()
        for difference in values[: pace(values)]:
            differences.observe(record, difference)
            if differences.log_evidence(record, 0.0) >= math.log(1 / LEVEL):
                found += 1
                break
    return found


def at_the_best_moment(values):
    """Stop where the first arm is furthest ahead: any function of all results may say how far the arms go."""
    return int(np.argmax(np.cumsum(values))) + 1


def test_a_pace_that_knows_all_results_does_not_deceive():
    assert not too_many(reached(at_the_best_moment), LOOKS, LEVEL)


def test_to_choose_items_by_results_deceives():
    assert reached(at_the_best_moment, choose=True) > 0.95 * LOOKS


# --- live, with a pace of the adversary's own


def live(delta, choose, run):
    """Two equal arms of a live study. The worker knows every result beforehand; it tells those of one arm late, and loses
    pulls on items that are bad for the first arm, if it may choose items.
    """
    generator = np.random.default_rng([13, run])
    scores = {arm: (generator.random(400) < 0.5) * 1.0 for arm in "AB"}
    study, held = Study(["A", "B"], design="items", items=400, delta=delta, max_pulls=400), []
    while not study.decided:
        pulls = study.ask(2)
        for pull in pulls:
            good = scores["A"][pull.item] - scores["B"][pull.item]
            if choose and good < 0:
                study.abandon(pull)  # not allowed: the reason is the result
            elif pull.arm == "B" and generator.random() < 0.3:
                held.append(pull)
            else:
                study.tell(pull, scores[pull.arm][pull.item])
        if (not pulls or len(held) > 5) and held:
            pull = held.pop(0)
            study.tell(pull, scores[pull.arm][pull.item])
    return study.decision.arm is not None


def test_a_worker_that_delays_results_does_not_deceive():
    assert not too_many(sum(live(0.4, False, run) for run in range(60)), 60, 0.4)


def test_a_worker_that_loses_items_by_their_results_deceives():
    assert too_many(sum(live(0.4, True, run) for run in range(60)), 60, 0.4)
