"""Values as people have them: numbers of other libraries, missing ones, names that are numbers."""

import math
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from surefoot import Bernoulli, Beta, Instance, Normal, Problem, Study, SubGaussian, Uniform, Variance
from surefoot.errors import Caution, InvalidValue, nearest, number, parsed_number, result, whole
from surefoot.problem.reward_models import Bounded
from surefoot.problem.reward_sources import Data
from surefoot.problem.risks.expressions import parse

HALVES = [
    *(kind(0.5) for kind in (np.float16, np.float32, np.float64, np.longdouble)),
    *(np.array(0.5, kind) for kind in (np.float16, np.float32, np.float64)),
    Decimal("0.5"),
    Fraction(1, 2),
]
ONES = [kind(1) for kind in (np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64)] + [np.array(1)]
TRUE = [True, np.True_, np.array(True)]
MISSING = [
    (None, "None"),
    (math.nan, "NaN"),
    (np.float32("nan"), "NaN"),
    (np.longdouble("nan"), "NaN"),
    (Decimal("nan"), "NaN"),
    (Decimal("snan"), "NaN"),
    (pd.NA, "pandas.NA"),
    (pd.NaT, "pandas.NaT"),
    (np.datetime64("NaT"), "NaT"),
    (np.ma.masked, "numpy.ma.masked"),
    (np.ma.array(0.5, mask=True), "None"),
]
NO_NUMBERS = [
    "0.5",
    np.str_("0.5"),
    b"1",
    0.5j,
    np.complex64(1),
    [0.5],
    np.array([0.5]),
    np.array([0.5, 1]),
    pd.Series([0.5]),
    np.timedelta64(1, "ns"),
    np.datetime64("2024-01-01", "ns"),
    pd.Timedelta(1),
    10**5000,
    Decimal("1e999"),
    np.longdouble("1e4000"),
]


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize(
    ("value", "meant"), [(v, 0.5) for v in HALVES] + [(v, 1.0) for v in ONES + TRUE] + [(np.False_, 0.0)]
)
def test_results_are_taken_as_the_numbers_they_are(value, meant):
    found = result("r", value, at_least=0, at_most=1)
    assert (type(found), found) == (float, meant)


@pytest.mark.parametrize(("value", "name"), MISSING)
def test_a_missing_result_is_named(value, name):
    with pytest.raises(InvalidValue) as refusal:
        result("a result of arm 'A'", value)
    assert str(refusal.value) == f"a result of arm 'A' is missing ({name})"


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: type(value).__name__)
def test_what_is_no_number_is_refused_as_result_and_as_parameter(value):
    for check in (result, number):
        with pytest.raises(InvalidValue, match=r"r must be (a number )?in \[0, 1\], got "):
            check("r", value, at_least=0, at_most=1)


@pytest.mark.parametrize("value", TRUE)
def test_true_is_no_parameter(value):
    with pytest.raises(InvalidValue, match="got True"):
        number("delta", value, above=0)
    with pytest.raises(InvalidValue, match="got True"):
        whole("max_pulls", value, at_least=1)


def test_a_short_float_is_compared_as_what_it_is():
    with pytest.raises(InvalidValue, match=r"r must be in \[0, 0\.1\], got 0\.10000000149"):
        result("r", np.float32(0.1), at_least=0, at_most=0.1)


