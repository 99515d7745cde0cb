"""The kernels of `tight` and `top-two`, against direct computation."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import logsumexp

from surefoot.core import statistics, verdicts
from surefoot.core.answers import best
from surefoot.core.bounds import tight
from surefoot.core.error_budget import alike
from surefoot.core.limit_tests import tight_variance
from surefoot.core.limits import VarianceLimit
from surefoot.core.policies import top_two
from surefoot.problem import Problem, choice
from surefoot.problem.kernel_question import question_of
from tests.flat import flat
from tests.flat import parameters as parameters_of

rewards = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=40)
QUESTION = question_of(Problem(arms=["A", "B", "C"], risk="variance <= 0.04"))
LEVELS = parameters_of(tight, QUESTION)
BETS = [32, 32 / 3, 32 / 9, 32 / 27, 32 / 81] + [32 / 3.0**k for k in range(5, 12)]
PRIOR = np.array([1 / 15, 1 / 10, 1 / 7, 1 / 6, 1 / 7, 1 / 10] + [1 / (6 + k**2) for k in range(3, 9)])


def fold(values, parameters=None, **fields):
    """An arm that has seen these rewards, and with parameters of a limit test was tested on them."""
    arm = flat(tight.Evidence, tight_variance.Evidence, top_two.Evidence, **fields)
    for value in values:
        guessed = statistics.guess(arm)
        statistics.observe(arm, value, guessed)
        tight.observe(arm, arm, LEVELS, value)
        if parameters:
            tight_variance.observe(arm, arm, arm, parameters, value, guessed)
    return arm


def wealth(values, x):
    """ln of the wealth against means of at most x, straight from its definition."""
    products = [np.sum(np.log((1 + b * np.array(values)) / (1 + b * x))) for b in BETS]
    return float(logsumexp(products + np.log(PRIOR / PRIOR.sum())))


def draws(seed, size, a=2.0, b=3.0):
    return np.random.default_rng(seed).beta(a, b, size).tolist()


def test_a_budget_in_fortieths():
    assert best.in_fortieths(QUESTION) == pytest.approx([0.05 / 40 * part for part in (7, 3, 7, 10, 2, 5.5, math.inf)])
    untested = best.in_fortieths(QUESTION._replace(tested=False))
    assert (untested.lower, untested.upper, untested.pair) == pytest.approx((0.05 / 4, 0.15 / 28, 0.275 / 28))
    alone = best.in_fortieths(QUESTION._replace(arms=1))
    assert alone == pytest.approx([0.05 / 40 * part for part in (14, 3, 14, 10, 2, 11, math.inf)])


@pytest.mark.parametrize(
    ("arms", "tested"), [(arms, tested) for arms in (1, 2, 9, 30, 500) for tested in (True, False)]
)
def test_no_budget_spends_more_than_delta(arms, tested):
    question, others = QUESTION._replace(arms=arms, tested=tested), arms - 1
    by_pairs = best.by_pairs(question)
    rest = others * max(by_pairs.lower + by_pairs.pair, tested * by_pairs.feasible)
    assert by_pairs.upper + tested * (by_pairs.floor + by_pairs.infeasible) + rest <= question.delta + 1e-12
    assert arms * by_pairs.feasible <= question.delta + 1e-12
    for spent in (best.in_fortieths(question), best.in_halves(question)):
        for_best = spent.upper + tested * (spent.floor + spent.infeasible)
        rest = others * (max(spent.lower, tested * spent.feasible) + spent.pair)
        assert for_best + rest <= question.delta + 1e-12
        assert arms * spent.feasible <= question.delta + 1e-12


def test_the_budget_where_pairs_decide():
    """Two others than the best arm; a hundred arms or more; one arm, of which one of two verdicts can be wrong."""
    assert best.by_pairs(QUESTION) == pytest.approx(
        [0.05 / 40 * part for part in (0.5, 2, 13.3333333, 10, 1, 13, math.inf)]
    )
    untested = best.by_pairs(QUESTION._replace(tested=False))
    assert (untested.lower, untested.upper, untested.pair) == pytest.approx([0.05 / 29 * part for part in (0.5, 2, 13)])
    many = best.by_pairs(QUESTION._replace(arms=101))
    assert many == pytest.approx([0.05 / 40 * part for part in (0.03, 13, 0.13, 13, 1, 0.1, math.inf)])
    alone = best.by_pairs(QUESTION._replace(arms=1))
    assert (alone.feasible, alone.infeasible, alone.upper) == pytest.approx((0.05, 0.5 / 13, 0.1 / 13))


def test_who_compares_intervals_alone_keeps_the_budget_in_fortieths():
    assert best.error_budget(QUESTION, True, False) == best.in_fortieths(QUESTION)
    assert best.error_budget(QUESTION, True, True) == best.by_pairs(QUESTION)
    assert best.error_budget(QUESTION, False, True) == best.in_halves(QUESTION)


def test_a_budget_in_halves():
    assert best.in_halves(QUESTION) == pytest.approx((0.05 / 6, 0.0125, 0.05 / 6, 0.0125, 0, 0, math.inf))
    assert best.in_halves(QUESTION._replace(tested=False)).upper == pytest.approx(0.025)
    assert alike(0.1, 0.2) == (0.1, 0.1, 0.2, 0.2, 0.0, 0.0, math.inf)


def test_levels_are_those_of_the_budget():
    assert LEVELS.lower_level == pytest.approx(math.log(40 / 0.5 / 0.05))
    assert LEVELS.upper_level == pytest.approx(math.log(40 / 2 / 0.05))
    assert LEVELS.pair_level == pytest.approx(math.log(40 / 13 / 0.05))
    widened = QUESTION._replace(widened=True)
    assert (LEVELS.lasting, parameters_of(tight, widened).lasting) == (True, False)
    assert parameters_of(tight, widened._replace(tested=False)).lasting  # a slack of nothing


def test_bets_and_weights_are_those_of_the_construction():
    assert pytest.approx(BETS) == tight.BETS
    assert np.exp(tight.LOG_WEIGHTS) == pytest.approx(PRIOR / PRIOR.sum())


@given(rewards)
def test_bets_are_settled_on_every_reward(values):
    arm = fold(values)
    for k, b in enumerate(BETS):
        rise, fall = sum(math.log1p(b * x) for x in values), sum(math.log1p(b * (1 - x)) for x in values)
        assert arm.rises[k] + math.log(arm.rise_products[k]) == pytest.approx(rise, abs=1e-9)
        assert arm.falls[k] + math.log(arm.fall_products[k]) == pytest.approx(fall, abs=1e-9)


@pytest.mark.parametrize("reward", [0.0, 1.0])
def test_products_are_settled_before_they_overflow(reward):
    arm = fold([reward] * 400, due=math.inf)
    assert 0 < arm.settled < 400
    sums, products = (arm.rises, arm.rise_products) if reward else (arm.falls, arm.fall_products)
    assert sums[0] + math.log(products[0]) == pytest.approx(400 * math.log(33.0))


def test_bounds_are_renewed_when_an_arm_has_two_percent_more_pulls():
    arm, due = fold([0.5]), 2.0
    for n in range(2, 400):
        statistics.observe(arm, 0.5, 0.5)
        tight.observe(arm, arm, LEVELS, 0.5)
        if n >= due:
            due = max(n + 1.0, 1.02 * n)
            assert arm.settled == n
        assert arm.settled <= n
        assert arm.due == due


@given(rewards, st.floats(0, 1))
def test_wealth_is_the_mean_of_the_bets(values, x):
    arm = fold(values)
    tight.settle(arm, arm)
    found, slope = tight.wealth(arm.rises, arm.settled, x)
    assert found == pytest.approx(wealth(values, x), abs=1e-9)
    step = 1e-6
    rise = (wealth(values, x + step) - wealth(values, x - step)) / (2 * step)
    assert slope == pytest.approx(rise, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("start", [0.0, 0.05])
def test_the_lower_end_is_where_the_wealth_reaches_the_level_or_a_little_less(seed, start):
    values = draws(seed, 60 + 100 * seed)
    arm = fold(values)
    tight.settle(arm, arm)
    found = tight.lower_end(arm.rises, arm.settled, 4.0, start, arm.mean)
    root = brentq(lambda x: wealth(values, x) - 4.0, 1e-9, arm.mean)
    assert start <= found <= root + 1e-12
    assert root - found <= 2e-3 * (arm.mean - root)


def test_the_lower_end_of_what_is_not_refuted():
    arm = fold([0.5, 0.3])
    gain = wealth([0.5, 0.3], 0.0)
    assert 0 < gain < 4
    assert tight.lower_end(arm.rises, 2.0, 4.0, 0.0, 0.4) == pytest.approx((gain - 4.0) / 2.0)
    assert tight.lower_end(arm.rises, 2.0, 4.0, -0.3, 0.4) == pytest.approx((gain - 4.0) / 2.0)
    assert tight.lower_end(arm.rises, 2.0, 4.0, 0.2, 0.4) == 0.2  # what was refuted before stays refuted
    assert tight.lower_end([0.0] * 12, 2.0, 4.0, 0.0, 0.0) == pytest.approx(-2.0)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_what_the_bets_do_not_refute(seed):
    values = draws(seed, 150)
    arm = fold(values, due=150.0)
    lower, upper = tight.interval(arm, arm, LEVELS, 1.0)
    low = brentq(lambda x: wealth(values, x) - LEVELS.lower_level, 1e-9, arm.mean)
    high = 1 - brentq(lambda x: wealth([1 - v for v in values], x) - LEVELS.upper_level, 1e-9, 1 - arm.mean)
    assert low - 2e-3 * (arm.mean - low) <= lower <= low + 1e-12
    assert high - 1e-12 <= upper <= high + 2e-3 * (high - arm.mean)


def test_anticipated_bounds_shrink_with_the_root_of_the_pulls_or_with_the_pulls():
    arm = SimpleNamespace(pulls=30.0, mean=0.4, headroom=0.2)
    assert tight.anticipate(arm, arm, LEVELS, 10.0, 1.0) == pytest.approx(0.4 + 0.4 * math.sqrt(0.75))
    arm.headroom = -0.4
    assert tight.anticipate(arm, arm, LEVELS, 10.0, 1.0) == pytest.approx(0.4 + 1.0 * 0.75)
    arm.headroom = 0.0
    assert tight.anticipate(arm, arm, LEVELS, 10.0, 1.0) == pytest.approx(0.4 + 0.6 * math.sqrt(0.75))


@pytest.mark.parametrize("seed", range(8))
def test_evidence_that_two_arms_are_apart_is_the_least_over_what_lies_between(seed):
    one, other = draws(seed, 40 + 20 * seed, 4, 2), draws(seed + 100, 200 - 20 * seed, 2, 3)
    first, second = fold(one), fold(other)
    tight.settle(first, first)
    tight.settle(second, second)
    first.lower, second.upper = 0.2, 0.8
    grid = np.linspace(0.2, 0.8, 501)
    least = min(wealth(one, x) + wealth([1 - v for v in other], 1 - x) for x in grid)
    for level in (least - 0.01, least + 0.01, 0.5 * least, 2.0 * least):
        found = tight.pair_log_evidence(first, second, LEVELS._replace(pair_level=level))
        assert found <= least + 1e-9
        assert (found >= level) == (least >= level)


def test_arms_are_apart_by_their_own_bounds_at_the_ends_of_what_is_left():
    one, other = draws(1, 50, 4, 2), draws(2, 70, 2, 3)
    first, second = fold(one), fold(other)
    tight.settle(first, first)
    tight.settle(second, second)

    def both(x):
        return wealth(one, x) + wealth([1 - v for v in other], 1 - x)

    for first.lower, second.upper, where in ((0.6, 0.9, 0.6), (0.1, 0.45, 0.45), (0.5, 0.5, 0.5)):
        assert tight.pair_log_evidence(first, second, LEVELS._replace(pair_level=5.0)) == pytest.approx(both(where))
    first.lower, second.upper = 0.5, 0.4
    assert tight.pair_log_evidence(first, second, LEVELS._replace(pair_level=5.0)) == math.inf
    first.lower, second.upper = -3.0, 7.0
    least = min(map(both, np.linspace(0, 1, 501)))
    assert tight.pair_log_evidence(first, second, LEVELS._replace(pair_level=least - 0.01)) == pytest.approx(
        least, abs=0.01
    )
    assert (
        tight.pair_log_evidence(first, fold([]), LEVELS)
        == tight.pair_log_evidence(fold([]), second, LEVELS)
        == -math.inf
    )


def test_wealth_that_meets_is_that_of_both():
    one, other = draws(3, 20), draws(4, 30)
    first, second = fold(one), fold(other)
    tight.settle(first, first)
    tight.settle(second, second)

    def both(x):
        return wealth(one, x) + wealth([1 - v for v in other], 1 - x)

    found, slope = tight.meeting(first, second, 0.3)
    assert found == pytest.approx(both(0.3))
    assert slope == pytest.approx((both(0.3 + 1e-6) - both(0.3 - 1e-6)) / 2e-6, rel=1e-4)


def variance_parameters(limit, slack=0.0):
    question = QUESTION._replace(limit=VarianceLimit(limit, slack))
    return tight_variance.parameters(question, best.in_fortieths(question))


def test_levels_of_the_variance_are_those_of_the_budget():
    found = variance_parameters(0.04, 0.01)
    assert found[:3] == pytest.approx((0.04, 0.05, 1))
    assert found[3:] == pytest.approx([math.log(40 / part / 0.05) for part in (7, 10, 2)])


@given(rewards, st.sampled_from([0.001, 0.04, 0.2]), st.sampled_from([0.0, 0.02]))
def test_the_feasible_bets_are_those_of_the_construction(values, limit, slack):
    wealth, X, Z, wide = 0.0, [], [], limit + slack
    for x in values:
        n, m = len(X), (0.5 + sum(X)) / (len(X) + 1)
        z, room = (x - m) ** 2, n * wide - sum(Z)
        worst = max(max(m, 1 - m) ** 2 - wide, 1e-3)
        if room > 0:
            stake = room / (wide**2 + sum((w - wide) ** 2 for w in Z) + 0.9 * room * worst)
            wealth += math.log(1 + min(stake, 0.95 / worst) * (wide - z))
        X.append(x)
        Z.append(z)
    assert fold(values, variance_parameters(limit, slack)).feasible_log_wealth == pytest.approx(wealth, abs=1e-6)


def parts_of(values, limit):
    """Of the wealth, what each stake takes at each reward that equals the mean."""
    following, X, Z = [], [], []
    for x in values:
        room = sum(Z) - len(Z) * limit
        scatter = 1 / 16 + sum((z - limit) ** 2 for z in Z)
        following.append(min(room * limit / (scatter + room * limit), 0.5) if room > 0 else 0.0)
        Z.append((x - (0.5 + sum(X)) / (len(X) + 1)) ** 2)
        X.append(x)
    return [[part] * len(values) for part in (0.12, 0.35, 0.7)] + [following]


@given(rewards, st.sampled_from([0.001, 0.04, 0.2]), st.floats(0, 1))
def test_a_parabola_lies_below_the_wealth_of_each_stake(values, limit, part):
    arm = fold(values, variance_parameters(limit))
    low, high = max(arm.floor, 0.0), min(1.0 - arm.headroom, 1.0)
    mean = low + part * (high - low)
    for k, parts in enumerate(parts_of(values, limit)):
        exact = sum(math.log(1 + p / limit * ((x - mean) ** 2 - limit)) for p, x in zip(parts, values, strict=True))
        assert parabola(arm, k, mean) <= exact + 1e-6 * (1 + abs(exact))


def parabola(arm, k, mean):
    away = mean - arm.centre
    return arm.height[k] + away * (arm.tilt[k] + away * arm.bend[k])


@given(rewards, st.sampled_from([1e-12, 0.001, 0.04, 0.2]))
def test_the_stake_that_follows_the_rewards(values, limit):
    arm = fold(values, variance_parameters(limit))
    assert arm.infeasible_part == pytest.approx(parts_of([*values, 0.5], limit)[3][-1], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("limit", [0.04, 1e-12])
@pytest.mark.parametrize("reward", [0.0, 0.3, 0.9])
@pytest.mark.parametrize(("floor", "headroom", "touching"), [(0.1, 0.2, 0.5), (0.6, 0.2, 0.6), (0.1, 0.7, 0.3)])
def test_a_parabola_touches_at_the_guess_with_the_least_curvature_there_is(reward, floor, headroom, touching, limit):
    arm = fold([], floor=floor, headroom=headroom, infeasible_part=0.2)
    tight_variance.settle_infeasible(arm, arm, reward, 0.5, limit)
    means = np.append(np.linspace(floor, 1 - headroom, 20_001), reward + np.linspace(-4e-4, 4e-4, 40_001))
    means = means[(means >= floor) & (means <= 1 - headroom)]
    assert arm.centre == pytest.approx(touching)
    for k, part in enumerate((0.12, 0.35, 0.7, 0.2)):
        stake = part / max(limit, 1e-9)
        factor = 1 + stake * ((reward - touching) ** 2 - limit)
        assert arm.height[k] == pytest.approx(math.log(factor))
        assert arm.tilt[k] == pytest.approx(-2 * stake * (reward - touching) / factor, abs=1e-6)
        w = stake / (1 - stake * limit) * (reward - means) ** 2
        curves = 2 * stake / (1 - stake * limit) * (1 - w) / (1 + w) ** 2
        assert 2 * arm.bend[k] == pytest.approx(curves.min(), rel=1e-3)


def test_parabolas_add_up_wherever_they_are_written_about():
    arm, alone = fold([], floor=0.1, headroom=0.2, infeasible_part=0.2), []
    for reward, guessed in ((0.2, 0.5), (0.9, 0.35), (0.4, 0.65)):
        tight_variance.settle_infeasible(arm, arm, reward, guessed, 0.04)
        single = fold([], floor=0.1, headroom=0.2, centre=guessed, infeasible_part=0.2)
        tight_variance.settle_infeasible(single, single, reward, guessed, 0.04)
        alone.append(single)
    for k in range(4):
        for mean in (0.15, 0.5, 0.8):
            assert parabola(arm, k, mean) == pytest.approx(sum(parabola(one, k, mean) for one in alone))


@pytest.mark.parametrize("scale", [0.3, 2.0, 40.0])
@pytest.mark.parametrize(
    ("left", "right"), [(-0.9, 0.1), (-0.2, 0.7), (0.1, 0.15), (0.3, 0.9), (-0.9, -0.6), (0.0, 0.2)]
)
def test_the_least_curvature(scale, left, right):
    u = scale * np.linspace(left, right, 50_001) ** 2
    assert tight_variance.least_curvature(scale, left, right) == pytest.approx(
        (2 * scale * (1 - u) / (1 + u) ** 2).min(), rel=1e-6
    )


@pytest.mark.parametrize("higher", [9.0, -9.0])
@pytest.mark.parametrize("seed", range(10))
def test_infeasible_wealth_is_the_mean_of_the_least_of_each_stake(seed, higher):
    generator = np.random.default_rng(seed)
    arm = fold([], centre=0.45, height=generator.normal(higher, 2, 4).tolist())
    arm.tilt, arm.bend = generator.normal(0, 3, 4).tolist(), generator.normal(0, 9, 4).tolist()
    away = np.linspace(0.2, 0.9, 100_001) - 0.45
    least = [(arm.height[k] + away * (arm.tilt[k] + away * arm.bend[k])).min() for k in range(4)]
    expected = math.log(sum(np.exp(least[:3])) / 6 + math.exp(least[3]) / 2)
    found = tight_variance.infeasible_wealth(arm, 0.2, 0.9)
    if higher > 0.0:
        assert found == pytest.approx(expected, abs=1e-6)
    else:  # roughly will do
        assert expected <= found < min(expected + math.log(4) + 1e-6, 0.0)


def test_verdicts_and_shares_follow_both_wealths():
    parameters = variance_parameters(0.04)
    arm = fold([])
    assert tight_variance.verdict(arm, arm, arm, parameters, 1.0) == verdicts.OPEN
    assert tight_variance.shares(arm, arm, arm, parameters, 1.0) == (0.0, 0.0)
    feasible, infeasible = parameters.feasible_level, parameters.infeasible_level
    for arm.feasible_log_wealth, arm.infeasible_log_wealth, verdict, shares in (
        (0.5 * feasible, 0.25 * infeasible, verdicts.OPEN, (0.5, 0.25)),
        (feasible, 0.0, verdicts.FEASIBLE, (1.0, 0.0)),
        (3.0 * feasible, -1.0, verdicts.FEASIBLE, (1.0, 0.0)),
        (-1.0, infeasible, verdicts.INFEASIBLE, (0.0, 1.0)),
        (feasible, 2.0 * infeasible, verdicts.INFEASIBLE, (1.0, 1.0)),
    ):
        assert tight_variance.verdict(arm, arm, arm, parameters, 1.0) == verdict
        assert tight_variance.shares(arm, arm, arm, parameters, 1.0) == pytest.approx(shares)
    untested = parameters._replace(tested=False)
    assert tight_variance.verdict(arm, arm, arm, untested, 1.0) == verdicts.FEASIBLE
    assert tight_variance.shares(arm, arm, arm, untested, 1.0) == (1.0, 0.0)


def test_the_mean_is_taken_between_floor_and_upper_end():
    for floor, headroom, expected in ((0.2, 0.3, (0.2, 0.7)), (-0.5, -0.5, (0.0, 1.0))):
        arm = fold([], floor=floor, headroom=headroom)
        assert tight_variance.means(arm, arm) == expected


@given(rewards, st.sampled_from([1e-12, 0.001, 0.04, 0.2]))
def test_the_infeasible_wealth_is_that_after_the_last_reward(values, limit):
    arm = fold(values, variance_parameters(limit))
    assert arm.infeasible_log_wealth == tight_variance.infeasible_wealth(arm, *tight_variance.means(arm, arm))


def test_the_floor_is_the_lower_end_at_its_own_level():
    values = draws(5, 120)
    arm = fold(values, variance_parameters(0.04), due=120.0)
    low = brentq(lambda x: wealth(values, x) - variance_parameters(0.04).floor_level, 1e-9, arm.mean)
    assert low > arm.low  # which may fail less often
    assert low - 2e-3 * (arm.mean - low) <= arm.floor <= low + 1e-12


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


def test_how_badly_means_are_known():
    one, other = (
        flat(pulls=20.0, mean=0.8, surprise=2.0),
        flat(pulls=50.0, mean=0.4, surprise=1.0),
    )
    own, others = (0.1 + 0.1 * 0.8) / 20, (0.02 + 0.1 * 0.6) / 50
    assert tight.variances_of_means(one, other) == pytest.approx((own, others))
    assert top_two.rough_lead(one, other) == pytest.approx(0.5 * 0.16 / (own + others))
    assert top_two.rough_lead(other, one) == 0.0
    unpulled = flat(pulls=0.0, mean=0.0, surprise=0.0)
    assert tight.variances_of_means(one, unpulled) == pytest.approx(((0.1 + 0.2 * 0.8) / 20, 0.2))
    assert top_two.rough_lead(unpulled, unpulled) == 0.0


def pulls(state, ranking, count):
    chosen = []
    for _ in range(count):
        assert top_two.choose(state, ranking, np.random.default_rng(0)) == 1
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
    lead = top_two.rough_lead(*state.arms)
    share = lead / state.mean_parameters.pair_level
    leader.limit.feasible_log_wealth = 0.99 * share * state.limit_parameters.feasible_level
    assert pulls(state, ranking, 3) == [0, 0, 0]
    assert leader.policy.owed == 0.0
    leader.limit.feasible_log_wealth = 1.01 * share * state.limit_parameters.feasible_level
    pulls(state, ranking, 1)
    assert leader.policy.owed != 0.0


def test_a_challenger_has_the_root_of_the_leader_s_pulls_first_of_all():
    """Though the leader looks less sure to be feasible than better, which alone would have it pulled. And more while the
    lead is small: the part that is about the chance that there is none.
    """
    for mean, count, expected in ((0.1, 4.0, [1, 1]), (0.1, 5.0, [0, 0]), (0.4, 5.0, [1, 1]), (0.4, 24.0, [0, 0])):
        challenger = (count, mean, 0.0, 0.2, 0.84, verdicts.OPEN)
        state, ranking = arms_of((25.0, 0.5, 0.1, 0.3, 0.85, verdicts.OPEN), challenger)
        leader = state.arms[0]
        leader.limit.feasible_log_wealth, leader.limit.height, leader.limit.floor = 1e-9, [-1.0] * 4, 0.0
        assert (count < top_two.least_pulls(*state.arms, top_two.rough_lead(*state.arms))) == (expected == [1, 1])
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
    assert second.compared == first.due + second.due
    assert first.settled == second.settled == 200.0
    assert tight.pair_log_evidence(first, second, LEVELS._replace(pair_level=level)) >= level
    assert not compared(worse, better)[1]
    assert not compared(better, worse, compared=first.due + second.due)[1]  # nothing new since they were last compared
    state, found = compared(draws(1, 4, 6, 3), draws(2, 4, 3, 6))
    assert not found
    assert top_two.rough_lead(*state.arms) < 0.5 * level
    assert state.arms[1].policy.compared == 0.0


def test_a_rough_lead_of_half_the_level_is_looked_at():
    for size in range(5, 60):
        state, found = compared(draws(1, size, 6, 3), draws(2, size, 3, 6))
        level = state.mean_parameters.pair_level
        lead = top_two.rough_lead(*state.arms)
        assert (state.arms[1].policy.compared > 0.0) == (lead >= 0.5 * level)
        assert found == (lead >= 0.5 * level and tight.pair_log_evidence(*state.arms, state.mean_parameters) >= level)


def test_the_challenger_is_the_largest_upper_bound_but_for_the_leader():
    row = (9.0, 0.5, 1.0, 0.1)
    state, ranking = arms_of((*row, 0.7, 0), (9.0, 0.6, 1.0, 0.1, 0.9, 0), (*row, 0.8, 0))
    assert top_two.challenger_of(state, ranking) == 2
    state, ranking = arms_of((*row, 0.7, 0), (9.0, 0.6, 1.0, 0.1, 0.75, 0), (*row, 0.8, 0))
    assert top_two.challenger_of(state, ranking) == 2
    state, ranking = arms_of((*row, 0.7, 0))
    assert top_two.challenger_of(state, ranking) == -1
