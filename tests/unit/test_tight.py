"""The `tight` bounds against naive transcriptions of docs/tight.md, and `top-two` where its rules show."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot import Bernoulli, Beta, Discrete, Instance, Normal, Study, Uniform, simulate
from surefoot.core import statistics, stepping, verdicts
from surefoot.core.answers import best
from surefoot.core.assembly import assemble
from surefoot.core.bounds import tight
from surefoot.core.limit_tests import tight_variance
from surefoot.core.policies import top_two
from surefoot.core.program import Program
from surefoot.core.ranking import tournament
from surefoot.core.registry import FAMILIES
from surefoot.problem import Problem
from surefoot.problem.kernel_question import question_of
from tests.flat import flat, limit_parameters
from tests.flat import parameters as parameters_of
from tests.unit.tight_arms import pair_wealth

WEIGHTS = [math.exp(weight) for weight in tight.LOG_WEIGHTS]
rewards = st.lists(st.sampled_from([0.0, 1.0]) | st.floats(0, 1), min_size=1, max_size=60)


def question(arms=2, risk="variance <= 0.04", **fields):
    return question_of(Problem(arms=[str(arm) for arm in range(arms)], risk=risk, **fields))


def arm_of(values, asked):
    """An arm's record after these rewards, with bounds and tests brought up to date by each."""
    parameters = parameters_of(tight, asked)
    tests = limit_parameters(tight_variance, asked, best.in_fortieths(asked))
    arm = flat(tight.Evidence, tight_variance.Evidence)
    for value in values:
        guessed = statistics.guess(arm)
        statistics.observe(arm, value, guessed)
        tight.observe(arm, arm, parameters, value)
        low, high = tight.interval(arm, arm, parameters, 1.0)
        arm.lower, arm.upper = max(arm.lower, low), min(arm.upper, high)
        tight_variance.observe(arm, arm, arm, tests, value, guessed)
    return arm


def naive(values, x):
    """E_n(x) as Proposition 1 has it."""
    bets = zip(WEIGHTS, tight.BETS, strict=True)
    return sum(weight * math.prod((1 + b * value) / (1 + b * x) for value in values) for weight, b in bets)


@given(rewards, st.floats(0, 1))
def test_wealth_is_that_of_the_bets(values, x):
    arm = arm_of(values, question())
    tight.settle(arm, arm)
    assert tight.wealth(arm.rises, arm.settled, x)[0] == pytest.approx(math.log(naive(values, x)), abs=1e-8)
    mirrored = [1 - value for value in values]
    assert tight.wealth(arm.falls, arm.settled, 1 - x)[0] == pytest.approx(math.log(naive(mirrored, 1 - x)), abs=1e-8)


def test_weights_add_to_one_and_fair_bets_gain_nothing():
    assert sum(WEIGHTS) == pytest.approx(1)
    for mean in (0.1, 0.5, 0.9):
        expected = sum(chance * naive([value], mean) for value, chance in ((0.0, 1 - mean), (1.0, mean)))
        assert expected == pytest.approx(1)


@given(rewards, st.floats(0.001, 0.999))
def test_the_slope_is_the_derivative_and_the_wealth_convex(values, x):
    arm = arm_of(values, question())
    tight.settle(arm, arm)
    step = 1e-6
    left, middle, right = (tight.wealth(arm.rises, arm.settled, x + away)[0] for away in (-step, 0.0, step))
    slope = tight.wealth(arm.rises, arm.settled, x)[1]
    assert slope == pytest.approx((right - left) / (2 * step), rel=1e-3, abs=1e-4)
    assert left + right >= 2 * middle - 1e-9


@given(rewards)
def test_bounds_refute_what_lies_beyond_them(values):
    asked = question()
    parameters, arm = parameters_of(tight, asked), arm_of(values, asked)
    if arm.lower > 0.0:
        assert any(
            math.log(naive(values[:n], arm.lower)) >= parameters.lower_level - 1e-7 for n in range(1, len(values) + 1)
        )
    if arm.upper < 1.0:
        mirrored = [1 - value for value in values]
        assert any(
            math.log(naive(mirrored[:n], 1 - arm.upper)) >= parameters.upper_level - 1e-7
            for n in range(1, len(values) + 1)
        )


def test_bounds_come_close_to_what_is_refuted():
    values = np.random.default_rng(1).beta(2, 2, 400).tolist()
    parameters, arm = parameters_of(tight, question()), arm_of(values, question())
    assert math.log(naive(values, arm.lower)) <= parameters.lower_level + 0.5
    assert arm.lower < 0.5 < arm.upper
    assert arm.upper - arm.lower < 0.2


