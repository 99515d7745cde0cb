"""What is shown of a study never contradicts itself, after any reward, whatever the risk, the range, the goal, the data."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot import Study
from surefoot.problem import Problem
from surefoot.problem.reward_models import SubGaussian
from surefoot.problem.risks import Cvar, CvarUpper, Deviation, Probability, Quantile, Variance
from surefoot.study.views.arm_report import ArmReport, GoalReport, LimitReport
from surefoot.study.views.numbers import apart
from surefoot.study.views.table import Table
from surefoot.work import analysis
from surefoot.work.logs import Log

RANGES = [(0.0, 1.0), (0.0, 2000.0), (-3.0, -1.0), (-0.1, 0.3), (0.0, 1e12), (5.0, 5.0 + 1e-6), (-1e-90, 1e-90)]


def limits(low, width):
    """A limit of each kind, where `width` from `low` on is where rewards are."""
    at = low + 0.4 * width
    return [
        Variance(0.02 * width**2),
        Deviation(0.2 * width),
        Quantile(0.3, at_least=at),
        Quantile(0.8, at_most=at),
        Quantile(0.99, at_most=low + 0.9 * width),
        Probability("<", at, at_most=0.3),
        Probability(">", at, at_most=0.1),
        Cvar(0.3, at_least=low + 0.2 * width),
        CvarUpper(0.1, at_most=low + 0.6 * width),
    ]


LAWS = {  # on [0, 1]
    "bell": lambda generator, size: generator.beta(4, 6, size),
    "skewed": lambda generator, size: generator.beta(0.3, 2, size) ** 2,
    "coin": lambda generator, size: generator.integers(0, 2, size).astype(float),
    "atoms": lambda generator, size: generator.choice([0.0, 0.2, 0.4, 0.41, 1.0], size),
    "mixed": lambda generator, size: np.where(generator.random(size) < 0.5, 0.4, generator.random(size)),
    "constant": lambda generator, size: np.full(size, 0.4),
    "high": lambda generator, size: generator.beta(9, 1, size),
    "low": lambda generator, size: generator.beta(1, 9, size),
}
laws = st.lists(st.sampled_from(sorted(LAWS)), min_size=1, max_size=3)  # one after the other: rewards may drift
seeds = st.integers(0, 2**32)


def drawn(names, seed, size):
    generator = np.random.default_rng(seed)
    return np.concatenate([LAWS[name](generator, size) for name in names])


def check(study, told):
    """Every row of the table, and its text, against itself and the rewards told."""
    problem = study.problem
    for row, results in zip(study.table(), told, strict=True):
        values = results[: row.pulls]  # a study that is decided takes no more
        if not values:
            assert row.mean is None
            assert row.risk is None
            continue
        low, high = getattr(problem.rewards, "low", -math.inf), getattr(problem.rewards, "high", math.inf)
        assert low <= row.mean_lower <= row.mean <= row.mean_upper <= high
        if row.risk is None:
            continue
        lower = -math.inf if row.risk_lower is None else row.risk_lower
        upper = math.inf if row.risk_upper is None else row.risk_upper
        assert lower <= row.risk <= upper
        agrees_with_the_verdict(problem, row, lower, upper)
        agrees_with_the_sample(problem, row, lower, upper, np.sort(values))
        text_agrees(study.table(), row)
    decided = study.decision.status != "undecided"
    assert (study.decision.confidence is not None) == decided


def text_agrees(table, row):
    """The text of an estimate lies in the text of its interval."""
    _, _, mean, means, risk, risks, _ = table.row_cells(row)
    for value, interval in ((mean, means), (risk, risks)):
        lower, _, upper = interval.partition(" … ")
        lower, upper = lower.replace("∞", "inf") or "-inf", upper.replace("∞", "inf") or "inf"
        assert float(lower) <= float(value) <= float(upper)


def agrees_with_the_verdict(problem, row, lower, upper):
    risk, wide = problem.risk, problem.risk.widened(problem.risk_slack)
    if row.verdict == "feasible":
        assert lower >= wide if risk.is_floor else upper <= wide
    if row.verdict == "infeasible":
        assert row.risk < risk.bound if risk.is_floor else row.risk > risk.bound
        assert upper <= risk.bound if risk.is_floor else lower >= risk.bound


def agrees_with_the_sample(problem, row, lower, upper, values):
    """Of a tail, the sample's own lies in the interval; if few rewards differ, it is what is shown. Verdicts cut both."""
    risk, n = problem.risk, len(values)
    if isinstance(risk, Variance | Deviation):
        return
    near = 1e-9 * (problem.rewards.high - problem.rewards.low)  # what rounding on the kernels' scale may do
    if isinstance(risk, Quantile):
        share = risk.share * n
        sample = {values[min(math.floor(share + e), n - 1)] for e in (-1e-9, 1e-9)}
        sample |= {values[max(math.ceil(share + e) - 1, 0)] for e in (-1e-9, 1e-9)}
    elif isinstance(risk, Cvar | CvarUpper):
        left = np.clip(risk.share * n - np.arange(n), 0.0, 1.0)
        sample = {np.dot(left, values if isinstance(risk, Cvar) else values[::-1]) / (risk.share * n)}
    else:
        sample = {np.mean(values < risk.threshold if risk.side == "<" else values > risk.threshold)}
        near = 1e-12
    if row.verdict == "open":
        assert any(lower - near <= value <= upper + near for value in sample)
        if len(set(values)) <= 64:
            assert any(abs(row.risk - value) <= near for value in sample)
        if not isinstance(risk, Probability):
            assert values[0] - near <= row.risk <= values[-1] + near


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(RANGES),
    st.sampled_from([1.0, 0.01]),  # of the range, that rewards take up
    st.integers(0, 8),
    st.sampled_from(["max", "min"]),
    st.sampled_from([0.0, 0.05]),
    st.sampled_from([0.05, 0.5]),
    st.tuples(laws, laws),
    seeds,
)
def test_after_every_reward(within, part, kind, goal, slack, delta, names, seed):
    low, high = within
    width = part * (high - low)
    risk = limits(low, width)[kind]
    scale = {Variance: width**2, Probability: 1.0}.get(type(risk), width)
    fields = {"risk": risk, "rewards": within, "goal": goal, "delta": delta, "risk_slack": slack * scale}
    study = Study(["A", "B"], **fields)
    told = [[], []]
    results = [drawn(laws, seed + place, 60 if place else 200) for place, laws in enumerate(names)]
    for n in range(max(map(len, results))):
        for place, name in enumerate("AB"):
            if n < len(results[place]):
                reward = min(max(low + width * float(results[place][n]), low), high)
                study.record(name, reward)
                told[place].append(reward)
        if n < 30 or n % 7 == 0:
            check(study, told)
    check(study, told)
    arms = np.repeat([0, 1], [len(results) for results in told])
    check(analysis.Analysis(Log(("A", "B"), arms, np.concatenate(told), 0), **fields), told)  # takes all of them


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["gaussian", SubGaussian(0.5)]),
    st.sampled_from(["none", "variance <= 0.02", "std <= 0.2"]),
    st.sampled_from(["max", "min"]),
    st.tuples(laws, laws),
    seeds,
)
def test_after_every_reward_without_a_range(rewards, risk, goal, names, seed):
    study = Study(["A", "B"], risk=risk, rewards=rewards, goal=goal, delta=0.5)
    told = [[], []]
    for n, pair in enumerate(zip(*(drawn(laws[:1] * 2, seed, 60) for laws in names), strict=True)):
        for place, reward in enumerate(pair):
            study.record("AB"[place], float(reward) - (100.0 if n < 3 else 0.0))  # beginnings that mislead
            told[place].append(reward)
        check(study, told)


