"""Top-two: pull the leader or its challenger, whichever the cheapest doubt that is left asks for (docs/tight.md).

Doubts are: that the leader is infeasible, that its challenger is better, and, of either whose risk looks too high, that it
is feasible after all. An arm that a leader known to be feasible surely surpasses is put behind it, so that a decision is
there when nobody is left.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import numpy as np

from surefoot.core import taking_up, verdicts
from surefoot.core.answers import best as answer
from surefoot.core.baselines import absent as baseline
from surefoot.core.comparisons import pairs as comparison
from surefoot.core.links import one as limit_test
from surefoot.core.parts import Nothing
from surefoot.core.question import Question
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import Ranking, State, Step

Evidence = Nothing
ONE_AT_A_TIME = False
OWN_RULE = ""  # the answer that its own rule of stopping finds; empty: it asks the answer
ACCURACIES = False  # does it need a tolerance and a slack?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
PAIRS = True  # it compares arms in pairs, by rewards in one order
CALLED = ("consider", "drops_any")  # seldom: what is called at each pull has the registers
LEAST, LONG = (
    4.0,
    100.0,
)  # pulls of a leader, before which it is not taken up, and after which it is however small its lead
LEAD = 1.0  # the evidence that it is better than its challenger, for which it is taken up before
UNLIKELY = 0.5  # with a rough estimate of the evidence below this part of the level, it is not worth computing


class Parameters(NamedTuple):
    lasting: bool  # is an arm that is surely worse than a feasible one out for good? Not where the limit has a slack


class Memory(Protocol):
    leaders: int  # taken up so far
    conceded_to: int  # 1 + the leader to which arms are conceded, 0 if there is none


def parameters(question: Question) -> Parameters:
    return Parameters(lasting=not question.widened)


def weakened(state: State) -> State:
    """Pairs that are told apart as if the best bets were known beforehand, and more: the negative control."""
    levels = state.mean_parameters
    return state._replace(mean_parameters=levels._replace(pair_level=levels.pair_level - 12.0))


def challenger_of(state: State, ranking: Ranking) -> int:
    """The largest U but for the leader's, -1 if there is no other arm."""
    if ranking.optimist != ranking.leader:
        return ranking.optimist
    return ranker.runner_up(state, ranking.leader)


def stop(state: State, ranking: Ranking, t: int) -> Step:
    """As the others do, among the arms that no leader known to be feasible has put behind it, or was conceded: of the latter
    the leader is no worse up to the tolerance, and it alone is an answer as long as there are any.
    """
    memory = state.policy[0]
    if comparison.ON_ITEMS:
        ranking = comparison.ranked(state, ranking)
        if ranking.leader >= 0 and comparison.follow(state, ranking.leader, challenger_of(state, ranking)):
            ranking = ranked(state)
    if ranking.leader >= 0 and state.mean_parameters.by_order and state.arms[ranking.leader].order == 0.0:
        consider(state, ranking)
    while True:
        if memory.conceded_to != 0 and memory.conceded_to != ranking.leader + 1:
            ranker.take_back(state)
            memory.conceded_to = 0
            ranking = ranked(state)
        if baseline.COMPARES and ranking.leader >= 0:  # no other arm's verdict is asked for
            if baseline.look_at_both(state, ranking.leader, challenger_of(state, ranking)):
                ranking = ranked(state)
                continue
        step = answer.settled(state, ranking)
        if step.status == verdicts.BEST and memory.conceded_to != 0 and memory.conceded_to != step.arm + 1:
            step = Step(verdicts.UNDECIDED, -1, 0)
        if step.status != verdicts.UNDECIDED or state.arms[ranking.leader].verdict != verdicts.FEASIBLE:
            return step
        if comparison.ON_ITEMS and comparison.in_rounds(state) and drops_any(state, ranking.leader):
            ranking = ranked(state)
            continue
        challenger = challenger_of(state, ranking)
        if not surpassed(state, ranking.leader, challenger):
            return step
        if lastingly(state, ranking.leader, challenger):
            ranker.mark_beaten(state, challenger, ranking.leader)
        else:
            ranker.mark_conceded(state, challenger, ranking.leader)
            memory.conceded_to = ranking.leader + 1
        ranking = ranked(state)


def consider(state: State, ranking: Ranking) -> None:
    """Take up the leader, if it was not before and is likely to stay: evidence for it counts from here, with the share of
    delta that the order of leaders gives it. Until then none counts, and the earlier a share is given, the larger it is.
    """
    arm = state.arms[ranking.leader]
    if arm.metric.pulls < LEAST:
        return
    if arm.verdict == verdicts.OPEN:
        feasible, infeasible = shares(state, arm)
        if infeasible > feasible:
            return
    challenger = challenger_of(state, ranking) if arm.metric.pulls < LONG else -1
    if challenger >= 0:
        if comparison.rough_lead(state, ranking.leader, challenger, state.tolerance) < LEAD:
            return
    state.policy[0].leaders += 1
    taking_up.take_up(state, ranking.leader, state.policy[0].leaders)