def test_without_news_the_ends_tell_who_is_least_known():
    few, more = arm_of([0.5], question()), arm_of([0.5] * 2, question())
    assert few.upper > more.upper > 1.0
    assert few.lower < more.lower < 0.0


@pytest.mark.parametrize("seed", range(5))
def test_two_arms_at_once(seed):
    """Never above the least over a fine grid of means, and on the right side of every level, however close."""
    generator, asked = np.random.default_rng(seed), question()
    one, two = generator.beta(11, 9, 110 - 15 * seed).tolist(), generator.beta(9, 11, 40 + 15 * seed).tolist()
    first, second = arm_of(one, asked), arm_of(two, asked)
    tight.settle(first, first)
    tight.settle(second, second)
    left, right = max(first.lower, 0.0), min(second.upper, 1.0)
    assert left < right
    grid = np.linspace(left, right, 800)
    least = pair_wealth(one, two, grid, grid).min()
    finest = bottom(first, second, left, right)
    assert least - 1e-3 < finest <= least + 1e-9
    for level in (0.5 * finest, (1 - 1e-6) * finest, (1 + 1e-6) * finest, 2.0 * finest):
        found = tight.pair_log_evidence(first, second, parameters_of(tight, asked)._replace(pair_level=level))
        assert found <= finest + 1e-9
        assert (found >= level) == (finest >= level)


def bottom(first, second, left, right):
    """The least evidence at any mean between left and right, by halving."""
    for _ in range(100):
        middle = (left + right) / 2
        falls = tight.meeting(first, second, middle)[1] < 0
        left, right = (middle, right) if falls else (left, middle)
    return tight.meeting(first, second, left)[0]


@given(rewards, rewards, st.floats(0.01, 0.98))
def test_the_wealth_of_a_pair_is_convex_and_fair_bets_gain_nothing(one, two, x):
    first, second = arm_of(one, question()), arm_of(two, question())
    tight.settle(first, first)
    tight.settle(second, second)
    left, middle, right = (tight.meeting(first, second, x + away)[0] for away in (-0.01, 0.0, 0.01))
    assert left + right >= 2 * middle - 1e-9
    coins = [((value, other), chance) for value, chance in ((0.0, 1 - x), (1.0, x)) for other in (0.0, 1.0)]
    pay = sum(
        chance * (x if other else 1 - x) * math.exp(pair_wealth([value], [other], x, x))
        for (value, other), chance in coins
    )
    assert 0.98 < pay <= 1.0 + 1e-12


def test_pairs_tell_apart_what_intervals_do_not():
    generator, asked = np.random.default_rng(3), question()
    one, two = generator.beta(6, 4, 200).tolist(), generator.beta(5, 5, 200).tolist()
    level, told = parameters_of(tight, asked).pair_level, {"pair": 0, "intervals": 0}
    for n in range(20, 200, 5):
        first, second = arm_of(one[:n], asked), arm_of(two[:n], asked)
        tight.settle(first, first)
        tight.settle(second, second)
        told["pair"] += tight.pair_log_evidence(first, second, parameters_of(tight, asked)) >= level
        told["intervals"] += first.lower > second.upper
    assert told["pair"] >= told["intervals"] + 3 > 3


@given(rewards, st.sampled_from([1e-6, 0.01, 0.1, 0.2]), st.floats(0, 1))
def test_the_parabolas_lie_below_the_wealth(values, limit, place):
    """Lemma 4, summed up: at any mean in the interval, and for each stake."""
    asked = question(risk=f"variance <= {limit}")
    arm = arm_of(values, asked)
    low, high = max(arm.floor, 0.0), min(1.0 - arm.headroom, 1.0)
    mean = low + place * (high - low)
    for k, part in enumerate(tight_variance.PARTS):
        exact = sum(math.log(1 + part / limit * ((value - mean) ** 2 - limit)) for value in values)
        away = mean - arm.centre
        bound = arm.height[k] + away * (arm.tilt[k] + away * arm.bend[k])
        assert bound <= exact + 1e-7 * (1 + abs(exact))


@given(st.floats(0.01, 1e4), st.floats(-1, 1), st.floats(-1, 1))
def test_least_curvature(scale, one, other):
    left, right = sorted((one, other))
    y = np.linspace(left, right, 2001)
    curvature = 2 * scale * (1 - scale * y**2) / (1 + scale * y**2) ** 2
    found = tight_variance.least_curvature(scale, *tight_variance.distances(left, right))
    assert found <= curvature.min() + 1e-6 * scale
    assert found >= curvature.min() - 0.02 * scale


