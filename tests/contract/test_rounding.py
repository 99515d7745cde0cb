"""What rounding may do to any family of bounds and any limit test: nothing that matters (docs/bounds.md, "Rounding")."""

import math

import mpmath
import numpy as np
import pytest

from surefoot import Problem
from surefoot.core import statistics, stepping, verdicts
from surefoot.core.assembly import assemble
from surefoot.core.limit_tests import none
from surefoot.core.registry import FAMILIES
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from surefoot.problem.reward_models import Bounded, Gaussian, SubGaussian
from surefoot.simulation.loading import first_called
from surefoot.work import replay
from tests.exact import DIGITS, exact_kernels
from tests.examples_of import ExamplesOf

ROUNDOFF = 2.0**-53
BILLION = 1e9
REWARDS = {"bounded": Bounded(), "subgaussian": SubGaussian(1.0), "gaussian": Gaussian()}
LIMITS = ExamplesOf(
    "LIMITS of tests/contract/test_rounding.py",
    {
        "variance": [
            "variance <= 1e-300",
            "variance <= 1e-12",
            "variance <= 0.08",
            "variance <= 0.25",
            "variance <= 7",
        ],
        "quantile": ["quantile(0.05) >= 1e-300", "quantile(1e-9) >= 0.5", "quantile(0.999999) <= 0.5"],
        "probability": ["probability(reward < 1e-300) <= 1e-9", "probability(reward > 0.5) <= 0.999999"],
        "cvar": ["cvar(1e-9) >= 1e-300", "cvar(0.5) >= 0.9999999999999999", "cvar_upper(0.05) <= 1e-300"],
        "none": ["none"],
    },
)
EXTREME = {
    "zero": [0.0],
    "one": [1.0],
    "subnormal": [5e-324],
    "tiny": [1e-300],
    "nearly one": [1.0 - ROUNDOFF],
    "a tenth": [0.1],
    "a third": [1.0 / 3.0],
    "both ends": [0.0, 1.0],
    "nearly both ends": [1e-300, 1.0 - ROUNDOFF],
}
UNBOUNDED = {"far off": [1e15 + 0.125], "farthest": [1e100], "farthest apart": [1e100, -1e100]}
PROGRAMS = [
    (bounds, kind, limit, slack)
    for (bounds, kind), family in FAMILIES.items()
    for risk in family.limit_tests
    for limit in LIMITS[risk]
    for slack in ((0.0,) if risk == "none" else (0.0, 1e-3))
]
SEQUENCES = [(name, kind) for kind in REWARDS for name in EXTREME | (UNBOUNDED if kind != "bounded" else {})]


class Bench:
    """A program on two arms, with all that people see of them."""

    def __init__(self, bounds, kind, limit, slack, exact=False):
        self.problem = Problem(arms=["A", "B"], risk=limit, rewards=REWARDS[kind], risk_slack=slack)
        self.program = choice.program(self.problem, "va-lucb", bounds).displayed
        self.test = self.program.limits[0].test if self.program.limits else none
        self.kernels = exact_kernels(self.program) if exact else assemble(stepping, self.program.parts)
        self.state = self.program.start(question_of(self.problem), packed=False)
        self.arms = self.state.arms
        self.t = 0

    def observe(self, arm, reward):
        self.kernels.fold(self.state, arm, (reward,))
        self.t += 1

    def refresh(self):
        self.kernels.ranker.refresh(self.state, self.t + 1)

    def shown(self, arm):
        test, record = self.test, self.arms[arm]
        clock = self.kernels.ranker.clock(self.state, self.t + 1)
        parts, parameters = (record.limit, record.metric, record.goal), self.state.limit_parameters
        shares = test.shares(*parts, parameters, clock)
        interval = test.risk_interval(record.shown, *parts, parameters, question_of(self.problem), clock)
        return (*shares, *interval, test.estimate(record.shown, *parts, parameters))

    def check_sane(self):
        for index, arm in enumerate(self.arms):
            for name, value in fields(arm):
                for number in value if isinstance(value, list) else [value]:
                    infinite = name in ("lower", "upper", "variance_reach")
                    assert math.isfinite(number) or (infinite and not math.isnan(number)), name
            if arm.metric.pulls > 1.0:  # nothing is shown before
                assert not any(map(math.isnan, self.shown(index)))
            assert arm.metric.spread >= 0.0


