"""Is all as it was recorded? And would it be noticed if it were not?"""

import os
import subprocess
import sys

import pytest

from tests.recorded import adapter, kernels, live, machine, recording, rows


@pytest.mark.parametrize("section", recording.SECTIONS)
def test_all_rows_are_as_recorded(section):
    """A change that is meant replaces the rows it changes, by `make recorded`, and its commit says why."""
    differing = recording.differences(recording.make([section], workers=1))
    assert not differing, "\n".join([*differing, recording.hint()])


def differing(section, group):
    """The rows of one group that are not as recorded, and the parts of them that are not."""
    found = dict([recording.made(section, group)])
    names = found[section].keys()
    recorded = {case: row for case, row in rows.read(section).items() if case in names}
    assert recorded.keys() == names
    return rows.differences(recorded, found[section])


BOUNDS = {"kernels": "bounds", "live": "arms"}  # the part of a row that has them


@pytest.mark.parametrize("section", BOUNDS)
def test_a_constant_of_a_kernel_that_changes_by_little_is_noticed(section):
    with adapter.sharp_changed(by=1e-9):
        differences = differing(section, "va-lucb sharp bounded none")
        assert len(differences) > 1
        assert all(f"\n  {BOUNDS[section]}: was" in difference for difference in differences)
        assert not differing(section, "va-lucb tight bounded none")
    assert not differing(section, "va-lucb sharp bounded none")


def test_what_differs_is_said_with_what_was_and_what_is():
    old = {"a": {"status": "best", "pulls": [1, 2], "same": 0}, "b": {"status": "best"}, "d": {"x": {"y": 1}}}
    new = {"a": {"status": "best", "pulls": [1, 3], "same": 0}, "c": {"status": "undecided"}, "d": {"x": {"z": True}}}
    assert rows.differences(old, old) == []
    assert rows.differences(old, new) == [
        "a\n  pulls.1: was 2, is 3",
        "b\n  was recorded and is not there any more",
        'c\n  was not recorded: {"status": "undecided"}',
        "d\n  x.y: was 1, is not there\n  x.z: was not there, is true",
    ]


@pytest.mark.parametrize(("old", "new"), [(1, 1.0), (True, 1), (0, False), (1.0, True)])
def test_kinds_of_numbers_are_told_apart(old, new):
    assert len(rows.differences({"a": {"value": old}}, {"a": {"value": new}})) == 1


def test_rows_are_written_and_read_in_one_order(tmp_path, monkeypatch):
    monkeypatch.setattr(rows, "FOLDER", tmp_path / "rows")
    rows.write("some", {"b": {"x": "é\n"}, "a": {"y": None}})
    assert rows.path("some").read_text(encoding="utf-8") == '{"case": "a", "y": null}\n{"case": "b", "x": "é\\n"}\n'
    assert rows.read("some") == {"a": {"y": None}, "b": {"x": "é\n"}}
    assert rows.read("others") == {}


PRINTED = """
from tests.recorded import recording
groups = {"kernels": "top-two tight bounded cvar", "live": "top-two tight bounded none", "answers": "http"}
for section, group in groups.items():
    print(*recording.made(section, group)[1].items(), sep="\\n")
"""


def test_rows_do_not_depend_on_the_process():
    """Nor on the seed of its hashes."""
    printed = {
        subprocess.run(
            [sys.executable, "-c", PRINTED], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert len(printed.pop().splitlines()) > 30


def test_another_machine_is_named():
    here = machine.arithmetic()
    assert machine.unlike(here) == []
    assert machine.unlike(here | {"lgamma": {"digest": "another"}}) == ["lgamma"]


def test_every_combination_is_recorded():
    """With every decision that it can make, or else up to its pulls."""
    recorded, simulated, played = (rows.read(section) for section in ("kernels", "simulated", "live"))
    for names in adapter.combinations():
        group = " ".join(names)
        assert f"interpreted {group}: max" in simulated
        assert {f"{group}: {plan}" for plan in live.plans(group)} <= played.keys()
        assert {f"{group}: {case}" for case in kernels.CASES[names[2]]} - recorded.keys() <= {f"{group}: 2 none"}
    for kind in ("best", "infeasible", "undecided"):
        for rows_of in (recorded, played):
            assert any(row["status"] == kind for row in rows_of.values())


def test_the_scripts_have_some_of_everything():
    kinds = {kind for row in rows.read("live").values() for kind, count in row["events"].items() if count}
    assert kinds >= {"asked", "told", "late", "recorded", "expired", "extended", "abandoned", "set_aside", "closed"}
    again = [row for row in rows.read("live").values() if "from_journal" in row]
    assert {row["from_journal"] for row in again} == {row["from_snapshot"] for row in again} == {"same"}
    assert len(again) > 2 * len(live.REOPENED)