def test_the_wealth_of_an_infeasible_arm_grows_and_of_a_feasible_one_does_not():
    generator = np.random.default_rng(0)
    wide, narrow = generator.choice([0.0, 1.0], 60).tolist(), generator.uniform(0.4, 0.6, 60).tolist()
    asked = question()
    tests = limit_parameters(tight_variance, asked, best.in_fortieths(asked))
    assert (
        tight_variance.verdict(arm_of(wide, asked), arm_of(wide, asked), arm_of(wide, asked), tests, 1.0)
        == verdicts.INFEASIBLE
    )
    assert arm_of(wide, asked).feasible_log_wealth < 1.0
    assert arm_of(narrow, asked).infeasible_log_wealth < 1.0
    assert arm_of(narrow, asked).feasible_log_wealth > 1.0


def test_the_growth_of_the_feasible_test_is_positive_whatever_the_distribution():
    assert (tight_variance.CAUTION, tight_variance.BOLDEST) == (0.9, 0.95)
    tau = np.linspace(1e-3, 0.95, 10_000)
    assert (tau**2 / (1 - 0.9 * tau) + np.log1p(-tau) + tau).min() > 0.0


@pytest.mark.parametrize("arms", [1, 2, 3, 20])
@pytest.mark.parametrize("tested", [True, False])
def test_the_budget_is_spent_once(arms, tested):
    asked = question(arms, risk="variance <= 0.04" if tested else "none", delta=0.1)
    spent, others = best.in_fortieths(asked), max(arms - 1, 1)
    alone = spent.upper + sum(share.floor + share.infeasible for share in spent.limits)
    assert alone + others * (spent.lower + spent.pair) == pytest.approx(0.1)
    assert len(spent.limits) == tested
    for share in spent.limits:
        assert share.feasible <= spent.lower
        assert arms * share.feasible <= 0.1 + 1e-12


@pytest.mark.parametrize("margin", [0.0, 0.05, 0.1])
def test_two_arms_at_once_with_a_margin(margin):
    """The least over a fine grid of means, of bets against "one is at most x, two at least x + margin"."""
    generator, asked = np.random.default_rng(7), question()
    one, two = generator.beta(9, 11, 60).tolist(), generator.beta(11, 9, 70).tolist()
    first, second = arm_of(one, asked), arm_of(two, asked)
    grid = np.linspace(max(first.lower, 0.0), min(second.upper, 1.0) - margin, 2000)
    least = pair_wealth(one, two, grid, grid + margin).min()
    parameters = parameters_of(tight, asked)
    for level in (least - 0.01, least + 0.01):
        found = tight.pair_log_evidence(first, second, parameters._replace(pair_level=level), margin)
        assert (found >= level) == (least >= level)


NEAR = {"A": Beta(mean=0.7, variance=0.03), "B": Beta(mean=0.69, variance=0.03), "C": Beta(mean=0.4, variance=0.03)}


@pytest.mark.parametrize(("fields", "most"), [({"tolerance": 0.1}, 165), ({"tolerance": 0.1, "risk_slack": 0.01}, 150)])
def test_pairs_decide_up_to_the_tolerance_and_with_a_slack(fields, most):
    """By intervals these take 205 and 216 pulls in the mean."""
    instance = Instance(NEAR, risk="variance <= 0.06", **fields)
    found = simulate(instance, trials=40, engine="interpreted").summary()
    assert found["correct"] == 40
    assert found["pulls"]["mean"] < most


def conceded_to(leader, arms):
    return [arm.beaten_by == -1 - leader for arm in arms]


def test_arms_are_conceded_to_a_leader_as_long_as_it_leads():
    study, generator = Study(list("ABC"), tolerance=0.3), np.random.default_rng(0)
    for _ in range(12):
        for name in "ABC":
            study.record(name, float(generator.uniform(0.4, 0.6)))
    assert study.decision.arm  # nobody is better by more than the tolerance, and that is all it took
    arms = study._replica.state.engine.state.arms
    best = "ABC".index(study.decision.arm)
    assert all(conceded for index, conceded in enumerate(conceded_to(best, arms)) if index != best)
    assert "Every other arm surely has a lower mean, up to the tolerance" in str(study.decision)