@pytest.mark.parametrize(
    "value",
    [3.0, np.array(3.5), np.array([3, 4]), Decimal(3), "3", 10**30, 10**5000],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_whole_number_is_refused(value):
    with pytest.raises(InvalidValue, match="must be a whole number"):
        whole("max_pulls", value, at_least=1)
    assert whole("max_pulls", np.array(3), at_least=1) == 3


@pytest.mark.parametrize("half", HALVES, ids=lambda half: type(half).__name__)
def test_parameters_are_kept_as_floats_and_written_as_such(half):
    arms = {"A": Bernoulli(half), "B": Uniform(0, half), "C": Beta(mean=half, variance=half / 10)}
    problem = Problem(
        arms=arms, risk=Variance(half), rewards=(0, half + half), delta=half, tolerance=half, risk_slack=half
    )
    assert Problem.loads(problem.dumps()) == problem
    assert problem.delta == problem.tolerance == problem.risk_slack == problem.risk.bound == 0.5
    assert (Bounded(0, half).high, SubGaussian(half).sigma) == (0.5, 0.5)
    assert Normal(mean=half, variance=half).plain() == {"mean": 0.5, "variance": 0.5}
    assert Problem(arms=["A"], rewards=np.array([0, 2])).rewards == Bounded(0.0, 2.0)


@pytest.mark.parametrize("text", ["1_0", "٣", "1٣", "", "x", "0x1"])
def test_text_that_python_alone_takes_for_a_number_is_none(text):
    with pytest.raises(ValueError, match="convert"):
        parsed_number(text)
    for expression in (f"variance <= {text}", f"quantile({text}) >= 1"):
        with pytest.raises(InvalidValue):
            parse(expression)


@pytest.mark.parametrize("cell", ["1_0", "٣"])
def test_data_with_such_text_is_refused(tmp_path, cell):
    (tmp_path / "log.csv").write_text(f"a\n{cell}\n", encoding="utf-8")
    with pytest.raises(InvalidValue, match="must hold finite numbers"):
        Data(str(tmp_path / "log.csv"), "a").read()


def test_data_with_two_columns_of_a_name_is_refused(tmp_path):
    (tmp_path / "log.csv").write_text("a,b,a\n1,2,3\n")
    with pytest.raises(InvalidValue, match="must have one column 'a', got 2"):
        Data(str(tmp_path / "log.csv"), "a").read()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (1, "1"),
        (1.0, "1"),
        (np.int64(1), "1"),
        (np.array(1), "1"),
        (0.5, "0.5"),
        (np.float32(0.1), "0.1"),
        (Decimal("0.10"), "0.10"),
        (np.str_("A"), "A"),
        (-3, "-3"),
    ],
)
def test_numbers_become_names(name, text):
    (found,) = Problem(arms=[name]).names
    assert (type(found), found) == (str, text)


@pytest.mark.parametrize("name", [True, np.True_, math.nan, math.inf, None, (1,), b"A", np.array([1])])
def test_what_is_neither_text_nor_a_number_is_no_name(name):
    with pytest.raises(InvalidValue, match="an arm's name must be some printable text on one line, or a number, got"):
        Problem(arms=[name])


def test_numbers_that_are_the_same_name_are_refused():
    for arms in ([1, "1"], [1, 1.0], {1: Bernoulli(0.5), "1": Bernoulli(0.5)}):
        with pytest.raises(InvalidValue, match="each arm must have a name of its own, got '1' twice"):
            Problem(arms=arms)


def test_numbers_are_names_in_files_and_instances():
    problem = Problem.loads("rewards = [0, 1]\n[[arms]]\nname = 1\n[[arms]]\nname = 0.5")
    assert problem.names == ("1", "0.5")
    assert Instance({2: Bernoulli(0.3), 10: Bernoulli(0.5)}).right_answers == ("10",)


# --- what is asked of new problems only


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"tolerance": 1}, "tolerance must be below 1, the width of the range of rewards, got 1"),
        ({"tolerance": 7, "rewards": (-2, 5)}, "tolerance must be below 7, the width of the range of rewards, got 7"),
        (
            {"risk": "variance <= 0.04", "risk_slack": 0.25},
            "risk_slack must be below 0.25, got 0.25: otherwise no arm",
        ),
        ({"risk": "std <= 0.2", "risk_slack": 0.5}, "risk_slack must be below 0.5, got 0.5"),
        ({"risk": "quantile(0.1) >= 0.2", "risk_slack": 1}, "risk_slack must be below 1, got 1"),
        ({"risk": "cvar(0.1) >= 0.2", "risk_slack": 1}, "risk_slack must be below 1, got 1"),
        ({"risk": "probability(reward < 2) <= 0.1", "rewards": (0, 9), "risk_slack": 1}, "must be below 1, got 1"),
    ],
)
def test_a_new_problem_that_makes_every_answer_right_is_refused(fields, sentence):
    with pytest.raises(InvalidValue) as refusal:
        Problem(arms=["A", "B"], **fields).check_new()
    assert sentence in str(refusal.value)
    less = {name: value * 0.1 for name, value in fields.items() if name in ("tolerance", "risk_slack")}
    Problem(arms=["A", "B"], **fields | less).check_new()


