"""Gates: how often they pass or fail wrongly, at exactly the margin and under drift that would fool other tests."""

import math

import numpy as np
import pytest
from scipy import stats

from surefoot import Problem
from surefoot.problem.metrics import metric
from surefoot.work.gate import Gate
from surefoot.work.gate.gate import FAIL, PASS, Question, run
from surefoot.work.gate.margin import Margin
from surefoot.work.gate.rounds import MeasuredRounds, Outcome, Round
from tests.statistical.binomial import too_many

PATHS, ROUNDS, MARGIN = 150, 120, 0.1
SIGNS = Question((metric("seconds", "any"),), "seconds", Margin(MARGIN, part=True, direction="min"))
MEANS = Question((metric("reward", [0, 1]),), "reward", Margin(MARGIN, part=False, direction="max"), means=True)
HAIR = 1e-9


def steady(step):
    return 0.0


def seasons(step):
    """Bad for 20 rounds, then as good for 20: on average over the rounds so far never above 0."""
    return -0.8 if step % 40 < 20 else 0.8


def warming(step):
    """Good at first and bad later, so that the average comes from above."""
    return 0.6 if step < 10 else -0.2


DRIFTS = (steady, seasons, warming)


def signs_round(generator, gain):
    """The candidate is within the margin with a probability of (1 + gain) / 2. Both drift by a factor of ten together."""
    machine = 10.0 ** generator.random()
    within = generator.random() < (1.0 + gain) / 2.0
    ratio = (1.0 + MARGIN) * (0.9 if within else 1.2)
    return Round(Outcome({"seconds": machine}), Outcome({"seconds": machine * ratio}), False)


def means_round(generator, gain):
    """The mean of the candidate is that of the baseline, less the margin, plus a quarter of the gain. Both drift."""
    base = 0.35 + 0.3 * generator.random()
    mean = base - MARGIN + gain / 4.0
    baseline, candidate = (float(generator.random() < min(max(one, 0.0), 1.0)) for one in (base, mean))
    return Round(Outcome({"reward": baseline}), Outcome({"reward": candidate}), False)


def wrong(question, make, drift, delta, judge=Gate):
    """In how many of PATHS a gate passed while the average gain so far was not above 0, and failed while not below."""
    passes = fails = 0
    for path in range(PATHS):
        generator = np.random.default_rng([17, path])
        gate, total = (
            judge(Question(question.metrics, question.metric, question.margin, question.means, delta=delta)),
            0.0,
        )
        for step in range(ROUNDS):
            total += drift(step)
            gate.add(make(generator, drift(step)))
            if gate.verdict in (PASS, FAIL):
                break
        passes += gate.verdict == PASS and total <= HAIR
        fails += gate.verdict == FAIL and total >= -HAIR
    return passes, fails


@pytest.mark.parametrize("delta", [0.5, 0.2])
@pytest.mark.parametrize("drift", DRIFTS, ids=lambda drift: drift.__name__)
@pytest.mark.parametrize(("question", "make"), [(SIGNS, signs_round), (MEANS, means_round)], ids=["signs", "means"])
def test_wrong_verdicts_are_no_more_frequent_than_delta(question, make, drift, delta):
    passes, fails = wrong(question, make, drift, delta)
    assert not too_many(passes, PATHS, delta)
    assert not too_many(fails, PATHS, delta)


class Hasty(Gate):
    """A gate that wants a third of the evidence it should."""

    def __init__(self, question):
        super().__init__(question)
        self.pass_level, self.fail_level = 0.3 * self.pass_level, 0.3 * self.fail_level


@pytest.mark.parametrize(("question", "make"), [(SIGNS, signs_round), (MEANS, means_round)], ids=["signs", "means"])
def test_gates_at_lower_levels_are_wrong_too_often(question, make):
    """The negative control."""
    assert too_many(max(wrong(question, make, steady, 0.2, Hasty)), PATHS, 0.2)


class Predictable(Gate):
    """A gate whose stakes follow the last rounds: sound for independent draws, and not under drift (docs/gate.md)."""

    def __init__(self, question):
        super().__init__(question)
        self.last, self.log_wealth = [], 0.0

    def add(self, one):
        sign = (
            2.0 * self.main.wide.reading.number(one.baseline.values["seconds"], one.candidate.values["seconds"]) - 1.0
        )
        stake = min(max(float(np.mean(self.last[-5:])), 0.0), 0.8) if self.last else 0.0
        self.log_wealth += math.log1p(stake * sign)
        self.last.append(sign)
        if self.log_wealth >= self.pass_level:
            self.verdict = PASS


def test_predictable_stakes_pass_wrongly_in_seasons():
    """The negative control of fixed bets."""
    passes, _ = wrong(SIGNS, signs_round, seasons, 0.2, Predictable)
    assert too_many(passes, PATHS, 0.2)


# --- the order within a round

PROBLEM = Problem(["old", "new"], metrics={"seconds": [0, 100]}, goal="min mean(seconds)")


class OldFirst:
    def integers(self, high):
        return 0


def judged(order, path, delta=0.2):
    """A gate of two equal arms, on a machine that slows down and takes longer for the second pull of a round."""
    generator, pulls = np.random.default_rng([19, path]), [0]

    def measure(pull, item=None):
        pulls[0] += 1
        second = pulls[0] % 2 == 0
        return {"seconds": (1.0 + 0.01 * pulls[0]) * (1.3 if second else 1.0) * (1.0 + 0.1 * generator.random())}

    rounds = MeasuredRounds(PROBLEM, {"old": measure, "new": measure}, "old", "new", seed=path)
    if order is not None:
        rounds.order = order
    gate = Gate(Question(SIGNS.metrics, "seconds", Margin(0.0), delta=delta))
    run(gate, rounds, max_pulls=2 * ROUNDS)
    return gate.verdict


def test_a_random_order_cancels_what_the_place_in_a_round_does():
    found = [judged(None, path) for path in range(PATHS)]
    assert not too_many(found.count(FAIL), PATHS, 0.2)
    assert not too_many(found.count(PASS), PATHS, 0.2)


def test_a_fixed_order_fails_wrongly():
    """The negative control of a random order."""
    found = [judged(OldFirst(), path) for path in range(20)]
    assert too_many(found.count(FAIL), 20, 0.2)


def test_a_test_of_independent_samples_is_fooled_by_a_machine_that_warms_up():
    """First all pulls of one, then all of the other: what people do, and what rounds are for."""
    generator, rejected = np.random.default_rng(23), 0
    for _ in range(PATHS):
        machine = np.linspace(1.3, 1.0, 60)
        seconds = machine * (1.0 + 0.1 * generator.random(60))
        rejected += stats.ttest_ind(seconds[:30], seconds[30:], equal_var=False).pvalue < 0.05
    assert too_many(rejected, PATHS, 0.05)
