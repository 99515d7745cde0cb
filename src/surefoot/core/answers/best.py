"""The answer `best`: of the arms within the limit, the one with the best mean; or that no arm is within it."""

import math

from surefoot.core import leaders, verdicts
from surefoot.core.comparisons import intervals as comparison
from surefoot.core.error_budget import ErrorBudget, LimitShare
from surefoot.core.question import LimitQuestion, Question
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import Ranking, State, Step

PAIRS = True  # an arm that another surely surpasses is out


FEW, MANY = 10.0, 100.0  # arms, between which the shares of the one budget turn into those of the other
FEWEST = 4  # arms, for shares that go by the order of leaders


def error_budget(question: Question, pairs: bool, compared: bool, starts: bool) -> ErrorBudget:
    """docs/bounds.md, the budget of delta; for bounds that can compare arms in pairs those of docs/tight.md."""
    if pairs and compared:
        return on_items(question) if question.items else by_pairs(question, starts and question.arms >= FEWEST)
    return in_fortieths(question) if pairs else in_halves(question)


def in_halves(question: Question) -> ErrorBudget:
    """Half for all arms together, half for the best feasible one: for its U alone, or for U and its limit test."""
    each = question.delta / (2.0 * question.arms)
    upper = question.delta / (4.0 if question.tested else 2.0)
    return ErrorBudget(each, upper, limit_shares(question, feasible=each, infeasible=question.delta / 4.0))


def in_fortieths(question: Question) -> ErrorBudget:
    """For policies that compare intervals alone. Fourteen for all arms but the best feasible one, eleven for pairs, of which
    such policies make no use, and for what is said of it alone three (its U), two (its floor) and ten (its limit test).

    The other arms are one fewer than all; but if no arm is feasible, FEASIBLE may be wrong of each.
    """
    share = question.delta / (40.0 if question.tested else 28.0)
    others = max(question.arms - 1.0, 1.0)
    return ErrorBudget(
        lower=14.0 * share / others,
        upper=3.0 * share,
        limits=limit_shares(
            question,
            feasible=min(14.0 * share / others, question.delta / question.arms),
            infeasible=10.0 * share,
            floor=2.0 * share,
        ),
        pair=11.0 * share / others,
    )


def by_pairs(question: Question, by_order: bool = False) -> ErrorBudget:
    """Where pairs decide. With few arms most of delta is for them. With many, each pair has next to nothing however much all
    have; then it is worth more to know one arm well, and to rule the others out by their U, of which one alone must hold.

    An arm that is not the best feasible one pays for L and for its pair, or for FEASIBLE, never for both. Of a single arm
    FEASIBLE or INFEASIBLE can be wrong, never both. By order, only leaders pay for pairs, the first one most.
    """
    many = min(max(math.log(question.arms / FEW) / math.log(MANY / FEW), 0.0), 1.0)
    upper, lower, pair = 2.0 + 11.0 * many, 1.0 + 2.0 * many, 26.0 - 16.0 * many
    floor, infeasible, alone = 1.0, 10.0 + 3.0 * many, question.arms == 1
    parts = upper + (floor + infeasible if question.tested else 0.0) + (0.0 if alone else lower + pair)
    share = question.delta / parts
    others = max(question.arms - 1.0, 1.0)
    if by_order:
        first = pair * share / leaders.shares(question.arms)
        limits = limit_shares(question, first, infeasible * share, floor * share, unled=lower * share / others)
        return ErrorBudget(lower * share / others, upper * share, limits, first, by_order=True)
    return ErrorBudget(
        lower=lower * share / others,
        upper=upper * share,
        limits=limit_shares(
            question,
            feasible=question.delta if alone else min((lower + pair) * share / others, question.delta / question.arms),
            infeasible=infeasible * share,
            floor=floor * share,
        ),
        pair=min(pair * share / others, question.delta),
    )


def on_items(question: Question) -> ErrorBudget:
    """Where differences on the same items decide between arms, and nothing else (docs/items.md). Pairs have what L had, and
    what U had where no limit test relies on it; L and U as they are shown cost nothing.
    """
    own, others = by_pairs(question), max(question.arms - 1.0, 1.0)
    relied_upon = any(limit.tested and limit.in_interval and limit.metric == 0 for limit in question.limits)
    pair = min(own.pair + own.lower + (0.0 if relied_upon else own.upper / others), question.delta)
    feasible = question.delta if question.arms == 1 else min(pair, question.delta / question.arms)
    return own._replace(pair=pair, limits=tuple(share._replace(feasible=feasible) for share in own.limits))


def limit_shares(
    question: Question, feasible: float, infeasible: float, floor: float = 0.0, unled: float = 0.0
) -> tuple[LimitShare, ...]:
    """Of each limit. FEASIBLE is wrong of an arm only if one certain test is, that of a limit which the arm breaks: each may
    have all of `feasible`. INFEASIBLE is wrong of the best arm if any test is: they share what there is.
    """
    tested = max(sum(limit.tested for limit in question.limits), 1)
    own = LimitShare(feasible, infeasible / tested, floor / tested, unled=unled)
    return tuple(divided(limit, own) for limit in question.limits)


def divided(limit: LimitQuestion, share: LimitShare) -> LimitShare:
    """A test that does not rely on where the mean lies needs no floor: INFEASIBLE has its share. On another metric than the
    goal's, the U of the goal's says nothing, so that a test which does rely on it pays for one of its own.
    """
    parts = share.infeasible + share.floor
    if not limit.in_interval:
        return share._replace(infeasible=parts, floor=0.0)
    if limit.metric == 0:
        return share
    return share._replace(infeasible=10.0 / 15.0 * parts, floor=2.0 / 15.0 * parts, ceiling=3.0 / 15.0 * parts)


def surpasses(state: State, arm: int, rival: int) -> bool:
    """Is `arm` known feasible, and surely no worse than `rival` (up to the tolerance)?"""
    if arm < 0 or state.arms[arm].verdict != verdicts.FEASIBLE:
        return False
    return rival < 0 or comparison.intervals_apart(state, arm, rival)


def settled(state: State, ranking: Ranking) -> Step:
    """Stop when all arms are infeasible, or when one known feasible surpasses every other that is not infeasible.

    Under the paper's bounds and with no tolerance this is [HTZ] lines 9 to 11. Whoever surpasses all others, the incumbent
    does so too or the optimist does: an arm that is neither has to surpass the optimist, and with its larger L the
    incumbent then does. The optimist must surpass the leader first of all, which is cheaper to ask than the runner-up.
    """
    leader, optimist, incumbent = ranking.leader, ranking.optimist, ranking.incumbent
    if optimist < 0:
        return Step(verdicts.NO_ARM, -1, 0)
    if incumbent != optimist and surpasses(state, incumbent, optimist):
        return Step(verdicts.BEST, incumbent, 0)
    if leader == optimist or surpasses(state, optimist, leader):
        if surpasses(state, optimist, ranker.runner_up(state, optimist)):
            return Step(verdicts.BEST, optimist, 0)
    return Step(verdicts.UNDECIDED, -1, 0)


def candidate(state: State, ranking: Ranking, index: int) -> bool:
    """May this arm still be the answer? One that is infeasible, or that the incumbent surpasses, may not."""
    if state.arms[index].verdict == verdicts.INFEASIBLE:
        return False
    return index == ranking.incumbent or not surpasses(state, ranking.incumbent, index)
