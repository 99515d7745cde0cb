"""What every distribution that is registered must do: a new one fails here until it has an example."""

import os
import subprocess
import sys

import numpy as np
import pytest

from surefoot import Beta, Instance, Problem
from surefoot.compiled import compile_program
from surefoot.problem import choice
from surefoot.problem.distributions import DISTRIBUTIONS
from surefoot.problem.distributions.distribution import Atoms
from surefoot.problem.reward_models import Bounded, SubGaussian
from surefoot.simulation import draws, item_draws, kernel
from surefoot.theory.quadrature import rules
from tests.examples_of import ExamplesOf

# As a problem file has it, and what does not have that form.
EXAMPLES = ExamplesOf(
    "EXAMPLES of tests/unit/test_distributions.py",
    {
        "beta": ({"mean": 0.3, "variance": 0.02}, {"mean": 0.3}),
        "bernoulli": (0.3, "often"),
        "normal": ({"mean": 0.3, "variance": 0.04}, {"mean": 0.3}),
        "uniform": ([0.1, 0.7], 0.1),
        "lognormal": ({"median": 0.3, "sigma": 0.8}, {"median": 0.3}),
        "exponential": ({"mean": 0.3}, {"rate": 3}),
        "discrete": ({"values": [0.1, 0.9, 0.4], "weights": [0.5, 0.2, 0.3]}, {"values": [1], "odds": [1]}),
    },
)
N = 20_000


def has_range(distribution):
    return all(map(np.isfinite, distribution.support or (0.0, 1.0)))


@pytest.fixture(params=DISTRIBUTIONS)
def distribution(request):
    found = DISTRIBUTIONS[request.param].read(EXAMPLES[request.param][0])
    return found.fitted(Bounded() if has_range(found) else SubGaussian(1.0))


def instance(distribution, goal="max"):
    rewards = Bounded(-1.0, 3.0) if has_range(distribution) else SubGaussian(1.0)
    return Instance({"A": distribution}, rewards=rewards, goal=goal)


def text(key, value):
    import tomli_w

    return tomli_w.dumps({"subgaussian": 1.0, "arms": [{"name": "A", key: value}]})


@pytest.mark.parametrize("key", DISTRIBUTIONS)
def test_it_is_read_as_it_is_written(key):
    problem = Problem.loads(text(key, EXAMPLES[key][0]))
    assert problem.arms[0].source.key == key
    assert Problem.loads(problem.dumps()) == problem


@pytest.mark.parametrize("key", DISTRIBUTIONS)
def test_what_does_not_have_its_form_is_refused_with_the_form(key):
    wrong = EXAMPLES[key][1]
    with pytest.raises(ValueError, match=f"{key} must be ") as refused:
        Problem.loads(text(key, wrong))
    assert repr(wrong) in str(refused.value)


def test_draws_on_its_own_scale_have_its_mean_and_tails(distribution):
    sampler, generator = distribution.sampler(), np.random.default_rng(1)
    follow(distribution, np.array([sampler(generator) for _ in range(N)]))


@pytest.mark.parametrize("goal", ["max", "min"])
def test_draws_of_the_kernel_have_its_mean_and_tails(distribution, goal):
    asked = instance(distribution, goal)
    table, generator = asked.draws(), np.random.default_rng(2)
    found = np.array([draws.draw(table, 0, generator) for _ in range(N)])
    follow(asked.distributions[0], asked.problem.scale.outward(found))


@pytest.mark.parametrize("goal", ["max", "min"])
def test_draws_on_items_have_its_mean_and_tails(distribution, goal):
    asked = instance(distribution, goal)
    inward, generator = asked.problem.scale.inward, np.random.default_rng(3)
    drawn = item_draws.of_distributions(asked.distributions, inward, correlation=0.5)
    drawn = drawn._replace(common=np.zeros(N))  # room for all items
    found = np.array([item_draws.draw_or_take(drawn, 0, place, generator) for place in range(N)])
    follow(asked.distributions[0], asked.problem.scale.outward(found))
    if not isinstance(distribution.rule(), Atoms):
        assert len(np.unique(found)) > 0.99 * N


def follow(distribution, rewards):
    """Within five standard errors."""
    assert abs(rewards.mean() - distribution.mean) < 5.0 * np.sqrt(distribution.variance / N)
    for x in (0.25, 0.4001, 0.6):
        share = distribution.below(x)
        assert abs((rewards < x).mean() - share) < 5.0 * np.sqrt(max(share * (1.0 - share), 1.0 / N) / N)


def test_the_check_of_draws_would_notice():
    """The control: draws of another distribution do not pass."""
    one, other = (DISTRIBUTIONS["bernoulli"].read(p) for p in (0.3, 0.33))
    sampler, generator = other.sampler(), np.random.default_rng(1)
    with pytest.raises(AssertionError):
        follow(one, np.array([sampler(generator) for _ in range(N)]))


def test_compiled_draws_are_the_same_bits():
    """All that fit together, in one table."""
    found = {key: DISTRIBUTIONS[key].read(example) for key, (example, _) in EXAMPLES.items()}
    asked = Instance(found, rewards=SubGaussian(1.0))
    compiled = compile_program(kernel, choice.program(Problem(arms=["A"]), "va-uniform", "sharp").parts)
    totals = [bare(asked.draws(), np.random.default_rng(7), 500) for bare in (compiled.bare_draws, kernel.bare_draws)]
    assert totals[0] == totals[1]


@pytest.mark.parametrize(("a", "b"), [(6.6, 4.4), (1.0001, 80.0), (5e3, 2e3), (1.0, 3.0), (3.0, 0.2), (0.3, 0.4)])
def test_a_beta_is_drawn_as_numpy_does(a, b):
    table = Instance({"A": Beta(a=a, b=b)}).draws()
    ours, numpys = np.random.default_rng(3), np.random.default_rng(3)
    assert [draws.draw(table, 0, ours) for _ in range(2_000)] == numpys.beta(a, b, 2_000).tolist()


DRAWN = """
import numpy as np
from surefoot import Instance, Normal, Problem
from surefoot.problem import choice
from surefoot.compiled import compile_program
from surefoot.simulation import kernel
draws = Instance({"A": Normal(mean=0.0, variance=1.0)}, rewards="gaussian").draws()
compiled = compile_program(kernel, choice.program(Problem(arms=["A"]), "va-uniform", "sharp").parts)
compiled.bare_draws(draws, np.random.default_rng(7), 10)
print(sum(compiled.bare_draws.stats.cache_hits.values()))
"""


def test_compiled_draws_are_kept_for_the_next_process(tmp_path):
    environment = os.environ | {"SUREFOOT_CACHE_DIR": str(tmp_path)}
    hits = [
        subprocess.run(
            [sys.executable, "-c", DRAWN], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert [int(found) for found in hits] == [0, 1]


def test_expectations_have_its_moments(distribution):
    if not has_range(distribution):
        pytest.skip("no range holds it")
    points, weights, _ = rules([distribution], 0.0, 1.0)
    mean = weights[0] @ points[0]
    assert mean == pytest.approx(distribution.mean, rel=1e-9)
    assert weights[0] @ (points[0] - mean) ** 2 == pytest.approx(distribution.variance, rel=1e-9)
