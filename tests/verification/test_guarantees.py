"""The table of guarantees has a row for everything that is registered."""

from surefoot.core.registry import FAMILIES
from verification.guarantees import BY, INSTANCES


def test_it_is_said_of_every_family_what_proves_it():
    assert set(BY) == set(FAMILIES)


def test_every_limit_test_has_a_limit_on_each_instance():
    for (_, kind), family in FAMILIES.items():
        for _, _, limits in INSTANCES[kind]:
            assert set(family.limit_tests) - {"none"} <= set(limits)
