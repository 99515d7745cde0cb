"""The page "Reproducing the paper" of the docs, from the folders of two runs: `make paper` writes it."""

import shutil
import sys
from pathlib import Path

from surefoot.paper.findings import findings
from surefoot.paper.findings import table as published_table
from surefoot.paper.report import PICTURES, introduction, table
from surefoot.paper.results_table import FILE, Results

RESULTS = "paper_results.csv"
CLOSER = "paper_results_closer.csv"  # more runs of the cases that the paper prints numbers of
IMAGES = "images/paper"

COMMANDS = """\
```sh
surefoot paper --quick        # three instances of each case, under a minute on two cores
surefoot paper                # everything: {rows} rows, {pulls:.1f} billion pulls
surefoot paper --case 1a --case cmp --trials 50 --seed 7 --out elsewhere
surefoot paper --dask tcp://10.0.0.1:8786
```

Each command writes `results.csv`, `report.html` (one file that works offline) and the pictures below, as PNG and SVG, into
the folder `--out`. If it is interrupted, the same command resumes it. The same seed gives exactly the same results, whatever
the number of workers, on one machine or on a cluster. If a worker is lost, only time is lost."""


def markdown(results: Results, closer: Results) -> str:
    """The page. Nothing in it about the results is typed: it is made of them."""
    all_findings = findings(results)
    pulls = sum(row.pulls_mean * row.trials for row in results.rows) / 1e9
    groups = {
        "What agrees": [finding for finding in all_findings if finding.agrees],
        "What does not agree": [finding for finding in all_findings if finding.agrees is False],
        "What is new": [finding for finding in all_findings if finding.agrees is None],
    }
    lines = ["# Reproducing the paper", "", COMMANDS.format(rows=len(results.rows), pulls=pulls), ""]
    made_of = f"{{download}}`a full run <{RESULTS}>`, and {{download}}`more trials <{CLOSER}>` of what the paper prints"
    lines += [f"This page is made by `make paper` from the results of {made_of}.", ""]
    lines += [introduction(results), ""]
    for heading, members in groups.items():
        lines += [f"## {heading}", ""]
        for finding in members:
            lines += [f"**{finding.about}.** {finding.sentence}", ""]
        if not members:
            lines += ["Nothing.", ""]
    runs = max(row.trials for row in closer.rows)
    lines += [f"## The printed table, looked at with {runs} runs of each instance", ""]
    for finding in published_table(closer):
        lines += [f"**{finding.about} ({finding.verdict}).** {finding.sentence}", ""]
    lines += ["## Figures", ""]
    for picture in PICTURES:
        label = f" Label `{picture.label}` in the paper." if picture.label else " Not in the paper."
        lines += [f"![{picture.caption}]({IMAGES}/{picture.name}.png)", "", f"*{picture.caption}*{label}", ""]
    heads, cells = table(results)
    lines += ["## The table of unchanged cases, beside the published one", ""]
    lines += [f"| {' | '.join(heads)} |", "|" + "---:|" * len(heads), *(f"| {' | '.join(line)} |" for line in cells)]
    return "\n".join(lines) + "\n"


def main(source: Path, closer: Path, docs: Path) -> None:
    (docs / IMAGES).mkdir(parents=True, exist_ok=True)
    for picture in PICTURES:
        shutil.copy(source / f"{picture.name}.png", docs / IMAGES)
    shutil.copy(source / FILE, docs / RESULTS)
    shutil.copy(closer / FILE, docs / CLOSER)
    text = markdown(Results.read(docs / RESULTS), Results.read(docs / CLOSER))
    (docs / "paper.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
