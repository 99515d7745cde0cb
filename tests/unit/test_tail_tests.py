"""The tests of probability, quantile and cvar, against direct computation (docs/bounds.md)."""

import copy
import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core import proportions, records, statistics, verdicts
from surefoot.core.answers.best import in_halves
from surefoot.core.limit_tests import cvar, probability, quantile
from surefoot.core.statistics import Statistics
from surefoot.problem import Problem
from surefoot.problem.distributions import Discrete
from surefoot.problem.kernel_question import question_of
from surefoot.problem.risks import Cvar, Probability
from tests.flat import limit_parameters

TENTHS = [round(0.1 * tenths, 1) for tenths in range(11)]
rewards = st.lists(st.one_of(st.sampled_from(TENTHS), st.floats(0, 1, allow_subnormal=False)), max_size=60)


def parameters_of(test, risk, **fields):
    question = question_of(Problem(arms=["A", "B"], risk=risk, **fields))
    return limit_parameters(test, question, in_halves(question))


def fold(test, parameters, values, arm=None):
    arm = arm or records.plain_record(Statistics, test.Evidence)()
    for value in values:
        guessed = statistics.guess(arm)
        statistics.observe(arm, value, guessed)
        test.observe(arm, arm, arm, parameters, value, guessed)
    return arm


def after(test, parameters, arm, value):
    return fold(test, parameters, [value], copy.deepcopy(arm))


def naive_probability(bad, share, rare, total):
    """Log-wealth of betting on indicators with (k + 1) / (n + total) as the next one's probability."""
    wealth = 0.0
    for n, now in enumerate(bad):
        expected = (sum(bad[:n]) + 1.0) / (n + total)
        if (expected < share) if rare else (expected > share):
            wealth += math.log(expected / share) if now else math.log((1 - expected) / (1 - share))
    return wealth


@given(rewards, st.sampled_from([1e-4, 0.01, 0.2, 0.4]), st.sampled_from([0.0, 0.05]), st.sampled_from("<>"))
def test_bets_on_bad_rewards(values, share, slack, side):
    parameters = parameters_of(probability, f"probability(reward {side} 0.3) <= {share}", risk_slack=slack)
    arm = fold(probability, parameters, values)
    bad = [value < 0.3 if side == "<" else value > 0.3 for value in values]
    wide = share + slack
    assert arm.feasible_log_wealth == pytest.approx(naive_probability(bad, wide, True, 2 / wide), abs=1e-9)
    total = 1 / min(2 * share, (1 + share) / 2)
    assert arm.infeasible_log_wealth == pytest.approx(naive_probability(bad, share, False, total), abs=1e-9)


@given(rewards, st.sampled_from([0.05, 0.2, 0.4]), st.sampled_from([0.25, 0.55, 0.95]))
def test_that_bad_ones_are_rare_is_that_good_ones_are_frequent(values, share, threshold):
    values = [value for value in values if value != threshold]
    below = fold(probability, parameters_of(probability, Probability("<", threshold, share)), values)
    above = fold(probability, parameters_of(probability, Probability(">", threshold, 1 - share)), values)
    assert above.feasible_log_wealth == pytest.approx(below.infeasible_log_wealth, abs=1e-6)
    assert above.infeasible_log_wealth == pytest.approx(below.feasible_log_wealth, abs=1e-6)


def test_a_quantile_is_a_probability_in_both_directions_and_for_both_goals():
    for goal, mirrored in (("max", 1.0), ("min", -1.0)):
        low = parameters_of(quantile, "quantile(0.1) >= 2", rewards=(0, 10), goal=goal)
        assert (low.sign, low.share) == (-mirrored, 0.1)
        assert low.threshold == pytest.approx(0.2 if goal == "max" else 0.8)
        high = parameters_of(quantile, "quantile(0.1) <= 2", rewards=(0, 10), goal=goal, risk_slack=1)
        assert (high.sign, high.share) == (mirrored, 0.9)
        assert high.wide_threshold == pytest.approx(0.3 if goal == "max" else 0.7)