def test_who_was_conceded_to_another_leader_is_a_rival_again():
    asked = question(arms=3, risk="none", tolerance=0.3)
    program = Program(top_two, tournament, tight, (), best)
    state = program.start(asked, packed=False)
    kernels = assemble(stepping, program.parts)
    for index, mean in enumerate((0.52, 0.5, 0.48)):
        for step in range(40):
            kernels.fold(state, index, (mean + 0.02 * (-1) ** step,))
    tournament.mark_conceded(state, 1, 0)
    state.policy[0].conceded_to = 1
    assert tournament.rank(state).leader == 0
    for _ in range(40):
        kernels.fold(state, 2, (0.7,))  # leads from now on
    ranking = tournament.rank(state)
    assert (ranking.leader, tournament.runner_up(state, 2)) == (2, 0)
    step = kernels.policy.stop(state, ranking, 1)
    assert (step.status, step.arm) == (verdicts.BEST, 2)
    assert state.arms[1].beaten_by != -1
    assert state.policy[0].conceded_to != 1


def test_the_leader_and_the_challenger_share_the_pulls_by_how_badly_they_are_known():
    """Two arms, no limit: pulls go as the standard deviations do."""
    instance = Instance({"A": Uniform(0.2, 0.9), "B": Uniform(0.45, 0.55)}, rewards=(0, 1))
    assert instance.right_answers == ("A",)
    study = Study(["A", "B"])
    generator = np.random.default_rng(4)
    while not study.decided:
        for pull in study.ask():
            low, high = {"A": (0.2, 0.9), "B": (0.45, 0.55)}[pull.arm]
            study.tell(pull, generator.uniform(low, high))
    first, second = study.table()
    assert study.decision.arm == "A"
    assert first.pulls > 2 * second.pulls


def test_an_arm_behind_comes_back_when_the_one_before_it_is_set_aside():
    means = {"A": 0.6, "B": 0.5, "C": 0.45}

    def measure(study, generator):
        for pull in study.ask():
            study.tell(pull, float(generator.beta(10 * means[pull.arm], 10 - 10 * means[pull.arm])))

    for seed in range(20):  # until one arm is out and the other is not
        study, generator = Study(list(means), delta=0.1), np.random.default_rng(seed)
        engine = study._replica.state.engine
        while not study.decided and not any(arm.beaten_by for arm in engine.state.arms):
            measure(study, generator)
        if not study.decided:
            break
    behind = next(index for index, arm in enumerate(engine.state.arms) if arm.beaten_by)
    winner = study.table()[engine.state.arms[behind].beaten_by - 1].name
    assert study.table()[behind].words == f"its mean is surely lower than that of {winner}"
    assert study.table()[behind].ruled_out
    study.set_aside(winner, "broken")
    assert not any(arm.beaten_by for arm in engine.state.arms)
    while not study.decided:
        measure(study, generator)
    assert study.decision.arm == max(set(means) - {winner}, key=means.get)
    assert study.decision.confidence == pytest.approx(0.8)


def test_a_coin_that_looks_best_and_risky_does_not_keep_a_better_arm_from_its_chance():
    """The best arm's first reward is poor, and the leader's variance is a little above the limit: no verdict for long."""
    instance = Instance({"best": Bernoulli(0.9), "risky": Bernoulli(0.55)}, risk="variance <= 0.24")
    for run in simulate(instance, trials=40, engine="interpreted", max_pulls=3_000).runs:
        assert run.status == verdicts.BEST
        assert run.pulls < 600


@pytest.mark.parametrize(
    ("rewards", "better", "on_the_limit"),
    [
        ((0, 1), Beta(mean=0.58, variance=0.02), Discrete((0.3, 0.7))),
        ("gaussian", Normal(mean=0.58, variance=0.02), Normal(mean=0.5, variance=0.04)),
    ],
    ids=["bounded", "gaussian"],
)
def test_a_leader_on_the_limit_does_not_keep_a_better_arm_from_its_chance(rewards, better, on_the_limit):
    """No verdict on the leader is ever due, and the better arm's first rewards may be poor."""
    arms = {"better": better, "on the limit": on_the_limit}
    instance = Instance(arms, risk="variance <= 0.04", rewards=rewards)
    found = simulate(instance, "top-two", trials=40, engine="interpreted", max_pulls=5_000).summary()
    assert found["correct"] == 40


def test_tight_tests_are_the_registry_s():
    assert FAMILIES["tight", "bounded"].limit_tests["variance"] is tight_variance
