"""Every part that is registered, and the templates of users' own, have what their plug point says, by the same names."""

import inspect

import pytest

from surefoot import Beta, Instance
from surefoot.core import parts, registry
from surefoot.core.assembly import filled
from surefoot.core.chains import limit_parts
from surefoot.core.own import limit_test, mean_bound, policy
from surefoot.problem import Problem, choice

FAMILIES = [*registry.FAMILIES.values(), *(family for own in registry.OWN_FAMILIES.values() for family in own.values())]
PARTS = {
    parts.MeanBound: [family.mean_bound for family in FAMILIES] + [mean_bound],
    parts.LimitTest: [test for family in FAMILIES for test in family.limit_tests.values()] + [limit_test],
    parts.Answer: list(registry.ANSWERS.values()),
    parts.Ranker: [family.ranker for family in FAMILIES],
    parts.Policy: [*registry.POLICIES.values(), policy],
    parts.ClockedBound: [family.mean_bound for family in FAMILIES if family.ranker.CLOCKED],
    parts.PairedBound: [family.mean_bound for family in FAMILIES if family.mean_bound.PAIRS],
}
EACH = {(plug, part.__name__): part for plug, modules in PARTS.items() for part in modules}


@pytest.mark.parametrize(
    ("plug", "module"),
    [(plug, module) for (plug, _), module in EACH.items()],
    ids=[f"{name} as {plug.__name__}" for plug, name in EACH],
)
def test_a_part_has_what_its_plug_point_says(plug, module):
    for name in sorted(names_of(plug)):
        assert name in vars(module), name
        declared = inspect.getattr_static(plug, name, None)
        if inspect.isfunction(declared):
            takes = list(inspect.signature(declared).parameters)[1:]
            assert list(inspect.signature(vars(module)[name]).parameters) == takes, name


def names_of(plug):
    """The names that a Protocol asks for."""
    return {
        name
        for owner in plug.__mro__
        if getattr(owner, "_is_protocol", False)
        for name in {**vars(owner), **vars(owner).get("__annotations__", {})}
        if not name.startswith("_")
    }


def test_who_is_checked():
    """Every plug point has parts to check, and the check has something to say."""
    assert all(PARTS.values())
    assert "interval" in names_of(parts.ClockedBound)
    with pytest.raises(AssertionError, match="owed"):
        test_a_part_has_what_its_plug_point_says(parts.ClockedBound, registry.FAMILIES["sharp", "bounded"].mean_bound)


def test_a_policy_that_compares_pairs_has_bounds_and_answers_that_do():
    for name in [name for name, module in registry.POLICIES.items() if module.PAIRS]:
        assert all(family.mean_bound.PAIRS for family in registry.OWN_FAMILIES[name].values())
        assert any(answer.PAIRS for answer in registry.ANSWERS.values())


def test_a_part_says_whose_it_is():
    """Whatever the name of its module."""
    ours = choice.program(Problem(["A", "B"]), "va-lucb", "sharp")
    assert ours.own == []
    theirs = ours.policy, ours.mean_bound, limit_test
    policy, bound, test = (filled(part, "somewhere.else") for part in theirs)
    policy.OWN, bound.OWN, test.OWN = "mine", "loose", "drop"
    parts = {"policy": policy, "mean_bound": bound, "limits": limit_parts(test)}
    named = ["the policy 'mine'", "the mean bound 'loose'", "the limit test 'drop'"]
    assert ours._replace(**parts).own == ours._replace(**parts).displayed.own == named


def test_a_policy_that_needs_accuracies_is_granted_them(monkeypatch):
    instance = Instance(
        {"A": Beta(mean=0.6, variance=0.01), "B": Beta(mean=0.4, variance=0.01)}, risk="variance <= 0.04"
    )
    assert [name for name, module in registry.POLICIES.items() if module.ACCURACIES] == ["risk-averse-ucb"]
    granted = instance.question("risk-averse-ucb")
    assert granted.tolerance > 0.0
    assert granted.variance_limit.slack > 0.0
    assert instance.question("va-lucb").tolerance == 0.0
    monkeypatch.setattr(registry.POLICIES["va-lucb"], "ACCURACIES", True)
    assert instance.question("va-lucb") == granted
    given = instance.but(tolerance=0.1)
    assert given.question("va-lucb") == given.question("top-two")
