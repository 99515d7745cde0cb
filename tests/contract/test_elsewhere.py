"""Limits on another metric than the goal's are decided as they would be on the goal's metric, with shares of their own."""

import math

import numpy as np
import pytest

from surefoot import compiled
from surefoot.core import folding, records, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.chains import LimitPart
from surefoot.core.limit_evidence import limit_evidence
from surefoot.core.limits import TailLimit, VarianceLimit
from surefoot.core.program import Program
from surefoot.core.registry import ANSWERS, FAMILIES, POLICIES, WITHOUT_BOUNDS, elsewhere, family
from surefoot.problem.distributions import Beta, Uniform
from surefoot.simulation import Instance
from tests import two_metrics
from tests.limits import LIMITS, question_of

BOUNDED = [(bounds, kind) for bounds in ("tight", "sharp") for kind in LIMITS]
ARMS = {"good": Beta(mean=0.8, variance=0.0145), "even": Uniform(0.0, 1.0), "low": Beta(mean=0.5, variance=0.02)}


def asked(*places, **fields):
    """A question with limits of LIMITS on metrics: (kind, metric) each."""
    question = question_of(*(kind for kind, _ in places), **fields)
    limits = zip(question.limits, places, strict=True)
    return question._replace(limits=tuple(limit._replace(metric=metric) for limit, (_, metric) in limits))


def program_of(policy, bounds, *places):
    found = family(policy, bounds, "bounded")
    bound, tests = elsewhere(bounds, "bounded")
    parts = tuple(LimitPart(tests[kind], metric, bound if metric else None) for kind, metric in places)
    return Program(POLICIES[policy], found.ranker, found.mean_bound, parts, ANSWERS["best"])


def folded(program, question, rows):
    state, kernels = program.start(question, packed=False), assemble(folding, program.parts)
    for row in rows:
        kernels.fold(state, 0, row)
    return state


@pytest.mark.parametrize(("bounds", "kind"), BOUNDED)
@pytest.mark.parametrize("values", ["good", "even"])
def test_a_limit_elsewhere_is_decided_as_on_the_goal_s_metric(bounds, kind, values):
    """The other metric's results are those that a goal's metric has in another study, at the same levels."""
    generator = np.random.default_rng(7)
    values = generator.beta(8, 2, 300).tolist() if values == "good" else generator.random(300).tolist()
    program, question = program_of("va-lucb", bounds, (kind, 1)).displayed, asked((kind, 1))
    state = folded(program, question, [(0.5, value) for value in values])
    alone, on_goal = program_of("va-lucb", bounds, (kind, 0)).displayed, asked((kind, 0))
    same = alone.start(on_goal, packed=False)._replace(
        limit_parameters=state.limit_parameters.limits,
    )
    if program.limits[0].test.NEEDS_MEAN:
        same = same._replace(mean_parameters=state.limit_parameters.mean)
    kernels = assemble(folding, alone.parts)
    for value in values:
        kernels.fold(same, 0, (value,))
    arm, twin = state.arms[0], same.arms[0]
    assert arm.verdict == twin.verdict
    assert records.contents(arm.limit.limits) == records.contents(twin.limit)
    assert records.contents(arm.shown.metric) == records.contents(twin.metric)
    if program.limits[0].test.NEEDS_MEAN:
        assert records.contents(arm.shown.mean) == records.contents(twin.goal)
    test, shown, own, metric, mean, parameters, verdict = limit_evidence(program.limits, state, 0, 0)
    assert (verdict, metric.pulls, metric.mean) == (arm.verdict, 300.0, pytest.approx(np.mean(values)))
    lower, upper = test.risk_interval(shown, own, metric, mean, parameters, question, 1.0)
    assert lower <= test.estimate(shown, own, metric, mean, parameters) <= upper


def test_what_decides_ends_with_the_verdict_and_what_people_see_goes_on():
    program, question = program_of("va-lucb", "tight", ("variance", 1)).displayed, asked(("variance", 1))
    even = [(0.5, value) for value in np.random.default_rng(1).random(400).tolist()]
    state = folded(program, question, even)
    arm = state.arms[0]
    assert arm.verdict == verdicts.INFEASIBLE
    assert arm.limit.metric.pulls < 400.0
    assert arm.shown.metric.pulls == arm.metric.pulls == 400.0
    assert state.arms[1].shown.metric.pulls == 0.0


