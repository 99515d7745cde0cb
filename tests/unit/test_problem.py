"""Problems: what is read, what is refused and with which sentence."""

import numpy as np
import pytest

from surefoot import (
    Bernoulli,
    Beta,
    Deviation,
    Discrete,
    Instance,
    NoRisk,
    Normal,
    Problem,
    SubGaussian,
    Uniform,
    Variance,
    files,
)
from surefoot.core import verdicts
from surefoot.errors import InvalidValue, SurefootError, Unsupported
from surefoot.problem import choice
from surefoot.problem.goals import Goal
from surefoot.problem.kernel_question import question_of
from surefoot.problem.limits import Limit
from surefoot.problem.metrics import Metric
from surefoot.problem.reward_models import Bounded
from surefoot.problem.reward_sources import Call, Command, Data
from surefoot.problem.risks.expressions import parse

FULL = """
goal = "min"
risk = "variance <= 0.04"
rewards = [0, 10]
delta = 0.1
tolerance = 0.5
risk_slack = 0.01
max_pulls = 1000
[[arms]]
name = "a"
beta = { mean = 5.5, variance = 1.0 }
[[arms]]
name = "b"
beta = { a = 2, b = 3 }
[[arms]]
name = "c"
bernoulli = 0.3
[[arms]]
name = "d"
uniform = [0.2, 0.9]
[[arms]]
name = "e"
discrete = { values = [0, 1, 5], weights = [1, 1, 2] }
[[arms]]
name = "f"
command = ["./measure.sh", "fast"]
[[arms]]
name = "g"
call = "module:function"
[[arms]]
name = "h"
data = "outcomes.csv:column"
"""


def test_reads_everything_of_the_contract():
    problem = Problem.loads(FULL)
    assert problem.goal == "min"
    assert problem.risk == Variance(at_most=0.04)
    assert problem.rewards == Bounded(0, 10)
    assert (problem.delta, problem.tolerance, problem.risk_slack, problem.max_pulls) == (0.1, 0.5, 0.01, 1000)
    sources = {arm.name: arm.source for arm in problem.arms}
    assert sources["a"] == Beta(mean=5.5, variance=1.0, support=(0, 10))
    assert sources["b"].mean == pytest.approx(4.0)
    assert sources["c"] == Bernoulli(0.3)
    assert sources["d"] == Uniform(0.2, 0.9)
    assert sources["e"].mean == pytest.approx(2.75)
    assert sources["f"] == Command(("./measure.sh", "fast"))
    assert sources["g"] == Call("module:function")
    assert sources["h"] == Data("outcomes.csv", "column")


@pytest.mark.parametrize(
    "text",
    [
        FULL,
        'rewards = "gaussian"\n[[arms]]\nname = "x"\nnormal = { mean = -2, variance = 3 }',
        'subgaussian = 0.5\nrisk = "std <= 0.2"\n[[arms]]\nname = "x"\n[[arms]]\nname = "y"',
    ],
)
def test_writes_what_it_reads(text):
    problem = Problem.loads(text)
    again = Problem.loads(problem.dumps())
    assert again.dumps() == problem.dumps()
    assert repr(again) == repr(problem)


def test_defaults():
    problem = Problem.loads('rewards = [0, 1]\n[[arms]]\nname = "x"')
    assert (problem.goal, problem.risk, problem.delta, problem.tolerance) == ("max", NoRisk(), 0.05, 0.0)