def parts_of(arm):
    return [arm.metric, arm.goal, arm.limit, arm.policy, arm.shown]


def fields(arm):
    return [(name, getattr(part, name)) for part in parts_of(arm) for name in part.__slots__]


def rewards_of(name):
    return (EXTREME | UNBOUNDED)[name]


@pytest.mark.parametrize(("name", "kind"), SEQUENCES)
def test_nothing_breaks_at_the_ends_of_numbers_and_equal_arms_stay_equal(name, kind):
    """Also after a leap to 10^9 pulls. Arms with the very same rewards, more of the one: no L ever exceeds a U."""
    rewards = rewards_of(name)
    for program in PROGRAMS:
        if program[1] != kind:
            continue
        bench = Bench(*program)
        for n in range(120):
            if n == 60:
                halfway = [sums(arm) for arm in bench.arms]
            for arm in (0, 1) if n % 3 else (0,):
                bench.observe(arm, rewards[int(bench.arms[arm].metric.pulls) % len(rewards)])
            if n < 20 or n % 10 == 0:  # later every tenth time: to look takes longer than to fold
                bench.check_sane()
        for arm, before in zip(bench.arms, halfway, strict=True):
            leap(arm, before, rewards)
        bench.t += 2 * int(BILLION)
        for n in range(60):
            bench.observe(n % 2, rewards[n // 2 % len(rewards)])
            bench.refresh()
            if n < 6 or n % 10 == 0:
                bench.check_sane()
            if len(rewards) == 1:
                one, other = bench.arms
                assert one.goal.lower <= other.goal.upper, program
                assert other.goal.lower <= one.goal.upper, program


# Of the evidence, what is a sum over rewards or a number of them.
SUMS = (
    *(
        "pulls",
        "rewards",
        "settled",
        "rises",
        "falls",
        "scatter",
        "feasible_log_wealth",
        "infeasible_log_wealth",
        "height",
        "tilt",
        "bend",
    ),
    *("bad", "wide_bad", "bad_of_all", "counts", "totals", "pairs", "cut_sum", "cut_square", "later", "credit"),
    *("left_wealth", "left_gap", "left_square", "right_wealth", "right_gap", "right_square"),
)


def sums(arm):
    """The sums that an arm has, by the number of their part and their name, as arrays."""
    return {
        (number, name): np.array(getattr(part, name))
        for number, part in enumerate(parts_of(arm))
        for name in SUMS
        if name in part.__slots__
    }


def leap(arm, before, rewards):
    """10^9 more pulls, in which every sum grows at the pace that it had since `before`."""
    mean = math.fsum(rewards) / len(rewards)
    variance = math.fsum((reward - mean) ** 2 for reward in rewards) / len(rewards)
    metric = arm.metric
    often = BILLION / (metric.pulls - before[0, "pulls"])
    for (number, name), now in sums(arm).items():
        setattr(parts_of(arm)[number], name, (now + often * (now - before[number, name])).tolist())
    metric.total, metric.mean, metric.excess = metric.pulls * mean, mean, 0.0
    metric.spread += BILLION * variance
    metric.surprise += BILLION * variance


# How far L, U and every number that the evidence consists of may be from exact ones after n rewards, relative to the
# larger of 1 and the largest that number ever was: 64 roundings for each reward.
ERROR = 64 * ROUNDOFF
N = 250
COMMON = {
    "variance": "variance <= 0.08",
    "quantile": "quantile(0.3) >= 0.2",
    "probability": "probability(reward < 0.2) <= 0.3",
    "cvar": "cvar(0.3) >= 0.1",
    "none": "none",
}


@pytest.mark.parametrize(
    ("bounds", "kind", "risk"),
    [(bounds, kind, risk) for (bounds, kind), family in FAMILIES.items() for risk in family.limit_tests],
)
def test_sums_are_those_of_exact_arithmetic(bounds, kind, risk):
    program = (bounds, kind, COMMON[risk], 0.0)
    generator = np.random.default_rng(8)
    draws = [generator.beta(0.9, 1.2, N), 0.4 + 0.1 * generator.random(N)]
    with mpmath.workdps(DIGITS):
        rounded, exact = Bench(*program), Bench(*program, exact=True)
        largest = [[1.0] * len(fields(rounded.arms[0])) for _ in draws]
        for n in range(N):
            for arm, values in enumerate(draws):
                rounded.observe(arm, float(values[n]))
                exact.observe(arm, mpmath.mpf(float(values[n])))
                sizes = [size(value) for _, value in fields(rounded.arms[arm])]
                largest[arm] = list(map(max, largest[arm], sizes))
        rounded.refresh()
        exact.refresh()
        for arm in range(2):
            both = zip(fields(rounded.arms[arm]), fields(exact.arms[arm]), largest[arm], strict=True)
            for (name, value), (_, wanted), most in both:
                if name != "excess":  # what was rounded off is no number of the exact run
                    away = distance(value, wanted)
                    assert away <= N * ERROR * most, (name, away)


def size(value):
    found = max(map(abs, value)) if isinstance(value, list) else abs(value)
    return found if math.isfinite(found) else 1.0


def distance(rounded, exact):
    if isinstance(rounded, list):
        return max(distance(*pair) for pair in zip(rounded, exact, strict=True))
    return 0.0 if rounded == exact else float(abs(exact - rounded))


def test_a_plain_sum_would_be_caught():
    """The negative control: without compensation the mean of 10^5 tenths is off by more than compensation allows."""
    arm, total = Bench("sharp", "bounded", "none", 0.0).arms[0].metric, 0.0
    for _ in range(100_000):
        statistics.observe(arm, 0.1, 0.1)
        total += 0.1
    assert abs(arm.mean - 0.1) <= 4 * ROUNDOFF * 0.1
    assert abs(total / 100_000 - 0.1) > 4 * ROUNDOFF * 0.1


@pytest.mark.long
@pytest.mark.parametrize(("bounds", "at_first"), [("sharp", -0.022675), ("tight", math.log(0.5))])
def test_ten_million_equal_rewards(bounds, at_first):
    """Compiled. The wealth against a variance within the limit is at most 0 at the mean there is, whatever was summed up."""
    problem = Problem(arms=["A", "B"], risk="variance <= 1e-300")
    program = choice.program(problem, bounds=bounds)
    at_mean = (0.7,) if bounds == "sharp" else (0.7, 0.7)
    state = program.start(question_of(problem), packed=True)
    arms, rewards = np.zeros(1_000_000, dtype=np.int64), np.full(1_000_000, 0.7)
    run = first_called(replay, "replay", program, (state, arms[:0], (rewards[:0],), 0))
    wealths = []
    for _ in range(10):
        run(state, arms, (rewards,), 0)
        wealths.append(program.limits[0].test.infeasible_wealth(state.arms["limit"].view(np.recarray)[0], *at_mean))
    arm = state.arms[0]
    assert arm["metric"]["pulls"] == 1e7
    assert arm["metric"]["mean"] == 0.7
    assert arm["verdict"] == verdicts.OPEN
    assert wealths[0] == pytest.approx(at_first, abs=1e-5)
    assert wealths[-1] == pytest.approx(wealths[0], abs=1e-7)  # sums about 0 are off by 6e-7 here, and by 1 at 10^9
