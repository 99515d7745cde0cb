"""The rules of `top-two`, one choice at a time."""

import math

import numpy as np
import pytest

from surefoot import Instance, Normal
from surefoot.core import chains, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.bounds import tight
from surefoot.core.comparisons import pairs
from surefoot.core.limit_tests import tight_variance
from surefoot.core.policies import top_two
from surefoot.problem import Problem, choice
from surefoot.problem.kernel_question import question_of
from surefoot.simulation.job import Job
from tests.flat import flat, limited
from tests.unit.tight_arms import LEVELS, draws, fold

KERNELS = assemble(top_two, {"limit_test": chains.one_of(tight_variance)})


def arms_of(*rows):
    """A state of the policy: for each arm pulls, mean, surprise, L, U, verdict."""
    problem = Problem(arms=[str(index) for index in range(len(rows))], risk="variance <= 0.1")
    program = choice.program(problem, "top-two", "tight")
    state = program.start(question_of(problem), packed=False)
    ranker = program.ranker
    for index, (arm, row) in enumerate(zip(state.arms, rows, strict=True)):
        arm.metric.pulls, arm.metric.mean, arm.metric.surprise, arm.goal.lower, arm.goal.upper, arm.verdict = row
        ranker.trees.place(state.board.mean, index, arm.metric.mean)
        ranker.rank_upper(state.board, index, arm.goal.upper)
        if arm.verdict == verdicts.FEASIBLE:
            ranker.rank_lower(state, index)
    return state, ranker.rank(state)


def test_a_worse_arm_is_out_for_good_where_no_limit_has_a_slack():
    question = question_of(Problem(arms=["A", "B"], risk="variance <= 0.1"))
    widened = limited(question, widened=True)
    assert top_two.parameters(question).lasting
    assert not top_two.parameters(widened).lasting
    assert top_two.parameters(limited(widened, tested=False)).lasting  # a slack of nothing


def test_how_badly_means_are_known():
    one, other = (
        flat(pulls=20.0, mean=0.8, surprise=2.0),
        flat(pulls=50.0, mean=0.4, surprise=1.0),
    )
    own, others = (0.1 + 0.1 * 0.8) / 20, (0.02 + 0.1 * 0.6) / 50
    assert tight.variances_of_means(one, other) == pytest.approx((own, others))
    assert pairs.lead_of(one, other) == pytest.approx(0.5 * 0.16 / (own + others))
    assert pairs.lead_of(other, one) == 0.0
    unpulled = flat(pulls=0.0, mean=0.0, surprise=0.0)
    assert tight.variances_of_means(one, unpulled) == pytest.approx(((0.1 + 0.2 * 0.8) / 20, 0.2))
    assert pairs.lead_of(unpulled, unpulled) == 0.0


def pulls(state, ranking, count):
    chosen = []
    for _ in range(count):
        assert KERNELS.choose(state, ranking, np.random.default_rng(0)) == 1
        chosen.append(state.asked[0])
    return chosen


def test_leader_and_challenger_are_pulled_in_proportion_to_how_badly_they_are_known():
    feasible = verdicts.FEASIBLE
    state, ranking = arms_of((20.0, 0.8, 2.0, 0.5, 0.95, feasible), (50.0, 0.4, 1.0, 0.2, 0.9, feasible))
    own, others = (0.1 + 0.1 * 0.8) / 20, (0.02 + 0.1 * 0.6) / 50
    chosen = pulls(state, ranking, 200)
    assert chosen.count(0) == pytest.approx(200 * own / (own + others), abs=1)
    assert chosen[:2] == [0, 0]
    sure = (20.0, 0.8, 0.0, 0.5, 0.95, feasible), (20.0, 0.8, 0.0, 0.5, 0.9, feasible)
    assert pulls(*arms_of(*sure), 4) == [0, 1, 0, 1]


def test_an_arm_is_pulled_alone_when_nobody_can_surpass_it():
    state, ranking = arms_of((20.0, 0.8, 2.0, 0.5, 0.95, verdicts.OPEN), (50.0, 0.4, 1.0, 0.2, 0.4, verdicts.OPEN))
    assert pulls(state, ranking, 3) == [0, 0, 0]
    assert pulls(*arms_of((20.0, 0.8, 2.0, 0.5, 0.95, verdicts.OPEN)), 3) == [0, 0, 0]
    ends_meet = (20.0, 0.8, 2.0, 0.4, 0.95, verdicts.FEASIBLE), (5.0, 0.4, 1.0, 0.2, 0.4, verdicts.OPEN)
    assert 1 in pulls(*arms_of(*ends_meet), 9)


