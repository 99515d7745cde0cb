"""Limits on means: decided by the evidence of the mean bound itself, at the levels of the limit."""

import math

import numpy as np
import pytest

from surefoot.core import folding, records, statistics, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.bounds import mixture, sharp, student, tight
from surefoot.core.chains import LimitPart, mean_test
from surefoot.core.error_budget import ErrorBudget, LimitShare
from surefoot.core.limits import MeanLimit
from surefoot.core.program import Program
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.registry import ANSWERS, EVIDENT, FAMILIES, POLICIES
from surefoot.core.state import Interval
from surefoot.core.statistics import Statistics

SIGMA = 0.5


def question(*limits, arms=2, delta=0.05):
    return Question(arms, delta, 0.0, limits, highest=1.0, sigma=SIGMA, largest_variance=0.25)


def followed(bound, values, lower, upper):
    """The evidence after these results, and the interval that they leave at these levels."""
    allowed = ErrorBudget(math.exp(-lower), math.exp(-upper), (), pair=0.01)
    parameters = bound.parameters(question(), allowed)
    metric, own = records.plain_record(Statistics)(), records.plain_record(Interval, bound.Evidence)()
    for value in values:
        statistics.observe(metric, value, statistics.guess(metric))
        bound.observe(own, metric, parameters, value)
    if bound is tight:
        own.low = own.headroom = 0.0  # the interval of this moment, not the narrowest so far
    return own, metric, bound.interval_at(own, metric, parameters)


@pytest.mark.parametrize("key", EVIDENT, ids=" ".join)
def test_the_evidence_against_the_ends_of_an_interval_is_their_level(key):
    """Against a mean beyond the end there is more, against one inside less."""
    bound = EVIDENT[key]
    generator = np.random.default_rng(3)
    for size in (40, 700):
        for mean in (0.3, 0.6):
            values = np.clip(generator.normal(mean, 0.15, size), 0.0, 1.0).tolist()
            own, metric, (lower, upper) = followed(bound, values, 4.0, 6.0)
            above, _ = bound.log_evidence(own, metric, SIGMA, lower)
            _, below = bound.log_evidence(own, metric, SIGMA, upper)
            assert (above, below) == pytest.approx((4.0, 6.0), abs=0.05)
            assert bound.log_evidence(own, metric, SIGMA, lower - 0.01)[0] > 4.0
            assert bound.log_evidence(own, metric, SIGMA, lower + 0.02)[0] < 4.0
            assert bound.log_evidence(own, metric, SIGMA, upper + 0.01)[1] > 6.0
            assert bound.log_evidence(own, metric, SIGMA, metric.mean) < (0.1, 0.1)


def test_evidence_of_nothing():
    for bound in (tight, sharp, mixture, student):
        own, metric, _ = followed(bound, [0.5], 3.0, 3.0)
        assert max(bound.log_evidence(own, metric, SIGMA, 0.4)) < 1.0


@pytest.mark.parametrize("key", EVIDENT, ids=" ".join)
@pytest.mark.parametrize(
    ("sign", "value", "wide", "verdict"),
    [
        (-1.0, 0.6, 0.6, verdicts.FEASIBLE),
        (-1.0, 0.3, 0.3, verdicts.INFEASIBLE),
        (1.0, 0.3, 0.3, verdicts.FEASIBLE),
        (1.0, 0.6, 0.6, verdicts.INFEASIBLE),
        (1.0, 0.46, 0.3, verdicts.FEASIBLE),  # a little beyond, but within the slack
    ],
)
def test_a_limit_on_a_mean_is_decided_in_both_directions(key, sign, value, wide, verdict):
    found = FAMILIES[key]
    limit = LimitQuestion(MeanLimit(sign, value, wide), tested=True, sigma=SIGMA)
    values = np.clip(np.random.default_rng(1).normal(0.45, 0.1, 1500), 0.0, 1.0).tolist()
    part = LimitPart(mean_test(EVIDENT[key]))
    program = Program(POLICIES["va-lucb"], found.ranker, found.mean_bound, (part,), ANSWERS["best"])
    state, kernels = program.start(question(limit), packed=False), assemble(folding, program.parts)
    for step in values:
        kernels.fold(state, 0, (step,))
    assert state.arms[0].verdict == verdict
    test, arm = part.test, state.arms[0]
    kept, broken = test.shares(arm.limit, arm.metric, arm.goal, state.limit_parameters, 1.0)
    assert (kept if verdict == verdicts.FEASIBLE else broken) == 1.0
    assert test.sample_breaks(arm.limit, arm.metric, arm.goal, state.limit_parameters) == (
        verdict == verdicts.INFEASIBLE
    )
    assert test.estimate(None, arm.limit, arm.metric, arm.goal, None) == arm.metric.mean
    assert test.risk_interval(None, None, None, arm.goal, None, None, 1.0) == (arm.goal.lower, arm.goal.upper)
    untested = state.limit_parameters._replace(tested=False)
    assert test.verdict(arm.limit, arm.metric, arm.goal, untested, 1.0) == verdicts.FEASIBLE
    assert test.shares(arm.limit, arm.metric, arm.goal, untested, 1.0) == (1.0, 0.0)


def test_levels_are_those_of_the_limit():
    limit = LimitQuestion(MeanLimit(1.0, 0.3, 0.2), tested=True, sigma=2.0)
    found = mean_test(tight).parameters(limit, LimitShare(0.01, 0.001))
    assert found == (1.0, 0.3, 0.2, True, 2.0, pytest.approx(math.log(100)), pytest.approx(math.log(1000)))
    weak = mean_test(tight).weakened(found)
    assert (weak.feasible_level, weak.infeasible_level) == pytest.approx((0.2 * math.log(100), 0.2 * math.log(1000)))