ARM = '[[arms]]\nname = "x"\n'
REFUSED = [
    ("risk_slack = 0.1\nrewards = [0, 1]\n" + ARM, "risk_slack must be 0 if there is no limit, got 0.1"),
    ("delta = 1e-320\nrewards = [0, 1]\n" + ARM, "delta must be a number of at least 1e-100, got "),
    (f"tolerance = {10**400}\nrewards = [0, 1]\n" + ARM, "tolerance must be a number of at least 0, got 1000"),
    ("rewards = [0, 1e200]\n" + ARM, "each end of rewards must be a finite number, got 1e+200"),
    ("rewards = [0, 1e-320]\n" + ARM, "the width of the range of rewards must be a number of at least 1e-100"),
    (f"max_pulls = {10**30}\nrewards = [0, 1]\n" + ARM, "max_pulls must be a whole number of at most 2^62"),
    ('rewards = [0, 1]\n[[arms]]\nname = "a\\nb"', "an arm's name must be some printable text on one line"),
    ("delta = 1.5\nrewards = [0, 1]\n" + ARM, "delta must be in (0, 1), got 1.5"),
    ("delta = nan\nrewards = [0, 1]\n" + ARM, "delta must be in (0, 1), got nan"),
    ('delta = "x"\nrewards = [0, 1]\n' + ARM, "delta must be a number in (0, 1), got 'x'"),
    ("delta = true\nrewards = [0, 1]\n" + ARM, "delta must be a number in (0, 1), got True"),
    ("tolerance = -1\nrewards = [0, 1]\n" + ARM, "tolerance must be a number of at least 0, got -1"),
    ("risk_slack = inf\nrewards = [0, 1]\n" + ARM, "risk_slack must be a number of at least 0, got inf"),
    ("max_pulls = 0\nrewards = [0, 1]\n" + ARM, "max_pulls must be a whole number of at least 1, got 0"),
    ('goal = "best"\nrewards = [0, 1]\n' + ARM, "goal 'best' must have `max` or `min` at character 1, got 'best'"),
    (
        'risk = "variance < 0.1"\nrewards = [0, 1]\n' + ARM,
        "risk 'variance < 0.1' must have `<=` or `>=` at character 10, got '<'; did you mean variance <= V?",
    ),
    ('risk = "variance <= 0"\nrewards = [0, 1]\n' + ARM, "the limit of the variance must be a number above 0, got 0.0"),
    ("rewards = [1, 0]\n" + ARM, "the upper end of rewards must be a number above 1, got 0.0"),
    (
        'rewards = "normal"\n' + ARM,
        'rewards must be a range [low, high] or one of "binary", "gaussian", "any", got \'normal\'',
    ),
    (ARM, "rewards must be a range [low, high]"),
    ("rewards = [0, 1]\nsubgaussian = 1\n" + ARM, "rewards or subgaussian, got both"),
    ("rewards = [0, 1]", "arms must be [[arms]] tables, got nothing"),
    ("rewards = [0, 1]\narms = []", "at least one arm, got none"),
    ("rewards = [0, 1]\narms = [3]", "each of arms must be a table, got 3"),
    ("rewards = [0, 1]\nlimit = 3\n" + ARM, "a problem has no field 'limit'"),
    ("rewards = [0, 1]\n" + ARM + ARM, "each arm must have a name of its own, got 'x' twice"),
    (
        "rewards = [0, 1]\n[[arms]]\nbernoulli = 0.5",
        "an arm's name must be some printable text on one line, or a number, got None",
    ),
    ("rewards = [0, 1]\n" + ARM + "bernoulli = 1.5", "arm 'x': bernoulli must be in [0, 1], got 1.5"),
    ("rewards = [0, 1]\n" + ARM + "gamma = 1", "arm 'x' has no field 'gamma'"),
    (
        "rewards = [0, 1]\n" + ARM + "bernoulli = 1\nuniform = [0, 1]",
        "must have one source of rewards, got bernoulli and uniform",
    ),
    ("rewards = [0, 1]\n" + ARM + "beta = { mean = 0.5 }", "arm 'x': beta must be { mean = .., variance = .. }"),
    ("rewards = [0, 1]\n" + ARM + "beta = { mean = 0.5, variance = 0.3 }", "must be in (0, 0.25), got 0.3"),
    (
        "rewards = [0, 1]\n" + ARM + "beta = { mean = 0.5, variance = 0.24999999999999997 }",
        "arm 'x': the variance of beta with mean 0.5 on [0, 1] must be less close to 0.25, got 0.24999999999999997; "
        "with that it is a coin: take bernoulli or discrete",
    ),
    ("rewards = [0, 1]\n" + ARM + "beta = { a = 0, b = 1 }", "a of beta must be a number of at least 1e-06, got 0.0"),
    (
        "rewards = [0, 1]\n" + ARM + "uniform = [0, 2]",
        "uniform must fit into rewards in [0, 1], got values from 0 to 2",
    ),
    ("rewards = [0, 1]\n" + ARM + "uniform = 3", "uniform must be [low, high], got 3"),
    ("rewards = [0, 1]\n" + ARM + "normal = { mean = 0, variance = 1 }", "normal must fit into rewards in [0, 1]"),
    ("rewards = [0, 1]\n" + ARM + "discrete = { values = [] }", "discrete must have at least one value"),
    (
        "rewards = [0, 1]\n" + ARM + "discrete = { values = [1], weights = [1, 2] }",
        "a weight for each value, got 1 and 2",
    ),
    ("rewards = [0, 1]\n" + ARM + "discrete = { values = [1], weights = [0] }", "sum of the weights"),
    ("rewards = [0, 1]\n" + ARM + 'command = "ls"', "command must be a list of words"),
    ("rewards = [0, 1]\n" + ARM + "call = 3", 'call must be "module:function", got 3'),
    ("rewards = [0, 1", "the problem must be valid TOML"),
]