def test_a_quantile_on_a_wide_range_is_that_of_the_rewards():
    """With bins of equal width it was 45, beside "above 50"."""
    study = Study(["A"], risk="quantile(0.95) <= 50", rewards=(0, 2000))
    values = [float(value) for value in np.random.default_rng(1).lognormal(3.4, 0.4, 900)]
    for value in values:
        study.record("A", value)
    row = study.table()[0]
    assert row.verdict == "infeasible"
    assert row.risk == pytest.approx(np.quantile(values[: row.pulls], 0.95, method="higher"), rel=0.01)
    assert row.risk > 50


@pytest.mark.parametrize(
    "risk", ["quantile(0.05) >= 40", "quantile(0.9) <= 60", "cvar(0.1) >= 35", "cvar_upper(0.1) <= 62"]
)
@pytest.mark.parametrize("goal", ["max", "min"])
@pytest.mark.parametrize("few", [0, math.inf])
def test_a_log_and_a_study_show_the_same_interpreted_and_compiled(risk, goal, few, monkeypatch):
    monkeypatch.setattr(analysis, "FEW", few)
    generator = np.random.default_rng(4)
    arms = generator.integers(0, 2, 600)
    rewards = generator.normal(50, 5, 600)
    fields = {"risk": risk, "goal": goal, "rewards": (-1000, 1000)}
    study = Study(["A", "B"], **fields)
    for arm, reward in zip(arms, rewards, strict=True):
        study.record("AB"[arm], float(reward))
    assert list(analysis.Analysis(Log(("A", "B"), arms, rewards, 0), **fields).table()) == list(study.table())


