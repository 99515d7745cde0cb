"""Each family's radii, levels and budget, as the paper or docs/bounds.md writes them."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import quad

from surefoot.core import normal_evidence, statistics, transport
from surefoot.core.assembly import filled, written_module
from surefoot.core.bounds import lil, mixture, paper, risk_averse, sharp, student, student_pairs, subgaussian
from surefoot.core.limits import VarianceLimit
from surefoot.core.own import limit_test as own_test
from surefoot.core.own import mean_bound as own_bound
from surefoot.core.policies import risk_averse_ucb
from surefoot.core.radii import Radii
from surefoot.problem import Problem
from surefoot.problem.kernel_question import question_of
from tests.flat import flat, limited, spent
from tests.flat import parameters as parameters_of

QUESTION = question_of(Problem(arms=["A", "B", "C"], risk="variance <= 0.04"))
DELTA, N = QUESTION.delta, 3


def arm_of(module, values, parameters):
    arm = flat(module.Evidence)
    for value in values:
        statistics.observe(arm, value, statistics.guess(arm))
        module.observe(arm, arm, parameters, value)
    return arm


VALUES = [0.2, 0.9, 0.4, 0.5, 0.1, 0.7]
MEAN, SAMPLE, BIASED = np.mean(VALUES), np.var(VALUES, ddof=1), np.var(VALUES)


def test_paper():
    parameters = parameters_of(paper, QUESTION)
    arm, tick = arm_of(paper, VALUES, parameters), paper.tick(parameters, 17)

    def alpha(T):
        return math.sqrt(math.log(2 * N * 17**4 / DELTA) / (2 * T))

    assert paper.interval(arm, arm, parameters, tick) == pytest.approx((MEAN - alpha(6), MEAN + alpha(6)))
    assert paper.anticipate(arm, arm, parameters, 4.0, tick) == pytest.approx(MEAN + alpha(10))
    assert (arm.variance, arm.variance_reach * tick) == pytest.approx((SAMPLE, alpha(6)))
    assert spent(paper.own_budget(QUESTION)) == pytest.approx([DELTA / 108] * 4 + [0, 0, math.inf])
    assert not paper.owed(arm, parameters, tick)


def test_no_radius_of_a_variance_after_one_reward():
    for module, question in ((paper, QUESTION), (risk_averse, None)):
        parameters = parameters_of(module, question) if question else None
        assert arm_of(module, [0.3], parameters).variance_reach == math.inf
        assert arm_of(module, [0.3, 0.4], parameters).variance_reach < math.inf


def test_risk_averse():
    question = limited(QUESTION, limit=VarianceLimit(0.04, 0.1))._replace(tolerance=0.2)
    found = parameters_of(risk_averse, question)
    accuracies = 1 / (2 * 0.04) + 4 / 0.01
    H = 3 * N * accuracies * math.log(6 * N / DELTA * N * accuracies)
    assert found == pytest.approx((math.log(6 * H * N / DELTA),))
    assert risk_averse_ucb.parameters(question) == pytest.approx((0.2, H))
    arm, tick = arm_of(risk_averse, VALUES, found), risk_averse.tick(found, 17)

    def f(T):
        return math.sqrt(math.log(6 * H * N / DELTA) / (2 * T))

    assert risk_averse.interval(arm, arm, found, tick) == pytest.approx((MEAN - f(6), MEAN + f(6)))
    assert risk_averse.anticipate(arm, arm, found, 4.0, tick) == pytest.approx(MEAN + f(10))
    assert arm.variance_reach * tick == pytest.approx(2 * f(6))
    assert spent(risk_averse.own_budget(question)) == pytest.approx([DELTA / 18] * 4 + [0, 0, H])
    assert risk_averse.refuses(question) == ""
    assert "tolerance" in risk_averse.refuses(question._replace(tolerance=0.0))
    assert "risk_slack" in risk_averse.refuses(QUESTION._replace(tolerance=0.2))


def test_lil():
    parameters = parameters_of(lil, QUESTION)
    arm = arm_of(lil, VALUES, parameters)

    def alpha(T):
        return (1 + math.sqrt(0.9)) * math.sqrt(1.9 / (2 * T) * math.log(math.log(1.9 * T) / (DELTA / (4 * N))))

    assert lil.interval(arm, arm, parameters, 1.0) == pytest.approx((MEAN - alpha(6), MEAN + alpha(6)))
    assert lil.anticipate(arm, arm, parameters, 4.0, 1.0) == pytest.approx(MEAN + alpha(10))
    assert (arm.variance, arm.variance_reach) == pytest.approx((BIASED, 3 * alpha(6)))
    xi = 2.9 / 0.9 * (DELTA / (4 * N) / math.log(1.9)) ** 1.9
    assert spent(lil.own_budget(QUESTION)) == pytest.approx([xi, xi, 4 * xi, 4 * xi, 0, 0, math.inf])
    assert lil.refuses(QUESTION) == ""
    assert "below 0.1" in lil.refuses(QUESTION._replace(delta=0.1))


def test_subgaussian():
    question = QUESTION._replace(sigma=0.7)
    parameters = parameters_of(subgaussian, question)
    T_0 = next(t for t in range(1, 10**6) if t >= 2 * math.log(2 * N * t**4 / DELTA))
    assert parameters.warm_steps == T_0
    values = np.random.default_rng(1).normal(0, 1, T_0).tolist()
    early, arm = arm_of(subgaussian, values[:-1], parameters), arm_of(subgaussian, values, parameters)
    tick = subgaussian.tick(parameters, 50)
    log_term = math.log(2 * N * 50**4 / DELTA)
    alpha = math.sqrt(2 * 0.49 / T_0 * log_term)
    assert subgaussian.interval(arm, arm, parameters, tick) == pytest.approx((arm.mean - alpha, arm.mean + alpha))
    assert subgaussian.anticipate(arm, arm, parameters, 9.0, tick) == pytest.approx(
        arm.mean + math.sqrt(2 * 0.49 / (T_0 + 9) * log_term)
    )
    assert early.variance_reach == math.inf
    assert arm.variance_reach * tick == pytest.approx(math.sqrt(2 * 64 * 0.7**4 / T_0 * log_term))
    each = DELTA / (4 * N * T_0**2)
    assert spent(subgaussian.own_budget(question)) == pytest.approx([each, each, 2 * each, 2 * each, 0, 0, math.inf])
    threshold = 64 * 0.49 / 8 / arm.variance_reach  # beta = c sigma^2 / 8
    assert subgaussian.owed(arm, parameters, threshold * 1.001)
    assert not subgaussian.owed(arm, parameters, threshold * 0.999)
    assert not subgaussian.owed(SimpleNamespace(variance_reach=8.0), parameters._replace(sigma=1.0), 1.0)  # just enough


def test_far_from_zero_a_radius_has_room_for_rounding():
    arm = SimpleNamespace(mean=-1e15, reach=0.0, pulls=4.0)
    lower, upper = subgaussian.interval(arm, arm, None, 1.0)
    assert lower < arm.mean < upper
    assert upper - lower < 4.0
    assert statistics.rounding_error(arm) == pytest.approx(1e15 / 2**50)
    lower, upper = mixture.interval(arm, arm, mixture.Parameters(0.0, 1.0, 1.0), 1.0)
    assert (upper - lower) / 2 == pytest.approx(1e15 / 2**50, rel=0.2)


@pytest.mark.parametrize("pulls", [1, 12, 300])
def test_the_mixture_reaches_its_level_at_the_radius(pulls):
    sigma, miss = 0.7, 0.01
    total = pulls * mixture.radius(sigma, -2 * math.log(miss), pulls)
    scale = 1 / (sigma * math.sqrt(10.0))

    def bets(s):
        return math.exp(s * total - pulls * s * s * sigma**2 / 2 - s * s / (2 * scale**2)) / (
            scale * math.sqrt(2 * math.pi)
        )

    best = total / (pulls * sigma**2 + 1 / scale**2)
    assert quad(bets, best - 12 * scale, best + 12 * scale, points=[best], limit=200)[0] == pytest.approx(1 / miss)


def test_mixture():
    parameters = parameters_of(mixture, QUESTION._replace(sigma=0.7))
    assert parameters == pytest.approx((0.7, 2 * math.log(2 * N / DELTA), 2 * math.log(4 / DELTA)))
    arm = arm_of(mixture, VALUES, parameters)

    def radius(n, level):
        return 0.7 / n * math.sqrt((n + 10) * (math.log(1 + n / 10) + level))

    lower, upper = mixture.interval(arm, arm, parameters, 1.0)
    assert lower == pytest.approx(MEAN - radius(6, 2 * math.log(2 * N / DELTA)))
    assert upper == pytest.approx(MEAN + radius(6, 2 * math.log(4 / DELTA)))
    assert mixture.anticipate(arm, arm, parameters, 4.0, 1.0) == pytest.approx(
        MEAN + radius(10, 2 * math.log(4 / DELTA))
    )


def test_sharp():
    parameters = parameters_of(sharp, QUESTION)
    assert parameters == pytest.approx((math.log(14 * 2 * N / DELTA), math.log(14 * 4 / DELTA)))
    arm = arm_of(sharp, VALUES * 40, parameters)

    def deviation(level):
        return min(level / s + (-math.log(1 - s) - s) / s * arm.surprise for s in 0.75 * 0.5 ** np.arange(14))

    lower, upper = sharp.interval(arm, arm, parameters, 1.0)
    assert lower == pytest.approx(MEAN - deviation(parameters.lower_level) / 240)
    assert upper == pytest.approx(MEAN + deviation(parameters.upper_level) / 240)
    assert sharp.anticipate(arm, arm, parameters, 4.0, 1.0) == pytest.approx(
        MEAN + deviation(parameters.upper_level) / 244
    )


def test_student():
    question = limited(QUESTION, limit=VarianceLimit(0.5, 0.25))
    parameters = parameters_of(student, question)
    assert parameters == pytest.approx((math.log(6 / DELTA), math.log(4 / DELTA)))
    arm = arm_of(student, VALUES * 3, parameters)
    lower, upper = student.interval(arm, arm, parameters, 1.0)
    assert lower == arm.later_mean - normal_evidence.radius(arm, arm, parameters.lower_level, arm.later)
    assert upper == arm.later_mean + normal_evidence.radius(arm, arm, parameters.upper_level, arm.later)
    assert student.anticipate(arm, arm, parameters, 5.0, 1.0) == arm.later_mean + normal_evidence.radius(
        arm, arm, parameters.upper_level, arm.later + 5.0
    )
    assert student.anticipate(arm, arm, parameters, 5.0, 1.0) < upper
    assert student.WARM_UP == 5


def test_student_in_pairs():
    question = limited(QUESTION, limit=VarianceLimit(0.5, 0.0))
    levels = [math.log(40 / part / DELTA) for part in (0.5, 2, 13)]
    assert parameters_of(student_pairs, question) == pytest.approx((*levels, False, 0.5))
    parameters = parameters_of(student_pairs, question)
    arm, rival = (arm_of(student_pairs, values, parameters) for values in (VALUES * 9, [0.1 * v for v in VALUES * 6]))
    lower, upper = student_pairs.interval(arm, arm, parameters, 1.0)
    assert lower == arm.later_mean - normal_evidence.radius(arm, arm, parameters.lower_level, arm.later)
    assert upper == arm.later_mean + normal_evidence.radius(arm, arm, parameters.upper_level, arm.later)
    later = normal_evidence.radius(arm, arm, parameters.upper_level, arm.later + 5.0)
    assert student_pairs.anticipate(arm, arm, parameters, 5.0, 1.0) == arm.later_mean + later
    assert student_pairs.renewal(arm) == 54.0
    variances = np.array([np.var(values, ddof=1) for values in (VALUES * 9, [0.1 * v for v in VALUES * 6])])
    far = (0.45 * np.mean(VALUES)) ** 2 / variances  # halfway between the two
    later = np.array([arm.later, rival.later])
    assert student_pairs.variances_of_means(arm, rival) == pytest.approx(variances * far / np.log1p(far) / later)
    assert student_pairs.variances_of_means(rival, arm) == pytest.approx((variances / later)[::-1])  # it does not lead
    found = student_pairs.pair_log_evidence(arm, rival, parameters)
    assert found == transport.against_rival(arm, rival, 0.0, 0.5)
    assert found > parameters.pair_level
    assert student_pairs.pair_log_evidence(arm, rival, parameters, 0.1) == transport.against_rival(arm, rival, 0.1, 0.5)
    unknown = arm_of(student_pairs, VALUES[:4], parameters)
    assert student_pairs.variances_of_means(arm, unknown)[1] == 1e300
    assert (
        student_pairs.pair_log_evidence(arm, unknown, parameters)
        == student_pairs.pair_log_evidence(unknown, arm, parameters)
        == -math.inf
    )


def test_radii_of_an_arm():
    arm = SimpleNamespace(pulls=3.0, spread=0.6)
    paper.radii.observe(arm, arm, 0.1, 0.2)
    assert (arm.reach, arm.variance_reach) == (0.1, 0.2)
    assert arm.variance == pytest.approx(0.3)
    assert Radii  # the fields that a family declares


def own_interval(arm, lower_miss, upper_miss):
    return arm.mean - 1.0 / lower_miss, arm.mean + 1.0 / upper_miss


def own_log_wealths(arm, limit):
    return arm.mean * limit.value, arm.mean * limit.wide


def test_parts_that_a_user_writes():
    bound = filled(own_bound, "bound", written=written_module("theirs", {"interval": own_interval}))
    parameters = parameters_of(bound, QUESTION)
    assert parameters == pytest.approx((DELTA / 6, DELTA / 4))
    arm = flat(pulls=30.0, mean=0.5)
    assert bound.interval(arm, arm, parameters, 1.0) == pytest.approx((0.5 - 6 / DELTA, 0.5 + 4 / DELTA))
    assert bound.anticipate(arm, arm, parameters, 10.0, 1.0) == pytest.approx(0.5 + 4 / DELTA * math.sqrt(0.75))
    seen = []
    theirs = written_module("theirs", {"log_wealths": own_log_wealths})
    theirs.observe = lambda arm, limit, reward: seen.append(reward)
    test = filled(own_test, "test", written=theirs)
    limit = own_test.Limit(value=1.0, wide=2.0, origin=-3.0, width=5.0)
    found = test.parameters(QUESTION.limits[0]._replace(limit=limit), SimpleNamespace(feasible=0.01, infeasible=0.001))
    assert found[1:] == pytest.approx((math.log(100), math.log(1000)))
    test.observe(arm, arm, arm, found, 0.5, 0.5)
    assert seen == [-0.5]
    for arm.mean, verdict, shares in (
        (1.0, 0, (1 / math.log(100), 2 / math.log(1000))),
        (-1.0, 0, (0.0, 0.0)),
        (3.4, 0, (3.4 / math.log(100), 6.8 / math.log(1000))),
        (3.5, 2, (3.5 / math.log(100), 1.0)),
        (9.0, 2, (1.0, 1.0)),
    ):
        assert test.verdict(arm, arm, arm, found, 1.0) == verdict
        assert test.shares(arm, arm, arm, found, 1.0) == pytest.approx(shares)
    arm.mean = math.log(100)
    assert test.verdict(arm, arm, arm, found._replace(infeasible_level=50.0), 1.0) == 1


def test_constants_of_sharp_do_not_depend_on_the_processor():
    """numpy has another log1p where there is AVX-512."""
    assert [-math.log1p(-slope) - slope for slope in sharp.SLOPES.tolist()] == sharp.COSTS.tolist()
