"""Looked at after every pull, a recommendation is seldom wrong with much confidence; with negative controls."""

import functools

import numpy as np
import pytest

from surefoot import Bernoulli, Beta, Discrete, Instance
from surefoot.compiled import compile_program
from surefoot.core import confidence
from surefoot.core.limit_tests import tight_variance
from surefoot.core.policies import top_two
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from tests.statistical.binomial import too_many
from verification import looking

pytestmark = pytest.mark.long
RUNS, PULLS = 400, 400
NEAR_TIES = {
    "near ties": (Instance({"A": Bernoulli(0.5), "B": Bernoulli(0.51), "C": Discrete((0.3, 0.7))}), 1),
    "a limit": (
        Instance(
            {
                "A": Beta(mean=0.5, variance=0.02),
                "B": Beta(mean=0.52, variance=0.041),
                "C": Beta(mean=0.49, variance=0.02),
            },
            risk="variance <= 0.04",
        ),
        0,
    ),
    "none qualifies": (Instance({"A": Bernoulli(0.5), "B": Bernoulli(0.45)}, risk="variance <= 0.24"), -1),
    "intervals": (Instance({"A": Bernoulli(0.5), "B": Bernoulli(0.51)}), 1),
}


@functools.cache
def compiled(program):
    return compile_program(looking, program.parts)


def wrong(name, alpha, weaken=lambda rung: rung, carried=False):
    """In how many runs a wrong recommendation was ever shown with a confidence of 1 - alpha or more."""
    instance, right = NEAR_TIES[name]
    parts = ("va-lucb", "sharp") if name == "intervals" else ("top-two", "tight")
    program, question = choice.program(instance.problem, *parts), question_of(instance.problem)
    rungs = [rung for rung in confidence.Ladder(program, question) if rung.alpha <= alpha]
    largest, draws, found = weaken(rungs[-1]), instance.draws(), 0
    for run in range(RUNS):
        state = program.start(question, packed=True)
        claiming = state._replace(mean_parameters=largest.mean_parameters, limit_parameters=largest.limit_parameters)
        generator = np.random.default_rng([17, run])
        found += compiled(program).ever_wrong(state, claiming, draws, generator, PULLS, right, carried)
    return found


@pytest.mark.parametrize("alpha", [0.5, 0.2])
@pytest.mark.parametrize("name", NEAR_TIES)
def test_a_wrong_recommendation_seldom_has_much_confidence(name, alpha):
    assert not too_many(wrong(name, alpha), RUNS, alpha)


def weakened(rung):
    limit = rung.limit_parameters
    limit = tight_variance.weakened(limit) if isinstance(limit, tight_variance.Parameters) else limit
    return top_two.weakened(rung)._replace(limit_parameters=limit)


@pytest.mark.parametrize(("name", "alpha"), [("near ties", 0.5), ("near ties", 0.2), ("a limit", 0.2)])
def test_levels_that_are_too_low_are_caught(name, alpha):
    assert too_many(wrong(name, alpha, weakened), RUNS, alpha)


def test_a_confidence_carried_from_one_arm_to_the_next_is_wrong_more_often():
    """The running maximum, which nothing proves."""
    kept, carried = (wrong("near ties", 0.5, carried=carried) for carried in (False, True))
    assert kept < carried
