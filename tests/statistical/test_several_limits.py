"""Several limits at once: FEASIBLE is no more often wrong than with one limit, INFEASIBLE no more often in all.

Limits are on the share of results above 1/2, at or a hair beyond what an arm has. Metrics of one pull depend on each other
in every way: not at all, the same number twice, opposite numbers.
"""

import numpy as np
import pytest

from surefoot.core import folding, stepping, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.chains import LimitPart
from surefoot.core.limits import MeanLimit, TailLimit, VarianceLimit
from surefoot.core.program import Program
from surefoot.core.registry import ANSWERS, POLICIES, elsewhere, family
from tests.limits import question_of
from tests.statistical.binomial import too_many

PATHS, PULLS = 120, 250
HAIR = 1e-9
KINDS = {TailLimit: "probability", VarianceLimit: "variance", MeanLimit: "mean"}


def rare(share, above=True):
    """No more than this share of results may be above 1/2, or below."""
    return TailLimit(1.0 if above else -1.0, 0.5, 0.5, share, share)


def program_of(limits, policy="top-two", bounds="tight"):
    """With a limit on each metric in turn, the goal's first."""
    found = family(policy, bounds, "bounded")
    bound, tests = elsewhere(bounds, "bounded")
    kinds = (KINDS[type(limit)] for limit in limits)
    parts = tuple(LimitPart(tests[kind], metric, bound if metric else None) for metric, kind in enumerate(kinds))
    return Program(POLICIES[policy], found.ranker, found.mean_bound, parts, ANSWERS["best"])


def asked(limits, **fields):
    question = question_of(*limits, **fields)
    places = enumerate(question.limits)
    return question._replace(limits=tuple(limit._replace(metric=metric) for metric, limit in places))


def told(limits, rows, delta, change=lambda parameters: parameters, **parts):
    """Of PATHS arms, how many were ever said to be feasible, and infeasible; and how often each may be wrong."""
    program, question = program_of(limits, **parts), asked(limits, arms=1, delta=delta)
    kernels, counts = assemble(folding, program.parts), {verdicts.FEASIBLE: 0, verdicts.INFEASIBLE: 0}
    for path in range(PATHS):
        state = program.start(question, packed=False)
        state = state._replace(limit_parameters=change(state.limit_parameters))
        for row in rows(np.random.default_rng([5, path])).tolist():
            kernels.fold(state, 0, tuple(row))
            if state.arms[0].verdict != verdicts.OPEN:
                counts[state.arms[0].verdict] += 1
                break
    allowed = program.error_budget(question)
    spent = allowed.upper + sum(share.infeasible + share.floor + share.ceiling for share in allowed.limits)
    return counts[verdicts.FEASIBLE], counts[verdicts.INFEASIBLE], allowed.limits[0].feasible, spent


def coins(count, depend):
    """Coins that are 1 with probability 0.3: of one metric, and of others that depend on it so."""

    def rows(generator):
        first = generator.random(PULLS)
        if depend == "same":
            others = [first] * (count - 1)
        elif depend == "opposite":
            others = [first if k % 2 else 1.0 - first for k in range(count - 1)]
        else:
            others = [generator.random(PULLS) for _ in range(count - 1)]
        return np.stack([(column < 0.3).astype(float) for column in [first, *others]], axis=1)

    return rows


@pytest.mark.parametrize("depend", ["independent", "same", "opposite"])
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("delta", [0.5, 0.2])
def test_an_arm_on_all_its_limits_is_not_called_infeasible_too_often(count, delta, depend):
    _, infeasible, _, allowed = told([rare(0.3)] * count, coins(count, depend), delta)
    assert allowed <= delta
    assert not too_many(infeasible, PATHS, allowed)


@pytest.mark.parametrize("bounds", ["tight", "sharp"])
def test_limits_that_rely_on_a_mean_of_their_own(bounds):
    """Variances and means of two further metrics, each on its limit: the three may fail no more often than one."""
    limits = [VarianceLimit(0.21, 0.0), VarianceLimit(0.21, 0.0), MeanLimit(-1.0, 0.3, 0.3)]
    _, infeasible, _, allowed = told(limits, coins(3, "independent"), 0.5, policy="va-lucb", bounds=bounds)
    assert not too_many(infeasible, PATHS, allowed)


@pytest.mark.parametrize("depend", ["independent", "same", "opposite"])
@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("delta", [0.5, 0.2])
def test_an_arm_that_breaks_one_limit_by_a_hair_is_not_called_feasible_too_often(count, delta, depend):
    """Whichever it is: each kept test has all of the level, and need not share it."""
    for broken in (0, count - 1):
        limits = [rare(0.3 - HAIR if k == broken else 0.9) for k in range(count)]
        feasible, _, allowed, _ = told(limits, coins(count, depend), delta)
        assert not too_many(feasible, PATHS, allowed)


def test_without_the_test_of_the_broken_limit_it_is():
    """The control: the others are kept, and nobody looks at the one that is not."""
    feasible, _, allowed, _ = told([rare(0.9)] * 2, coins(2, "independent"), 0.2)
    assert too_many(feasible, PATHS, allowed)


def test_infeasible_tests_that_do_not_share_their_level_fail_together():
    """The control: twenty limits, each with all that one may have."""
    limits = [rare(0.3)] * 20
    alone = program_of(limits[:1])
    level = alone.start(asked(limits[:1], arms=1, delta=0.2), packed=False).limit_parameters.infeasible_level

    def undivided(parameters):
        if hasattr(parameters, "first"):
            return parameters._replace(first=undivided(parameters.first), rest=undivided(parameters.rest))
        if hasattr(parameters, "limits"):
            return parameters._replace(limits=undivided(parameters.limits))
        return parameters._replace(infeasible_level=level)

    rows = coins(20, "independent")
    _, shared, _, allowed = told(limits, rows, 0.2)
    _, infeasible, _, _ = told(limits, rows, 0.2, undivided)
    assert not too_many(shared, PATHS, allowed)
    assert too_many(infeasible, PATHS, allowed)


@pytest.mark.parametrize("delta", [0.5, 0.2])
def test_decisions_are_wrong_no_more_often_than_delta(delta):
    """Two arms, neither of them feasible, each by a hair and by another limit; then two of which the better one is not."""
    limits = [rare(0.7), rare(0.3)]
    program, question = program_of(limits), asked(limits, arms=2, delta=delta)
    kernels = assemble(stepping, program.parts)
    neither, one = [(0.7 + HAIR, 0.1), (0.4, 0.3 + HAIR)], [(0.5, 0.1), (0.6, 0.3 + HAIR)]
    for right, arms in (("none", neither), ("first", one)):
        wrong, trials = 0, 60
        for trial in range(trials):
            state, generator = program.start(question, packed=False), np.random.default_rng([9, trial])
            for t in range(1, 400):
                step = kernels.step(state, t, generator)
                if step.status != verdicts.UNDECIDED:
                    answer = "none" if step.status == verdicts.NO_ARM else ("first", "second")[step.arm]
                    wrong += answer != right
                    break
                for arm in state.asked[: step.pulls]:
                    first = generator.random()
                    kernels.fold(state, arm, tuple(float(first < p) for p in arms[arm]))
        assert not too_many(wrong, trials, delta)
