"""Limits against a baseline, at exactly the margin: how often an arm is said to keep or to break what it does not.

The arm that is pulled next depends on all results so far, which is what the evidence of two arms together must stand.
"""

import sys

import numpy as np
import pytest

from surefoot import Problem, SubGaussian
from surefoot.core import folding, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.baselines import quantiles
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from tests.statistical.binomial import too_many

pytestmark = pytest.mark.long
PATHS, PULLS, DELTA = 150, 200, 0.4  # with fewer paths, three of the negative controls below are not caught
HAIR = 1e-9


def alternating(state, module, pull):
    return pull % 2


def seldom(state, module, pull):
    """The baseline in one pull of eight."""
    return int(pull % 8 > 0)


def losing(state, module, pull):
    """The baseline while it looks bad, the arm while that looks good: what makes a difference look large."""
    if pull <= 10:
        return pull % 2
    stream = state.limit_parameters.streams[0]
    ours, theirs = (module.estimate(arm.compared, arm.metric.pulls, 0, stream) for arm in reversed(state.arms))
    return int(ours - stream.factor * theirs > stream.plus)


def by_the_policy(state, module, pull):
    return module.in_doubt(state, 1) if pull > 1 else pull


def told(limit, draws, order, change=lambda stream: stream, rewards=(0, 1)):
    """Of PATHS studies of two arms, in how many one was said to be feasible, and infeasible; how often each may be."""
    asked = Problem(["current", "new"], rewards=rewards, limits=[limit], baseline="current", delta=DELTA)
    program, question = choice.program(asked), question_of(asked)
    kernels, counts = assemble(folding, program.parts), {verdicts.FEASIBLE: 0, verdicts.INFEASIBLE: 0}
    for path in range(PATHS):
        state, generator = program.start(question, packed=False), np.random.default_rng([11, path])
        streams = tuple(map(change, state.limit_parameters.streams))
        state = state._replace(limit_parameters=state.limit_parameters._replace(streams=streams))
        for pull in range(PULLS):
            index = order(state, kernels.baseline, pull)
            kernels.fold(state, index, (asked.scale.inward(float(draws[index](generator))),))
            if kernels.baseline.look(state, 1):
                counts[state.arms[1].verdict] += 1
                break
    allowed = program.error_budget(question).limits[0]
    return counts[verdicts.FEASIBLE], counts[verdicts.INFEASIBLE], allowed.feasible, allowed.infeasible


def coin(share):
    return lambda generator: generator.random() < share


def die(sides):
    """Each of its sides, from 1 on, is as likely: its median is (sides + 1) / 2 if there is an odd number of them."""
    return lambda generator: generator.integers(1, sides + 1)


BESIDE = {  # a limit, the baseline and the arm that is exactly on it, and which side is the wrong one
    "difference": ("mean >= baseline + {}", 0.1, (coin(0.4), coin(0.5)), 1, (0, 1)),
    "factor": ("mean <= 1.5 * baseline + {}", 0.0, (coin(0.4), coin(0.6)), -1, (0, 1)),
    "probability": ("probability(reward > 0.5) <= baseline + {}", 0.2, (coin(0.2), coin(0.4)), -1, (0, 1)),
    "quantile": (
        "quantile(0.7) <= 1.5 * baseline + {}",
        0.0,
        (lambda generator: generator.uniform(), lambda generator: 1.5 * generator.uniform()),
        -1,
        (0, 2),
    ),
    "quantile of atoms": ("quantile(0.5) <= 2 * baseline + {}", 0.0, (die(3), lambda g: 2 * die(3)(g)), -1, (0, 6)),
    "quantile of different atoms": ("quantile(0.5) >= baseline + {}", 1.0, (die(3), die(5)), 1, (0, 6)),
    "sub-Gaussian": (
        "mean >= baseline + {}",
        0.5,
        (lambda generator: generator.normal(), lambda generator: generator.normal(0.5)),
        1,
        SubGaussian(1.0),
    ),
    "Gaussian": (
        "mean <= baseline + {}",
        0.5,
        (lambda generator: generator.normal(), lambda generator: generator.normal(0.5, 2.0)),
        -1,
        "gaussian",
    ),
}


ATOMS = ["quantile of atoms", "quantile of different atoms"]
ORDERS = pytest.mark.parametrize("order", [losing, by_the_policy], ids=lambda order: order.__name__)


@ORDERS
@pytest.mark.parametrize("limit", [limit for limit in BESIDE if limit not in ATOMS])
def test_at_the_margin_no_side_is_shown_more_often_than_allowed(limit, order):
    """A hair further FEASIBLE would be wrong, and a hair before INFEASIBLE. Where results do not tie at the limit a hair
    changes no evidence that counts, so that the same paths show both.
    """
    text, plus, draws, _, rewards = BESIDE[limit]
    feasible, infeasible, *allowed = told(text.format(plus), draws, order, rewards=rewards)
    assert not too_many(feasible, PATHS, allowed[0])
    assert not too_many(infeasible, PATHS, allowed[1])