def test_rewards_without_a_range_have_no_largest_tolerance():
    Problem(arms=["A"], rewards="gaussian", tolerance=1e9, risk="variance <= 1", risk_slack=1e9).check_new()


@pytest.mark.parametrize(("delta", "meant"), [(0.95, "0.05"), (0.9, "0.1"), (0.6, "0.4")])
def test_a_large_delta_is_a_caution(delta, meant):
    problem = Problem(arms=["A"], delta=delta)
    said = f"delta is the probability of a wrong decision, got {delta}: did you mean {meant}?"
    assert problem.cautions == (said,)
    with pytest.warns(Caution) as caught:
        Study(["A"], delta=delta)
    assert [str(warning.message) for warning in caught] == [said]
    assert caught[0].filename == __file__
    assert Problem(arms=["A"], delta=0.5).cautions == ()


@pytest.mark.parametrize(
    ("fields", "limit"),
    [
        ({"risk": "probability(reward < 0.2) <= 0.5", "risk_slack": 0.6}, "probability(reward < 0.2) <= 0.5"),
        ({"risk": "probability(reward < 0) <= 0.5"}, "probability(reward < 0) <= 0.5"),
        ({"risk": "variance <= 0.2", "risk_slack": 0.1}, "variance <= 0.2"),
        ({"risk": "variance <= 0.25"}, "variance <= 0.25"),
        ({"risk": "std <= 0.4", "risk_slack": 0.2}, "std <= 0.4"),
        ({"risk": "quantile(0.1) >= 0.2", "risk_slack": 0.3}, "quantile(0.1) >= 0.2"),
        ({"risk": "cvar_upper(0.1) <= 0.9", "risk_slack": 0.2}, "cvar_upper(0.1) <= 0.9"),
    ],
)
def test_a_limit_that_no_arm_can_break_is_a_caution(fields, limit):
    """It was taken without a word, and every arm was feasible."""
    slack = f" by more than the risk_slack of {fields['risk_slack']}" if "risk_slack" in fields else ""
    said = f"no arm with rewards in [0, 1] can break {limit}{slack}: every arm counts as feasible"
    with pytest.warns(Caution) as caught:
        study = Study(["A", "B"], **fields)
    assert [str(warning.message) for warning in caught] == [said]
    assert [(notice.kind, notice.arm, str(notice)) for notice in study.warnings] == [("problem", None, f"N{said[1:]}")]
    assert Problem(arms=["A"], risk="variance <= 0.2", risk_slack=0.04).cautions == ()
    assert Problem(arms=["A"], risk="variance <= 9", rewards="gaussian").cautions == ()
    assert Problem(arms=["A"]).cautions == ()


# --- what was probably meant


@pytest.mark.parametrize(
    ("change", "end"),
    [
        ({"risk": "varience <= 0.1"}, "; did you mean variance?"),
        ({"risk": "variance < 0.1"}, "; did you mean variance <= V?"),
        ({"risk": "quantile(0.1) > 0.1"}, "; did you mean quantile(A) >= Q or quantile(A) <= Q?"),
        ({"rewards": "gausian"}, "; did you mean gaussian?"),
        ({"policy": "top-tow"}, "; did you mean top-two?"),
        ({"bounds": "tigth"}, "; did you mean tight?"),
        ({"goal": "maxx"}, "; did you mean max?"),
        ({"goal": "best"}, "got 'best'"),
    ],
)
def test_the_nearest_choice_is_named(change, end):
    with pytest.raises(InvalidValue) as refusal:
        Study(["A"], **change)
    assert str(refusal.value).endswith(end)


def test_fields_of_files_too():
    for text, end in (("detla = 0.1\n[[arms]]\nname = 1", "delta?"), ("[[arms]]\nname = 1\nbetta = 1", "beta?")):
        with pytest.raises(InvalidValue) as refusal:
            Problem.loads("rewards = [0, 1]\n" + text)
        assert str(refusal.value).endswith(f"; did you mean {end}")
    assert nearest(3, ["a"]) == ""