@pytest.mark.parametrize("bounds", ["tight", "sharp"])
def test_the_budget_pays_for_floor_and_ceiling_of_another_metric(bounds):
    """All that may fail of the best arm is no more than with one limit; FEASIBLE has what it has with one."""
    one = program_of("va-lucb", bounds, ("variance", 0)).error_budget(asked(("variance", 0)))
    places = [("variance", 1), ("probability", 2), ("variance", 0)]
    found = program_of("va-lucb", bounds, *places).error_budget(asked(*places))
    variance, probability, on_goal = found.limits
    (alone,) = one.limits
    assert {share.feasible for share in found.limits} == {alone.feasible}
    spent = variance.infeasible + variance.floor + variance.ceiling + probability.infeasible
    assert spent + on_goal.infeasible + on_goal.floor == pytest.approx(alone.infeasible + alone.floor)
    assert min(variance.floor, variance.ceiling) > 0.0
    assert (found.lower, found.upper, found.pair) == (one.lower, one.upper, one.pair)


def test_a_metric_keeps_a_mean_only_if_a_test_reads_it():
    without = program_of("va-lucb", "tight", ("probability", 1)).start(asked(("probability", 1)), packed=True)
    with_mean = program_of("va-lucb", "tight", ("variance", 1)).start(asked(("variance", 1)), packed=True)
    assert list(without.arms.dtype["limit"]["mean"].names) == ["lower", "upper"]
    assert "rises" in with_mean.arms.dtype["limit"]["mean"].names


@pytest.mark.parametrize("test", WITHOUT_BOUNDS["any"])
def test_metrics_without_a_range(test):
    """Beyond 100 in one of twenty allowed: results of 1 to 50 keep it, results of which half are 1,000 break it."""
    found = family("top-two", "tight", "bounded")
    part = LimitPart(WITHOUT_BOUNDS["any"][test], 1)
    program = Program(POLICIES["top-two"], found.ranker, found.mean_bound, (part,), ANSWERS["best"]).displayed
    (limit,) = asked(("probability", 1)).limits
    limit = limit._replace(limit=TailLimit(1.0, 100.0, 100.0, 0.05, 0.05), low=-math.inf, high=math.inf)
    question = asked(("probability", 1))._replace(limits=(limit,))
    kept = folded(program, question, [(0.5, 1.0 + k % 50) for k in range(300)])
    broken = folded(program, question, [(0.5, 1_000.0 * (k % 2)) for k in range(300)])
    assert kept.arms[0].verdict == verdicts.FEASIBLE
    assert broken.arms[0].verdict == verdicts.INFEASIBLE
    _, shown, own, metric, mean, parameters, _ = limit_evidence(program.limits, kept, 0, 0)
    ends = part.test.risk_interval(shown, own, metric, mean, parameters, question, 1.0)
    assert ends[0] <= part.test.estimate(shown, own, metric, mean, parameters) <= ends[1]
    if test == "quantile":
        assert ends[0] > 40.0


@pytest.mark.parametrize("kind", ["gaussian", "subgaussian"])
def test_other_families_serve_another_metric(kind):
    bound, tests = elsewhere("tight", kind)
    assert bound is (FAMILIES.get(("tight", kind)) or FAMILIES["sharp", kind]).mean_bound
    found = family("top-two", "tight", "bounded")
    part = LimitPart(tests["variance"], 1, bound)
    program = Program(POLICIES["top-two"], found.ranker, found.mean_bound, (part,), ANSWERS["best"]).displayed
    (limit,) = asked(("variance", 1)).limits
    limit = limit._replace(limit=VarianceLimit(0.5, 0.0), sigma=1.0)
    question = asked(("variance", 1))._replace(limits=(limit,))
    generator = np.random.default_rng(2)
    verdict = [
        folded(program, question, [(0.5, value) for value in generator.normal(3.0, sd, 3_000).tolist()]).arms[0].verdict
        for sd in (0.3, 1.0)
    ]
    assert verdict == [verdicts.FEASIBLE, verdicts.INFEASIBLE]


@pytest.mark.parametrize(
    ("policy", "bounds", "places"),
    [
        pytest.param(
            "top-two", "tight", (("variance", 0), ("variance", 1), ("probability", 1)), marks=pytest.mark.long
        ),
        ("successive-elimination", "sharp", (("quantile", 1),)),
    ],
)
def test_compiled_and_interpreted_are_the_same(policy, bounds, places):
    program, question, draws = program_of(policy, bounds, *places), asked(*places), Instance(ARMS).draws()
    ends = []
    for packed, loops in ((True, compiled.compile_program), (False, assemble)):
        state = program.start(question, packed=packed)
        ends.append((loops(two_metrics, program.parts).run(state, draws, np.random.default_rng(3), 2_000), state))
    (compiled_end, packed), (interpreted_end, plain) = ends
    assert compiled_end == interpreted_end
    assert sum(arm.metric.pulls for arm in plain.arms) > 20.0
    assert list(records.rows(packed.arms)) == [records.contents(arm) for arm in plain.arms]
