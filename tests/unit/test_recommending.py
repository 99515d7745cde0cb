"""The recommendation and its level, beside a naive transcription that knows the rewards and the definitions only."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq

from surefoot import Discrete, Problem
from surefoot.core import confidence, recommending, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.bounds import tight
from surefoot.core.ranking.tournament import INCUMBENT
from surefoot.core.recommending import NO_ARM, NOTHING_YET
from surefoot.core.records import copied
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from tests.conftest import PROGRAMS
from tests.contract.test_programs import LIMITS, REWARDS
from tests.flat import spent
from tests.play import play
from tests.unit.tight_arms import pair_wealth

FIXED = {"paper", "lil", "subgaussian"}


BEATEN = range(1, 10)


def rival_of(leader):
    """What an arm has that is conceded to a leader."""
    return -1 - leader


class Played:
    """A program in the midst of a run: what it kept, and all rewards of each arm."""

    def __init__(self, means, pulls, seed, policy="top-two", bounds="tight", **fields):
        generator, self.rewards = np.random.default_rng(seed), [[] for _ in means]
        self.problem = Problem([str(arm) for arm in range(len(means))], **fields)
        self.question = question_of(self.problem)
        self.program = choice.program(self.problem, policy, bounds)

        def reward(arm, n):
            self.rewards[arm].append(float(generator.random() < means[arm]))
            return self.rewards[arm][-1]

        game = play(self.problem, reward, policy, bounds, pulls)
        self.state, self.undecided = game.state, game.status == verdicts.UNDECIDED
        self.kernels = assemble(recommending, self.program.parts)
        self.ladder = confidence.Ladder(self.program, self.question)

    def guess(self):
        return self.kernels.guess(self.state)

    def level(self, arm):
        return confidence.level(
            self.ladder, self.kernels.doubt, self.state, [copied(arm) for arm in self.state.arms], arm
        )

    # --- by the definitions

    def log_wealth(self, arm, x, mirrored=False):
        rewards = np.array(self.rewards[arm])
        rewards, x = (1.0 - rewards, 1.0 - x) if mirrored else (rewards, x)
        parts = [
            weight + np.log((1.0 + bet * rewards) / (1.0 + bet * x)).sum()
            for bet, weight in zip(tight.BETS, tight.LOG_WEIGHTS, strict=True)
        ]
        return float(np.logaddexp.reduce(parts))

    def end(self, arm, allowed, mirrored):
        """L, or 1 - U: below it every mean is refuted at this level."""

        def excess(x):
            return self.log_wealth(arm, 1.0 - x if mirrored else x, mirrored) - math.log(1.0 / allowed)

        return brentq(excess, 0.0, 1.0) if excess(0.0) > 0.0 > excess(1.0) else 0.0

    def pair_wealth(self, arm, rival):
        high, low = self.state.arms[arm].goal, self.state.arms[rival].goal
        margin = self.question.tolerance
        left, right = max(high.lower, 0.0), min(low.upper, 1.0) - margin
        if left > right:
            return math.inf
        grid = np.linspace(left, right, 400)
        return pair_wealth(self.rewards[arm], self.rewards[rival], grid, grid + margin).min()

    def verdict(self, arm, asked, allowed):
        record, test = self.state.arms[arm], self.program.limit_test
        if record.verdict != verdicts.OPEN:
            return record.verdict
        parameters = self.program.limit_parameters(asked, allowed)
        return test.verdict(record.limit, record.metric, record.goal, parameters, 1.0)

    def decides(self, arm, alpha):
        asked = self.question._replace(delta=alpha)
        allowed = self.program.error_budget(asked)
        told = [self.verdict(index, asked, allowed) for index in range(len(self.rewards))]
        if arm == NO_ARM:
            return all(verdict == verdicts.INFEASIBLE for verdict in told)
        if told[arm] != verdicts.FEASIBLE:
            return False
        lower = max(self.end(arm, allowed.lower, False), self.state.arms[arm].goal.lower)
        for rival, verdict in enumerate(told):
            if (
                rival == arm
                or verdict == verdicts.INFEASIBLE
                or self.state.arms[rival].beaten_by in (rival_of(arm), *BEATEN)
            ):
                continue
            upper = min(1.0 - self.end(rival, allowed.upper, True), self.state.arms[rival].goal.upper)
            paired = self.program.policy.PAIRS
            if lower > upper - self.question.tolerance:
                continue
            if not paired or self.pair_wealth(arm, rival) < math.log(1.0 / allowed.pair):
                return False
        return True

    def naive_level(self, arm):
        return next((rung.alpha for rung in self.ladder if self.decides(arm, rung.alpha)), 1.0)


CASES = {
    "pairs": {},
    "intervals": {"policy": "va-lucb"},
    "tolerance": {"tolerance": 0.1},
    "probability": {"risk": "probability(reward < 0.5) <= 0.6"},
    "slack": {"risk": "probability(reward < 0.5) <= 0.6", "risk_slack": 0.05},
    "none qualifies": {"risk": "probability(reward < 0.5) <= 0.1"},
}


@pytest.mark.parametrize("case", CASES)
def test_the_level_is_the_smallest_at_which_the_definitions_decide(case):
    claimed = 0
    for seed in range(6):
        pulls = int(np.random.default_rng(seed).integers(20, 250))
        played = Played([0.8, 0.5, 0.3][: 2 + seed % 2], pulls, seed, delta=0.05, **CASES[case])
        arm = played.guess()
        found, naive = played.level(arm), played.naive_level(arm)
        ratio = played.ladder[1].alpha / played.ladder[0].alpha
        # L is found to a thousandth of the radius, on the safe side: that may be a rung.
        assert any(found == pytest.approx(naive * factor, rel=1e-9) for factor in (1.0, ratio))
        claimed += found < 1.0
    assert claimed > 1  # or nothing was compared


def test_what_is_beaten_speaks_against_no_arm_and_still_against_none():
    played = Played([0.7, 0.6, 0.6], 30, 0, delta=0.05, risk="probability(reward < 0.5) <= 0.6")
    arms = [copied(arm) for arm in played.state.arms]
    assert played.kernels.doubt(played.state, arms, 0, 1) == 1
    played.state.arms[1].beaten_by = rival_of(2)
    assert played.kernels.doubt(played.state, arms, 0, 1) == 1
    played.state.arms[1].beaten_by = rival_of(0)
    assert played.kernels.doubt(played.state, arms, 0, 1) == 2
    played.state.arms[1].beaten_by = 1
    assert played.kernels.doubt(played.state, arms, 0, 1) == 2
    assert played.kernels.doubt(played.state, arms, NO_ARM, 1) == 1
    played.state.arms[1].verdict = verdicts.INFEASIBLE
    assert played.kernels.doubt(played.state, arms, NO_ARM, 1) == 2


def test_before_the_first_result_nothing_is_recommended():
    assert Played([0.5, 0.5], 0, 0).guess() == NOTHING_YET
    assert Played([0.5, 0.5], 1, 0).guess() == 0


def test_none_is_recommended_where_every_arm_looks_infeasible_but_not_before_all_were_tried():
    limit = {"risk": "probability(reward < 0.5) <= 0.1"}
    assert Played([0.0, 0.0], 8, 0, **limit).guess() == NO_ARM
    played = Played([0.0, 0.0, 0.0], 2, 0, **limit)
    assert played.guess() in (0, 1, NOTHING_YET)


def test_an_arm_that_looks_infeasible_is_not_recommended_whatever_its_mean():
    played = Played([0.9, 0.6], 60, 1, risk="variance <= 0.2", policy="va-lucb", bounds="sharp")
    best, other = played.state.arms
    best.verdict = other.verdict = verdicts.OPEN
    assert best.metric.mean > other.metric.mean
    assert played.guess() == 0
    best.metric.spread, other.metric.spread = 0.21 * (best.metric.pulls - 1), 0.19 * (other.metric.pulls - 1)
    assert played.guess() == 1
    other.beaten_by = 1
    assert played.guess() == NO_ARM
    best.verdict = verdicts.FEASIBLE
    assert played.guess() == 0


@pytest.mark.parametrize("slack", [0.0, 0.05])
@pytest.mark.parametrize(
    "risk",
    [
        "variance <= 0.1",
        "std <= 0.3",
        "probability(reward < 0.4) <= 0.4",
        "probability(reward > 0.7) <= 0.3",
        "quantile(0.3) >= 0.35",
        "cvar(0.4) >= 0.25",
        "cvar_upper(0.4) <= 0.8",
        "none",
    ],
)
@pytest.mark.parametrize("bounds", ["tight", "sharp"])
def test_the_sample_breaks_a_limit_as_the_results_do(risk, bounds, slack):
    slack = 0.0 if risk == "none" else slack
    problem = Problem(["A"], risk=risk, risk_slack=slack)
    seen = set()
    for seed in range(40):
        generator, rewards = np.random.default_rng(seed), []
        spread = generator.uniform(0.1, 3.0)

        def reward(arm, n, generator=generator, spread=spread, rewards=rewards):
            rewards.append(round(float(generator.beta(spread, 1.2 * spread)), 3))
            return rewards[-1]

        game = play(problem, reward, "va-lucb", bounds, 25)
        (arm,) = game.state.arms
        program = choice.program(problem, "va-lucb", bounds)
        if arm.verdict != verdicts.OPEN:
            continue
        found = program.limit_test.sample_breaks(arm.limit, arm.metric, arm.goal, game.state.limit_parameters)
        count = len(rewards)
        sample = Discrete(tuple(rewards), (1 / count,) * count)
        value, (limit,) = problem.risk.value(sample), problem.limits or (None,)
        if problem.risk.of_variance and "std" not in risk:
            value *= count / (count - 1)
        elif "std" in risk:
            value *= (count / (count - 1)) ** 0.5
        if limit is None:
            assert not found
            continue
        edge = problem.risk.widened(slack)
        if abs(value - edge) > 0.02:  # tail means are between the ends of cells
            assert found == (value < edge if problem.risk.is_floor else value > edge), (value, edge)
            seen.add(found)
    assert risk == "none" or seen == {True, False}


def test_an_arm_that_the_incumbent_surpasses_is_not_recommended():
    """Its later rewards may be better, where nothing is as it is assumed to be."""
    played = Played([0.6, 0.5], 12, 1)
    first, second = played.state.arms
    played.state.board.places[INCUMBENT] = 0
    first.goal.lower, second.goal.upper, second.metric.mean = 0.5, 0.4, 0.95
    assert played.guess() == 0
    second.goal.upper = 0.6
    assert played.guess() == 1


@pytest.mark.parametrize(("policy", "bounds", "kind", "risk"), PROGRAMS)
def test_every_share_of_the_budget_grows_with_the_level(policy, bounds, kind, risk):
    """The proof rests on it: what fails at a level fails at every larger one."""
    accuracies = {"tolerance": 0.1, "risk_slack": 0.01} if policy == "risk-averse-ucb" else {}
    problem = Problem(["A", "B", "C"], risk=LIMITS[kind][risk], rewards=REWARDS[kind], delta=0.02, **accuracies)
    program, question = choice.program(problem, policy, bounds), question_of(problem)
    ladder = confidence.Ladder(program, question)
    if bounds in FIXED:
        assert len(ladder) == 0
        return
    assert ladder[0].alpha == 0.02
    assert ladder[-1].alpha == pytest.approx(confidence.LARGEST)
    budgets = [program.error_budget(question._replace(delta=rung.alpha)) for rung in ladder]
    for lower, upper in pairwise(budgets):
        assert all(one <= other for one, other in zip(spent(lower), spent(upper), strict=True))
        assert lower.lower < upper.lower < 1.0
    levels = [
        [value for name, value in rung.mean_parameters._asdict().items() if name.endswith("_level")] for rung in ladder
    ]
    assert sorted(levels, reverse=True) == levels


def test_only_the_rungs_that_are_looked_at_are_worked_out():
    """A simulation makes a ladder for each job, and most runs never look at it."""
    played = Played([0.8, 0.5], 60, 1, delta=0.05)
    ladder = played.ladder
    assert not ladder.known
    assert played.level(0) < 1.0
    assert 0 < len(ladder.known) < confidence.RUNGS // 3
    with pytest.raises(IndexError):
        ladder[confidence.RUNGS]


def test_a_delta_beyond_the_largest_level_has_one_rung():
    problem = Problem(["A", "B"], delta=0.97)
    (rung,) = confidence.Ladder(choice.program(problem), question_of(problem))
    assert rung.alpha == 0.97


@pytest.mark.parametrize("dropped", [0, 1, 40])
def test_excluded_arms_cost_confidence(dropped):
    program = choice.program(Problem(["A", "B"]))
    assert confidence.stated(program, 0.1, dropped) == pytest.approx(max(1.0 - 0.1 * (1 + dropped), 0.0))
