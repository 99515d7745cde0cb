"""Hardness against values computed by hand from the paper's definitions."""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.cli import main
from surefoot.paper.instances import CASES, paper_instance
from surefoot.theory.gaps import gaps
from surefoot.theory.hardness import hardness
from tests.cli.test_command_line import EXAMPLE


def naive_h_va(means, variances, limit):
    """[HTZ] Section IV, with NumPy and sets."""
    means, variances = np.array(means), np.array(variances)
    F = variances <= limit
    gap_v = np.abs(variances - limit)
    if not F.any():
        return np.sum(1 / gap_v**2)
    star = np.flatnonzero(F)[np.argmax(means[F])]
    S = means < means[star]
    gap = means[star] - means
    total = 1 / min(min(gap[S], default=np.inf) / 2, gap_v[star]) ** 2
    total += np.sum(1 / (gap[F & S] / 2) ** 2)
    R = ~S
    total += np.sum(1 / gap_v[~F & R] ** 2)
    return total + np.sum(1 / np.maximum(gap[~F & S] / 2, gap_v[~F & S]) ** 2)


@pytest.mark.parametrize("case", [*CASES, "cmp"])
def test_h_va_of_the_papers_instances(case):
    for j in (1, 5, 10):
        instance = paper_instance(case, j)
        limit = instance.problem.risk.at_most
        means, variances = instance.unit_means, instance.unit_variances
        expected = naive_h_va(means, variances, limit)
        assert hardness(means, variances, limit, 0.05)["H_VA"] == pytest.approx(expected, rel=1e-9)


def naive_sum(means, variances, limit, best, feasible, risky, other):
    """The four sums of Section IV, Remark 1 and App. E, by the sets of Section II; the terms are the caller's."""
    F = {i for i, variance in enumerate(variances) if variance <= limit}
    arms = set(range(len(means)))
    star = max(F, key=lambda i: means[i], default=None)
    S = {i for i in arms if star is not None and means[i] < means[star]}
    R = arms - S - {star}
    gap = {i: means[star] - means[i] for i in S}
    gap[star] = min(gap.values(), default=math.inf)
    gap_v = {i: abs(variances[i] - limit) for i in arms}
    total = 0.0 if star is None else best(gap[star], gap_v[star])
    total += sum(feasible(gap[i]) for i in F & S)
    total += sum(risky(gap_v[i]) for i in R - F)
    return total + sum(other(gap[i], gap_v[i]) for i in S - F)


def lnln(x):
    return x * math.log(math.log(max(math.e, x)))


@pytest.mark.parametrize("seed", range(40))
def test_every_hardness_of_random_instances_is_the_sum_it_says(seed):
    generator = np.random.default_rng(seed)
    arms = int(generator.integers(1, 8))
    means = generator.uniform(0, 1, arms).tolist()
    variances = (np.array(means) * (1 - np.array(means)) * generator.uniform(0.01, 0.99, arms)).tolist()
    limit, sigma = float(generator.uniform(0.005, 0.24)), float(generator.uniform(0.3, 2))
    found = hardness(means, variances, limit, 0.05, sigma)

    def expected(*terms):
        return pytest.approx(naive_sum(means, variances, limit, *terms), rel=1e-9)

    assert found["H_VA"] == pytest.approx(naive_h_va(means, variances, limit), rel=1e-9)
    assert found["H_LIL1"] == expected(
        lambda m, v: 1 / min(m, 2 / 3 * v) ** 2,
        lambda m: 1 / m**2,
        lambda v: 1 / (2 / 3 * v) ** 2,
        lambda m, v: 1 / max(m, 2 / 3 * v) ** 2,
    )
    assert found["H_LIL3"] == expected(
        lambda m, v: lnln(1 / min(m, 2 / 3 * v) ** 2),
        lambda m: lnln(1 / m**2),
        lambda v: lnln(1 / (2 / 3 * v) ** 2),
        lambda m, v: lnln(1 / max(m, 2 / 3 * v) ** 2),
    )
    assert found["H_sigma"] == expected(
        lambda m, v: max(2 * sigma**2 / (m / 2) ** 2, 128 * sigma**4 / v**2),
        lambda m: 2 * sigma**2 / (m / 2) ** 2,
        lambda v: 128 * sigma**4 / v**2,
        lambda m, v: min(2 * sigma**2 / (m / 2) ** 2, 128 * sigma**4 / v**2),
    )
    ordered = sorted(means, reverse=True)
    assert found["H_1"] == pytest.approx(sum(1 / (ordered[0] - mean) ** 2 for mean in ordered[1:]))


