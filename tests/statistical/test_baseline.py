"""Limits against a baseline, at exactly the margin: how often an arm is said to keep or to break what it does not.

The arm that is pulled next depends on all results so far, which is what the evidence of two arms together must stand.
"""

import numpy as np
import pytest

from surefoot import Problem
from surefoot.core import folding, verdicts
from surefoot.core.assembly import assemble
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from tests.statistical.binomial import too_many

PATHS, PULLS, DELTA = 150, 200, 0.4
HAIR = 1e-9


def alternating(state, module, pull):
    return pull % 2


def losing(state, module, pull):
    """The baseline while it looks bad, the arm while that looks good: what makes a difference look large."""
    means = [arm.compared.totals[0] / max(arm.metric.pulls, 1.0) for arm in state.arms]
    return int(means[1] - means[0] > 0.1) if pull > 10 else pull % 2


def by_the_policy(state, module, pull):
    return module.in_doubt(state, 1) if pull > 1 else pull


def told(limit, shares, order, change=lambda stream: stream):
    """Of PATHS studies of two coins, in how many the arm was said to be feasible, and infeasible; how often each may be."""
    asked = Problem(["current", "new"], rewards=(0, 1), limits=[limit], baseline="current", delta=DELTA)
    program, question = choice.program(asked), question_of(asked)
    kernels, counts = assemble(folding, program.parts), {verdicts.FEASIBLE: 0, verdicts.INFEASIBLE: 0}
    for path in range(PATHS):
        state, generator = program.start(question, packed=False), np.random.default_rng([11, path])
        streams = tuple(map(change, state.limit_parameters.streams))
        state = state._replace(limit_parameters=state.limit_parameters._replace(streams=streams))
        for pull in range(PULLS):
            index = order(state, kernels.baseline, pull)
            kernels.fold(state, index, (float(generator.random() < shares[index]),))
            if kernels.baseline.look(state, 1):
                counts[state.arms[1].verdict] += 1
                break
    allowed = program.error_budget(question).limits[0]
    return counts[verdicts.FEASIBLE], counts[verdicts.INFEASIBLE], allowed.feasible, allowed.infeasible


BESIDE = {  # a limit, the coins of the baseline and of the arm that is exactly on it, and which side is the wrong one
    "difference": ("mean >= baseline + {}", 0.1, (0.4, 0.5), 1),
    "factor": ("mean <= 1.5 * baseline + {}", 0.0, (0.4, 0.6), -1),
    "probability": ("probability(reward > 0.5) <= baseline + {}", 0.2, (0.2, 0.4), -1),
}


@pytest.mark.parametrize("order", [alternating, losing, by_the_policy], ids=lambda order: order.__name__)
@pytest.mark.parametrize("limit", BESIDE)
def test_verdicts_at_the_margin_are_wrong_no_more_often_than_allowed(limit, order):
    text, plus, shares, sign = BESIDE[limit]
    feasible, _, allowed, _ = told(text.format(plus + sign * HAIR), shares, order)  # it is broken by a hair
    assert not too_many(feasible, PATHS, allowed)
    _, infeasible, _, allowed = told(text.format(plus - sign * HAIR), shares, order)  # it is kept by a hair
    assert not too_many(infeasible, PATHS, allowed)


def test_tests_at_lower_levels_are_wrong_too_often():
    """The negative control."""

    def weaker(stream):
        return stream._replace(feasible_level=0.03, infeasible_level=0.03)

    text, plus, shares, sign = BESIDE["difference"]
    feasible, _, allowed, _ = told(text.format(plus + sign * HAIR), shares, by_the_policy, weaker)
    assert too_many(feasible, PATHS, allowed)


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
