"""Evidence on finite lists: against direct computation, and exactly over all orders of small lists (docs/finite.md)."""

import itertools
import math
from types import SimpleNamespace
from typing import Protocol

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core import chains, list_bets, list_differences, proportions, records, statistics, verdicts
from surefoot.core.bounds import on_list
from surefoot.core.error_budget import ErrorBudget, LimitShare
from surefoot.core.limit_tests import list_mean, list_probability, list_quantile, list_variance
from surefoot.core.limits import MeanLimit, TailLimit, VarianceLimit
from surefoot.core.list_differences import Differences
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.statistics import Statistics
from tests.orders import chance

DELTAS = (0.9, 0.5, 0.2, 0.05)
values = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 1.0]), min_size=1, max_size=12)


def question(items, delta=0.2, arms=2):
    return Question(arms, delta, 0.0, (), highest=1.0, sigma=math.nan, largest_variance=0.25, items=items)


# --- by hand


def weighted_bets(items):
    """The bets that are not too small for such a list, and the weights that they have."""
    chosen = [
        (bet, weight) for bet, weight in zip(list_bets.BETS, list_bets.PRIOR, strict=True) if bet * items**0.5 >= 6.0
    ]
    total = sum(weight for _, weight in chosen)
    return [(bet, weight / total) for bet, weight in chosen]


def naive_wealth(seen, items, most):
    """ln of the wealth against "all values of the list add up to at most `most`"."""
    parts = []
    for bet, weight in weighted_bets(items):
        wealth = weight
        for t, value in enumerate(seen):
            left = items - t
            mean = max(most - sum(seen[:t]), 0.0) / left
            wealth *= (1 + bet * items / left * value) / (1 + bet * items / left * mean)
        parts.append(wealth)
    return math.log(sum(parts))


def differences_of(seen, items, tolerance):
    own = records.plain_record(Differences)()
    for difference in seen:
        list_differences.observe(own, difference, items, tolerance)
    return own


@given(values, values, st.integers(0, 5), st.sampled_from([0.0, 0.05, 0.3]))
def test_differences_are_as_written_out(first, second, more, tolerance):
    seen = [one - other for one, other in zip(first, second, strict=False)]
    items = float(len(seen) + more)
    own = differences_of(seen, items, tolerance)
    shifted = [1 + difference for difference in seen]
    for margin in {0.0, tolerance}:
        naive = naive_wealth(shifted, items, items * (1 - margin))
        assert list_differences.log_evidence(own, margin, items) == pytest.approx(naive, abs=1e-9)
    assert (own.count, own.total) == (len(seen), pytest.approx(sum(seen)))


def limit_test(test, limit, items, delta=0.2, low=0.0, high=1.0):
    asked = LimitQuestion(limit, tested=True, low=low, high=high, items=items)
    return test.parameters(asked, LimitShare(delta, delta))


class Kept(Protocol):
    metric: Statistics


def kept_by(test):
    return records.plain_record(records.joined(Kept, metric=Statistics, own=test.Evidence, shown=test.ShownEvidence))()


def fold(test, parameters, arm, value):
    guessed = statistics.guess(arm.metric)
    test.observe_for_display(arm.shown, arm.metric, parameters, value, guessed)
    statistics.observe(arm.metric, value, guessed)
    test.observe(arm.own, arm.metric, None, parameters, value, guessed)


def after(test, parameters, seen):
    arm = kept_by(test)
    for value in seen:
        fold(test, parameters, arm, value)
    return arm


def verdict(test, parameters, arm):
    return test.verdict(arm.own, arm.metric, None, parameters, 1.0)


@given(values, st.integers(0, 5), st.sampled_from([0.2, 0.5, 0.7]), st.sampled_from([0.0, 0.1]))
def test_a_limit_on_a_mean_is_as_written_out(seen, more, limit, slack):
    items = float(len(seen) + more)
    for sign in (1.0, -1.0):
        wide = limit - sign * slack
        arm = after(list_mean, limit_test(list_mean, MeanLimit(sign, limit, wide), items), seen)
        up = [value if sign > 0 else 1 - value for value in seen]
        down = [1 - value for value in up]
        kept = naive_wealth(up, items, items * (wide if sign > 0 else 1 - wide))
        broken = naive_wealth(down, items, items * (1 - limit if sign > 0 else limit))
        assert arm.own.feasible_log_wealth == pytest.approx(kept, abs=1e-9)
        assert arm.own.infeasible_log_wealth == pytest.approx(broken, abs=1e-9)


