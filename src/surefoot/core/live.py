"""What a live study asks of its kernels, a call each: a step of `stepping`, taken apart.

Between a pull that is asked for and its result others are asked for and told. So the step begins with `choose`, as if all
pulls in flight had been told (`anticipate`), and ends with `fold` and `look`. `earlier` serves to compare arms by the
results in the one order in which they were asked for (study/pair_order.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from surefoot.core import folding, statistics, stepping, taking_up, verdicts
from surefoot.core.bounds import sharp as mean_bound
from surefoot.core.policies import va_lucb as policy
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import Results, State

SEVERAL = 1_000  # steps that are chosen at once, at most

warm_up = stepping.warm_up


class Live(NamedTuple):
    state: State
    generator: np.random.Generator
    chosen: Any  # the arms of several steps
    pending: Any  # of each arm that is anticipated, how many pulls in flight the ranking counts as told; 0 of others
    uppers: Any  # of these arms, U by the results that were told
    anticipated: Any  # these arms
    counts: Any  # in its only element, how many they are
    found: Any  # in its only element, the arm that is decided for
    earlier: Any  # of some arms, the record from before the results that are not to be compared yet
    own: Any  # the arm's own record, while the earlier one stands in its place
    blank: Any  # in its only element, the record of an arm without results
    replaced: Any  # the arms for whose records others stand in; -1 - index for one whose place the blank record takes


def fold(live: Live, index: int, results: Results) -> float:
    """Fold the results of a pull; how many pulls of the arm there are now."""
    if index < 0:  # never: it spares the compiler a check for a negative index at every use of `index`
        return 0.0
    folding.fold(live.state, index, results)
    return live.state.arms[index].metric.pulls  # type: ignore[no-any-return]


def refresh(live: Live, t: int) -> None:
    """Bring bounds up to date that follow a clock."""
    ranker.refresh(live.state, t)


def choose(live: Live, t: int) -> int:
    """Write the arms to pull into `state.asked`; how many they are."""
    ranking = ranker.rank(live.state)
    pulls = policy.choose(live.state, ranking, live.generator) if ranking.leader >= 0 else 0
    return ranker.add_owed(live.state, t, pulls)


def choose_several(live: Live, most: int, t: int) -> tuple[int, int]:
    """Choose steps of one pull each, and write their arms into `chosen`: how many they are, at most `most`.

    Each is chosen as if the pulls before it were in flight. A step of another number of pulls ends it: that number, with the
    arms in `state.asked`; -1 if there was none.
    """
    made, pulls = 0, -1
    while made < most:
        if made > 0:
            last = live.chosen[made - 1]
            anticipate(live, last, live.pending[last] + 1, t + made)
        pulls = choose(live, t + made)
        if pulls != 1:
            return made, pulls
        live.chosen[made] = live.state.asked[0]
        made += 1
    return made, -1


def anticipate(live: Live, index: int, pending: int, t: int) -> None:
    """Have the ranking see an arm as if its pending pulls were told and had changed nothing but their number; an arm
    without results, as worse than any other.
    """
    if index < 0:
        return
    arm = live.state.arms[index]
    if arm.verdict == verdicts.INFEASIBLE:
        return
    if live.pending[index] == 0:
        live.uppers[index] = arm.goal.upper
        live.anticipated[live.counts[0]] = index
        live.counts[0] += 1
    live.pending[index] = pending
    if arm.metric.pulls == 0.0:
        upper = -1e300 * pending
    else:
        clock = ranker.clock(live.state, t)
        upper = mean_bound.anticipate(arm.goal, arm.metric, live.state.mean_parameters, pending, clock)
        upper = min(live.uppers[index], upper)
    ranker.revise_upper(live.state, index, upper)


def stop_anticipating(live: Live) -> None:
    """Put every revised U back: only the results told decide."""
    for position in range(live.counts[0]):
        index = live.anticipated[position]
        ranker.revise_upper(live.state, index, live.uppers[index])
        live.pending[index] = 0
    live.counts[0] = 0


def look(live: Live, replaced: int, t: int) -> int:
    """Do the results decide? What the policy says, and the arm in `found`.

    The first so many arms of `replaced` are compared by their earlier records.
    """
    ranker.refresh(live.state, t)
    ranking = ranker.rank(live.state)
    for position in range(replaced):
        put_earlier(live, live.replaced[position])
    step = policy.stop(live.state, ranking, t)
    for position in range(replaced):
        put_back(live, live.replaced[position])
    live.found[0] = step.arm
    return step.status


def put_earlier(live: Live, index: int) -> None:
    """Have the arm's earlier record in the place of its own, or the blank one."""
    arms, own = live.state.arms, live.own
    if index >= 0:
        own[index] = arms[index]
        arms[index] = live.earlier[index]
    else:
        index = -1 - index
        own[index] = arms[index]
        arms[index] = live.blank[0]
    shown, known = arms[index], own[index]
    # What is known of an arm by itself: for this, all its rewards count.
    shown.goal.lower, shown.goal.upper = known.goal.lower, known.goal.upper
    shown.verdict, shown.beaten_by = known.verdict, known.beaten_by
    shown.order, shown.since = known.order, known.since
    shown.limit = known.limit


def put_back(live: Live, index: int) -> None:
    """Have the arm's own record in its place again, with what was found of it."""
    arms, own = live.state.arms, live.own
    if index >= 0:
        live.earlier[index] = arms[index]
    else:
        index = -1 - index
    shown, known = arms[index], own[index]
    is_new = shown.order != known.order
    known.verdict, known.beaten_by = shown.verdict, shown.beaten_by
    known.order, known.since = shown.order, shown.since
    known.limit = shown.limit
    arms[index] = own[index]
    if is_new:
        taking_up.start_if_due(live.state, index)


def keep(live: Live, index: int) -> None:
    """Keep the arm's record as its earlier one."""
    if index >= 0:
        live.earlier[index] = live.state.arms[index]


def gather(live: Live, index: int, results: Results) -> bool:
    """Fold results into the arm's earlier record, for comparisons alone; has it all that its own has by now?"""
    if index < 0:
        return True
    arm = live.earlier[index]
    folding.gather(arm, live.state, results, statistics.guess(arm.metric))
    return arm.metric.pulls == live.state.arms[index].metric.pulls  # type: ignore[no-any-return]
