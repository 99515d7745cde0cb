"""What a chain of limits says of an arm: by the verdicts and shares of each, given."""

from itertools import permutations
from types import SimpleNamespace

import pytest

from surefoot.core import verdicts
from surefoot.core.assembly import filled
from surefoot.core.links import both
from surefoot.core.registry import Limited, decides, preferred
from surefoot.problem import choice

OPEN, FEASIBLE, INFEASIBLE = verdicts.OPEN, verdicts.FEASIBLE, verdicts.INFEASIBLE


class Given:
    """A limit whose verdict and shares are given as its parameters: verdict, kept, broken."""

    __name__ = "given"
    REVISES = False

    def __init__(self):
        self.observed = 0

    def observe(self, own, metric, mean, parameters, reward, guessed):
        self.observed += 1

    def verdict(self, own, metric, mean, parameters, clock):
        return parameters[0]

    def shares(self, own, metric, mean, parameters, clock):
        return parameters[1:]

    def shows(self, own, metric, mean, parameters, clock):
        return parameters[1] >= 1.0, parameters[2] >= 1.0

    def sample_breaks(self, own, metric, mean, parameters):
        return parameters[2] > parameters[1]


def chain(*limits):
    """A chain of three given limits, its record and parameters."""
    inner = filled(both, "inner", first=Given(), rest=Given())
    outer = filled(both, "outer", first=Given(), rest=inner)
    parameters = both.Parameters(limits[0], both.Parameters(limits[1], limits[2]))
    own = SimpleNamespace(first=None, first_verdict=OPEN, rest_verdict=OPEN)
    own.rest = SimpleNamespace(first=None, rest=None, first_verdict=OPEN, rest_verdict=OPEN)
    return outer, (own, None, None, parameters)


@pytest.mark.parametrize(
    ("limits", "verdict"),
    [
        ([FEASIBLE, FEASIBLE, FEASIBLE], FEASIBLE),
        ([FEASIBLE, OPEN, FEASIBLE], OPEN),
        ([FEASIBLE, OPEN, INFEASIBLE], INFEASIBLE),
        ([OPEN, OPEN, INFEASIBLE], INFEASIBLE),
        ([OPEN, OPEN, OPEN], OPEN),
    ],
)
def test_feasible_if_all_are_and_infeasible_if_one_is(limits, verdict):
    for order in permutations(limits):
        link, seen = chain(*((found, 0.5, 0.5) for found in order))
        assert link.verdict(*seen, 1.0) == verdict


def test_a_verdict_stays_and_its_test_ends():
    link, (own, metric, mean, parameters) = chain((FEASIBLE, 1.0, 0.0), (OPEN, 0.5, 0.0), (OPEN, 0.5, 0.0))
    link.observe(own, metric, mean, parameters, 0.5, 0.5)
    assert link.verdict(own, metric, mean, parameters, 1.0) == OPEN
    link.observe(own, metric, mean, parameters, 0.5, 0.5)
    assert (link.first.observed, link.rest.first.observed) == (1, 2)
    broken = parameters._replace(first=(INFEASIBLE, 0.0, 1.0))
    assert link.verdict(own, metric, mean, broken, 1.0) == OPEN
    assert link.shares(own, metric, mean, broken, 1.0) == (0.5, 0.0)
    assert not link.sample_breaks(own, metric, mean, broken)


@pytest.mark.parametrize(
    ("limits", "shares"),
    [
        ([(0.9, 0.0), (0.2, 0.1), (0.5, 0.4)], (0.2, 0.1)),  # none looks broken: the least known to be kept
        ([(0.1, 0.0), (0.6, 0.7), (0.5, 0.8)], (0.5, 0.8)),  # two do: the one that most does
        ([(0.0, 0.0), (0.3, 0.4), (1.0, 0.0)], (0.3, 0.4)),
    ],
)
def test_shares_are_those_of_one_limit(limits, shares):
    for order in permutations(limits):
        link, seen = chain(*((OPEN, *found) for found in order))
        assert link.shares(*seen, 1.0) == shares


@pytest.mark.parametrize(
    ("limits", "shown"),
    [
        ([(1.0, 0.0), (1.0, 0.3), (1.0, 0.0)], (True, False)),
        ([(1.0, 0.0), (0.9, 0.0), (1.0, 0.0)], (False, False)),
        ([(1.0, 1.0), (0.0, 0.9), (0.5, 0.0)], (False, True)),  # shares of one limit would not show it
    ],
)
def test_every_limit_must_be_kept_and_one_broken_is_enough_at_other_levels(limits, shown):
    for order in permutations(limits):
        link, seen = chain(*((OPEN, *found) for found in order))
        assert link.shows(*seen, 1.0) == shown
        assert link.sample_breaks(*seen) == any(broken > kept for kept, broken in limits)


def test_a_limit_known_to_be_kept_counts_at_other_levels():
    link, (own, *seen) = chain((OPEN, 1.0, 0.0), (OPEN, 0.2, 0.0), (OPEN, 1.0, 0.0))
    assert link.shows(own, *seen, 1.0) == (False, False)
    own.rest.first_verdict = FEASIBLE
    assert link.shows(own, *seen, 1.0) == (True, False)
    own.rest.rest_verdict = INFEASIBLE
    assert link.shows(own, *seen, 1.0) == (False, True)


def test_who_takes_several_limits():
    two = [Limited("variance"), Limited("probability")]
    assert preferred(None, None, "bounded", two, "best") == ("top-two", "tight")
    assert preferred("va-lucb", None, "bounded", two, "best") == ("va-lucb", "sharp")
    for policy, bounds, can in [
        ("top-two", "tight", True),
        ("va-lucb", "tight", True),
        ("successive-elimination", "sharp", True),
        ("lil-ucb", "sharp", False),
        ("va-lucb", "paper", False),
        ("track-and-stop", "sharp", False),
    ]:
        assert decides(policy, bounds, "bounded", two, "best") == can
    assert choice.would_work("va-lucb", "bounded", two, "best") == "bounds 'tight' or 'sharp' would work"
    others = "policy 'va-lucb' or 'successive-elimination' or 'top-two' would work"
    assert choice.would_work("lil-ucb", "bounded", two, "best") == others