@pytest.mark.parametrize(("text", "sentence"), REFUSED)
def test_refuses_with_a_sentence(text, sentence):
    with pytest.raises(InvalidValue) as refusal:
        Problem.loads(text)
    assert sentence in str(refusal.value)


def test_load_names_the_file(tmp_path):
    with pytest.raises(InvalidValue, match="No such file"):
        Problem.load(tmp_path / "missing.toml")
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidValue, match="UTF-8"):
        Problem.load(bad)
    bad.write_text("delta = 3")
    with pytest.raises(InvalidValue, match=r"bad\.toml: rewards must be"):
        Problem.load(bad)


def test_a_byte_order_mark_is_no_obstacle(tmp_path):
    file = tmp_path / "p.toml"
    file.write_text("\ufeffrewards = [0, 1]\n" + ARM, encoding="utf-8")
    assert Problem.load(file).names == ("x",)


def test_data_is_read_beside_the_file(tmp_path):
    (tmp_path / "log.csv").write_text("\ufeffday,gain\n1,0.5\n2,\n3,0.7\n", encoding="utf-8")
    file = tmp_path / "p.toml"
    file.write_text('rewards = [0, 1]\n[[arms]]\nname = "x"\ndata = "log.csv:gain"')
    (arm,) = Instance.load(file).distributions
    assert arm == Discrete((0.5, 0.7))


@pytest.mark.parametrize(
    ("content", "column", "sentence"),
    [
        ("a\n1\n", "b", "must have a column 'b', got a"),
        ("a\nx\n", "a", "must hold finite numbers"),
        ("a\nnan\n", "a", "must be a finite number, got nan"),
        ("a\n\n", "a", "at least one value"),
        ("a\n7\n", "a", "must fit into rewards in [0, 1]"),
    ],
)
def test_bad_data_is_refused(tmp_path, content, column, sentence):
    (tmp_path / "log.csv").write_text(content)
    problem = Problem.loads(f'rewards = [0, 1]\n[[arms]]\nname = "x"\ndata = "log.csv:{column}"', tmp_path)
    with pytest.raises(InvalidValue) as refusal:
        Instance(problem)
    assert sentence in str(refusal.value)


def test_arms_that_cannot_be_simulated_are_named():
    with pytest.raises(InvalidValue, match="arm 'f' must have a distribution or data to be simulated, got a command"):
        Instance(Problem(arms={"f": Command(("ls",))}))
    with pytest.raises(InvalidValue, match="got no distribution"):
        Instance(Problem(arms=["f"]))


def test_names_must_be_a_list():
    with pytest.raises(InvalidValue, match="arms must be a list of names, got 'ABC'"):
        Problem(arms="ABC")


@pytest.mark.parametrize("expression", ["variance <= 0.04", "std <= 0.2", "none", " variance<=4e-2 "])
def test_risks_read_and_write(expression):
    assert parse(str(parse(expression))) == parse(expression)