def drops_any(state: State, leader: int) -> bool:
    """Put all arms behind the leader that it surely surpasses, for good; whether there are any."""
    found, level = False, state.mean_parameters.pair_level
    for index in range(len(state.arms)) if state.policy_parameters.lasting else range(0):
        arm = state.arms[index]
        if index == leader or arm.verdict == verdicts.INFEASIBLE or arm.beaten_by != 0:
            continue
        if comparison.rough_lead(state, leader, index, 0.0) >= UNLIKELY * level:
            if comparison.log_evidence(state, leader, index, 0.0) >= level:
                ranker.mark_beaten(state, index, leader)
                found = True
    return found


def ranked(state: State) -> Ranking:
    """The arms that matter now."""
    return comparison.ranked(state, ranker.rank(state))


def surpassed(state: State, leader: int, challenger: int) -> bool:
    """Is the leader's mean surely above the challenger's, or less than the tolerance below it? Looked at when it may be,
    and when bounds have been renewed.
    """
    level = state.mean_parameters.pair_level
    if not comparison.has_news(state, leader, challenger):
        return False
    if comparison.rough_lead(state, leader, challenger, state.tolerance) < UNLIKELY * level:
        return False
    comparison.note_look(state, leader, challenger)
    return comparison.log_evidence(state, leader, challenger, state.tolerance) >= level  # type: ignore[no-any-return]


def lastingly(state: State, leader: int, challenger: int) -> bool:
    """Is the challenger, which is surpassed up to the tolerance, out for good, whoever leads?"""
    if not state.policy_parameters.lasting or state.tolerance == 0.0:
        return state.policy_parameters.lasting  # type: ignore[no-any-return]
    evidence = comparison.log_evidence(state, leader, challenger, 0.0)
    return evidence >= state.mean_parameters.pair_level  # type: ignore[no-any-return]


def choose(state: State, ranking: Ranking, generator: np.random.Generator) -> int:
    """Write the arm to pull into `state.asked`: one at a time, but for rounds; none where no arm can be pulled any more."""
    if comparison.ON_ITEMS:
        pulls = comparison.together(state, generator)
        if pulls > 0:
            return pulls
        ranking = comparison.ranked(state, ranking)
    arm = wanted(state, ranking)
    if comparison.ON_ITEMS:
        arm = comparison.available(state, arm)
    state.asked[0] = max(arm, 0)
    return 1 if arm >= 0 else 0


def wanted(state: State, ranking: Ranking) -> int:
    """The arm to pull. The numbers are those of the rules in docs/tight.md."""
    leader, challenger = ranking.leader, challenger_of(state, ranking)
    if challenger < 0 or comparison.is_below(state, challenger, leader):
        return baseline.in_doubt(state, leader)
    first, second, level = state.arms[leader], state.arms[challenger], state.mean_parameters.pair_level
    # Nobody asks for a lead once both risks are known.
    lead = 0.0 if is_told(first, second) else comparison.rough_lead(state, leader, challenger, state.tolerance)
    if is_due(first, second, lead):  # 1
        return challenger
    if first.verdict == verdicts.OPEN:
        feasible, infeasible = shares(state, first)
        if infeasible > feasible:  # 2
            if first.metric.pulls > state.arms[ranking.optimist].metric.pulls:
                return ranking.optimist
            return baseline.in_doubt(state, leader)
        if feasible * level < lead:  # 3
            return baseline.in_doubt(state, leader)
    if second.verdict == verdicts.OPEN and shares(state, second)[1] * level > lead:  # 4
        return baseline.in_doubt(state, challenger)
    return comparison.in_turn(state, leader, challenger)  # 5


def is_due(first: Any, second: Any, lead: float) -> bool:
    """Has the challenger fewer pulls than it is due, whatever the evidence? It may be better, and have been unlucky so far.

    It is due the root of the leader's pulls; while the risk of either is open, also the part of them that is about the
    chance of that.
    """
    pulls, own = first.metric.pulls, second.metric.pulls
    if own * own < pulls:
        return True
    return not is_told(first, second) and own < pulls * math.exp(-lead)


def is_told(first: Any, second: Any) -> bool:
    """Is it known of both arms whether they keep the limits?"""
    return first.verdict != verdicts.OPEN and second.verdict != verdicts.OPEN  # type: ignore[no-any-return]


def shares(state: State, arm: Any) -> tuple[float, float]:
    """How much of the evidence there is that an arm is feasible, and that it is not, each from 0 to 1."""
    return limit_test.shares(arm.limit, arm.metric, arm.goal, state.limit_parameters, ranker.NO_CLOCK)
