"""The evidence of rounds, beside a plain transcription of its formula."""

import math
from itertools import pairwise

import numpy as np
import pytest

from surefoot.core.bounds.tight import BETS, LOG_WEIGHTS
from surefoot.errors import InvalidValue
from surefoot.problem.metrics import metric
from surefoot.work.gate.comparison import MeansShown, SignsShown, by_means, by_signs
from surefoot.work.gate.margin import Margin, read_part
from surefoot.work.gate.streams import MeanReading, Requirement, SignReading, Stream, sign_log_evidence


def naive(numbers, place):
    """ln of the sum over bets b of the weight times the product of (1 + b Y) / (1 + b y)."""
    return math.log(
        sum(
            math.exp(weight) * math.prod((1 + bet * number) / (1 + bet * place) for number in numbers)
            for bet, weight in zip(BETS, LOG_WEIGHTS, strict=True)
        )
    )


@pytest.mark.parametrize(
    ("reading", "number"),
    [
        (SignReading(Requirement(-1.0, 1.1, 0.0)), lambda b, c: (1 + np.sign(1.1 * b - c)) / 2),
        (MeanReading(Requirement(1.0, 1.0, -0.05), 0.0, 1.0), lambda b, c: (c - b + 1) / 2),
        (MeanReading(Requirement(-1.0, 1.1, 0.0), 0.0, 1.0), lambda b, c: (1.1 * b - c + 1) / 2.1),
    ],
)
def test_evidence_is_that_of_the_formula(reading, number):
    generator, stream = np.random.default_rng(1), Stream(reading)
    pairs = generator.random((25, 2))
    for baseline, candidate in pairs:
        stream.add(baseline, candidate)
    numbers = [number(*pair) for pair in pairs]
    assert stream.above == pytest.approx(naive(numbers, reading.place))
    assert stream.below == pytest.approx(naive([1 - one for one in numbers], 1 - reading.place))


def test_the_mean_of_a_factor_is_at_most_1_where_the_candidate_is_at_the_margin():
    """By which a wealth is a martingale: for coins, summed over what can happen."""
    reading, baseline, candidate = MeanReading(Requirement(1.0, 1.0, -0.1), 0.0, 1.0), 0.5, 0.4
    for bet in BETS:
        expected = sum(
            (baseline if b else 1 - baseline)
            * (candidate if c else 1 - candidate)
            * (1 + bet * reading.number(b, c))
            / (1 + bet * reading.place)
            for b in (0.0, 1.0)
            for c in (0.0, 1.0)
        )
        assert expected == pytest.approx(1.0)


def test_rounds_that_failed_are_worse_than_all_others_and_ties_count_for_neither_side():
    reading = SignReading(Requirement(-1.0, 1.02, 0.0))
    assert [reading.number(1.0, candidate) for candidate in (1.0, 1.02, 1.03, math.inf)] == [1.0, 0.5, 0.0, 0.0]
    assert [reading.number(math.inf, candidate) for candidate in (9.0, math.inf)] == [1.0, 0.5]


def test_the_ends_of_the_median_are_the_margins_at_which_the_rounds_would_pass_and_fail():
    generator, level = np.random.default_rng(2), math.log(20)
    pairs = np.exp(0.1 * generator.standard_normal((60, 2)))
    shown = SignsShown(Margin(0.0, part=True, direction="min"))
    for pair in pairs:
        shown.add(*pair)
    value, lower, upper = shown.difference(level, level)
    assert lower < value < upper
    assert value == pytest.approx(np.median(pairs[:, 1] / pairs[:, 0] - 1))

    def evidence(margin):
        comparison = by_signs(metric("seconds", "any"), Margin(margin, direction="min"))
        for baseline, candidate in pairs:
            comparison.add({"seconds": baseline}, {"seconds": candidate})
        return comparison.kept, comparison.broken

    hair = 1e-9
    assert evidence(upper + hair)[0] >= level > evidence(upper - hair)[0]
    assert evidence(lower - hair)[1] >= level > evidence(lower + hair)[1]


@pytest.mark.parametrize("direction", ["max", "min"])
def test_the_ends_of_the_mean_are_the_margins_at_which_the_rounds_would_pass_and_fail(direction):
    generator, level, given = np.random.default_rng(3), math.log(20), metric("reward", [0, 1])
    pairs = np.clip(0.5 + 0.1 * generator.standard_normal((80, 2)), 0, 1)
    shown = MeansShown(Margin(0.0, part=False, direction=direction), 0.0, 1.0)
    for pair in pairs:
        shown.add(*pair)
    value, lower, upper = shown.difference(level, level)
    assert lower < value < upper
    assert value == pytest.approx(pairs[:, 1].mean() - pairs[:, 0].mean())
    worst = upper if direction == "min" else -lower

    def kept(margin):
        comparison = by_means(given, Margin(margin, part=False, direction=direction))
        for baseline, candidate in pairs:
            comparison.add({"reward": baseline}, {"reward": candidate})
        return comparison.kept

    assert kept(worst + 1e-3) >= level > kept(worst - 1e-3)


def test_the_evidence_of_signs_grows_with_their_count():
    found = [sign_log_evidence(count, 40 - count, 3) for count in range(20, 41)]
    assert all(before < after for before, after in pairwise(found))


def test_a_margin_is_a_number_or_a_percentage():
    assert read_part("margin", " 2 % ", part=False) == (0.02, True)
    assert read_part("margin", "0.02", part=True) == (0.02, True)
    for text, said in {
        "two": "margin must be a number such as 0.02, or a percentage such as 2%, got 'two'",
        "-1": "margin must be a number of at least 0, got -1",
    }.items():
        with pytest.raises(InvalidValue, match=said):
            read_part("margin", text, part=True)


def test_margins_that_would_let_everything_pass_are_refused():
    with pytest.raises(
        InvalidValue, match=r"margin and slack must be below 1 together, the width of the range, got 1.5"
    ):
        by_means(metric("reward", [0, 1]), Margin(1.0, part=False, slack=0.5, direction="max"))
    with pytest.raises(InvalidValue, match=r"must be in the same unit, got 0.1 and 2%"):
        Margin.read("0.1", "2%", "max", part=False)
    with pytest.raises(InvalidValue, match="below 100 % together"):
        Margin.read("60%", "40%", "max", part=True)
    with pytest.raises(InvalidValue, match="a margin in percent needs a range of at least 0, got reward from -1 on"):
        by_means(metric("reward", [-1, 1]), Margin(0.1, part=True, direction="max"))
