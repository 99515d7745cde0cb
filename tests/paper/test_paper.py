"""`surefoot paper`: resumable, the same bits whatever happens, honest about what agrees."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from surefoot.cli import main
from surefoot.errors import InvalidValue
from surefoot.paper import published
from surefoot.paper.findings import findings
from surefoot.paper.page import CLOSER, RESULTS, markdown
from surefoot.paper.reproduce import reproduce
from surefoot.paper.reproduction_plan import plan
from surefoot.paper.results_table import Results, Row
from surefoot.paper.store import FILE, Store

DOCS = Path(__file__).parents[2] / "docs"
COLUMNS = "case,instance,policy,bounds,pulls_mean,pulls_sd,correct,trials,H_VA,published_mean,published_sd"
SMALL = [entry for entry in plan(["1c", "4d"]) if entry.instance in (9, 10)]  # 1.5 million pulls a trial


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_plan_is_the_papers():
    entries = plan()
    assert len([entry for entry in entries if entry.bounds == "paper" and entry.case != "cmp"]) == 110
    assert len([entry for entry in entries if entry.bounds == "paper" and entry.case == "cmp"]) == 30
    assert len([entry for entry in entries if entry.bounds == "sharp"]) == 120
    assert len([entry for entry in entries if entry.bounds == "tight"]) == 120
    assert len(set(entries)) == len(entries)
    assert {entry.case for entry in plan(["1a", "cmp"])} == {"1a", "cmp"}
    assert set(plan(quick=True)) < set(entries)


def test_the_published_table_has_all_its_rows():
    assert {case: len(rows) for case, rows in published.TABLE.items()} == {"1b": 11, "4a": 11, "4d": 11}
    assert published.TABLE["4a"][10] == (3.029e5, 4.839e3)


KILLED = """
import os, signal, sys
from surefoot.cli import main
from surefoot.paper.store import Store

def add(self, entry, run, added=Store.add):
    added(self, entry, run)
    if sum(map(len, self.runs.values())) == 4:
        os.kill(os.getpid(), signal.SIGKILL)

