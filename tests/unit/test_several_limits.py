"""Problems with several limits and metrics: what the kernels are asked, which parts decide it, and what is refused."""

import math

import pytest

from surefoot import Study
from surefoot.core.chains import chained
from surefoot.core.limits import MeanLimit, TailLimit, VarianceLimit
from surefoot.errors import Unsupported
from surefoot.problem import Problem, choice
from surefoot.problem.kernel_question import question_of

METRICS = {"accuracy": (0, 1), "latency": "any", "cost": (0, 10), "size": "gaussian", "unused": "any"}


def problem(*limits, goal="max mean(accuracy)", **fields):
    return Problem(["A", "B"], goal=goal, metrics=METRICS, limits=list(limits), **fields)


def test_each_limit_is_asked_on_the_scale_of_its_own_metric():
    """The goal's metric is the first, and alone is mirrored; a metric without goal and limits is not asked about."""
    asked = problem(
        "quantile(0.9, latency) <= 2", "mean(cost) >= 5", "mean(accuracy) <= 0.8", "variance(size) <= 4",
        goal="min mean(accuracy)",
    )  # fmt: skip
    question = question_of(asked)
    assert [limit.metric for limit in question.limits] == [1, 2, 0, 3]
    assert [limit.limit for limit in question.limits] == [
        TailLimit(1.0, 2.0, 2.0, pytest.approx(0.1), pytest.approx(0.1), strict=True),
        MeanLimit(1.0, 0.5, 0.5),
        MeanLimit(1.0, pytest.approx(0.2), pytest.approx(0.2)),
        VarianceLimit(4.0, 0.0),
    ]
    assert [(limit.low, limit.high) for limit in question.limits][:2] == [(-math.inf, math.inf), (0.0, 1.0)]
    assert asked.inward((0.25, 3.0, 5.0, 7.0, 9.0)) == (0.75, 3.0, 0.5, 7.0)


def test_problems_that_differ_in_order_alone_share_a_chain():
    limits = ["variance(accuracy) <= 0.04", "probability(accuracy < 0.1) <= 0.1", "mean(cost) <= 5"]
    found = [choice.program(problem(*order)) for order in (limits, limits[::-1])]
    assert found[0].limits == found[1].limits[::-1]
    assert chained(found[0].limits) is chained(found[1].limits)


@pytest.mark.parametrize(
    ("limits", "fields", "sentence"),
    [
        (
            ["variance(accuracy) <= 0.04", "mean(accuracy) >= 0.2"],
            {"policy": "lil-ucb"},
            "policy 'va-lucb' or 'successive-elimination' or 'top-two' would work",
        ),
        (["mean(cost) <= 5"], {"policy": "va-lucb", "bounds": "paper"}, "bounds 'tight' or 'sharp' would work"),
        (["variance(cost) <= 5"], {"policy": "track-and-stop"}, "would work"),
        (
            ["cvar(0.1, size) >= 0"],
            {},
            "cvar(0.1, size) >= 0 cannot be decided for Gaussian size; mean or probability or quantile or variance can be",
        ),
    ],
)
def test_what_cannot_be_decided_is_refused_with_what_would_work(limits, fields, sentence):
    with pytest.raises(Unsupported) as refused:
        choice.program(problem(*limits), **fields)
    assert sentence in str(refused.value)


def test_a_study_with_limits_of_every_kind_decides():
    """B has the larger mean, and a latency beyond its limit."""
    study = Study(
        ["A", "B"],
        goal="max mean(accuracy)",
        metrics=METRICS,
        limits=["quantile(0.5, latency) <= 2", "mean(cost) <= 6", "mean(accuracy) >= 0.2", "variance(size) <= 4"],
        seed=1,
    )
    pulls = 0
    while not study.decided and pulls < 2_000:
        for pull in study.ask():
            pulls += 1
            late, part = pull.arm == "B", pulls % 7 / 7
            result = {"accuracy": 0.5 + 0.2 * late + 0.1 * part, "latency": 1.0 + 5.0 * late, "cost": 4.0 + part}
            study.tell(pull, result | {"size": 2.0 * part, "unused": 0.0})
    assert study.decision.arm == "A"
    table = study.table()
    verdicts = {row.name: [limit.verdict for limit in row.limits] for row in table}
    assert verdicts["A"] == ["feasible"] * 4
    assert verdicts["B"][0] == "infeasible"