def test_the_random_instances_have_arms_of_every_kind():
    """Sums of nothing would agree too."""
    kinds = set()
    for seed in range(40):
        generator = np.random.default_rng(seed)
        arms = int(generator.integers(1, 8))
        means = generator.uniform(0, 1, arms)
        variances = means * (1 - means) * generator.uniform(0.01, 0.99, arms)
        found = gaps(means.tolist(), variances.tolist(), float(generator.uniform(0.005, 0.24)))
        kinds |= {(found.feasible[i], found.suboptimal[i], found.best is None) for i in range(arms)}
    assert len(kinds) == 5


def test_values_by_hand():
    found = hardness([0.7, 0.3, 0.8], [0.03, 0.03, 0.09], limit=0.04, delta=0.05)
    assert found["H_VA"] == pytest.approx(1 / 0.01**2 + 1 / 0.2**2 + 1 / 0.05**2)
    assert found["H_VA_slack"] == pytest.approx(1 / 0.06**2 + 1 / 0.2**2 + 1 / 0.05**2)
    assert found["H_1"] == pytest.approx(1 / 0.1**2 + 1 / 0.5**2)
    lil = [1 / (0.01 * 2 / 3) ** 2, 1 / 0.4**2, 1 / (0.05 * 2 / 3) ** 2]
    assert found["H_LIL1"] == pytest.approx(sum(lil))
    assert found["H_LIL3"] == pytest.approx(sum(x * math.log(math.log(max(math.e, x))) for x in lil))
    sigma = [max(0.5 / 0.2**2, 8 / 0.01**2), 0.5 / 0.2**2, 8 / 0.05**2]
    assert found["H_sigma"] == pytest.approx(sum(sigma))
    assert found["upper_bound_steps"] == pytest.approx(152 * found["H_VA"] * math.log(found["H_VA"] / 0.05))
    assert found["upper_bound_pulls"] == pytest.approx(2 * found["upper_bound_steps"])
    root = (1 - math.sqrt(1 - 0.16)) / 2
    assert root * (1 - root) == pytest.approx(0.04)
    c = min(root * 0.21, root / 8, 0.3 / 8)
    assert found["lower_bound"] == pytest.approx(c * found["H_VA"] * math.log(1 / 0.12))
    prime = 9 * (1 / (2 * 0.4**2) + 4 / 0.05**2)
    assert found["H_David_prime"] == pytest.approx(prime)
    horizon = prime * math.log(6 * 3 / 0.05 * prime / 3)
    assert found["H_David"] == pytest.approx(horizon)
    costs = [max(1 / 0.4**2, 4 / 0.06**2), min(1 / 0.4**2, max(1 / 0.4**2, 4 / 0.06**2)), 4 / 0.05**2]
    assert found["C_sum"] == pytest.approx(sum(costs))
    assert found["upper_bound_David"] == pytest.approx(sum(costs) * math.log(18 * horizon / 0.05))


def test_without_a_limit_only_the_means_count():
    found = hardness([0.7, 0.3], [0.2, 0.2], limit=math.inf, delta=0.05)
    assert found["H_VA"] == pytest.approx(2 / 0.2**2)
    assert found["lower_bound"] is None