Store.add = add
main(sys.argv[1:])
"""


def test_a_killed_run_goes_on_and_ends_with_the_same_bits(tmp_path):
    """Killed without warning, with a torn line, and with another number of workers the second time."""
    options = ["paper", "--case", "4d", "--quick", "--trials", "6"]
    command = [sys.executable, "-c", KILLED, *options, "--workers", "1", "--out", str(tmp_path / "killed")]
    assert subprocess.run(command, stderr=subprocess.DEVNULL).returncode == -signal.SIGKILL
    file = tmp_path / "killed" / FILE
    kept = file.read_text().splitlines()
    with open(file, "a") as torn:
        torn.write('["4d", 0, "va-lu')
    assert len(kept) == 1 + 4
    assert main([*options, "--workers", "2", "--out", str(tmp_path / "killed")]) == 0
    assert main([*options, "--workers", "2", "--out", str(tmp_path / "straight")]) == 0
    assert set(kept) <= set(file.read_text().splitlines())
    assert contents(tmp_path / "killed") == contents(tmp_path / "straight")


def test_output_as_json_and_in_files(tmp_path, capsys):
    arguments = ["paper", "--case", "1c", "--case", "4d", "--quick", "--trials", "2", "--out", str(tmp_path), "--json"]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], found["trials"], found["seed"]) == (18, 2, 0)
    assert set(found["files"]) | {FILE} == set(os.listdir(tmp_path))
    lines = (tmp_path / "results.csv").read_text().splitlines()
    assert lines[0] == COLUMNS
    assert len(lines) == 19
    assert lines[-3].startswith("4d,10,va-lucb,paper,")
    assert lines[-3].endswith(",289500.0,4150.0")
    assert lines[-1].startswith("4d,10,top-two,tight,")
    assert lines[-1].endswith(",,")  # nothing is published about ours
    page = (tmp_path / "report.html").read_text()
    assert page.count("data:image/svg+xml;base64,") == len([name for name in found["files"] if name.endswith("svg")])
    assert "http" not in page  # it works offline
    results = Results.read(tmp_path / "results.csv")
    assert results.to_csv() == (tmp_path / "results.csv").read_text()


def test_more_trials_go_on_from_fewer(tmp_path):
    few = reproduce(SMALL, tmp_path, trials=2, shown=False)
    more = reproduce(SMALL, tmp_path, trials=3, shown=False)
    assert reproduce(SMALL, tmp_path, trials=2, shown=False) == few
    assert [row.trials for row in more.rows] == [3] * len(SMALL)


def test_runs_of_another_seed_are_not_mixed_in(tmp_path):
    with Store(tmp_path, seed=1):
        pass
    with pytest.raises(
        InvalidValue, match=r"runs.jsonl holds runs that were made with other settings \(seed 2 here, 1 there\)"
    ):
        Store(tmp_path, seed=2)
    (tmp_path / FILE).write_text((tmp_path / FILE).read_text() + "nonsense\n")
    with pytest.raises(InvalidValue, match=r"line 2 of .*runs.jsonl is not a run; delete the file to begin anew"):
        Store(tmp_path, seed=1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--case", "5"], "case must be one of 1a, 1b, 1c, 1d, 2, 3, 4a, 4b, 4c, 4d, cmp, got '5'"),
        (["--trials", "0"], "trials must be a whole number of at least 1, got 0"),
        (["--seed", "-1"], "seed must be a whole number of at least 0, got -1"),
        (["--workers", "0"], "workers must be a whole number of at least 1, got 0"),
        (["--out", "/proc/nowhere"], "cannot write /proc/nowhere"),
        (["--dask", "nonsense"], "no Dask scheduler answers at 'nonsense'"),
    ],
)
def test_bad_input_is_exit_2_and_nothing_is_written(arguments, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["paper", *arguments]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.out == ""
    assert os.listdir(tmp_path) == []


def test_the_page_in_the_docs_is_made_of_the_results_beside_it():
    made = markdown(Results.read(DOCS / RESULTS), Results.read(DOCS / CLOSER))
    assert made == (DOCS / "paper.md").read_text()


def test_findings_notice_what_does_not_agree():
    """The negative control: results that are off in one way are found to be, and the right ones are not."""
    results = Results.read(DOCS / RESULTS)

    def agreeing(changed):
        return {finding.about for finding in findings(Results(tuple(map(changed, results.rows)))) if finding.agrees}

    def lost(case, **changes):
        """What agrees no more once the rows of a case are changed so."""

        def change(row: Row) -> Row:
            mine = row.case == case and row.bounds == "paper" and row.policy == "va-lucb"
            return replace(row, **{name: by(getattr(row, name)) for name, by in changes.items()}) if mine else row

        return agreeing(lambda row: row) - agreeing(change)

    assert lost("4d", pulls_mean=lambda mean: 1.1 * mean) == {"Table of unchanged cases, Case 4(d)"}
    assert "Pulls are linear in H_VA ln(H_VA/δ)" in lost("2", pulls_mean=lambda mean: mean**0.5)
    assert "VA-LUCB takes between 1 and 3 times H_VA ln(H_VA/δ) pulls" in lost("3", pulls_mean=lambda mean: 2 * mean)
    assert len(lost("cmp", pulls_mean=lambda mean: 2 * mean)) == 2
    assert lost("1a", correct=lambda right: -(10**6)) == {"At most 5% of the runs may be wrong"}


def test_deviation_is_in_standard_errors_of_the_difference():
    row = Row("4d", 0, "va-lucb", "paper", 103.0, 8.0, 16, 16, 50.0, 100.0, 20.0**0.5 * 1.5)
    assert row.standard_error == 2.0
    assert row.deviation == pytest.approx(3.0 / 2.5)