def naive_probability(bad, items, count, rare, prior):
    """ln of the wealth against "the list has this many bad items", or more if it bets that they are rare, else fewer."""
    wealth = 0.0
    for t, now in enumerate(bad):
        expected = (sum(bad[:t]) + prior.bad) / (t + prior.bad + prior.good)
        chance_of_bad = (count - sum(bad[:t])) / (items - t)
        bets = expected < chance_of_bad < 1 if rare else 0 < chance_of_bad < expected
        if bets:
            ratio = expected / chance_of_bad if now else (1 - expected) / (1 - chance_of_bad)
            wealth += math.log(ratio)
    return wealth


@given(values, st.integers(0, 8), st.sampled_from([0.05, 0.2, 0.4, 0.8]))
def test_a_limit_on_a_probability_is_as_written_out(seen, more, share):
    items = float(len(seen) + more)
    parameters = limit_test(list_probability, TailLimit(-1.0, 0.3, 0.3, share, share), items)
    arm = after(list_probability, parameters, seen)
    bad, most = [value < 0.3 for value in seen], math.floor(share * items + 1e-9)
    kept = naive_probability(bad, items, most + 1, True, parameters.rare)
    assert arm.own.feasible_log_wealth == pytest.approx(kept, abs=1e-9)
    broken = naive_probability(bad, items, most, False, parameters.frequent)
    assert arm.own.infeasible_log_wealth == pytest.approx(broken, abs=1e-9)


def test_how_many_items_a_share_is():
    """A share times a number is not rounded down by what the computer cannot write; `strict` is less than the share."""
    assert list_probability.allowed(0.29, False, 100.0) == 29.0
    assert list_probability.allowed(0.05, False, 7.0) == 0.0
    assert list_probability.allowed(0.05, False, 20.0) == 1.0
    assert list_probability.allowed(0.05, True, 20.0) == 0.0
    assert list_probability.allowed(0.05, True, 21.0) == 1.0
    assert list_probability.allowed(0.01, True, 20.0) == 0.0


@given(values, st.integers(0, 5), st.sampled_from([0.02, 0.08, 0.15]))
def test_a_limit_on_a_variance_is_as_written_out(seen, more, limit):
    items = float(len(seen) + more)
    arm = after(list_variance, limit_test(list_variance, VarianceLimit(limit, 0.0), items), seen)
    pairs = list(zip(seen[::2], seen[1::2], strict=False))
    parts = []
    for bet, weight in weighted_bets(items):
        wealth = weight
        for number, (one, other) in enumerate(pairs):
            earlier = seen[: 2 * number]
            spread = sum((value - np.mean(earlier)) ** 2 for value in earlier)
            left = items - len(earlier) - 1
            mean = max(2 * (items * limit - spread), 0.0) / left
            wealth *= (1 + bet * items / left * (one - other) ** 2) / (1 + bet * items / left * mean)
        parts.append(wealth)
    assert arm.own.infeasible_log_wealth == pytest.approx(math.log(sum(parts)) if pairs else 0.0, abs=1e-9)


# --- certainty


@given(values, st.integers(0, 3), st.sampled_from([0.1, 0.5]), st.data())
def test_what_is_certain_is_true_and_all_is_certain_in_the_end(seen, more, limit, data):
    """Whatever the rest of the list; and once there is no rest, the verdict is that of the list."""
    rest = data.draw(st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=more, max_size=more))
    items, whole = float(len(seen) + more), seen + rest
    bad = sum(value < 0.3 for value in whole)
    cases = [
        (list_mean, MeanLimit(1.0, limit, limit), np.mean(whole) >= limit - 1e-9),
        (list_mean, MeanLimit(-1.0, limit, limit), np.mean(whole) <= limit + 1e-9),
        (list_probability, TailLimit(-1.0, 0.3, 0.3, limit, limit), bad <= limit * items + 1e-9),
        (list_variance, VarianceLimit(limit / 3, 0.0), np.var(whole) <= limit / 3 + 1e-9),
    ]
    for test, asked, kept in cases:
        parameters = limit_test(test, asked, items, delta=1e-300)  # evidence decides nothing
        known = verdict(test, parameters, after(test, parameters, seen))
        truth = verdicts.FEASIBLE if kept else verdicts.INFEASIBLE
        assert known in (truth, verdicts.OPEN)
        assert verdict(test, parameters, after(test, parameters, whole)) == truth


