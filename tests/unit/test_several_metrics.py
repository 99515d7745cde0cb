"""Several metrics, several limits: what a problem takes, writes and refuses."""

import re

import pytest

from surefoot import Beta, Problem, Quantile, Variance
from surefoot.errors import InvalidValue
from surefoot.problem.limits import Limit
from surefoot.problem.metrics import metrics_of, values_of

METRICS = {"accuracy": (0, 1), "latency": "any", "error": "binary", "cost": {"range": [0, 50], "clip": True}}
LIMITS = [
    "quantile(0.95, latency) <= 2",
    "probability(error > 0) <= 0.01",
    {"limit": "variance(cost) <= 3", "slack": 0.1},
]


def problem(**fields):
    given = {"goal": "max mean(accuracy)", "metrics": METRICS, "limits": LIMITS} | fields
    return Problem(["small", "large"], **given)


def test_a_problem_of_several_metrics_is_read_back_as_it_was_written():
    one = problem(failure={"accuracy": 0, "latency": 30, "error": 1, "cost": 0}, max_pulls=5000)
    assert Problem.loads(one.dumps()) == one
    assert 'goal = "max mean(accuracy)"' in one.dumps()
    assert [str(limit) for limit in one.limits] == [
        "quantile(0.95, latency) <= 2",
        "probability(error > 0) <= 0.01",
        "variance(cost) <= 3",
    ]


def test_one_metric_called_reward_with_one_limit_is_written_in_the_short_form():
    short = Problem(["A", "B"], risk="variance <= 0.04", risk_slack=0.01)
    long = Problem(
        ["A", "B"], metrics={"reward": (0, 1)}, limits=[{"limit": "variance(reward) <= 0.04", "slack": 0.01}]
    )
    assert long == short
    assert long.dumps() == short.dumps()
    assert "limits" not in short.dumps()


@pytest.mark.parametrize(
    "limit", ["variance <= 0.04", "variance(reward) <= 0.04", Variance(0.04), {"limit": "variance <= 0.04"}]
)
def test_a_limit_may_be_given_in_several_ways(limit):
    assert Problem(["A"], limits=[limit]).limits == (Limit(Variance(0.04)),)


def test_the_kernels_see_the_goals_metric_first_and_only_metrics_with_limits():
    one = problem(goal="min mean(cost)", limits=["quantile(0.95, latency) <= 2"])
    assert [metric.name for metric in one.deciding_metrics] == ["cost", "latency"]
    assert one.inward((1.0, 0.25, 0.0, 10.0)) == (0.8, 0.25)
    assert one.inward((1.0, 0.25, 0.0, 70.0)) == (0.0, 0.25)  # clipped


def test_a_result_has_a_number_for_each_metric():
    metrics = metrics_of(METRICS)
    result = {"cost": 70, "error": False, "accuracy": 1, "latency": 0.2}
    assert values_of(metrics, "a result", result) == (1.0, 0.2, 0.0, 70.0)
    assert problem().result((1.0, 0.2, 0.0, 70.0)) == {"accuracy": 1.0, "latency": 0.2, "error": 0.0, "cost": 70.0}


