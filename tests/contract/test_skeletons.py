"""Skeletons work as they are: together they make a program that decides, to the same bits compiled and interpreted."""

from types import ModuleType

import numpy as np
import pytest

from surefoot import Beta, Instance
from surefoot.compiled import compile_program
from surefoot.core import records, stepping, verdicts
from surefoot.core.answers import best
from surefoot.core.assembly import assemble
from surefoot.core.chains import limit_parts
from surefoot.core.parts import Answer, LimitTest, MeanBound, Policy
from surefoot.core.program import Program
from surefoot.core.question import LimitQuestion
from surefoot.core.ranking import tournament
from surefoot.core.skeletons import answer, bound, policy
from surefoot.core.skeletons import test as limit_test
from surefoot.problem import kernel_question
from surefoot.simulation import kernel
from surefoot.simulation.job import BEGUN
from tests.contract.test_parts import names_of
from tests.flat import spent

PROGRAM = Program(policy, tournament, bound, limit_parts(limit_test), best)
ARMS = {
    "good": Beta(mean=0.8, variance=0.01),
    "risky": Beta(mean=0.9, variance=0.08),
    "bad": Beta(mean=0.2, variance=0.01),
}


@pytest.mark.parametrize(
    ("plug", "module"), [(MeanBound, bound), (LimitTest, limit_test), (Policy, policy), (Answer, answer)]
)
def test_a_skeleton_has_what_its_plug_point_asks_for(plug, module):
    assert names_of(plug) <= set(vars(module))


def advanced(arms, engine):
    instance = Instance(arms)
    state = PROGRAM.start(question_of(instance), packed=engine is compile_program)
    loop = engine(kernel, PROGRAM.parts).advance
    return loop(state, instance.draws(), np.random.default_rng(4), BEGUN, 20_000, 20_000), state


def question_of(instance):
    """With a limit, as the test has one: its numbers are the test's own."""
    return kernel_question.question_of(instance.problem)._replace(limits=(LimitQuestion(None, tested=True),))


def test_they_decide_alike_compiled_and_interpreted():
    arms = {"good": ARMS["good"], "bad": ARMS["bad"]}
    (compiled, packed), (interpreted, plain) = advanced(arms, compile_program), advanced(arms, assemble)
    assert compiled == interpreted
    assert (compiled.status, compiled.arm) == (verdicts.BEST, 0)
    assert list(records.rows(packed.arms)) == [records.contents(arm) for arm in plain.arms]


def test_an_arm_beyond_the_limit_is_infeasible():
    end, state = advanced({"bad": ARMS["bad"]}, assemble)
    assert end.status == verdicts.NO_ARM
    assert state.arms[0].verdict == verdicts.INFEASIBLE


def test_the_answer_agrees_with_the_rule_for_the_best_arm():
    kernels: ModuleType = assemble(stepping, PROGRAM.parts)
    state, generator = PROGRAM.start(question_of(Instance(ARMS)), packed=False), np.random.default_rng(6)
    for t in range(1, 30_000):
        step = kernels.step(state, t, generator)
        if t > len(ARMS):
            assert answer.settled(state, kernels.ranker.rank(state))[:2] == step[:2]
        if step.status != verdicts.UNDECIDED:
            return
        for arm in state.asked[: step.pulls]:
            kernels.fold(state, arm, (float(generator.beta(*((8, 2), (1, 0.5), (2, 8))[arm])),))
    pytest.fail("no decision")


def test_the_error_budget_of_the_answer_adds_up_to_delta():
    question = question_of(Instance(ARMS))
    budget = answer.error_budget(question, pairs=False, compared=False, starts=False)
    assert question.arms * sum(spent(budget)[:4]) == question.delta