def test_a_verdict_that_the_sample_comes_to_deny_cuts_what_is_shown():
    study = Study(["A", "B"], risk="quantile(0.5) <= 0", rewards=(-1, 1))
    for n in range(300):
        study.record("A", 0.5 if n < 100 else -0.5)
    row = study.table()[0]
    assert row.verdict == "infeasible"
    assert row.risk_lower == 0.0 < row.risk <= row.risk_upper < 1e-12
    assert row.words.endswith("; but by now the quantile(0.5) of its results is -0.5, on the other side of the limit")
    assert row.brief == "infeasible; its results have moved"


STEADY = [0.45, 0.55] * 100
CROSSING = {  # limits that STEADY keeps, what comes then and breaks them, what all results together have, and in words
    "variance <= 0.04": ([0.0, 1.0] * 200, np.var([0.0, 1.0] * 200 + STEADY, ddof=1), "variance"),
    "std <= 0.2": ([0.0, 1.0] * 200, np.std([0.0, 1.0] * 200 + STEADY, ddof=1), "standard deviation"),
    "quantile(0.2) >= 0.3": ([0.25, 0.75] * 200, 0.25, "quantile(0.2)"),
    "quantile(0.8) <= 0.6": ([0.25, 0.75] * 200, 0.75, "quantile(0.8)"),
    "probability(reward < 0.3) <= 0.1": ([0.25, 0.75] * 200, 1 / 3, "probability(reward < 0.3)"),
    "cvar(0.2) >= 0.3": ([0.0, 1.0] * 200, 0.0, "cvar(0.2)"),
}


@pytest.mark.parametrize("risk", CROSSING)
def test_a_verdict_that_results_come_to_deny_is_shown_with_what_they_have_now_and_warned_of(risk):
    """It was shown with an estimate and an interval that were both the limit itself, and without a word."""
    later, value, name = CROSSING[risk]
    results = STEADY + later
    study = Study(["A", "B"], risk=risk)
    for reward in STEADY:
        study.record("A", reward)
    assert study.table()[0].verdict == "feasible"
    assert "by now" not in study.table()[0].words
    assert not study.warnings
    for reward in later:
        study.record("A", reward)
    log = Log(("A", "B"), np.array([0] * len(results) + [1]), np.array([*results, 0.5]), 0)
    for shown in (study, analysis.Analysis(log, risk=risk)):
        row, limit = shown.table()[0], shown.problem.risk.bound
        assert row.verdict == "feasible"
        assert row.risk == row.risk_lower == row.risk_upper == limit
        said = f"; but by now the {name} of its results is {value:.4g}, on the other side of the limit"
        assert said in row.words
        assert row.brief == "feasible; its results have moved"
        warning = next(notice for notice in shown.warnings if notice.kind == "verdict")
        assert warning.arm == "A"
        assert f"some of them show that its {name} is" in warning.sentence
        assert f"Warning: {shown.warnings[0]} There " in shown.decision.sentence