def test_certainty_comes_before_the_end():
    """Five of ten items are enough where the others change nothing; a small share of bad items is broken by the first."""
    parameters = limit_test(list_mean, MeanLimit(1.0, 0.5, 0.5), 10.0, delta=1e-300)
    assert verdict(list_mean, parameters, after(list_mean, parameters, [1.0] * 5)) == verdicts.FEASIBLE
    assert verdict(list_mean, parameters, after(list_mean, parameters, [0.0] * 5)) == verdicts.OPEN
    assert verdict(list_mean, parameters, after(list_mean, parameters, [0.0] * 6)) == verdicts.INFEASIBLE
    parameters = limit_test(list_probability, TailLimit(1.0, 0.5, 0.5, 0.05, 0.05), 10.0, delta=1e-300)
    assert verdict(list_probability, parameters, after(list_probability, parameters, [1.0])) == verdicts.INFEASIBLE
    assert verdict(list_probability, parameters, after(list_probability, parameters, [0.0] * 9)) == verdicts.OPEN


def test_ties_of_the_whole_list_are_told_as_ties():
    """Sums of the same numbers in another order differ by rounding."""
    one = [0.1, 0.2, 0.3, 0.7] * 250
    other = sorted(one)
    assert sum(one) != sum(other)
    for first, second in ((one, other), (other, one)):
        assert is_certain(sum(first), sum(second), 1000.0)
        assert not is_certain(sum(first) - 1e-6, sum(second), 1000.0)
        assert not is_certain(sum(first), sum(second), 999.0)
        assert is_certain(sum(first), sum(second), 999.0, 0.001)


def is_certain(total, other_total, seen, margin=0.0):
    one, other = SimpleNamespace(total=total, pulls=seen), SimpleNamespace(total=other_total, pulls=seen)
    return list_differences.is_certain(one, other, 1000.0, margin)


# --- bounds of a mean


def bounds_after(seen, items, delta):
    parameters = on_list.parameters(question(items), ErrorBudget(delta, delta, (), pair=delta))
    metric, own = records.plain_record(Statistics)(), records.plain_record(on_list.Evidence)()
    ends = [(-math.inf, math.inf)]
    for value in seen:
        statistics.observe(metric, value, statistics.guess(metric))
        on_list.observe(own, metric, parameters, value)
        ends.append(on_list.interval(own, metric, parameters, 1.0))
    return own, metric, parameters, ends


@given(values, st.integers(0, 6), st.sampled_from([0.4, 0.05]))
def test_a_bound_by_tangents_is_never_beyond_the_exact_one(seen, more, delta):
    """What the lines say is no more than the wealth itself, so that L and U refute no mean that the wealth does not."""
    items = float(len(seen) + more)
    own, metric, _, ends = bounds_after(seen, items, delta)
    lower, upper = ends[-1]
    for x in np.linspace(0.0, 1.0, 23).tolist():
        if sum(seen) / items <= x:
            assert on_list.wealth(own.rises, x, items)[0] <= naive_wealth(seen, items, items * x) + 1e-9
        if 1 - (sum(seen) + more) / items <= 1 - x:
            mirrored = [1 - value for value in seen]
            assert on_list.wealth(own.falls, 1 - x, items)[0] <= naive_wealth(mirrored, items, items * (1 - x)) + 1e-9
    if more == 0:
        assert (lower, upper) == (metric.mean, metric.mean)


def test_bounds_on_a_list_are_narrower_than_those_of_independent_results():
    """Half of a list of 1,438 coins seen; docs/finite.md has the numbers."""
    generator = np.random.default_rng(1)
    coins = np.array([1.0] * 1294 + [0.0] * 144)
    radii = []
    for _ in range(20):
        seen = generator.permutation(coins)[:719].tolist()
        _, metric, _, ends = bounds_after(seen, 1438.0, 0.01)
        radii.append(metric.mean - max(lower for lower, _ in ends))
    assert np.mean(radii) < 0.035


# --- exactness, over all orders


