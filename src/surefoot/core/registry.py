"""Every policy, family of bounds, limit test and answer by its name. Adding one is a file and a line here."""

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from surefoot.core.answers import best
from surefoot.core.bounds import (
    lil,
    mixture,
    paper,
    risk_averse,
    sharp,
    student,
    student_pairs,
    subgaussian,
    tight,
)
from surefoot.core.chains import mean_test
from surefoot.core.limit_tests import (
    cvar,
    none,
    paired_variance,
    probability,
    quantile,
    radius_variance,
    sharp_variance,
    student_variance,
    tight_variance,
)
from surefoot.core.parts import Answer, ClockedBound, EvidentBound, LimitTest, MeanBound, PairedBound, Policy, Ranker
from surefoot.core.policies import (
    lil_ucb,
    risk_averse_ucb,
    successive_elimination,
    top_two,
    track_and_stop,
    va_lucb,
    va_uniform,
)
from surefoot.core.ranking import scan, tournament


class Family(NamedTuple):
    """A mean bound, and for each risk it knows a test that goes with it."""

    mean_bound: MeanBound
    limit_tests: dict[str, LimitTest]
    ranker: Ranker  # tournament if an arm's bounds change only when it is pulled, scan if they follow a clock


ANSWERS: dict[str, Answer] = {"best": best}

POLICIES: dict[str, Policy] = {
    "va-lucb": va_lucb,
    "va-uniform": va_uniform,
    "risk-averse-ucb": risk_averse_ucb,
    "successive-elimination": successive_elimination,
    "lil-ucb": lil_ucb,
    "track-and-stop": track_and_stop,
    "top-two": top_two,
}

SHARP_TESTS: dict[str, LimitTest] = {
    "variance": sharp_variance,
    "quantile": quantile,
    "probability": probability,
    "cvar": cvar,
    "none": none,
}

TIGHT_TESTS = SHARP_TESTS | {"variance": tight_variance}

# By the name of the bounds and the kind of rewards they hold for.
FAMILIES: dict[tuple[str, str], Family] = {
    ("tight", "bounded"): Family(tight, TIGHT_TESTS, tournament),
    ("sharp", "bounded"): Family(sharp, SHARP_TESTS, tournament),
    ("sharp", "subgaussian"): Family(mixture, {"variance": paired_variance, "none": none}, tournament),
    ("tight", "gaussian"): Family(student_pairs, {"variance": student_variance, "none": none}, tournament),
    ("sharp", "gaussian"): Family(student, {"variance": student_variance, "none": none}, tournament),
    ("paper", "bounded"): Family(paper, {"variance": radius_variance, "none": none}, scan),
    ("lil", "bounded"): Family(lil, {"variance": radius_variance, "none": none}, tournament),
    ("subgaussian", "subgaussian"): Family(subgaussian, {"variance": radius_variance, "none": none}, scan),
}

# Policies that go with some families only: with bounds of their own under the name of the paper's, or with one family.
OWN_FAMILIES: dict[str, dict[tuple[str, str], Family]] = {
    "risk-averse-ucb": {("paper", "bounded"): Family(risk_averse, {"variance": radius_variance}, scan)},
    "top-two": {key: FAMILIES[key] for key in [("tight", "bounded"), ("tight", "gaussian")]},
    "track-and-stop": {("sharp", "gaussian"): FAMILIES["sharp", "gaussian"]},
}

# What goes with `scan` must have a clock, what goes with a policy that compares pairs must know of two arms.
CLOCKED: list[ClockedBound] = [paper, subgaussian, risk_averse]
PAIRED: list[PairedBound] = [tight, student_pairs]

BOUNDS = list(dict.fromkeys(name for name, _ in FAMILIES))

# By the kind of a metric that is not the goal's: what can be limited where there is no family of bounds.
WITHOUT_BOUNDS: dict[str, dict[str, LimitTest]] = {"any": {"quantile": quantile, "probability": probability}}