def test_infeasible_single_and_tied_instances():
    assert gaps([0.5, 0.6], [0.1, 0.1], 0.04).best is None
    infeasible = hardness([0.5, 0.6], [0.1, 0.1], 0.04, 0.05)
    assert infeasible["H_VA"] == pytest.approx(2 / 0.06**2)
    assert infeasible["H_David"] is None
    alone = hardness([0.5], [0.03], 0.04, 0.05)
    assert alone["H_VA"] == pytest.approx(1 / 0.01**2)
    assert hardness([0.5, 0.5], [0.03, 0.03], 0.04, 0.05)["H_VA"] is None
    assert hardness([0.5], [0.04], 0.04, 0.05)["H_VA"] is None


GAUSSIAN = """
rewards = "gaussian"
risk = "variance <= 400"
arms = [{ name = "a", normal = { mean = 100, variance = 100 } }, { name = "b", normal = { mean = 200, variance = 900 } }]
"""
WIDE = """
rewards = [0, 1e100]
risk = "variance <= 0.1"
arms = [{ name = "a", bernoulli = 0.3 }, { name = "b", bernoulli = 0.6 }]
"""


def test_bounds_on_rewards_in_the_unit_interval_have_no_meaning_where_the_hardness_is_less_than_delta(tmp_path, capsys):
    (tmp_path / "gaussian.toml").write_text(GAUSSIAN)
    assert main(["hardness", str(tmp_path / "gaussian.toml"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["H_VA"] == pytest.approx(1 / 300**2 + 1 / 500**2)
    assert found["H_David_prime"] == pytest.approx(6 * 4 / 500**2)
    bounds = ("upper_bound_steps", "upper_bound_pulls", "lower_bound", "H_David", "upper_bound_David")
    assert [found[name] for name in bounds] == [None] * 5
    assert main(["hardness", str(tmp_path / "gaussian.toml")]) == 0
    assert re.search(r"^H_David +-  H of RiskAverse-UCB-BAI", capsys.readouterr().out, re.MULTILINE)
    assert hardness([3.0, 2.0], [0.1, 0.1], limit=0.2, delta=0.05)["lower_bound"] is None


def test_a_gap_whose_square_is_no_number_makes_an_instance_infinitely_hard(tmp_path, capsys):
    (tmp_path / "wide.toml").write_text(WIDE)
    assert main(["hardness", str(tmp_path / "wide.toml"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["H_VA"] is None
    assert found["H_1"] == pytest.approx(1 / 0.3e-100**2)
    assert found["T_star"] is None  # nor do we know it


sizes = st.sampled_from([0.0, 5e-324, 1e-200, 1e-100, 0.3, 1.0, 1e100, 1e200]) | st.floats(0, 1e200)


@given(
    st.lists(st.tuples(sizes, sizes), min_size=1, max_size=4), sizes | st.just(math.inf), sizes, st.floats(1e-9, 0.9)
)
def test_every_hardness_is_a_number_or_none_at_the_ends_of_numbers(arms, limit, sigma, delta):
    means, variances = zip(*arms, strict=True)
    for number in hardness(means, variances, limit, delta, sigma).values():
        assert number is None or (number > -4.0 and math.isfinite(number))  # David's lower bound takes off an N


def test_command(capsys):
    assert main(["hardness", EXAMPLE, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    names = {"H_VA", "H_1", "H_LIL1", "H_LIL3", "H_sigma", "upper_bound_steps", "upper_bound_pulls", "lower_bound"}
    assert names | {"T_star", "limit_pulls"} <= set(found)
    assert main(["hardness", EXAMPLE]) == 0
    lines = capsys.readouterr().out.partition("\n\n")[0].splitlines()
    explained = {line.split()[0]: line.split(maxsplit=2)[2] for line in lines}
    assert set(explained) == set(found) - {"w_star"}  # every symbol has its meaning beside it
    assert "the fewest pulls that any method could need on average" in explained["limit_pulls"]
    assert "upper_bound_steps  3,814,186  VA-LUCB" in "\n".join(lines)
    assert main(["hardness", "missing.toml"]) == 2
