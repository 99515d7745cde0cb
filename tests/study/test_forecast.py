"""The estimate of the pulls left: right to a small factor on average, and silent where nothing can be said."""

import math

import numpy as np
import pytest

from surefoot import Study


def measured(study, means, deviations, generator):
    """The estimates as the study went on, each beside what was really left."""
    log = []
    while not study.decided:
        for pull in study.ask():
            index = int(pull.arm)
            mean = means[index]
            shape = mean * (1 - mean) / min(deviations[index] ** 2, 0.9 * mean * (1 - mean)) - 1
            study.tell(pull, float(generator.beta(mean * shape, (1 - mean) * shape)))
        if study.pulls % 10 < 2:
            log.append((study.pulls, study.standing(0).left))
    return [(left, study.pulls - pulls) for pulls, left in log if study.pulls / 3 < pulls < 0.9 * study.pulls]


def test_it_is_right_to_a_factor_of_two_in_the_middle():
    factors = []
    for seed in range(16):  # each for itself, so that one study's length does not change the next one's arms
        generator = np.random.default_rng([8, seed])
        arms = int(generator.integers(2, 10))
        means, deviations = generator.uniform(0.2, 0.8, arms), generator.uniform(0.05, 0.35, arms)
        study = Study([str(index) for index in range(arms)], risk="variance <= 0.04", max_pulls=2_500)
        found = measured(study, means, deviations, generator)
        if study.decision.status != "undecided":
            factors += [math.log(left / real) for left, real in found if left is not None]
    assert len(factors) > 200
    assert abs(np.median(factors)) < math.log(2)
    assert np.mean(np.abs(factors) < math.log(4)) > 0.8


def test_nothing_is_said_before_every_arm_was_tried_and_when_two_tie():
    study = Study(["a", "b"])
    assert study.standing().left is None
    study.record_all([("a", 0.5), ("b", 0.5)] * 20)
    assert study.standing().left is None


@pytest.mark.parametrize("policy", ["va-lucb", "successive-elimination"])
def test_no_more_than_the_budget_and_none_once_decided(policy):
    study = Study(["a", "b"], max_pulls=100, policy=policy)
    study.record_all([("a", 0.5), ("b", 0.51)] * 20)
    assert study.standing().left == 60
    study.close()
    assert study.standing().left == 0


def test_other_bounds_have_a_forecast_too():
    study = Study(["a", "b"], bounds="paper")
    study.record_all([("a", 0.2), ("b", 0.8)] * 20)
    assert 0 < study.standing().left < 2_000
    study.record_all([("a", 0.2), ("b", 0.8)] * study.standing().left)
    assert study.decided