TAIL_TESTS: dict[str, LimitTest] = {"quantile": quantile, "probability": probability}
EVIDENT: dict[tuple[str, str], EvidentBound] = {
    ("tight", "bounded"): tight,
    ("sharp", "bounded"): sharp,
    ("sharp", "subgaussian"): mixture,
    ("tight", "gaussian"): student_pairs,
    ("sharp", "gaussian"): student,
}

# The policies and bounds that can keep several limits, limits on other metrics than the goal's, or against a baseline.
SEVERAL = {"top-two": ("tight",), "va-lucb": ("tight", "sharp"), "successive-elimination": ("tight", "sharp")}
ITEMS = ("top-two", "tight")  # the policy and the bounds for arms that are tried on the same items
BASELINE = "baseline"  # what such a limit is decided by


class Limited(NamedTuple):
    """A limit, by what decides it."""

    test: str
    kind: str = ""  # of its metric, if that is not the goal's


def elsewhere(bounds: str, kind: str) -> tuple[MeanBound | None, dict[str, LimitTest]]:
    """For a metric that is not the goal's: a mean bound and tests. It is compared with nothing, so that any bound serves."""
    for key in ((bounds, kind), ("sharp", kind)):
        if key in EVIDENT:
            return EVIDENT[key], known_tests(*key, FAMILIES[key])
    return None, WITHOUT_BOUNDS.get(kind, {})


def known_tests(bounds: str, kind: str, found: Family) -> dict[str, LimitTest]:
    """What can be limited with such bounds; that which a family knows comes first."""
    return further_tests(bounds, kind) | found.limit_tests


@cache
def further_tests(bounds: str, kind: str) -> dict[str, LimitTest]:
    """What SEVERAL can limit besides, of results for which there is an EVIDENT bound. The tests of tails need no range."""
    bound: Any = EVIDENT.get((bounds, kind))
    return TAIL_TESTS | {"mean": mean_test(bound)} if bound else {}


def preferred(
    policy: str | None, bounds: str | None, rewards: str, limits: Sequence[Limited], answer: str
) -> tuple[str, str]:
    """A policy and bounds for such rewards, such limits and this answer, where one or both are not named: those with the
    fewest pulls.
    """
    for name, other in [("top-two", "tight"), *product(POLICIES, ["sharp", *BOUNDS])]:
        if policy in (None, name) and bounds in (None, other) and decides(name, other, rewards, limits, answer):
            return name, other
    # These will be refused, with a sentence that says why.
    return "va-lucb" if policy is None else policy, "sharp" if bounds is None else bounds


def decides(policy: str, bounds: str, rewards: str, limits: Sequence[Limited], answer: str) -> bool:
    """Do they find the answer under all of these limits?"""
    found = family(policy, bounds, rewards)
    if found is None or not knows(policy, answer):
        return False
    if not limits:
        return "none" in found.limit_tests
    if len(limits) == 1 and not limits[0].kind and limits[0].test in found.limit_tests:
        return True
    if any(limit.test == BASELINE for limit in limits):
        others = [limit for limit in limits if limit.test != BASELINE]
        return bounds in SEVERAL.get(policy, ()) and decides(policy, bounds, rewards, others, answer)
    ours = known_tests(bounds, rewards, found)
    known = all(test in (elsewhere(bounds, kind)[1] if kind else ours) for test, kind in limits)
    return known and bounds in SEVERAL.get(policy, ())


def knows(policy: str, answer: str) -> bool:
    """Is what the policy answers what is asked for?"""
    part = POLICIES[policy]
    if part.OWN_RULE:
        return answer == part.OWN_RULE
    return ANSWERS[answer].PAIRS or not part.PAIRS


def family(policy: str, bounds: str, rewards: str) -> Family | None:
    """The family that a policy uses under these names, or None if it cannot."""
    return OWN_FAMILIES.get(policy, FAMILIES).get((bounds, rewards))
