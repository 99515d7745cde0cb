"""What `make floors` installs and checks."""

from packaging.version import Version

from tests.floors import chosen, floors


def test_every_dependency_has_a_lower_bound_and_all_extras_are_in_all():
    found = floors()
    assert {"numpy", "numba", "pandas", "pyarrow", "matplotlib", "fastapi"} <= set(found)
    assert found["pandas"] >= Version("2.2.2")  # the first that goes with numpy 2


def test_pins_are_read():
    assert chosen("numpy==2.0.0\nuvloop==0.21.0 ; platform_system != 'Windows'\n")["uvloop"] == Version("0.21")