def tables():
    """Lists of up to seven values."""
    generator = np.random.default_rng(5)
    found = [
        (0.0,),
        (1.0,),
        (0.0, 1.0),
        (0.5, 0.5),
        (0.0, 1.0, 1.0),
        (0.0, 0.0, 0.0, 1.0),
        (0.0, 0.0, 0.0, 1.0, 1.0, 1.0),
    ]
    for size in (2, 3, 4, 5, 6, 7):
        found += [tuple(generator.choice([0.0, 0.25, 0.5, 1.0], size).tolist()) for _ in range(2)]
        found.append(tuple((generator.random(size) < 0.5).astype(float).tolist()))
    return sorted(set(found))


def difference_lists():
    """Of two arms, the second of which is no worse."""
    generator = np.random.default_rng(8)
    found = {(0.0,), (-1.0, 1.0), (-0.5, 0.5, 0.0), (-1.0, -1.0, -1.0, 1.0, 1.0, 1.0), (-0.25,) * 4 + (1.0,)}
    while len(found) < 24:
        drawn = generator.choice([-1.0, -0.5, 0.0, 0.5, 1.0], generator.integers(2, 8))
        drawn[-1] = 0.0
        if -1.0 <= drawn.sum() <= 1.0:
            drawn[-1] = -drawn.sum()  # a tie, which is the hardest
        if drawn.sum() <= 0.0:
            found.add(tuple(drawn.tolist()))
    return sorted(found)


@pytest.mark.parametrize("tolerance", [0.0, 0.1])
def test_differences_are_wrong_in_no_more_orders_than_allowed(tolerance):
    rates = {delta: [] for delta in DELTAS}
    for listed in difference_lists():
        items = float(len(listed))
        shifted = [max(value - tolerance, -1.0) for value in listed]
        if np.mean(shifted) > -tolerance + 1e-12:
            continue
        for delta, wrong in rates.items():
            level = -math.log(delta)
            wrong.append(
                chance(
                    shifted,
                    records.plain_record(Differences)(),
                    lambda own, value: list_differences.observe(own, value, items, tolerance),  # noqa: B023
                    lambda own: own.count > 0 and list_differences.log_evidence(own, tolerance, items) >= level,  # noqa: B023
                )
            )
    for delta, wrong in rates.items():
        assert len(wrong) > 10
        assert max(wrong) <= delta + 1e-12
    assert max(rates[0.9]) > 0.3  # they do fail sometimes


@pytest.mark.parametrize(
    "test", [list_mean, list_probability, list_quantile, list_variance], ids=lambda test: test.__name__
)
def test_limits_are_told_wrongly_in_no_more_orders_than_allowed(test):
    most = 0.0
    for listed in tables():
        for asked, truth in limits_on(test, listed):
            wrong = verdicts.INFEASIBLE if truth else verdicts.FEASIBLE
            for delta in DELTAS:
                parameters = limit_test(test, asked, float(len(listed)), delta)
                rate = chance(
                    listed,
                    kept_by(test),
                    lambda arm, value: fold(test, parameters, arm, value),  # noqa: B023
                    lambda arm: arm.metric.pulls > 0 and verdict(test, parameters, arm) == wrong,  # noqa: B023
                )
                assert rate <= delta + 1e-12
                most = max(most, rate)
    assert most > 0.1  # they do fail sometimes


def limits_on(test, listed):
    """Limits near to what the list has, and whether it keeps them."""
    items = len(listed)
    if test is list_mean:
        for limit, sign in itertools.product(
            (np.mean(listed), np.mean(listed) - 0.1, np.mean(listed) + 0.1), (1.0, -1.0)
        ):
            yield MeanLimit(sign, float(limit), float(limit)), sign * (np.mean(listed) - limit) >= -1e-9
    elif test is list_variance:
        for limit in (np.var(listed), np.var(listed) - 0.03, np.var(listed) + 0.03):
            if 0.0 < limit < 0.25:
                yield VarianceLimit(float(limit), 0.0), np.var(listed) <= limit + 1e-9
    else:
        for share, strict in itertools.product((0.1, 0.34, 0.5, 0.7), (False, True)):
            bad = sum(value < 0.3 for value in listed)
            kept = bad < share * items - 1e-9 if strict else bad <= share * items + 1e-9
            yield TailLimit(-1.0, 0.3, 0.3, share, share, strict), kept


