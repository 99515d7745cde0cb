"""Track-and-Stop for Gaussian rewards: pull in the proportions that would be best if the estimates were right, and stop when
no alternative is left that the rewards do not speak against (docs/gaussian.md).
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import numpy as np

from surefoot.core import normal_evidence, transport, verdicts
from surefoot.core.question import Question
from surefoot.core.state import Ranking, State, Step

PAIRS = False
ONE_AT_A_TIME = True  # it counts pulls, and does not see those in flight
OWN_RULE = "best"  # the answer that its own rule of stopping finds; empty: it asks the answer
ACCURACIES = False  # does it need a tolerance and a slack?
OWN = ""  # the name that its user gave it; empty: it came with Surefoot
GROWTH = 1.05  # the proportions are found anew when there are 5 % more pulls
LEVELS, STEPS = 30, 20  # of the search for the proportions: halvings of the level, steps to each arm's weight
CLOSE = 1e-6


class Parameters(NamedTuple):
    limit: float  # on the variance
    wide_limit: float  # of an arm that is to be the answer, wider by the slack
    best_level: float  # of the evidence against each alternative to the answer
    none_level: float  # of the evidence that an arm breaks the limit


class Evidence(Protocol):
    target: float  # the share of pulls to track


class Memory(Protocol):
    due: float  # at how many pulls to find the shares anew


def parameters(question: Question) -> Parameters:
    limit = question.variance_limit
    limited = limit.value < math.inf
    answers = 2.0 * question.arms if limited else max(question.arms - 1.0, 1.0)
    return Parameters(
        limit=limit.value,
        wide_limit=limit.value + limit.slack,
        best_level=math.log(answers / question.delta),
        none_level=math.log(2.0 / question.delta),
    )


def weakened(state: State) -> State:
    """Levels far too low for whoever does not know the variances: the negative control."""
    levels = state.policy_parameters._replace(best_level=-8.0, none_level=-8.0)
    return state._replace(policy_parameters=levels)


def front_runner(state: State) -> int:
    """The largest mean of the arms that look feasible, -1 if none does."""
    best, most = -1, -math.inf
    for index in range(len(state.arms)):
        arm = state.arms[index]
        if arm.goal.later_variance <= state.policy_parameters.wide_limit and arm.goal.later_mean > most:
            best, most = index, arm.goal.later_mean
    return best


def stop(state: State, ranking: Ranking, t: int) -> Step:
    """When the evidence against every alternative reaches its level."""
    for index in range(len(state.arms)):
        if not normal_evidence.known(state.arms[index].goal, state.arms[index].metric):
            return Step(verdicts.UNDECIDED, -1, 0)
    leader = front_runner(state)
    if leader < 0:
        for index in range(len(state.arms)):
            if not ruled_out(state, index):
                return Step(verdicts.UNDECIDED, -1, 0)
        return Step(verdicts.NO_ARM, -1, 0)
    parameters, first = state.policy_parameters, state.arms[leader]
    if parameters.wide_limit < math.inf:
        if normal_evidence.against_larger(first.goal, first.metric, parameters.wide_limit) < parameters.best_level:
            return Step(verdicts.UNDECIDED, -1, 0)
    for index in range(len(state.arms)):
        if index != leader and not ruled_out(state, index):
            if evidence_against(state, leader, index) < parameters.best_level:
                return Step(verdicts.UNDECIDED, -1, 0)
    return Step(verdicts.BEST, leader, 0)


def ruled_out(state: State, index: int) -> bool:
    """Do the rewards speak against every variance within the limit?"""
    arm, parameters = state.arms[index], state.policy_parameters
    against: float = normal_evidence.against_smaller(arm.goal, arm.metric, parameters.limit)
    return against >= float(parameters.none_level)


def evidence_against(state: State, leader: int, rival: int) -> float:
    """ln of the evidence against all pairs of laws in which the rival is feasible and better than the leader."""
    first, second, limit = state.arms[leader], state.arms[rival], state.policy_parameters.limit
    return transport.against_rival(first.goal, second.goal, state.tolerance, limit)


def choose(state: State, ranking: Ranking, generator: np.random.Generator) -> int:
    """The arm farthest behind its share; but first one of which nothing is known, or with fewer than about sqrt(n) pulls."""
    arms = len(state.arms)
    pulls, rarest, unknown = 0.0, 0, -1
    for index in range(arms):
        arm = state.arms[index]
        pulls += arm.metric.pulls
        if arm.metric.pulls < state.arms[rarest].metric.pulls:
            rarest = index
        if not normal_evidence.known(arm.goal, arm.metric) and (
            unknown < 0 or arm.metric.pulls < state.arms[unknown].metric.pulls
        ):
            unknown = index
    chosen = rarest if unknown < 0 else unknown
    if unknown < 0 and state.arms[rarest].metric.pulls >= math.sqrt(pulls) - 0.5 * arms:
        if pulls >= state.policy[0].due:
            find_targets(state)
            state.policy[0].due = GROWTH * pulls
        most = -math.inf
        for index in range(arms):
            behind = pulls * state.arms[index].policy.target - state.arms[index].metric.pulls
            if behind > most:
                chosen, most = index, behind
    state.asked[0] = chosen
    return 1


def find_targets(state: State) -> None:
    """w* of the instance that the estimates make, docs/limit.md Proposition 2."""
    arms, limit = len(state.arms), state.policy_parameters.limit
    leader = front_runner(state)
    highest = math.inf
    if leader >= 0 and state.policy_parameters.wide_limit < math.inf:
        highest = transport.crossing(state.arms[leader].goal.later_variance, state.policy_parameters.wide_limit)
    for index in range(arms):
        arm = state.arms[index]
        arm.policy.target = 0.0
        if leader < 0:
            arm.policy.target = 1.0 / max(transport.crossing(arm.goal.later_variance, limit), 1e-12)
        elif index != leader and arm.goal.later_variance <= limit:
            first = state.arms[leader]
            low = arm.goal.later_mean - state.tolerance
            highest = min(highest, transport.lowering(first.goal.later_mean, first.goal.later_variance, low))
    if leader >= 0:
        state.arms[leader].policy.target = 1.0
        if arms > 1:
            low, high = 0.0, max(highest, 1e-12)
            if weigh(state, leader, high * (1.0 - CLOSE)) > 1.0:
                for _ in range(LEVELS):
                    middle = 0.5 * (low + high)
                    if weigh(state, leader, middle) > 1.0:
                        high = middle
                    else:
                        low = middle
    total = 0.0
    for index in range(arms):
        total += state.arms[index].policy.target
    for index in range(arms):
        state.arms[index].policy.target /= total


def weigh(state: State, leader: int, level: float) -> float:
    """Give each rival the weight at which its cheapest alternative costs so much; the sum of K / G there.

    The cost is concave in the weight: Newton's method comes from the left, whatever the start.
    """
    first, limit, ratios = state.arms[leader], state.policy_parameters.limit, 0.0
    for index in range(len(state.arms)):
        if index == leader:
            continue
        arm = state.arms[index]
        low, weight = arm.goal.later_mean - state.tolerance, max(arm.policy.target, 1e-9)
        down, up = 0.0, 1.0
        for _ in range(STEPS):
            m = transport.meeting(
                1.0, first.goal.later_mean, first.goal.later_variance, weight, low, arm.goal.later_variance, limit
            )
            down = transport.lowering(first.goal.later_mean, first.goal.later_variance, m)
            up = max(transport.raising(low, arm.goal.later_variance, m, limit), 1e-12)
            short = level - down - weight * up
            weight = max(weight + short / up, 1e-9)
            if abs(short) <= CLOSE * level:
                break
        arm.policy.target = weight
        ratios += down / up
    return ratios