def test_limits_are_mapped_to_the_unit_scale():
    problem = Problem(arms=["x"], risk=Variance(at_most=4.0), rewards=(-10, 10), tolerance=1.0, risk_slack=0.4)
    assert question_of(problem).variance_limit.value == pytest.approx(0.01)
    assert question_of(problem).variance_limit.slack == pytest.approx(0.001)
    assert question_of(problem).tolerance == pytest.approx(0.05)
    problem = problem.but(risk=Deviation(at_most=2.0))
    assert question_of(problem).variance_limit.value == pytest.approx(0.01)
    assert question_of(problem).variance_limit.value + question_of(problem).variance_limit.slack == pytest.approx(
        0.0144
    )


def test_scale_goes_there_and_back_and_mirrors_for_min():
    for goal, worst, best in (("max", 2.0, 6.0), ("min", 6.0, 2.0)):
        scale = Problem(arms=["x"], rewards=(2, 6), goal=goal).scale
        assert (scale.inward(worst), scale.inward(best)) == (0.0, 1.0)
        assert scale.outward(scale.inward(3.0)) == 3.0


def test_sub_gaussian_rewards_are_said_in_python_as_in_a_file():
    problem = Problem(arms=("A",), rewards=SubGaussian(0.5))
    assert Problem.loads('subgaussian = 0.5\n[[arms]]\nname = "A"') == problem


def test_unsupported_combinations_name_what_would_work():
    problem = Problem(arms=["x"], rewards=SubGaussian(1.0))
    sentence = "decide problems without a limit for 1-sub-Gaussian rewards; bounds 'sharp' or 'subgaussian' would work"
    with pytest.raises(Unsupported, match=sentence):
        choice.program(problem, "va-lucb", "paper")
    with pytest.raises(Unsupported, match=r"risk-averse-ucb with bounds 'sharp' cannot .*; bounds 'paper' would work"):
        choice.program(Problem(arms=["x"], risk="variance <= 0.1"), "risk-averse-ucb", "sharp")
    with pytest.raises(Unsupported, match="they need a tolerance"):
        choice.program(Problem(arms=["x"], risk="variance <= 0.1"), "risk-averse-ucb", "paper")
    with pytest.raises(Unsupported, match=r"delta must be below 0\.1 for them"):
        choice.program(Problem(arms=["x"], delta=0.1), "va-lucb", "lil")
    with pytest.raises(Unsupported, match="bounds 'sharp' would work"):
        choice.program(Problem(arms=["x"], rewards="gaussian"), "track-and-stop", "paper")
    with pytest.raises(Unsupported, match=r"policy 'va-lucb' or .* would work"):
        choice.program(Problem(arms=["x"], rewards=(0, 1)), "track-and-stop")
    with pytest.raises(InvalidValue, match=r"policy must be one of va-lucb, va-uniform, .*, got 'ucb'"):
        choice.program(Problem(arms=["x"]), "ucb")
    with pytest.raises(InvalidValue, match=r"bounds must be one of tight, sharp, paper, .*, got 'wide'"):
        choice.program(Problem(arms=["x"]), bounds="wide")
    assert issubclass(Unsupported, SurefootError)


def test_right_answers():
    arms = {"A": Uniform(0, 1), "B": Uniform(0.1, 0.88), "C": Uniform(0.0, 0.9)}
    instance = Instance(arms, risk="variance <= 0.075")
    assert instance.right_answers == ("B",)
    assert instance.but(tolerance=0.05).right_answers == ("B", "C")
    assert instance.but(risk_slack=0.02).right_answers == ("A", "B")
    assert instance.but(goal="min").right_answers == ("C",)
    assert instance.but(risk=Variance(at_most=0.001)).right_answers == ()


def test_with_slack_and_no_feasible_arm_two_answers_are_right():
    instance = Instance({"A": Uniform(0, 1), "B": Bernoulli(0.5)}, risk="variance <= 0.075", risk_slack=0.03)
    assert instance.right_answers == ("A",)
    assert instance.is_right(verdicts.NO_ARM, -1)
    assert instance.is_right(verdicts.BEST, 0)
    assert not instance.is_right(verdicts.BEST, 1)
    assert not instance.but(risk=Variance(at_most=0.09)).is_right(verdicts.NO_ARM, -1)


