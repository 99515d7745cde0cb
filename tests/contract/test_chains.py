"""Several limits decide as each would alone: every chain of two registered tests."""

from itertools import product

import numpy as np
import pytest

from surefoot import compiled
from surefoot.core import folding, records, statistics, stepping, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.limit_evidence import limit_evidence
from surefoot.problem.distributions import Beta, Uniform
from surefoot.simulation import Instance, kernel
from surefoot.simulation.job import BEGUN
from tests.limits import LIMITS, program_of, question_of

SEVERAL = [("top-two", "tight"), ("va-lucb", "tight"), ("va-lucb", "sharp"), ("successive-elimination", "sharp")]
PAIRS = [(bounds, *kinds) for bounds in ("tight", "sharp") for kinds in product(LIMITS, repeat=2)]
ARMS = {"good": Beta(mean=0.8, variance=0.0145), "even": Uniform(0.0, 1.0), "low": Beta(mean=0.5, variance=0.02)}


def folded(bounds, kinds, values):
    """One arm after these results, with a verdict that no policy looks at."""
    program = program_of("va-lucb", bounds, *kinds).displayed
    question = question_of(*kinds)
    state = program.start(question, packed=False)
    kernels = assemble(folding, program.parts)
    for value in values:
        kernels.fold(state, 0, (value,))
    return program, question, state


@pytest.mark.parametrize(("bounds", "first", "rest"), PAIRS)
@pytest.mark.parametrize("values", ["good", "even"])
def test_a_chain_of_two_says_what_each_says_alone_at_its_share(bounds, first, rest, values):
    """Each limit by itself, with the parameters it has in the chain: until it has decided, or the arm has by the other."""
    generator = np.random.default_rng(7)
    values = generator.beta(8, 2, 400).tolist() if values == "good" else generator.random(400).tolist()
    program, question, state = folded(bounds, (first, rest), values)
    allowed = program.error_budget(question)
    latched = [verdicts.OPEN, verdicts.OPEN]
    tests = [part.test for part in program.limits]
    parameters = [
        test.parameters(asked, share) for test, asked, share in zip(tests, question.limits, allowed.limits, strict=True)
    ]
    evidence = [records.plain_record(test.Evidence)() for test in tests]
    arm = program.start(question, packed=False).arms[0]
    mean_parameters, bound = state.mean_parameters, program.mean_bound
    for value in values:
        guessed = statistics.guess(arm.metric)
        statistics.observe(arm.metric, value, guessed)
        bound.observe(arm.goal, arm.metric, mean_parameters, value)
        lower, upper = bound.interval(arm.goal, arm.metric, mean_parameters, 1.0)
        arm.goal.lower, arm.goal.upper = max(arm.goal.lower, lower), min(arm.goal.upper, upper)
        for k in range(2):
            if verdicts.INFEASIBLE in latched or latched[k] != verdicts.OPEN:
                continue
            tests[k].observe(evidence[k], arm.metric, arm.goal, parameters[k], value, guessed)
        if verdicts.INFEASIBLE not in latched:
            latched = [
                tests[k].verdict(evidence[k], arm.metric, arm.goal, parameters[k], 1.0)
                if latched[k] == verdicts.OPEN
                else latched[k]
                for k in range(2)
            ]
    shown = [limit_evidence(program.limits, state, 0, limit) for limit in range(2)]
    assert [limit.verdict for limit in shown] == latched
    together = (
        verdicts.INFEASIBLE
        if verdicts.INFEASIBLE in latched
        else verdicts.FEASIBLE
        if latched == [verdicts.FEASIBLE] * 2
        else verdicts.OPEN
    )
    assert state.arms[0].verdict == together
    for k, (test, seen, own, metric, mean, found, _) in enumerate(shown):
        assert test is tests[k]
        assert found == parameters[k]
        assert records.contents(own) == records.contents(evidence[k])
        assert metric is state.arms[0].metric
        lower, upper = test.risk_interval(seen, own, metric, mean, found, question, 1.0)
        assert lower <= test.estimate(seen, own, metric, mean, found) <= upper


def test_chains_are_not_all_alike():
    """Of the results above, some decide: otherwise the test would compare nothing with nothing."""
    generator = np.random.default_rng(7)
    good, even = generator.beta(8, 2, 400).tolist(), generator.random(400).tolist()
    assert folded("tight", ("variance", "probability"), good)[2].arms[0].verdict == verdicts.FEASIBLE
    assert folded("tight", ("variance", "probability"), even)[2].arms[0].verdict == verdicts.INFEASIBLE


@pytest.mark.parametrize(
    ("policy", "bounds", "kinds"),
    [
        pytest.param("top-two", "tight", ("variance", "probability"), marks=pytest.mark.long),
        ("va-lucb", "sharp", ("quantile", "variance", "variance")),
    ],
)
def test_compiled_and_interpreted_chains_are_the_same(policy, bounds, kinds):
    program, question, draws = program_of(policy, bounds, *kinds), question_of(*kinds), Instance(ARMS).draws()
    ends = []
    for packed, loops in ((True, compiled.compile_program), (False, assemble)):
        state = program.start(question, packed=packed)
        advance = loops(kernel, program.parts).advance
        ends.append((advance(state, draws, np.random.default_rng(3), BEGUN, 4_000, 4_000), state))
    (compiled_end, packed), (interpreted_end, plain) = ends
    assert compiled_end == interpreted_end
    assert compiled_end.pulls > 20
    assert list(records.rows(packed.arms)) == [records.contents(arm) for arm in plain.arms]


@pytest.mark.parametrize(("policy", "bounds"), SEVERAL)
def test_several_limits_are_decided(policy, bounds):
    """The best arm is the one that keeps both; the even one breaks both, the low one is worse."""
    program, question = program_of(policy, bounds, "variance", "probability"), question_of("variance", "probability")
    state, kernels = program.start(question, packed=False), assemble(stepping, program.parts)
    generator = np.random.default_rng(5)
    for t in range(1, 30_000):
        step = kernels.step(state, t, generator)
        if step.status != verdicts.UNDECIDED:
            break
        for arm in state.asked[: step.pulls]:
            kernels.fold(state, arm, (float(generator.beta(*((8, 2), (1, 1), (6, 6))[arm])),))
    assert (step.status, step.arm) == (verdicts.BEST, 0)


def test_a_compiled_chain_is_kept_whatever_the_order_of_its_limits(tmp_path, monkeypatch):
    monkeypatch.setenv("SUREFOOT_CACHE_DIR", str(tmp_path))
    files = {
        compiled.cache_file(kernel, program_of("top-two", "tight", *kinds).parts)
        for kinds in (("variance", "quantile"), ("quantile", "variance"))
    }
    assert len(files) == 1
    assert None not in files
    other = compiled.cache_file(kernel, program_of("top-two", "tight", "variance", "probability").parts)
    assert other not in {*files, None}


def test_a_kernel_that_is_only_passed_on_is_the_kernel_itself():
    kernels = assemble(stepping, program_of("top-two", "tight", "variance").parts)
    comparison, limit_test = kernels.policy.comparison, kernels.policy.limit_test
    assert comparison.is_below is comparison.intervals.is_below
    assert comparison.is_below.__globals__ is vars(comparison.intervals)
    assert limit_test.verdict is limit_test.test.verdict