@given(rewards, st.sampled_from(["<", ">"]), st.sampled_from([1e-4, 0.1, 0.5, 0.999]))
def test_no_step_of_a_bet_on_the_limit_gains_on_average(values, side, share):
    parameters = parameters_of(probability, f"probability(reward {side} 0.3) <= {share}")
    arm = fold(probability, parameters, values)
    bad, good = (0.1, 0.3) if side == "<" else (0.9, 0.3)
    steps = [(share, after(probability, parameters, arm, bad)), (1 - share, after(probability, parameters, arm, good))]
    assert sum(
        weight * math.exp(step.feasible_log_wealth - arm.feasible_log_wealth) for weight, step in steps
    ) == pytest.approx(1)
    assert sum(
        weight * math.exp(step.infeasible_log_wealth - arm.infeasible_log_wealth) for weight, step in steps
    ) == pytest.approx(1)


laws = st.lists(
    st.tuples(st.sampled_from(TENTHS), st.floats(0.01, 1)), min_size=2, max_size=5, unique_by=lambda x: x[0]
)


@given(
    rewards,
    laws,
    st.sampled_from([1e-4, 0.05, 0.3, 0.9]),
    st.sampled_from([0.0, 0.03]),
    st.sampled_from(["max", "min"]),
)
def test_no_step_of_the_feasible_test_of_cvar_gains_on_average_on_the_limit(values, law, share, slack, goal):
    arm_law = Discrete(tuple(x for x, _ in law), tuple(weight for _, weight in law))
    limit = Cvar(share, 0.0).value(arm_law)
    if not 0.0 < limit <= 1.0 - slack:  # out of the range of rewards
        return
    parameters = parameters_of(cvar, Cvar(share, limit + slack), risk_slack=slack, goal=goal)
    arm = fold(cvar, parameters, values)
    if arm.refuted:
        return
    mean = 0.0
    for value, weight in zip(arm_law.values, arm_law.weights, strict=True):
        step = after(cvar, parameters, arm, value if goal == "max" else 1.0 - value)
        mean += weight * math.exp(step.feasible_log_wealth - arm.feasible_log_wealth)
    assert mean <= 1.0 + 1e-9


def cell_of(arm, c):
    """The cell that c is in; of two that meet there, always the right one, because they stake differently."""
    spans = [(arm.left[cell], arm.right[cell]) for cell in range(arm.cells)]
    return next((cell for cell, (left, right) in enumerate(spans) if left <= c < right or c == right == 1.0), None)


@given(rewards, st.sampled_from([1e-4, 0.05, 0.3, 0.9]), st.sampled_from([0.1, 0.5, 1.0]), st.floats(0, 1))
def test_a_cell_bounds_the_wealth_of_every_c_in_it(values, share, limit, part):
    parameters = parameters_of(cvar, Cvar(share, limit))
    arm, c, wealth = records.plain_record(Statistics, cvar.Evidence)(), limit + part * (1 - limit), 0.0
    for value in values:
        cell = 0 if not arm.cells else cell_of(arm, c)
        if arm.refuted or cell is None:
            assert wealth >= parameters.infeasible_level
            return
        worst = max((arm.right[cell] if arm.cells else 1.0) - limit, 1e-6)
        ends = ((arm.left_gap, arm.left_square), (arm.right_gap, arm.right_square))
        staked = min(cvar.stake(gap[cell], square[cell], worst) for gap, square in ends)
        factor = 1 + staked * (limit - c + max(c - value, 0) / share)
        assert factor >= 0.1 - 1e-9
        wealth += math.log(factor)
        fold(cvar, parameters, [value], arm)
        if (cell := cell_of(arm, c)) is not None:
            left, right = arm.left[cell], arm.right[cell]
            along = (c - left) / (right - left) if right > left else 0.0
            line = arm.left_wealth[cell] + along * (arm.right_wealth[cell] - arm.left_wealth[cell])
            assert line <= wealth + 1e-6 * (1 + abs(wealth))


def test_cells_cover_what_is_not_refuted_and_never_overlap():
    parameters = parameters_of(cvar, Cvar(0.2, 0.21))
    arm = fold(cvar, parameters, [0.2 + 0.6 * math.sin(n) ** 2 for n in range(300)])
    spans = sorted((arm.left[cell], arm.right[cell]) for cell in range(arm.cells))
    assert 1 <= len(spans) <= cvar.CELLS
    assert all(before[1] <= behind[0] for before, behind in itertools.pairwise(spans))