def test_a_leader_that_looks_too_risky_is_pulled_as_often_as_the_optimist():
    state, ranking = arms_of((20.0, 0.5, 2.0, 0.3, 0.85, verdicts.OPEN), (50.0, 0.4, 1.0, 0.2, 0.9, verdicts.OPEN))
    leader = state.arms[0]
    leader.limit.feasible_log_wealth, leader.limit.infeasible_log_wealth = 0.0, 1.0
    assert pulls(state, ranking, 3) == [0, 0, 0]
    leader.metric.pulls = 51.0
    assert pulls(state, ranking, 3) == [1, 1, 1]
    leader.metric.pulls = 20.0
    leader.limit.feasible_log_wealth, leader.limit.infeasible_log_wealth = (
        1.0,
        -1.0,
    )  # looks feasible, and is pulled until that is as sure as its lead
    lead = pairs.lead_of(*state.arms)
    share = lead / state.mean_parameters.pair_level
    leader.limit.feasible_log_wealth = 0.99 * share * state.limit_parameters.feasible_level
    assert pulls(state, ranking, 3) == [0, 0, 0]
    assert leader.comparison.owed == 0.0
    leader.limit.feasible_log_wealth = 1.01 * share * state.limit_parameters.feasible_level
    pulls(state, ranking, 1)
    assert leader.comparison.owed != 0.0


def test_a_challenger_has_the_root_of_the_leader_s_pulls_first_of_all():
    """Though the leader looks less sure to be feasible than better, which alone would have it pulled. And more while the
    lead is small: the part that is about the chance that there is none.
    """
    for mean, count, expected in ((0.1, 4.0, [1, 1]), (0.1, 5.0, [0, 0]), (0.4, 5.0, [1, 1]), (0.4, 24.0, [0, 0])):
        challenger = (count, mean, 0.0, 0.2, 0.84, verdicts.OPEN)
        state, ranking = arms_of((25.0, 0.5, 0.1, 0.3, 0.85, verdicts.OPEN), challenger)
        leader = state.arms[0]
        leader.limit.feasible_log_wealth, leader.limit.height, leader.limit.floor = 1e-9, [-1.0] * 4, 0.0
        assert top_two.is_due(*state.arms, pairs.lead_of(*state.arms)) == (expected == [1, 1])
        assert pulls(state, ranking, 2) == expected
    beaten = (4.0, 0.1, 0.0, 0.0, 0.2, verdicts.OPEN)  # surely less than the leader
    assert pulls(*arms_of((25.0, 0.5, 0.1, 0.3, 0.85, verdicts.OPEN), beaten), 2) == [0, 0]


def compared(one, other, **fields):
    state, _ = arms_of(*[(1.0, 0.5, 0.0, -math.inf, math.inf, verdicts.FEASIBLE)] * 2)
    state = state._replace(arms=[fold(one), fold(other)])
    for key, value in fields.items():
        setattr(state.arms[1], key, value)
    return state, top_two.surpassed(state, 0, 1)


def test_a_challenger_is_surpassed_when_the_evidence_is_there():
    better, worse = draws(1, 200, 6, 3), draws(2, 200, 3, 6)
    state, found = compared(better, worse)
    level = state.mean_parameters.pair_level
    first, second = state.arms
    assert found
    assert second.renewal == first.due + second.due
    assert first.settled == second.settled == 200.0
    assert tight.pair_log_evidence(first, second, LEVELS._replace(pair_level=level)) >= level
    assert not compared(worse, better)[1]
    assert not compared(better, worse, renewal=first.due + second.due)[1]  # nothing new since they were last compared
    state, found = compared(draws(1, 4, 6, 3), draws(2, 4, 3, 6))
    assert not found
    assert pairs.lead_of(*state.arms) < 0.5 * level
    assert state.arms[1].comparison.renewal == 0.0


def test_a_rough_lead_of_half_the_level_is_looked_at():
    for size in range(5, 60):
        state, found = compared(draws(1, size, 6, 3), draws(2, size, 3, 6))
        level = state.mean_parameters.pair_level
        lead = pairs.lead_of(*state.arms)
        assert (state.arms[1].comparison.renewal > 0.0) == (lead >= 0.5 * level)
        assert found == (lead >= 0.5 * level and tight.pair_log_evidence(*state.arms, state.mean_parameters) >= level)


def test_the_challenger_is_the_largest_upper_bound_but_for_the_leader():
    row = (9.0, 0.5, 1.0, 0.1)
    state, ranking = arms_of((*row, 0.7, 0), (9.0, 0.6, 1.0, 0.1, 0.9, 0), (*row, 0.8, 0))
    assert top_two.challenger_of(state, ranking) == 2
    state, ranking = arms_of((*row, 0.7, 0), (9.0, 0.6, 1.0, 0.1, 0.75, 0), (*row, 0.8, 0))
    assert top_two.challenger_of(state, ranking) == 2
    state, ranking = arms_of((*row, 0.7, 0))
    assert top_two.challenger_of(state, ranking) == -1


def test_a_gaussian_leader_that_hardly_varies_is_pulled_as_often_as_its_interval_needs():
    arms = {"steady": Normal(mean=3.0, variance=0.01)}
    arms |= {f"wild {index}": Normal(mean=-1.3, variance=6.5) for index in range(12)}
    instance = Instance(arms, rewards="gaussian")
    own = Job(instance, "top-two", "tight", seed=1, engine="interpreted").prepare()
    pulls = []
    for trial in range(6):
        run = own(trial)
        assert run(10_000).arm == 0
        pulls.append(run.pulls_of_arms())
    steady, *wild = np.mean(pulls, axis=0)
    assert steady > np.mean(wild) / 2  # it was a quarter: five pulls before the first choice, hardly one after
