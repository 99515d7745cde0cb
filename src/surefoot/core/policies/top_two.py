"""Top-two: pull the leader or its challenger, whichever the cheapest doubt that is left asks for (docs/tight.md).

Three doubts can stand against the leader: that it is infeasible, that its challenger is better, and, while its risk looks
too high, that it is feasible after all. An arm that a leader known to be feasible surely surpasses is put behind it, so
that a decision is there when nobody is left.
"""

from typing import Any, Protocol

import numpy as np

from surefoot.core import verdicts
from surefoot.core.answers import best as answer
from surefoot.core.bounds import tight as mean_bound
from surefoot.core.limit_tests import tight_variance as limit_test
from surefoot.core.parts import Nothing
from surefoot.core.ranking import tournament as ranker
from surefoot.core.state import Ranking, State, Step

Memory = Nothing
ONE_AT_A_TIME = False
OWN_RULE = ""  # the answer that its own rule of stopping finds; empty: it asks the answer
ACCURACIES = False  # does it need a tolerance and a slack?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
PAIRS = True  # it compares arms in pairs, by rewards in one order
UNLIKELY = 0.5  # with a rough estimate of the evidence below this part of the level, it is not worth computing


def weakened(parameters: Any) -> Any:
    """Pairs that are told apart as if the best bets were known beforehand, and more: the negative control."""
    return parameters._replace(pair_level=parameters.pair_level - 12.0)


class Evidence(Protocol):
    owed: float  # to a leader: the part of a pull that it should have had by now
    compared: float  # what `renewal` was of it and a leader, when they were last compared


def challenger_of(state: State, ranking: Ranking) -> int:
    """The largest U but for the leader's, -1 if there is no other arm."""
    if ranking.optimist != ranking.leader:
        return ranking.optimist
    return ranker.runner_up(state, ranking.leader)


def stop(state: State, ranking: Ranking, t: int) -> Step:
    """As the others do, among the arms that no leader known to be feasible has put behind it."""
    while True:
        step = answer.settled(state, ranking)
        if step.status != verdicts.UNDECIDED or state.arms[ranking.leader].verdict != verdicts.FEASIBLE:
            return step
        challenger = challenger_of(state, ranking)
        if not surpassed(state, ranking.leader, challenger):
            return step
        ranker.mark_beaten(state, challenger, ranking.leader)
        ranking = ranker.rank(state)


def surpassed(state: State, leader: int, challenger: int) -> bool:
    """Is the leader's mean surely above the challenger's? Looked at when it may be, and when bounds have been renewed."""
    first, second, level = state.arms[leader], state.arms[challenger], state.mean_parameters.pair_level
    renewal = mean_bound.renewal(first) + mean_bound.renewal(second)
    if renewal == second.policy.compared or rough_lead(first, second) < UNLIKELY * level:
        return False
    second.policy.compared = renewal
    return mean_bound.pair_log_evidence(first, second, state.mean_parameters) >= level  # type: ignore[no-any-return]


def rough_lead(first: Any, second: Any) -> float:
    """About how much evidence there is that the first arm's mean is above the second's, in ln."""
    gap = first.metric.mean - second.metric.mean
    own, other = mean_bound.variances_of_means(first, second)
    return 0.5 * gap * gap / (own + other) if gap > 0.0 else 0.0


def choose(state: State, ranking: Ranking, generator: np.random.Generator) -> int:
    """Write the arm to pull into `state.asked`; one at a time."""
    leader, challenger = ranking.leader, challenger_of(state, ranking)
    state.asked[0] = leader
    if challenger < 0 or state.arms[challenger].goal.upper < state.arms[leader].goal.lower:
        return 1
    first, second = state.arms[leader], state.arms[challenger]
    if second.metric.pulls * second.metric.pulls < first.metric.pulls:  # a better arm may have been unlucky
        state.asked[0] = challenger
        return 1
    if first.verdict == verdicts.OPEN:
        feasible, infeasible = limit_test.shares(
            first.limit, first.metric, first.goal, state.limit_parameters, ranker.NO_CLOCK
        )
        if infeasible > feasible:
            state.asked[0] = ranking.optimist
            return 1
        if feasible * state.mean_parameters.lead_level < rough_lead(first, second):
            return 1
    own, other = mean_bound.variances_of_means(first, second)
    first.policy.owed += own / (own + other) if own + other > 0.0 else 0.5
    if first.policy.owed >= 0.5:
        first.policy.owed -= 1.0
    else:
        state.asked[0] = challenger
    return 1
