"""Limits and goals as people write them: read, written alike, and refused with the place that is wrong."""

import pytest

from surefoot.errors import InvalidValue
from surefoot.problem.grammar import Bound, GoalExpression, LimitExpression, Quantity, read_goal, read_limit

LATENCY = Quantity("mean", "latency")
LIMITS = {
    "mean(latency) <= 1.02 * baseline": LimitExpression(LATENCY, "<=", Bound(1.02, 0.0)),
    "mean(latency) >= baseline - 0.01": LimitExpression(LATENCY, ">=", Bound(1.0, -0.01)),
    "mean(latency) >= 2 * baseline + 1": LimitExpression(LATENCY, ">=", Bound(2.0, 1.0)),
    "std <= 0.5": LimitExpression(Quantity("std"), "<=", Bound(0.0, 0.5)),
    "quantile(0.95, latency) <= 2": LimitExpression(Quantity("quantile", "latency", share=0.95), "<=", Bound(0.0, 2.0)),
    "cvar(0.1) >= -3": LimitExpression(Quantity("cvar", share=0.1), ">=", Bound(0.0, -3.0)),
    "probability(error > 0) <= 0.01": LimitExpression(
        Quantity("probability", "error", side=">", threshold=0.0), "<=", Bound(0.0, 0.01)
    ),
    'variance("latency (ms)") <= 4': LimitExpression(Quantity("variance", "latency (ms)"), "<=", Bound(0.0, 4.0)),
}
GOALS = {
    "max": GoalExpression("max"),
    "min quantile(0.5, latency)": GoalExpression("min", Quantity("quantile", "latency", share=0.5)),
    "max mean(latency) - 2 * variance(latency)": GoalExpression("max", LATENCY, 2.0),
    "min mean(latency) + 0.5 * variance(latency)": GoalExpression("min", LATENCY, 0.5),
}


@pytest.mark.parametrize("text", LIMITS)
def test_limits_are_read_and_written_alike_however_they_are_spaced(text):
    narrow = text if '"' in text else text.replace(" ", "")
    for spaced in (text, narrow, f"  {text}  ".replace("=", "= \t").replace("(", "( ") if '"' not in text else text):
        assert read_limit("limit", spaced) == LIMITS[text]
    assert str(LIMITS[text]) == text


@pytest.mark.parametrize("text", GOALS)
def test_goals_are_read_and_written_alike(text):
    assert read_goal("goal", text) == GOALS[text]
    assert str(GOALS[text]) == text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("variance < 0.04", "limit 'variance < 0.04' must have `<=` or `>=` at character 10, got '<'"),
        ("quantile(0.9) <=", "must have a number (the limit) at its end, got nothing"),
        ("mean() <= 2", "must have the name of a metric at character 6, got ')'"),
        ("mean(a, b) <= 2", "must have `)` at character 7, got ','"),
        ("mean(a) <= 2 * base", "must have `baseline` at character 16, got 'base'; did you mean baseline?"),
        ("mean(a) <= 2 and mean(b) <= 3", "must have nothing more at character 14, got 'and'; one limit per text"),
        ("mean(a) <= 1.2.3", "must have a number (the limit) at character 12, got '1.2.3'"),
        ("mean(a) <= 5 %", "must have nothing more at character 14, got '%'; one limit per text"),
    ],
)
def test_a_limit_that_cannot_be_read_is_refused_with_its_place(text, sentence):
    with pytest.raises(InvalidValue) as refused:
        read_limit("limit", text)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("maximise", "goal 'maximise' must have `max` or `min` at character 1, got 'maximise'"),
        ("min mean(p) - 2 * variance(p)", "must have `+` at character 13, got '-'"),
        ("max mean(p) - 2 * variance(q)", "must have `variance(p)` at character 19"),
        ("max mean(p) - 0 * variance(p)", "must have a number above 0 at character 15, got '0'"),
        ("max quantile(0.5) - 1", "must have nothing more at character 19, got '-'; one goal per text"),
        (3, "goal must be a text, got 3"),
    ],
)
def test_a_goal_that_cannot_be_read_is_refused_with_its_place(text, sentence):
    with pytest.raises(InvalidValue) as refused:
        read_goal("goal", text)
    assert sentence in str(refused.value)