@pytest.mark.parametrize("delta", [0.5, 0.1])
def test_bounds_miss_the_mean_in_no_more_orders_than_allowed(delta):
    for listed in tables():
        items, mean = float(len(listed)), float(np.mean(listed))
        parameters = on_list.parameters(question(items), ErrorBudget(delta, delta, (), pair=delta))

        def take(arm, value):
            statistics.observe(arm.metric, value, statistics.guess(arm.metric))
            on_list.observe(arm.own, arm.metric, parameters, value)  # noqa: B023

        for side in (0, 1):

            def missed(arm):
                if arm.metric.pulls == 0:
                    return False
                end = on_list.interval(arm.own, arm.metric, parameters, 1.0)[side]  # noqa: B023
                return end > mean + 1e-9 if side == 0 else end < mean - 1e-9  # noqa: B023

            begun = records.plain_record(records.joined(Kept, metric=Statistics, own=on_list.Evidence))()
            assert chance(listed, begun, take, missed) <= delta + 1e-12


# --- what is shown


@given(st.integers(1, 12), st.data(), st.sampled_from([0.5, 0.05]))
def test_a_proportion_of_a_list_by_direct_computation(items, data, miss):
    """Every count of the list that is left out has been beaten by 1/miss, and no other has."""
    happening = data.draw(st.integers(0, items))
    tries = data.draw(st.integers(1, items))
    happened = data.draw(st.integers(max(0, tries - (items - happening)), min(tries, happening)))
    low, high = proportions.interval(float(happened), float(tries), miss, items=float(items))
    assert low <= happened / tries <= high
    mixture = math.exp(proportions.log_mixture(float(happened), float(tries)))
    for count in range(items + 1):
        if happened <= count <= items - (tries - happened):
            drawn = math.perm(count, happened) * math.perm(items - count, tries - happened) / math.perm(items, tries)
        else:
            drawn = 0.0
        if drawn > mixture * miss * (1 + 1e-9):
            assert low - 1e-9 <= count / items <= high + 1e-9
    if tries == items:
        assert low == high == happened / items


@given(values, st.integers(0, 6))
def test_a_shown_variance_lies_in_its_interval(seen, more):
    items = float(len(seen) + more)
    parameters = limit_test(list_variance, VarianceLimit(0.1, 0.0), items)
    arm = after(list_variance, parameters, seen)
    mean = bounds_after(seen, items, 0.1)[0]
    mean.lower, mean.upper = 0.0, 1.0
    low, high = list_variance.risk_interval(arm.shown, arm.own, arm.metric, mean, parameters, question(items), 1.0)
    assert low <= high + 1e-12
    if more == 0:
        found = list_variance.estimate(arm.shown, arm.own, arm.metric, mean, parameters)
        assert (low, high, found) == pytest.approx((np.var(seen),) * 3, abs=1e-9)


def test_what_is_certain_overrides_an_earlier_verdict():
    """A mean that looked sufficient and then is not: the limit test says so, alone and beside another limit."""
    listed = [1.0] * 8 + [0.0] * 12
    asked = LimitQuestion(MeanLimit(1.0, 0.5, 0.5), tested=True, items=20.0)
    other = LimitQuestion(TailLimit(1.0, 1.5, 1.5, 0.5, 0.5), tested=True, items=20.0)
    for tests, limits in (((list_mean,), (asked,)), ((list_mean, list_probability), (asked, other))):
        link = chains.chained(chains.limit_parts(*tests))
        assert link.REVISES
        allowed = ErrorBudget(0.5, 0.5, (LimitShare(0.5, 0.5),) * len(limits), pair=0.5)
        parameters = chains.parameters(chains.limit_parts(*tests), question(20.0)._replace(limits=limits), allowed)
        own, metric = records.plain_record(link.Evidence)(), records.plain_record(Statistics)()
        said = []
        for value in listed:
            guessed = statistics.guess(metric)
            statistics.observe(metric, value, guessed)
            link.observe(own, metric, None, parameters, (value,), guessed)
            said.append(link.verdict(own, metric, None, parameters, 1.0))
        assert verdicts.FEASIBLE in said
        assert said[-1] == verdicts.INFEASIBLE
        assert said == sorted(said)  # open, feasible for a while, then infeasible for good
