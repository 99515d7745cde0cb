"""The search for instances on which another combination needs fewer pulls than the default."""

import numpy as np
import pytest

from verification import against_others
from verification.against_others import Measured
from verification.search.points import random_point

MEANS = {None: 500.0, "va-lucb": 400.0, "successive-elimination": 300.0}


@pytest.fixture
def asked(monkeypatch):
    """Who was measured, and the most pulls that a run of it might take."""
    asked = []

    def pulls(instance, policy, bounds, runs, seed, cap):
        asked.append((policy, bounds, cap))
        mean = MEANS[policy] + (bounds == "tight")
        return Measured(mean, 2.0 * mean) if bounds != "sharp" or policy != "va-lucb" else None

    monkeypatch.setattr(against_others, "pulls", pulls)
    return asked


def test_an_instance_is_judged_by_the_best_other_and_nobody_runs_longer_than_that_needs(asked):
    instance = against_others.instance_at("bounded", "variance", random_point(np.random.default_rng(0)))
    find = against_others.judged("bounded", "variance", instance, 12, 0)
    assert (find.default.mean, find.other.mean, find.rival) == (500.0, 300.0, "successive-elimination with sharp")
    assert (find.ratio, find.tail_ratio) == (pytest.approx(5 / 3), pytest.approx(5 / 3))
    caps = [cap for policy, _, cap in asked if policy]
    assert caps[0] == against_others.CAP
    assert caps == sorted(caps, reverse=True)
    assert asked[-1] == (None, None, against_others.STARVED * 12 * 300)


def test_what_takes_few_pulls_anyway_is_no_find(asked, monkeypatch):
    monkeypatch.setattr(against_others, "FEWEST", 350.0)
    instance = against_others.instance_at("bounded", "variance", random_point(np.random.default_rng(0)))
    assert against_others.judged("bounded", "variance", instance, 12, 0) is None


def test_there_are_instances_of_one_arm_to_thirty_with_every_risk():
    generator = np.random.default_rng(1)
    for risk in against_others.LIMITS:
        sizes = {
            len(against_others.instance_at("bounded", risk, random_point(generator)).problem.arms) for _ in range(60)
        }
        assert min(sizes) == (2 if risk == "none" else 1)
        assert max(sizes) > 20
