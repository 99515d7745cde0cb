"""Studies on items that are kept, from the command line: status, export, import, plan."""

import csv
import json
import re

import pytest

from surefoot.cli import main

NAMES = ["=1+1", *(f"file {number}" for number in range(39))]
PROBLEM = """\
design = "items"
rewards = [0, 1]
delta = 0.2
[items]
{items}
[[arms]]
name = "a"
call = "measured_items:a"
[[arms]]
name = "b"
call = "measured_items:b"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.txt").write_text("\n".join(NAMES))
    (tmp_path / "measured_items.py").write_text("def a(item):\n    return 0.9\ndef b(item):\n    return 0.4\n")
    return tmp_path


def run(folder, items):
    (folder / "p.toml").write_text(PROBLEM.format(items=items))
    assert main(["run", "p.toml"]) == 0


def test_an_export_has_the_items(folder, capsys):
    run(folder, 'list = "list.txt"')
    assert main(["export", "p.toml", "--out", "x.csv"]) == 0
    with open("x.csv") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["pull", "arm", "item", "reward", "time", "worker"]
    items = {row["item"] for row in rows}
    assert items <= {"'=1+1", *NAMES[1:]}  # a spreadsheet would compute the first
    assert main(["export", "p.toml", "--out", "x.json"]) == 0
    found = json.loads((folder / "x.json").read_text())["rewards"]
    assert {row["item"] for row in found} <= set(NAMES)
    assert [row["item"] for row in found if row["arm"] == "a"] == [row["item"] for row in found if row["arm"] == "b"]


@pytest.mark.parametrize(("items", "kind"), [("count = 40", "int64"), ('list = "list.txt"', "string")])
def test_an_export_to_parquet_has_them_too(folder, capsys, items, kind):
    parquet = pytest.importorskip("pyarrow.parquet")
    run(folder, items)
    assert main(["export", "p.toml", "--out", "x.parquet"]) == 0
    table = parquet.read_table("x.parquet")
    assert str(table.schema.field("item").type) == kind
    assert table.column_names[:3] == ["pull", "arm", "item"]


@pytest.mark.parametrize("items", ["count = 40", 'list = "list.txt"'])
def test_an_exported_study_imported_stands_as_it_did(folder, capsys, items):
    run(folder, items)
    assert main(["export", "p.toml", "--out", "x.csv"]) == 0
    assert main(["import", "x.csv", "--problem", "p.toml", "--name", "again"]) == 0
    capsys.readouterr()
    found = []
    for name in ("p", "again"):
        assert main(["status", name, "--db", "p.db", "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0]["arm"] == "a"
    assert all(found[1][key] == found[0][key] for key in ("status", "arm", "pulls", "arms"))


@pytest.mark.parametrize(
    ("head", "why"),
    [("arm,reward", "the log must have a column item"), ("arm,item,reward", "must be one on item .* got item 'other'")],
)
def test_a_log_without_the_items_of_the_study_is_refused(folder, capsys, head, why):
    (folder / "p.toml").write_text(PROBLEM.format(items="count = 40"))
    (folder / "x.csv").write_text(f"{head}\n{'a,other,0.5' if 'item' in head else 'a,0.5'}\n")
    assert main(["import", "x.csv", "--problem", "p.toml"]) == 2
    assert re.search(why, capsys.readouterr().err)


def test_status_says_what_arms_were_compared_on(folder, capsys):
    run(folder, "count = 40")
    capsys.readouterr()
    assert main(["status", "p.toml", "--json"]) == 0
    words = json.loads(capsys.readouterr().out)["arms"][1]["words"]
    assert words == "its mean is surely lower than that of a on the same items"


def test_plan_of_correlated_arms_takes_fewer_pulls(folder, capsys):
    means = {}
    for correlation in (0, 0.9):
        arms = "".join(
            f'[[arms]]\nname = "{n}"\nbeta = {{ mean = {m}, variance = 0.04 }}\n' for n, m in (("a", 0.6), ("b", 0.5))
        )
        (folder / "g.toml").write_text(
            f'design = "items"\nrewards = [0, 1]\n[items]\ncorrelation = {correlation}\n{arms}'
        )
        assert main(["plan", "g.toml", "--trials", "20", "--json"]) == 0
        means[correlation] = json.loads(capsys.readouterr().out)["pulls"]["mean"]
    assert means[0.9] < 0.7 * means[0]