ENDS = ("", "_wealth", "_gap", "_square")


def cells_of(rows):
    """An arm with these cells: of each both ends, of each end c, the log-wealth, the sums of limit - Y and of its square."""
    arm = records.plain_record(Statistics, cvar.Evidence)()
    arm.cells = len(rows)
    for cell, ends in enumerate(rows):
        for side, numbers in zip(("left", "right"), ends, strict=True):
            for name, number in zip(ENDS, numbers, strict=True):
                getattr(arm, side + name)[cell] = number
    return arm


def rows_of(arm):
    return [
        tuple(tuple(getattr(arm, side + name)[cell] for name in ENDS) for side in ("left", "right"))
        for cell in range(arm.cells)
    ]


ONE, OTHER = ((0.2, 1.0, -2.0, 3.0), (0.6, 5.0, 2.0, 7.0)), ((0.6, 5.5, 2.5, 7.5), (1.0, 6.0, 3.0, 8.0))


def test_a_cell_is_split_where_everything_is_taken_to_be_linear():
    arm = cells_of([ONE, OTHER])
    cvar.split(arm, 0, 0.5)
    middle = pytest.approx((0.5, 4.0, 1.0, 6.0))
    (left, mine), other, (theirs, right) = rows_of(arm)
    assert (left, right, other) == (*ONE, OTHER)
    assert mine == middle
    assert theirs == middle


def test_the_last_cell_takes_the_place_of_one_that_is_refuted():
    for cell, left in ((0, [OTHER]), (1, [ONE])):
        arm = cells_of([ONE, OTHER])
        cvar.drop(arm, cell)
        assert rows_of(arm) == left


def test_the_first_cells_halve_towards_the_limit():
    arm = cells_of([])
    cvar.begin(arm, 0.2)
    spans = sorted((arm.left[cell], arm.right[cell]) for cell in range(arm.cells))
    ends = [0.2] + [0.2 + 0.8 * 2.0**-k for k in range(8, -1, -1)]
    assert [end for span in spans for end in span] == pytest.approx(
        [end for pair in itertools.pairwise(ends) for end in pair]
    )
    arm = cells_of([])
    cvar.begin(arm, 1.0)
    assert rows_of(arm) == [((1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))]


def test_stakes_on_shortfalls():
    assert cvar.stake(2.0, 3.0, 0.5) == pytest.approx(2 / (0.25 * 0.25 + 3 + 1))
    assert cvar.stake(-2.0, 3.0, 0.5) == cvar.stake(0.0, 3.0, 0.5) == 0.0
    assert cvar.stake(1e9, 0.0, 0.5) == 0.9 / 0.5
    assert cvar.worth(0.6, 0.5, 0.2) == pytest.approx(0.1)
    assert cvar.worth(0.6, 0.7, 0.2) == 0.6


@pytest.mark.parametrize("reward", [0.1, 0.2, 0.3, 0.6, 0.9])
def test_bets_of_a_cell(reward):
    arm, parameters = cells_of([((0.2, 1.0, 1.5, 3.0), ONE[1])]), cvar.Parameters(1.0, 0.2, 0.15, 0.1, True, 9.0, 9.0)
    cvar.settle_cell(arm, parameters, 0, reward)
    worst = 0.6 - 0.15
    stake = min(cvar.stake(1.5, 3.0, worst), cvar.stake(2.0, 7.0, worst))
    gaps = [0.15 - (c - max(c - reward, 0) / 0.2) for c in (0.2, 0.6)]
    bets = [0.15 - reward] * 2 if reward == 0.3 else gaps
    assert rows_of(arm)[0][0] == pytest.approx(
        (0.2, 1 + math.log(1 + stake * bets[0]), 1.5 + gaps[0], 3 + gaps[0] ** 2)
    )
    assert rows_of(arm)[0][1] == pytest.approx((0.6, 5 + math.log(1 + stake * bets[1]), 2 + gaps[1], 7 + gaps[1] ** 2))


