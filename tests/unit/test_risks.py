"""Risks of distributions against brute force and SciPy; expressions as people write them."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from surefoot import Bernoulli, Beta, Discrete, Normal, Problem, Uniform
from surefoot.core.limits import VarianceLimit
from surefoot.core.registry import FAMILIES, known_tests
from surefoot.errors import InvalidValue
from surefoot.problem.kernel_question import question_of
from surefoot.problem.reward_models import Bounded
from surefoot.problem.risks import RISKS, Cvar, CvarUpper, Probability, Quantile
from surefoot.problem.risks.expressions import EXPRESSIONS, parse

LAWS = {
    "bernoulli": (Bernoulli(0.3), scipy.stats.bernoulli(0.3)),
    "uniform": (Uniform(-1.0, 4.0), scipy.stats.uniform(-1.0, 5.0)),
    "beta": (Beta(a=0.4, b=2.5, support=(0.0, 1.0)), scipy.stats.beta(0.4, 2.5)),
    "steep beta": (Beta(a=900.0, b=300.0, support=(2.0, 6.0)), scipy.stats.beta(900.0, 300.0, 2.0, 4.0)),
    "normal": (Normal(mean=1.0, variance=4.0), scipy.stats.norm(1.0, 2.0)),
    "discrete": (
        Discrete((0.9, 0.0, 0.2), (0.5, 0.125, 0.375)),
        scipy.stats.rv_discrete(values=([0, 1, 2], [0.125, 0.375, 0.5])),
    ),
}
POINTS = (-1.5, 0.0, 1e-3, 0.1, 0.2, 0.5, 0.9, 1.0, 3.3, 5.0, 5.2)


def test_no_mean_of_a_tail_leaves_the_range_by_rounding():
    law = Beta(mean=0.9756271294512608, variance=0.013977189061638058, support=(0.0, 1.0))
    share = 0.26256202295733877
    assert CvarUpper(share, at_most=0.5).value(law) == pytest.approx(1.0, abs=1e-12)
    assert CvarUpper(share, at_most=0.5).value(law) <= 1.0
    mirrored = Beta(mean=1.0 - law.mean, variance=law.variance, support=(0.0, 1.0))
    assert Cvar(share, at_least=0.5).value(mirrored) >= 0.0


@pytest.mark.parametrize("name", [name for name in LAWS if name != "discrete"])
@pytest.mark.parametrize("x", POINTS)
def test_tails_are_those_of_scipy(name, x):
    ours, theirs = LAWS[name]
    at = theirs.pmf(x) if name == "bernoulli" else 0.0
    assert ours.below(x) == pytest.approx(theirs.cdf(x) - at, abs=1e-9)
    assert ours.above(x) == pytest.approx(theirs.sf(x), rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("x", [5e-324, 1e-300, 5e-20, 1e-9, 0.3, 1 - 2**-53])
def test_both_tails_of_a_beta_are_exact_where_there_is_a_formula(x):
    """P(X <= x) = x^a if b is 1."""
    arm = Beta(a=0.03125, b=1.0, support=(0.0, 1.0))
    assert arm.below(x) == pytest.approx(x**0.03125, rel=1e-9)
    assert arm.above(x) == pytest.approx(-np.expm1(0.03125 * np.log(x)), rel=1e-9)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("share", [0.001, 0.04, 0.33, 0.5, 0.97])
def test_quantiles_are_the_largest_x_with_no_more_than_the_share_up_to_it(name, share):
    ours, theirs = LAWS[name]
    expected = theirs.ppf(share)
    if name == "discrete":
        expected = (0.0, 0.2, 0.9)[int(expected) + (theirs.cdf(expected) <= share)]
    assert ours.quantile(share) == pytest.approx(expected, abs=1e-7)


def test_a_quantile_between_two_values_is_the_upper_one():
    """sup{x : P(X <= x) <= share}, where P(X <= x) equals the share between two values."""
    assert Discrete((0.0, 0.6), (0.25, 0.75)).quantile(0.25) == 0.6
    assert Bernoulli(0.75).quantile(0.25) == 1.0


def sample(name, size=200_001):
    """Quantiles of a law at evenly spread shares: brute force."""
    shares = (np.arange(size) + 0.5) / size
    _, theirs = LAWS[name]
    drawn = theirs.ppf(shares)
    return np.array([0.0, 0.2, 0.9])[drawn.astype(int)] if name == "discrete" else drawn


@pytest.mark.parametrize("name", LAWS)
def test_shortfalls_and_tail_means_against_brute_force(name):
    ours, _ = LAWS[name]
    drawn = sample(name)
    for x in POINTS:
        assert ours.shortfall(x) == pytest.approx(np.maximum(x - drawn, 0.0).mean(), abs=1e-4)
    for share in (0.01, 0.05, 0.2, 0.5, 0.9):
        count = round(share * len(drawn))
        assert Cvar(share, 0.0).value(ours) == pytest.approx(drawn[:count].mean(), abs=2e-3)
        assert CvarUpper(share, 0.0).value(ours) == pytest.approx(drawn[-count:].mean(), abs=2e-3)
        best = max(c - ours.shortfall(c) / share for c in np.linspace(-8, 8, 4001))  # Rockafellar and Uryasev
        assert Cvar(share, 0.0).value(ours) == pytest.approx(best, abs=1e-2 / share)
        assert Cvar(share, 0.0).value(ours) >= best - 1e-9


laws = st.lists(st.tuples(st.integers(0, 10), st.integers(1, 8)), min_size=1, max_size=6)


@given(laws, st.integers(0, 10), st.sampled_from([0.125, 0.25, 0.5, 0.75]))
def test_a_floor_of_a_quantile_is_a_limit_on_the_probability_below_it(law, q, share):
    total = sum(weight for _, weight in law)
    arm = Discrete(tuple(float(x) for x, _ in law), tuple(float(weight) for _, weight in law))
    bad = sum(weight for x, weight in law if x < q)
    assert Quantile(share, at_least=q).allows(arm) == (bad <= share * total)
    bad = sum(weight for x, weight in law if x > q)
    if bad != (1 - share) * total:  # on the limit the quantile may be larger: docs/risks.md
        assert Quantile(share, at_most=q).allows(arm) == (bad < (1 - share) * total)


@given(st.floats(0.005, 5), st.floats(0.005, 5), st.floats(0.01, 0.99), st.floats(-0.5, 0.5))
def test_a_ceiling_of_a_quantile_is_a_limit_on_the_probability_above_it(a, b, place, away):
    """Also where most of the rewards lie between the limit and the next larger number."""
    arm = Beta(a=a, b=b, support=(0.0, 1.0))
    limit = arm.quantile(place)
    share = min(max(place + away, 0.001), 0.999)
    if abs(arm.above(limit) - (1 - share)) > 1e-7:
        assert Quantile(share, at_most=limit).allows(arm) == (arm.above(limit) <= 1 - share)


def test_a_quantile_beyond_the_last_number_below_one_is_above_it():
    arm, limit = Beta(a=0.1, b=0.005, support=(0.0, 1.0)), 1.0 - 2.0**-53
    assert arm.above(limit) > 0.7
    assert not Quantile(0.9, at_most=limit).allows(arm)
    assert Quantile(0.1, at_most=limit).allows(arm)


@given(laws, st.integers(0, 10), st.sampled_from([0.125, 0.25, 0.5, 0.75]))
def test_both_tails_are_each_others_mirror(law, c, share):
    arm = Discrete(tuple(float(x) for x, _ in law), tuple(float(weight) for _, weight in law))
    mirror = Discrete(tuple(10.0 - x for x in arm.values), arm.weights)
    assert Probability("<", c, 0.5).value(arm) == pytest.approx(Probability(">", 10.0 - c, 0.5).value(mirror))
    assert Cvar(share, 0.0).value(arm) == pytest.approx(10.0 - CvarUpper(share, 0.0).value(mirror))


WRITTEN = [
    "variance <= 0.04",
    "std <= 0.2",
    "quantile(0.05) >= -0.2",
    "quantile(0.95) <= 1e-05",
    "cvar(0.05) >= 0.1",
    "cvar_upper(0.05) <= 12.5",
    "probability(reward < 0.2) <= 0.05",
    "probability(reward > -3) <= 0.05",
    "mean >= 0.4",
    "mean <= 3",
    "none",
]


def test_every_expression_is_written_here():
    written = [next(name for name in EXPRESSIONS if parse_like(name, text)) for text in WRITTEN]
    assert written == list(EXPRESSIONS)


@pytest.mark.parametrize("kind", RISKS)
def test_a_risk_is_read_by_its_own_forms_and_has_a_test(kind):
    texts = [text for form in kind.forms for text in WRITTEN if parse_like(form, text)]
    assert len(texts) == len(kind.forms) > 0
    for risk in map(parse, texts):
        assert type(risk) is kind
        assert risk.test in known_tests("sharp", "bounded", FAMILIES["sharp", "bounded"])


def parse_like(name, text):
    return name.split("(")[0].split(" ")[0] == text.split("(")[0].split(" ")[0] and [
        sign for sign in name if sign in "<>"
    ] == [sign for sign in text if sign in "<>"]


@pytest.mark.parametrize("text", WRITTEN)
def test_expressions_are_read_and_written_alike_however_they_are_spaced(text):
    risk = parse(text)
    assert str(risk) == text
    assert parse(str(risk)) == risk
    tight, wide = text.replace(" ", ""), f"  {text} ".replace("(", " ( ").replace(")", " ) ").replace("=", "= \t")
    assert parse(tight) == parse(wide) == risk
    assert Problem(arms=["A"], risk=text, rewards=(-5, 20)).risk == risk


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cvar(0.05) <= 0.1", "is not a limit that can be tested; did you mean cvar(A) >= C?"),
        ("cvar_upper(0.05) >= 0.1", "risk 'cvar_upper(0.05) >= 0.1' is not a limit that can be tested"),
        (
            "quantile() >= 0.1",
            "must have a number (the share) at character 10, got ')'; did you mean quantile(A) >= Q or quantile(A) <= Q?",
        ),
        (
            "probability(reward <= 0.2) <= 0.05",
            "must have `<` or `>` at character 20, got '<='; did you mean probability(reward < C) <= P or",
        ),
        ("quantile(0.05) > 0.1", "must have `<=` or `>=` at character 16, got '>'"),
        ("quantile(5 %) >= 0.1", "must have `)` at character 12, got '%)'"),
        (
            "",
            "`quantile`, `cvar`, `cvar_upper`, `probability` or `mean` at its end, got nothing",
        ),
        ("varience <= 1", "at character 1, got 'varience'; did you mean variance?"),
        ("variance <= 0.1, std <= 1", "must have nothing more at character 16, got ','; one limit per text"),
        ("variance(latency) <= 1", "must be about the metric reward, got 'latency'"),
        ("std <= baseline", "mean, quantile and probability can be limited against the baseline"),
        (0.05, "risk must be a text, got 0.05"),
        ("quantile(0) >= 0.1", "the share of a quantile must be in (0, 1), got 0.0"),
        ("quantile(1) >= 0.1", "the share of a quantile must be in (0, 1), got 1.0"),
        ("quantile(1e-17) <= 0.1", "the share of a quantile must be in [1e-09, 0.999999], got 1e-17"),
        ("cvar(5) >= 0.1", "the share of cvar must be in (0, 1), got 5.0"),
        ("cvar_upper(-0.1) <= 0.1", "the share of cvar_upper must be in (0, 1), got -0.1"),
        ("probability(reward < 0.2) <= 0", "the limit of the probability must be in (0, 1), got 0.0"),
        ("probability(reward > 1e400) <= 0.1", "the threshold of the probability must be a finite number, got inf"),
    ],
)
def test_other_expressions_are_refused_with_a_sentence(text, sentence):
    with pytest.raises(InvalidValue) as refused:
        parse(text)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("risk", "sentence"),
    [
        ("quantile(0.05) >= 5", r"the limit of quantile\(0.05\) must be in the range of rewards, \[0, 1\], got 5"),
        ("quantile(0.9) <= -1", r"the limit of quantile\(0.9\) must be in the range of rewards"),
        (
            "probability(reward < 20) <= 0.1",
            r"the threshold of the probability must be in the range of rewards, .*got 20",
        ),
        ("cvar(0.05) >= -0.1", r"the limit of cvar\(0.05\) must be in the range of rewards"),
        ("cvar_upper(0.05) <= 1.1", r"the limit of cvar_upper\(0.05\) must be in the range of rewards"),
        (
            "variance <= 1e-310",
            r"the limit of the variance must be a number that can be told from 0 beside rewards in \[",
        ),
        ("std <= 1e-160", "the limit of the standard deviation must be a number that can be told from 0"),
    ],
)
def test_limits_that_no_reward_can_be_measured_against_are_refused(risk, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        Problem(arms=["A"], risk=risk, rewards=(0, 1))


def test_a_limit_that_is_no_limit_is_a_limit():
    """At the ends of what can be, every arm is feasible without a test; without a range nothing is beyond it."""
    for risk in (
        "variance <= 0.25",
        "variance <= 7",
        "std <= 1",
        "quantile(0.05) >= 0",
        "probability(reward > 1) <= 0.1",
    ):
        assert not question_of(Problem(arms=["A"], risk=risk, rewards=(0, 1))).tested
    assert Problem(arms=["A"], risk="variance <= 1e-300", rewards="gaussian")
    with pytest.raises(InvalidValue, match=r"the limit of the variance .* rewards in \[0, 1e\+100\], got 1e-150"):
        Problem(arms=["A"], risk="variance <= 1e-150", rewards=(0, 1e100))


def test_an_expression_without_end_is_not_read():
    with pytest.raises(InvalidValue, match="risk must have at most 500 characters, got 1,000,013"):
        parse("variance <= " + "1" * 1_000_000 + "x")


def test_a_quantile_has_one_limit_and_a_probability_a_side():
    for limits in ({}, {"at_least": 0.1, "at_most": 0.2}):
        with pytest.raises(InvalidValue, match="must have one limit, at_least or at_most, got both or none"):
            Quantile(0.1, **limits)
    with pytest.raises(InvalidValue, match="the side of a probability must be one of <, >, got '='"):
        Probability("=", 0.2, 0.05)


@pytest.mark.parametrize(("goal", "rewards"), [*itertools.product(("max", "min"), ((0, 1), (-2.0, 6.0)))])
def test_limits_that_no_arm_can_fail_are_not_tested(goal, rewards):
    low, high = rewards
    for risk, tested in (
        (Quantile(0.1, at_least=low), False),
        (Quantile(0.1, at_least=low + 0.1), True),
        (Quantile(0.1, at_most=high), False),
        (Probability("<", low, 0.1), False),
        (Probability(">", high, 0.1), False),
        (Probability(">", low, 0.1), True),
        (Cvar(0.1, low), False),
        (Cvar(0.1, high), True),
        (CvarUpper(0.1, high), False),
        (CvarUpper(0.1, low), True),
    ):
        assert question_of(Problem(arms=["A"], risk=risk, rewards=rewards, goal=goal)).tested is tested
    slack = Problem(arms=["A"], risk=Cvar(0.1, low + 0.1), rewards=rewards, goal=goal, risk_slack=0.2)
    assert not question_of(slack).tested


ONE_OF_EACH = [
    "none",
    "variance <= 0.1",
    "std <= 0.2",
    "quantile(0.1) >= 0.2",
    "probability(reward < 0.2) <= 0.1",
    "cvar(0.1) >= 0.2",
    "cvar_upper(0.1) <= 0.8",
    "mean >= 0.3",
]


def test_a_risk_says_itself_whether_it_limits_the_variance_and_where_rewards_are_cut():
    risks = [parse(written) for written in ONE_OF_EACH]
    assert {type(risk) for risk in risks} == set(RISKS)
    scale = Bounded().scale("max")
    assert [risk for risk in risks if risk.of_variance] == risks[:3]
    assert all(isinstance(risk.limit(scale, 0.0), VarianceLimit) == risk.of_variance for risk in risks)
    assert [bool(risk.cuts(scale, 0.0)) for risk in risks] == [False, False, False, True, True, False, False, False]
