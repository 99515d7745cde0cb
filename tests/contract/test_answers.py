"""What every answer must do, because it is in the registry; and that policies ask the answer that they were given."""

import numpy as np
import pytest

from surefoot.core import stepping, verdicts
from surefoot.core.answers import best
from surefoot.core.assembly import assemble, filled
from surefoot.core.chains import limit_parts
from surefoot.core.own import policy as own_policy
from surefoot.core.program import Program
from surefoot.core.registry import ANSWERS, FAMILIES, OWN_FAMILIES, POLICIES
from surefoot.core.skeletons import answer as plain
from surefoot.core.skeletons import policy as skeleton
from surefoot.core.state import Step
from surefoot.errors import Unsupported
from surefoot.problem import Problem, choice
from surefoot.problem.kernel_question import question_of
from tests.flat import spent

ASKING = {name: policy for name, policy in POLICIES.items() if not policy.OWN_RULE} | {"a skeleton": skeleton}
PROBLEM = Problem(arms=["A", "B", "C"], risk="variance <= 0.2")
REWARDS = (0.2, 0.9, 0.5)


def program(name, policy, answer):
    families = OWN_FAMILIES.get(name, FAMILIES)
    family = families.get(("sharp", "bounded")) or families["tight", "bounded"]
    return Program(policy, family.ranker, family.mean_bound, limit_parts(family.limit_tests["variance"]), answer)


def played(parts, pulls):
    """The end of a run on rewards that never change, and its state."""
    state, generator = parts.start(question_of(PROBLEM), packed=False), np.random.default_rng(3)
    kernels, made = assemble(stepping, parts.parts), 0
    for t in range(1, pulls):
        step = kernels.step(state, t, generator)
        if step.status != verdicts.UNDECIDED or made >= pulls:
            break
        for arm in state.asked[: step.pulls]:
            kernels.fold(state, arm, (REWARDS[arm],))
            made += 1
    return step, state, kernels


def saying(step):
    """The answer `best`, but that it always says this."""
    answer = filled(best, "surefoot.core.answers.same")
    answer.settled = lambda state, ranking: step
    return answer


@pytest.mark.parametrize("name", ASKING)
def test_a_policy_stops_when_the_answer_it_was_given_says_so(name):
    at_once, _, _ = played(program(name, ASKING[name], saying(Step(verdicts.BEST, 2, 0))), 100)
    assert (at_once.status, at_once.arm) == (verdicts.BEST, 2)
    never, _, _ = played(program(name, ASKING[name], saying(Step(verdicts.UNDECIDED, -1, 0))), 3000)
    assert never.status == verdicts.UNDECIDED
    usual, _, _ = played(program(name, ASKING[name], best), 3000)
    assert (usual.status, usual.arm) == (verdicts.BEST, 1)


def test_the_policy_of_a_user_asks_the_answer_too():
    assert not own_policy.OWN_RULE


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("policy", ["va-lucb", "successive-elimination"])
def test_what_an_answer_settles_are_candidates(name, policy):
    answer = ANSWERS[name]
    end, state, kernels = played(program(policy, POLICIES[policy], answer), 5000)
    assert end.status != verdicts.UNDECIDED
    ranking = kernels.ranker.rank(state)
    assert answer.candidate(state, ranking, end.arm)


def test_whom_the_incumbent_surpasses_is_no_candidate_for_the_best_arm():
    _, state, kernels = played(program("va-lucb", POLICIES["va-lucb"], best), 5000)
    ranking = kernels.ranker.rank(state)
    assert [best.candidate(state, ranking, index) for index in range(3)] == [False, True, False]
    state.arms[0].goal.upper = 1.0
    assert best.candidate(state, ranking, 0)
    state.arms[0].verdict = verdicts.INFEASIBLE
    assert not best.candidate(state, ranking, 0)


@pytest.mark.parametrize("answer", [*ANSWERS.values(), plain])
@pytest.mark.parametrize(("pairs", "compared"), [(False, False), (True, False), (True, True)])
def test_an_error_budget_never_gives_one_failure_more_than_delta(answer, pairs, compared):
    for arms in (1, 2, 50):
        asked = question_of(PROBLEM)._replace(arms=arms)
        allowed = answer.error_budget(asked, pairs, compared, starts=True)
        assert all(0.0 <= share <= asked.delta for share in spent(allowed)[:6])
        assert min(spent(allowed)[:4]) > 0.0


def test_a_problem_finds_its_answer_in_the_registry(monkeypatch):
    monkeypatch.setitem(ANSWERS, "plain", plain)
    monkeypatch.setattr(Problem, "answer", "plain")
    assert choice.program(PROBLEM, "va-lucb", "sharp").answer is plain
    for bounds in ("tight", None):
        with pytest.raises(
            Unsupported, match=r"top-two cannot find the answer 'plain'; policy 'va-lucb' or .* would work"
        ):
            choice.program(PROBLEM, "top-two", bounds)
    gaussian = Problem(arms=["A", "B"], rewards="gaussian")
    with pytest.raises(Unsupported, match="track-and-stop cannot find the answer 'plain'"):
        choice.program(gaussian, "track-and-stop", "sharp")


def test_an_answer_is_part_of_the_choice(monkeypatch):
    assert choice.preferred(PROBLEM) == ("top-two", "tight")
    monkeypatch.setitem(ANSWERS, "plain", plain)
    monkeypatch.setattr(Problem, "answer", "plain")
    assert choice.preferred(PROBLEM) == ("va-lucb", "sharp")
    assert choice.preferred(PROBLEM, bounds="tight") == ("va-lucb", "tight")
    assert choice.program(PROBLEM).answer is plain
    tails = Problem(arms=["A", "B"], risk="cvar(0.1) >= 0.2")
    with pytest.raises(Unsupported, match=r"bounds 'tight' or .*'sharp'.* would work"):
        choice.program(tails, "va-lucb", "paper")
