"""How `best` divides delta: what each part may spend, and that no budget spends more."""

import math

import pytest

from surefoot.core.answers import best
from surefoot.core.error_budget import alike
from tests.flat import limited, spent
from tests.unit.tight_arms import QUESTION


def test_a_budget_in_fortieths():
    assert spent(best.in_fortieths(QUESTION)) == pytest.approx(
        [0.05 / 40 * part for part in (7, 3, 7, 10, 2, 5.5, math.inf)]
    )
    untested = best.in_fortieths(limited(QUESTION, tested=False))
    assert (untested.lower, untested.upper, untested.pair) == pytest.approx((0.05 / 4, 0.15 / 28, 0.275 / 28))
    alone = best.in_fortieths(QUESTION._replace(arms=1))
    assert spent(alone) == pytest.approx([0.05 / 40 * part for part in (14, 3, 14, 10, 2, 11, math.inf)])


@pytest.mark.parametrize(
    ("arms", "tested"), [(arms, tested) for arms in (1, 2, 9, 30, 500) for tested in (True, False)]
)
def test_no_budget_spends_more_than_delta(arms, tested):
    question, others = limited(QUESTION, tested=tested)._replace(arms=arms), arms - 1
    lower, upper, feasible, infeasible, floor, pair, _ = spent(best.by_pairs(question))
    rest = others * max(lower + pair, tested * feasible)
    assert upper + tested * (floor + infeasible) + rest <= question.delta + 1e-12
    assert arms * feasible <= question.delta + 1e-12
    for budget in (best.in_fortieths(question), best.in_halves(question)):
        lower, upper, feasible, infeasible, floor, pair, _ = spent(budget)
        for_best = upper + tested * (floor + infeasible)
        rest = others * (max(lower, tested * feasible) + pair)
        assert for_best + rest <= question.delta + 1e-12
        assert arms * feasible <= question.delta + 1e-12


def test_the_budget_where_pairs_decide():
    """Two others than the best arm; a hundred arms or more; one arm, of which one of two verdicts can be wrong."""
    assert spent(best.by_pairs(QUESTION)) == pytest.approx(
        [0.05 / 40 * part for part in (0.5, 2, 13.3333333, 10, 1, 13, math.inf)]
    )
    untested = best.by_pairs(limited(QUESTION, tested=False))
    assert (untested.lower, untested.upper, untested.pair) == pytest.approx([0.05 / 29 * part for part in (0.5, 2, 13)])
    many = best.by_pairs(QUESTION._replace(arms=101))
    assert spent(many) == pytest.approx([0.05 / 40 * part for part in (0.03, 13, 0.13, 13, 1, 0.1, math.inf)])
    alone = best.by_pairs(QUESTION._replace(arms=1))
    assert (*alone.limits[0][:2], alone.upper) == pytest.approx((0.05, 0.5 / 13, 0.1 / 13))


def test_who_compares_intervals_alone_keeps_the_budget_in_fortieths():
    assert best.error_budget(QUESTION, True, False, False) == best.in_fortieths(QUESTION)
    assert best.error_budget(QUESTION, True, True, False) == best.by_pairs(QUESTION)
    assert best.error_budget(QUESTION, False, True, False) == best.in_halves(QUESTION)


def test_a_budget_in_halves():
    assert spent(best.in_halves(QUESTION)) == pytest.approx([0.05 / 6, 0.0125, 0.05 / 6, 0.0125, 0, 0, math.inf])
    assert best.in_halves(limited(QUESTION, tested=False)).upper == pytest.approx(0.025)
    assert spent(alike(QUESTION, 0.1, 0.2)) == [0.1, 0.1, 0.2, 0.2, 0.0, 0.0, math.inf]


@pytest.mark.parametrize("budget", [best.in_halves, best.in_fortieths, best.by_pairs])
def test_limits_share_what_may_fail_of_the_best_arm_and_nothing_else(budget):
    """FEASIBLE has all of its share for each limit; a limit that nobody can break takes none."""
    (limit,) = QUESTION.limits
    one, untested = budget(QUESTION), limit._replace(tested=False)
    for count in (2, 5):
        shares = budget(QUESTION._replace(limits=(limit,) * count + (untested,))).limits
        assert len(shares) == count + 1
        for share in shares:
            assert share.feasible == one.limits[0].feasible
            assert share.infeasible == pytest.approx(one.limits[0].infeasible / count)
            assert share.floor == pytest.approx(one.limits[0].floor / count)


@pytest.mark.parametrize("budget", [best.in_halves, best.in_fortieths, best.by_pairs])
def test_a_test_that_does_not_rely_on_the_mean_has_the_share_of_the_floor(budget):
    (limit,) = QUESTION.limits
    (relying,) = budget(QUESTION).limits
    (share,) = budget(QUESTION._replace(limits=(limit._replace(in_interval=False),))).limits
    assert (share.feasible, share.floor, share.ceiling) == (relying.feasible, 0.0, 0.0)
    assert share.infeasible == pytest.approx(relying.infeasible + relying.floor)