def test_distributions_know_their_moments():
    assert Beta(a=2, b=3).mean == pytest.approx(0.4)
    assert Beta(a=2, b=3).variance == pytest.approx(0.04)
    assert Beta(mean=0.4, variance=0.04).shape == pytest.approx((2, 3))
    assert Discrete((0, 2)).variance == 1.0
    assert Normal(mean=1, variance=2).mean == 1
    with pytest.raises(InvalidValue, match="some of each"):
        Beta(mean=0.5, a=1, b=1)


def test_weights_that_are_shares_already_stay_as_they_are():
    """A problem that is read back is the same to the last bit, and so are its runs."""
    for weights in np.random.default_rng(0).random((300, 3)).tolist():
        arm = Discrete((0.0, 0.5, 1.0), weights)
        assert sum(arm.weights) == pytest.approx(1.0)
        assert Discrete(**arm.plain()) == arm


def test_what_nothing_can_decide_is_not_said_to_work():
    problem = Problem(arms=["x"], rewards="gaussian", risk="cvar(0.05) >= 0.1")
    with pytest.raises(
        Unsupported, match=r"cannot decide cvar\(0.05\) >= 0.1 for Gaussian rewards; no policy can decide it yet$"
    ):
        choice.program(problem)
    problem = Problem(arms=["x"], risk="none")
    with pytest.raises(Unsupported, match=r"without a limit .*; policy 'va-lucb' or .* would work$"):
        choice.program(problem, "risk-averse-ucb")


def test_a_source_must_be_one():
    with pytest.raises(InvalidValue, match=r"arm 'A' must have a source of rewards such as Beta\(...\) or none, got 1"):
        Problem(arms={"A": 1})


@pytest.mark.parametrize(
    "text", ["a" + ".a" * 50_000 + " = 1", "[" + '"b".' * 5_000 + "b]", "x = {" + "a." * 5_000 + "a = 1}"]
)
def test_keys_of_too_many_parts_are_refused_before_they_fill_the_memory(text):
    with pytest.raises(InvalidValue, match="the problem must be valid TOML: a key has more than 1,000 parts"):
        Problem.loads(text)


def test_many_numbers_in_one_line_are_no_such_key():
    values = ", ".join(["0.25"] * 3_000)
    text = f"rewards = [0, 1]\n[[arms]]\nname = 'A'\ndiscrete = {{ values = [{values}] }}"
    assert len(Problem.loads(text).arms[0].source.values) == 3_000


def test_files_without_an_end_are_refused(monkeypatch):
    monkeypatch.setattr(files, "LARGEST", 2**20)
    with pytest.raises(InvalidValue, match="the problem must be a file of at most 1 MB, got more: /dev/zero"):
        Problem.load("/dev/zero")
    with pytest.raises(InvalidValue, match="data must name a file of at most 1 MB, got more: /dev/zero"):
        Data("/dev/zero", "x").read()


def test_a_path_with_a_null_character_is_refused():
    with pytest.raises(InvalidValue, match=r"data must name a readable file: .*null"):
        Data("\0", "x").read()


def test_a_problem_has_metrics_goals_and_limits():
    problem = Problem.loads(FULL).but(risk_slack=0.01)
    assert problem.metrics == (Metric("reward", Bounded(0, 10)),)
    assert problem.goals == (Goal("min", "reward"),)
    assert problem.limits == (Limit(Variance(0.04), 0.01, "reward"),)
    assert Problem(arms=["A"]).limits == ()


@pytest.mark.parametrize("rewards", [(0, 10), "gaussian", SubGaussian(0.5)])
def test_a_model_of_rewards_writes_itself(rewards):
    problem = Problem(arms=["A"], rewards=rewards)
    assert Problem.loads(problem.dumps()) == problem


def test_none_is_as_good_as_left_out():
    fields = list(Problem.__init__.__kwdefaults__)
    assert Problem(["A", "B"], **dict.fromkeys(fields)) == Problem(["A", "B"])
    assert Problem(["A", "B"], risk=None).risk == Problem(["A", "B"], risk="none").risk