@pytest.mark.parametrize("limit", ["difference", "quantile"])
def test_a_hair_changes_no_verdict(limit, monkeypatch):
    """What the test above relies on; a few paths are enough to see it."""
    monkeypatch.setattr(sys.modules[__name__], "PATHS", 30)
    text, plus, draws, _, rewards = BESIDE[limit]
    found = [told(text.format(plus + hair), draws, alternating, rewards=rewards)[:2] for hair in (-HAIR, 0.0, HAIR)]
    assert found[0] == found[1] == found[2]


@ORDERS
@pytest.mark.parametrize("limit", ATOMS)
def test_verdicts_at_the_margin_are_wrong_no_more_often_than_allowed(limit, order):
    text, plus, draws, sign, rewards = BESIDE[limit]
    feasible, _, allowed, _ = told(text.format(plus + sign * HAIR), draws, order, rewards=rewards)  # broken by a hair
    assert not too_many(feasible, PATHS, allowed)
    _, infeasible, _, allowed = told(text.format(plus - sign * HAIR), draws, order, rewards=rewards)  # kept by a hair
    assert not too_many(infeasible, PATHS, allowed)


@pytest.mark.parametrize("limit", ATOMS)
def test_exactly_on_the_margin_no_side_is_shown_too_often(limit):
    """Where results are equal to each other, a hair is not the same as nothing."""
    text, plus, draws, _, rewards = BESIDE[limit]
    feasible, infeasible, *allowed = told(text.format(plus), draws, by_the_policy, rewards=rewards)
    assert not too_many(feasible, PATHS, allowed[0])
    assert not too_many(infeasible, PATHS, allowed[1])


@pytest.mark.parametrize(("limit", "level"), [("difference", 0.03), ("sub-Gaussian", -2.0), ("Gaussian", -4.0)])
def test_tests_at_lower_levels_are_wrong_too_often(limit, level):
    """The negative control. Mixtures over more unknown numbers start with less."""

    def weaker(stream):
        return stream._replace(feasible_level=level, infeasible_level=1e9)

    text, plus, draws, sign, rewards = BESIDE[limit]
    feasible, _, allowed, _ = told(text.format(plus + sign * HAIR), draws, by_the_policy, weaker, rewards)
    assert too_many(feasible, PATHS, allowed)


def test_the_quantile_of_the_baseline_s_results_taken_for_its_own_is_wrong_too_often(monkeypatch):
    """The negative control of looking at all places."""

    def above(own, other, stream, factor, plus):
        x = quantiles.estimate(other, stream.share, False)
        _, upto = quantiles.passed(own, 0, 0.0, factor * x + plus)
        return quantiles.wealth(own.rewards - upto, own.rewards, stream.rest_costs)

    monkeypatch.setattr(quantiles, "above", above)
    text, plus, draws, sign, rewards = BESIDE["quantile"]
    _, infeasible, _, allowed = told(text.format(plus - sign * HAIR), draws, seldom, rewards=rewards)
    assert too_many(infeasible, PATHS, allowed)


def test_counting_equal_results_on_the_wrong_side_is_wrong_too_often(monkeypatch):
    """The negative control of atoms: results at the place itself speak against the null hypothesis."""

    def passed(own, place, upto, x):
        while place < own.bins and own.starts[place] < x - 1e-6:
            upto += own.counts[place]
            place += 1
        return place, upto

    monkeypatch.setattr(quantiles, "passed", passed)
    text, plus, draws, _, rewards = BESIDE["quantile of atoms"]
    feasible, infeasible, *allowed = told(text.format(plus), draws, alternating, rewards=rewards)
    assert too_many(feasible, PATHS, allowed[0]) or too_many(infeasible, PATHS, allowed[1])


def test_a_baseline_taken_for_known_is_wrong_too_often():
    """The negative control of looking at one arm alone: the limit that the baseline's first results make."""
    wrong, generator = 0, np.random.default_rng(12)
    for _ in range(PATHS):
        known = generator.binomial(5, 0.4) / 5
        asked = Problem(["new"], rewards=(0, 1), limits=[f"mean >= {min(known + 0.1, 0.99)}"], delta=0.1)
        program = choice.program(asked)
        kernels, state = assemble(folding, program.parts), program.start(question_of(asked), packed=False)
        for _ in range(2 * PULLS):
            kernels.fold(state, 0, (float(generator.random() < 0.5 - HAIR),))
        wrong += state.arms[0].verdict == verdicts.FEASIBLE
    assert too_many(wrong, PATHS, 0.1)