@pytest.mark.parametrize(
    ("rows", "c", "gap", "square"),
    [
        ([ONE, OTHER], 0.2, -2.0, 3.0),
        ([OTHER, ONE], 0.2, -2.0, 3.0),
        ([(ONE[1], ONE[0]), OTHER], 0.2, -2.0, 3.0),
        ([OTHER], 0.6, 2.5, 7.5),
    ],
)
@pytest.mark.parametrize("reward", [0.05, 0.9])
def test_the_feasible_bet_is_at_the_best_end_so_far(rows, c, gap, square, reward):
    arm, parameters = cells_of(rows), cvar.Parameters(1.0, 0.2, 0.15, 0.1, True, 9.0, 9.0)
    arm.pulls, arm.feasible_log_wealth = 101.0, 0.5
    cvar.settle_feasible(arm, arm, parameters, reward)
    room = 100 * 0.05 - gap
    scatter = square - 2 * 0.05 * gap + 100 * 0.05**2
    stake = cvar.stake(room, scatter, 0.1 - (c - c / 0.2))
    worth = c - max(c - reward, 0) / 0.2
    assert arm.feasible_log_wealth == pytest.approx(0.5 + math.log(1 + stake * (worth - 0.1)))


@pytest.mark.parametrize(
    ("risk", "value", "verdict"),
    [
        ("cvar(0.1) >= 1", 1.0, verdicts.OPEN),  # as good as can be, and no reward can show it to be better
        ("cvar(0.1) >= 1", 0.999, verdicts.INFEASIBLE),
        ("cvar(0.0001) >= 0.001", 0.0, verdicts.INFEASIBLE),
        ("cvar_upper(0.1) <= 0", 0.001, verdicts.INFEASIBLE),
        ("cvar_upper(0.1) <= 0.5", 0.0, verdicts.FEASIBLE),
        ("cvar(0.1) >= 0.5", 1.0, verdicts.FEASIBLE),
        ("cvar(0.1) >= 0", 0.0, verdicts.FEASIBLE),  # untested
    ],
)
def test_cvar_of_a_constant(risk, value, verdict):
    parameters = parameters_of(cvar, risk)
    assert (
        cvar.verdict(
            fold(cvar, parameters, [value] * 500),
            fold(cvar, parameters, [value] * 500),
            fold(cvar, parameters, [value] * 500),
            parameters,
            1.0,
        )
        == verdict
    )


@pytest.mark.parametrize(
    ("risk", "value", "verdict"),
    [
        ("probability(reward < 0) <= 0.1", 0.0, verdicts.FEASIBLE),  # untested
        ("probability(reward < 1) <= 0.1", 0.999, verdicts.INFEASIBLE),
        ("probability(reward < 0.3) <= 0.1", 0.3, verdicts.FEASIBLE),
        ("probability(reward > 0.3) <= 0.1", 0.3, verdicts.FEASIBLE),
        ("probability(reward > 0.3) <= 0.999", 0.4, verdicts.OPEN),
        ("probability(reward > 0.3) <= 0.99", 0.4, verdicts.INFEASIBLE),
        ("probability(reward < 1) <= 0.01", 1.0, verdicts.FEASIBLE),
        ("probability(reward > 1) <= 0.01", 1.0, verdicts.FEASIBLE),  # untested
    ],
)
def test_probability_of_a_constant(risk, value, verdict):
    parameters = parameters_of(probability, risk)
    assert (
        probability.verdict(
            fold(probability, parameters, [value] * 1500),
            fold(probability, parameters, [value] * 1500),
            fold(probability, parameters, [value] * 1500),
            parameters,
            1.0,
        )
        == verdict
    )


@given(st.integers(0, 300), st.integers(1, 300), st.sampled_from([0.001, 0.05, 0.5]))
def test_the_interval_of_a_probability_is_all_that_is_not_beaten(happened, missed, miss):
    tries = happened + missed
    low, high = proportions.interval(happened, tries, miss)
    assert 0 <= low <= happened / tries <= high <= 1
    mixture = math.lgamma(happened + 0.5) + math.lgamma(missed + 0.5) - math.lgamma(tries + 1) - math.log(math.pi)
    for p in (low, high):
        if 0 < p < 1:
            assert happened * math.log(p) + missed * math.log(1 - p) == pytest.approx(
                mixture + math.log(miss), abs=1e-5
            )
