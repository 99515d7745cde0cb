"""Rounds: how often the answer is wrong under drift that all arms share, and how often other designs are."""

import math

import numpy as np
import pytest

from surefoot import Bernoulli, Beta, Instance, Items, Study, simulate
from tests.statistical.binomial import too_many

RUNS = 400
NEAR_TIES = {"A": Bernoulli(0.5), "B": Bernoulli(0.51), "C": Beta(mean=0.5, variance=0.02)}


def wrong(delta, season, arms=NEAR_TIES, **fields):
    items = Items(correlation=0.9, season=season)
    instance = Instance(arms, design="rounds", items=items, delta=delta, **fields)
    return simulate(instance, trials=RUNS, max_pulls=1_000, progress=False).summary()["wrong"]


@pytest.mark.parametrize("season", [0, 7, 200])
@pytest.mark.parametrize("delta", [0.5, 0.2])
def test_the_worse_arm_is_seldom_put_first_whatever_the_season(delta, season):
    assert not too_many(wrong(delta, season), RUNS, delta)


def test_arms_told_apart_too_early_are_caught(pairs_weakened):
    """The negative control."""
    assert too_many(wrong(0.2, 7), RUNS, 0.2)


# --- live, on a machine that warms up

PATHS, DELTA = 60, 0.2


def warming(time):
    """The mean of all arms, which falls from one pull to the next."""
    return 0.15 + 0.7 * math.exp(-time / 40.0)


def misled(design):
    """In how many studies of two arms, the second of which is better by a hair, the first is said to be the best."""
    found = 0
    for path in range(PATHS):
        generator, time = np.random.default_rng([43, path]), 0
        study = Study(["A", "B"], rewards=(0, 1), design=design, delta=DELTA, seed=path, max_pulls=160)
        while not study.decided and (pulls := study.ask()):
            for pull in pulls:
                hair = 1e-9 if pull.arm == "B" else 0.0
                study.tell(pull, float(generator.random() < warming(time) + hair))
                time += 1
        found += study.decision.arm == "A"
    return found


def test_in_rounds_a_machine_that_warms_up_misleads_nobody():
    assert not too_many(misled("rounds"), PATHS, DELTA)


def test_pulls_that_are_not_made_in_rounds_are_misled():
    """What rounds are for: the arm that is pulled first, or at the better time, seems to be the better one."""
    found = 0
    for path in range(PATHS):
        generator = np.random.default_rng([47, path])
        study = Study(["A", "B"], rewards=(0, 1), delta=DELTA)
        for time in range(80):
            study.record("A" if time < 40 else "B", float(generator.random() < warming(time)))
        found += study.decision.arm == "A"
    assert too_many(found, PATHS, DELTA)


def second_is_worse(design_order):
    """Studies of two equal arms where the second pull of a round is worse: how often the first arm is said to be best."""
    found = 0
    for path in range(PATHS):
        generator = np.random.default_rng([53, path])
        study = Study(["A", "B"], rewards=(0, 1), design="rounds", delta=DELTA, seed=path, max_pulls=200)
        while not study.decided and (pulls := study.ask()):
            for place, pull in enumerate(sorted(pulls, key=design_order)):
                study.tell(pull, float(generator.random() < (0.4 if place else 0.7)))
        found += study.decision.arm == "A"
    return found


def test_a_random_order_within_a_round_cancels_the_place_in_it():
    assert not too_many(second_is_worse(lambda pull: pull.id), PATHS, DELTA)


def test_a_fixed_order_within_a_round_is_caught():
    """The negative control."""
    assert too_many(second_is_worse(lambda pull: pull.arm), PATHS, DELTA)