WRONG = {
    "a number": (0.5, "a result must have a number for each of 'accuracy', 'latency', 'error', 'cost', got 0.5"),
    "missing": (
        {"accuracy": 1, "latency": 0.2, "speed": 3},
        "and nothing else, got 'error' and 'cost' missing, and 'speed' besides",
    ),
    "range": ({"accuracy": 2, "latency": 0.2, "error": 0, "cost": 0}, "accuracy of a result must be in [0, 1], got 2"),
    "binary": ({"accuracy": 1, "latency": 0.2, "error": 0.5, "cost": 0}, "error of a result must be 0 or 1, got 0.5"),
    "none": ({"accuracy": 1, "latency": None, "error": 0, "cost": 0}, "latency of a result is missing (None)"),
    "text": (
        {"accuracy": 1, "latency": "0.2", "error": 0, "cost": 0},
        "latency of a result must be a finite number, got '0.2'",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_results_that_are_none_are_refused(case):
    result, sentence = WRONG[case]
    with pytest.raises(InvalidValue, match=re.escape(sentence)):
        values_of(metrics_of(METRICS), "a result", result)


REFUSED = {
    "which": ({"goal": "max"}, "goal must name one of the metrics, such as 'max mean(accuracy)', got 'max'"),
    "unknown": (
        {"goal": "max mean(speed)"},
        "must be about one of the metrics 'accuracy', 'latency', 'error', 'cost', got 'speed'",
    ),
    "goal": ({"goal": "min quantile(0.5, latency)"}, "goal must be a mean for now, such as 'min mean(latency)'"),
    "no range": (
        {"goal": "max mean(latency)", "limits": []},
        "the mean of latency cannot be the goal, as latency has no range",
    ),
    "any": ({"limits": ["variance(latency) <= 2"]}, "variance(latency) cannot be limited, as latency has no range"),
    "both": ({"rewards": (0, 1)}, "a problem must give rewards or metrics, got both"),
    "risk": ({"risk": "variance <= 0.1"}, "a problem must give risk or limits, got both"),
    "twice": (
        {"limits": ["variance(cost) <= 3", "variance(cost)<=3"]},
        "each limit must be there once, got 'variance(cost) <= 3' twice",
    ),
    "nameless": ({"limits": ["variance <= 3"]}, "limit 'variance <= 3' must say which metric it is about"),
    "risk object": ({"limits": [Quantile(0.95, at_most=2)]}, "must say which metric it is about: write Limit("),
    "sign": ({"limits": ["variance(cost) < 3"]}, "must have `<=` or `>=` at character 16, got '<'"),
    "two": ({"limits": ["variance(cost) <= 3, variance(error) <= 2"]}, "one limit per text"),
    "slack": (
        {"limits": [{"limit": "variance(cost) <= 3", "slak": 1}]},
        "a limit has no field 'slak'; it has limit and slack; did you mean slack?",
    ),
    "list": ({"limits": "variance(cost) <= 3"}, 'limits must be a list such as ["variance <= 0.04"]'),
    "range of": ({"limits": ["quantile(0.5, cost) <= 60"]}, "must be in the range of cost, [0, 50], got 60"),
    "metric": ({"metrics": METRICS | {"x": {"rnge": [0, 1]}}}, "metric 'x' has no field 'rnge'"),
    "forms": (
        {"metrics": METRICS | {"x": {"range": [0, 1], "any": True}}},
        "metric 'x' must have one of range, binary, any, gaussian, subgaussian, got range and any",
    ),
    "word": ({"metrics": METRICS | {"x": "gausian"}}, "x must be a range [low, high] or one of"),
    "reserved": ({"metrics": METRICS | {"arm": "any"}}, "a metric must not be called 'arm'"),
    "colon": ({"metrics": METRICS | {"a:b": "any"}}, "no colon and no quote"),
    "clip": ({"metrics": METRICS | {"x": {"any": True, "clip": True}}}, "clip of x needs a range to clip to"),
    "failure": ({"failure": 0}, "failure must have a number for each of"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_asked_is_refused_with_a_sentence(case):
    fields, sentence = REFUSED[case]
    with pytest.raises(InvalidValue, match=re.escape(sentence)):
        problem(**fields)


def test_arms_have_a_distribution_for_each_metric():
    arms = {"A": {"x": Beta(mean=0.5, variance=0.01), "y": Beta(mean=0.2, variance=0.01)}}
    one = Problem(arms, goal="max mean(x)", metrics={"x": (0, 1), "y": (0, 1)})
    assert Problem.loads(one.dumps()) == one
    with pytest.raises(InvalidValue, match="each of the metrics 'x', 'y' must have a distribution, got those of 'x'"):
        Problem({"A": {"x": arms["A"]["x"]}}, goal="max mean(x)", metrics={"x": (0, 1), "y": (0, 1)})
    with pytest.raises(InvalidValue, match="each of 2 metrics must have a distribution of its own"):
        Problem({"A": arms["A"]["x"]}, goal="max mean(x)", metrics={"x": (0, 1), "y": (0, 1)})


def test_fields_can_be_changed():
    one = problem()
    assert one.but(delta=0.1).limits == one.limits
    assert one.but(limits=["variance(cost) <= 3"]).limits == (Limit(Variance(3.0), metric="cost"),)
    short = Problem(["A"], risk="variance <= 0.04", risk_slack=0.01)
    assert short.but(risk="variance <= 0.05").risk_slack == 0.01
    assert [str(limit) for limit in short.but(limits=["std <= 0.2", "variance <= 0.1"]).limits] == [
        "std <= 0.2",
        "variance <= 0.1",
    ]