def test_a_mean_that_has_left_its_bounds_is_shown_with_where_it_went():
    study = Study(["A", "B"], rewards=(0, 1))
    for reward in [0.45, 0.55] * 500 + [0.4] * 80:
        study.record("A", reward)
    row = study.table()[0]
    assert row.mean == row.mean_lower > 0.493
    assert row.words == "it may be the best; but by now the mean of its results is 0.4926, outside its bounds"


def test_the_best_arm_whose_results_have_left_the_limit_is_said_to_be_so():
    study = Study(["A", "B"], risk="variance <= 0.04", delta=0.5)
    for reward in STEADY + [0.0, 1.0] * 100:
        study.record("A", reward)
    while not study.decided:
        study.record("B", 0.1)
    assert study.decision.arm == "A"
    assert "(within 0.04); but by now the variance of its results is" in study.decision.sentence


@pytest.mark.parametrize("risk", ["variance <= 0.25", "std <= 0.5", "quantile(0.5) <= 0.3", "cvar(0.1) >= 0.3"])
@pytest.mark.parametrize("goal", ["max", "min"])
def test_a_sample_on_the_limit_has_not_moved(risk, goal):
    """The sample variance of a fair coin is above 1/4, and numbers on the kernels' scale are rounded."""
    values = [0.0, 1.0] * 20 if risk[0] in "vs" else [0.3] * 400
    study = Study(["A", "B"], risk=risk, goal=goal)
    for reward in values:
        study.record("A", reward)
    assert "by now" not in study.table()[0].words
    assert {notice.kind for notice in study.warnings} <= {"problem"}  # of a limit that no arm can break


def drifting(after, rows=300, late=1500):
    """Of a log in which A is best, and B from then on."""
    generator = np.random.default_rng(0)
    first = [generator.uniform(low, low + 0.3, rows) for low in (0.5, 0.35)]
    then = [generator.uniform(low, low + 0.3, late) for low in after]
    values = np.column_stack([np.concatenate(pair) for pair in zip(first, then, strict=True)])
    return Log(("A", "B"), np.tile([0, 1], rows + late), values.ravel(), 0)


def test_an_arm_that_comes_to_be_better_is_not_said_to_be_the_nearest_below():
    """A was best with a mean of 0.2351, at least 0.2351, and B surely had less on average, with 0.7891."""
    shown = analysis.Analysis(drifting((0.0, 0.7)), rewards=(0, 1))
    assert shown.decision.sentence.startswith(
        "A is best: its mean is 0.232 (its bounds contradict each other). Every other arm surely has a lower mean by its "
        "earlier results; but by now the mean of B is 0.793. "
    )
    shown = analysis.Analysis(drifting((0.05, 0.35)), rewards=(0, 1))
    first, second = shown.table()
    assert (first.words, first.brief) == ("the best, but the bounds of its mean contradict each other", "the best")
    assert second.mean > first.mean
    assert second.words == "its mean is surely lower than that of A; but by now its results are better than those of A"


def test_the_text_of_an_interval_has_the_digits_of_its_estimate():
    """It was "50 … 50" beside 50.004."""
    study = Study(["A", "B"], risk="quantile(0.5) <= 50", rewards=(0, 2000))
    for _ in range(200):
        study.record("A", 50.004)
    assert study.table().cells()[0][4:6] == ("50.004", "50.004 … 50.004")


