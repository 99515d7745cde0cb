"""A reward is beyond the threshold of a tail for the kernels exactly if it is on its own scale."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from surefoot import Probability, Problem, Quantile, Study
from surefoot.problem.kernel_question import question_of
from surefoot.work.analysis import moved

BELOW, ABOVE = -1.0, 1.0
TINY = (0.0, 5e-324, 1e-300, 1e-299, 1e-17)
ranges = st.sampled_from(
    [(0.0, 1.0), (-1.0, 1.0), (-5e99, 5e99), (0.0, 1e-100), (1e10, 1e10 + 1e-5), (-3.0, 1e-17), (-1e-300, 7.0)]
) | st.tuples(st.floats(-1e6, 1e6), st.floats(1e-9, 1e6)).map(lambda ends: (ends[0], ends[0] + ends[1]))


@st.composite
def problems(draw, most_slack=0.0):
    """A problem with a limit on either tail, and rewards on both sides of its threshold, however close to it."""
    low, high = draw(ranges)
    assume(high - low >= 1e-100)
    places = st.floats(low, high) | st.sampled_from([low, high, *filter(lambda x: low <= x <= high, TINY)])
    threshold = draw(places)
    kind = draw(st.sampled_from(["probability <", "probability >", "quantile >=", "quantile <="]))
    risk = {
        "probability <": Probability("<", threshold, 0.1),
        "probability >": Probability(">", threshold, 0.1),
        "quantile >=": Quantile(0.1, at_least=threshold),
        "quantile <=": Quantile(0.9, at_most=threshold),
    }[kind]
    goal, wider = draw(st.sampled_from(["max", "min"])), draw(st.floats(0.0, most_slack))
    problem = Problem(arms=["A"], risk=risk, rewards=(low, high), goal=goal, risk_slack=wider)
    rewards = [low, high, *draw(st.lists(places, max_size=5))]
    for near, steps in itertools.product(
        (threshold, threshold - wider, threshold + wider), (-1000, -2, -1, 0, 1, 1000)
    ):
        rewards.append(near + steps * math.ulp(near))
    return problem, [min(max(reward, low), high) for reward in rewards]


def tail_of(risk):
    return BELOW if getattr(risk, "side", None) == "<" or risk.is_floor else ABOVE


def is_beyond(tail, reward, threshold):
    return reward < threshold if tail == BELOW else reward > threshold


@given(problems())
def test_a_reward_is_beyond_the_moved_threshold_if_it_is_beyond_the_threshold(asked):
    problem, rewards = asked
    risk, limit, inward = problem.risk, question_of(problem).limits[0].limit, problem.mover(problem.goal_metric)
    tail, threshold = tail_of(risk), getattr(risk, "threshold", risk.bound)
    assert limit.threshold == limit.wide_threshold
    assert limit.sign == (tail if problem.goal == "max" else -tail)
    for reward in rewards:
        found = inward(reward)
        assert 0.0 <= found <= 1.0
        assert found == pytest.approx(problem.scale.inward(reward), rel=0.0, abs=2.0**-50)
        assert is_beyond(limit.sign, found, limit.threshold) == is_beyond(tail, reward, threshold)


@given(problems(most_slack=1.0))
def test_and_so_it_is_of_the_wider_threshold_of_a_quantile(asked):
    problem, rewards = asked
    risk, limit, inward = problem.risk, question_of(problem).limits[0].limit, problem.mover(problem.goal_metric)
    assume(isinstance(risk, Quantile))
    thresholds = risk.bound, risk.widened(problem.risk_slack)
    assume(
        thresholds[0] == thresholds[1] or limit.threshold != limit.wide_threshold
    )  # one number cannot be on both sides
    tail = tail_of(risk)
    for reward in rewards:
        found = inward(reward)
        assert 0.0 <= found <= 1.0
        for place, threshold in zip((limit.threshold, limit.wide_threshold), thresholds, strict=True):
            assert is_beyond(limit.sign, found, place) == is_beyond(tail, reward, threshold)


@given(problems(most_slack=1.0))
def test_a_whole_log_is_moved_as_one_reward_is_to_the_bit(asked):
    problem, rewards = asked
    one_by_one = np.array([problem.mover(problem.goal_metric)(reward) for reward in rewards])
    assert moved(problem, problem.goal_metric, np.array(rewards)).tobytes() == one_by_one.tobytes()


@pytest.mark.parametrize(
    ("risk", "goal", "rewards", "arms", "expected"),
    [
        ("probability(reward > 0) <= 0.1", "min", (0, 1), {"a": 1e-300, "b": 0.5}, ("infeasible", None)),
        ("probability(reward > 0) <= 0.1", "min", (0, 1), {"a": 1e-300, "b": 0.0}, ("best", "b")),
        ("probability(reward < 1e-300) <= 0.1", "min", (0, 1), {"a": 0.0, "b": 1e-299}, ("best", "b")),
        ("probability(reward > 0) <= 0.1", "max", (-1, 1), {"a": 1e-17, "b": -1.0}, ("best", "b")),
    ],
)
def test_a_study_of_arms_that_rounding_would_put_on_the_threshold(risk, goal, rewards, arms, expected):
    study = Study(list(arms), risk=risk, goal=goal, rewards=rewards, max_pulls=1_000)
    while not study.decided:
        for pull in study.ask():
            study.tell(pull, arms[pull.arm])
    assert (study.decision.status, study.decision.arm) == expected


@given(problems(most_slack=1.0))
def test_the_cuts_are_the_thresholds_of_the_test(asked):
    problem, _ = asked
    limit = question_of(problem).limits[0].limit
    assert {cut.place for cut in problem.cuts(problem.goal_metric)} == {limit.threshold, limit.wide_threshold}
