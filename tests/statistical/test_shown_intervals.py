"""The intervals shown for tail risks cover at all times at once, as often as they say; with negative controls."""

import numpy as np
import pytest

from surefoot import Beta, Discrete, Instance
from surefoot.core import records, statistics
from surefoot.core.answers.best import in_halves
from surefoot.core.registry import FAMILIES
from surefoot.core.statistics import Statistics
from surefoot.problem.kernel_question import question_of
from surefoot.simulation import draws as source
from tests.flat import between, limit_parameters
from tests.statistical.binomial import too_many

DELTA, PATHS, LOOKS = 0.2, 60, (4, 20, 80, 250, 600)
POINTS = Discrete((0.2, 0.3, 0.8), (0.1, 0.3, 0.6))
SKEWED = Beta(a=0.5, b=3.0)
CASES = [  # the last number is a level stated for the control; of cvar there are 16 quantiles: it must be far above delta
    (POINTS, "probability(reward < 0.3) <= 0.2", "max", 3.0),
    (POINTS, "quantile(0.12) >= 0.25", "min", 60.0),
    (POINTS, "quantile(0.1) >= 0.25", "max", 15.0),  # where the distribution function is flat
    (SKEWED, "quantile(0.9) <= 0.5", "max", 15.0),
    (POINTS, "cvar(0.2) >= 0.2", "max", 16 * 25.0),
    (SKEWED, "cvar_upper(0.3) <= 0.5", "min", 16 * 25.0),
]


def misses(instance, stated):
    """Paths whose interval at level `stated` did not cover the risk at some look; and how wide the last ones were."""
    problem, draws = instance.problem, instance.draws()
    test, risk = FAMILIES["sharp", "bounded"].limit_tests[problem.risk.test], problem.risk
    value, question = risk.value(instance.distributions[0]), question_of(problem)._replace(delta=stated)
    parameters, missed, widths = limit_parameters(test, question_of(problem), in_halves(question_of(problem))), 0, []
    for path in range(PATHS):
        arm, generator = records.plain_record(Statistics, test.ShownEvidence)(), np.random.default_rng([5, path])
        covered = True
        for n in range(1, LOOKS[-1] + 1):
            reward = source.draw(draws, 0, generator)
            test.observe_for_display(arm, arm, parameters, reward, statistics.guess(arm))
            statistics.observe(arm, reward, statistics.guess(arm))
            if n in LOOKS:
                ends = test.risk_interval(arm, arm, arm, between(0.0, 1.0), parameters, question, 1.0)
                low, high = sorted(risk.outward(end, problem.scale) for end in ends)
                covered = covered and low - 1e-9 <= value <= high + 1e-9
        missed += not covered
        widths.append(high - low)
    return missed, np.mean(widths)


@pytest.mark.parametrize(("arm", "risk", "goal", "wild"), CASES)
def test_intervals_cover_and_narrower_ones_are_caught(arm, risk, goal, wild):
    instance = Instance({"A": arm}, risk=risk, goal=goal, delta=DELTA)
    missed, width = misses(instance, DELTA)
    assert not too_many(missed, PATHS, DELTA)
    assert width < 0.25
    missed, _ = misses(instance, wild)
    assert too_many(missed, PATHS, DELTA)