def test_a_sample_that_is_the_limit_is_shown_as_the_limit():
    """On the way to the kernels' scale and back it became -999999.9999999, beside -1e+06 … -1e+06."""
    study = Study(["A", "B"], risk="quantile(0.05) >= -1000000", rewards=(-1e6, 1e9), goal="min")
    for n in range(100):
        study.record("A", -1e6 if n % 2 else 1e7)
    assert study.table()[0].risk == -1e6
    assert study.table().cells()[0][4] == "-1e+06"


def test_a_mean_that_is_small_beside_the_range_has_three_digits():
    """It was 46, above the largest result of all, which stood beside it as a quantile."""
    study = Study(["A", "B"], risk="quantile(0.95) <= 50", rewards=(0, 1e9))
    for _ in range(100):
        study.record("A", 45.62)
    _, _, mean, _, quantile, _, _ = study.table().cells()[0]
    assert (mean, quantile) == ("45.6", "45.62")


def test_numbers_have_the_digits_that_mean_something():
    """A mean of 0.06390 stood beside 0.02704 … 0.10170, and a risk of 0.06125 beside 0.055 … 0.1106."""
    mean = GoalReport("mean", 0.063904, 0.027041, 0.101702)
    risk = LimitReport("variance <= 0.055", 0.061254, 0.055, 0.110639, "open", 0.5)
    row = ArmReport("A", 316, mean, (risk,), "open", 0.5, False, "words")
    table = Table(Problem(["A"], risk="variance <= 0.055"), [row])
    assert table.row_cells(row) == (
        "A",
        "316",
        "0.0639",
        "0.0270 … 0.1017",
        "0.0613",
        "0.0550 … 0.1106",
        "words",
    )
    assert table.row_cells(replace(row, goal=GoalReport("mean", None, 0.0, 1.0)))[2:4] == ("", "0.00 … 1.00")
    tiny = Study(["A", "B"], rewards=(-1e-90, 1e-90))
    tiny.record("A", 1.2346e-91)
    assert tiny.table().cells()[0][2:4] == ("1.235e-91", "-1e-90 … 1e-90")


def test_columns_say_what_they_hold():
    """Two columns were called "between", and the last one had no name."""
    variance, quantile = (Study(["A"], risk=risk).table() for risk in ("variance <= 0.04", "quantile(0.5) <= 0.5"))
    assert variance.heads[3:] == ("interval of the mean", "variance", "interval of the variance", "verdict")
    assert quantile.heads[3:] == ("interval of the mean", "quantile(0.5)", "interval of the risk", "verdict")


def test_other_arms_are_not_said_to_be_lower_than_the_tolerance_allows():
    """With a tolerance, an arm that is ruled out may be a little better; every other arm "surely had less on average"."""
    generator = np.random.default_rng(3)
    study = Study(["A", "B", "C"], rewards=(0, 1), tolerance=0.001)
    while not study.decided:
        for pull in study.ask():
            study.tell(pull, {"A": 0.6, "B": 0.585, "C": 0.5}[pull.arm] + generator.uniform(0, 0.3))
    assert any(arm.beaten_by for arm in study._engine.state.arms)
    sentence = study.decision.sentence
    assert sentence.startswith("A is best, or within the tolerance of 0.001 of the best: its mean is 0.7")
    assert " Every other arm surely has a lower mean, up to the tolerance (the nearest is " in sentence


def test_a_risk_just_beyond_its_limit_can_be_told_from_it():
    assert apart(50.004, 50.0, ".4g") == ("50.004", "50")
    study = Study(["A"], risk="quantile(0.5) <= 50", rewards=(0, 2000))
    for _ in range(200):
        study.record("A", 50.004)
    assert study.table().cells()[0][4] == "50.004"
    assert study.table()[0].words == "its quantile(0.5) is above 50"
