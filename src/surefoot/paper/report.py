"""The files of a reproduction: results.csv, the pictures, and report.html, which needs nothing but itself."""

import base64
import math
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from surefoot.errors import Unsupported
from surefoot.paper import diagrams, plots, published, style
from surefoot.paper.findings import findings as findings
from surefoot.paper.reproduction_plan import title
from surefoot.paper.results_table import FILE, Results


class Picture(NamedTuple):
    name: str  # of its files
    label: str  # of the figure in the paper's source, if it is one of its
    caption: str


PICTURES = [
    Picture("time-complexity", "example", "Pulls of VA-LUCB under the paper's bounds against H_VA ln(H_VA/δ)."),
    Picture("time-complexity-more", "addtionalplots", "The same for Cases 4(b) and 4(c)."),
    Picture("unchanged", "3unchangedcases", "The cases whose hardness does not change: published and our mean pulls."),
    Picture("comparison", "Comparisonbar", "Pulls of the three algorithms on the comparison instances."),
    Picture(
        "paper-against-default", "", "Pulls of VA-LUCB under the paper's bounds and of our default, all instances."
    ),
    Picture(
        "arms",
        "fig:F",
        "Arms in the plane of variance and mean, and the sets they are in.",
    ),
    Picture(
        "empirical-sets", "fig:Ft", "What is known of those arms at a time step: crossbars are confidence intervals."
    ),
    Picture("comparison-arms", "Competition", "The arms of the comparison instances."),
    Picture("suboptimal-and-risky", "fig:St", "The same time step: intervals of the means against the separator."),
]


def require_matplotlib() -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise Unsupported("`surefoot paper` draws with matplotlib: pip install 'surefoot[plot]'") from error


def write(results: Results, out: Path) -> list[Path]:
    """Write everything into a folder; the files written, results and report first."""
    table, page = out / FILE, out / "report.html"
    table.write_text(results.to_csv(), encoding="utf-8")
    pictures = draw(results, out)
    page.write_text(html(results, out), encoding="utf-8")
    return [table, page, *pictures]


def draw(results: Results, out: Path) -> list[Path]:
    """The pictures that there are results for; older ones of this folder that there are none for are removed."""
    with style.drawing():
        drawn = {
            "time-complexity": plots.time_complexity(results, plots.MAIN_CASES),
            "time-complexity-more": plots.time_complexity(results, plots.MORE_CASES),
            "unchanged": plots.unchanged(results),
            "comparison": plots.comparison(results),
            "paper-against-default": plots.paper_against_default(results),
        } | diagrams.drawn()
        files = []
        for picture in PICTURES:
            figure = drawn[picture.name]
            if figure is not None:
                files += style.save(figure, out / picture.name)
            else:
                for suffix in (".png", ".svg"):
                    (out / f"{picture.name}{suffix}").unlink(missing_ok=True)
        return files


def table(results: Results) -> tuple[list[str], list[list[str]]]:
    """The table labelled `3unchangedcases` beside ours: heads and cells."""
    heads = ["case", "instance", "published mean", "published sd", "our mean", "our sd", "deviation in standard errors"]
    cells = [
        [
            title(row.case),
            str(row.instance),
            f"{row.published_mean:,.0f}",
            f"{row.published_sd:,.0f}",
            f"{row.pulls_mean:,.0f}",
            "" if row.pulls_sd is None else f"{row.pulls_sd:,.0f}",
            "" if math.isnan(row.deviation) else f"{row.deviation:+.1f}",
        ]
        for case in published.TABLE
        for row in results.of(case)
    ]
    return heads, cells


def introduction(results: Results) -> str:
    trials = sorted({row.trials for row in results.rows})
    known = sum(row.published_mean is not None for row in results.rows)
    return (
        f"We simulated {len(results.rows)} rows of {' or '.join(map(str, trials))} runs each: the instances of Hou, Tan "
        "and Zhong, Almost Optimal Variance-Constrained Best Arm Identification, with the paper's own bounds and with our "
        f"default. The paper prints numbers for {known} of these rows. For the others it shows plots without their values, "
        "so we can compare only what its text says about them. The instances of a case use the same random numbers, "
        "in the authors' published code and in ours, so the rows of a case deviate in the same direction."
    )


STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
td, th { border-bottom: 1px solid #ddd; padding: .2rem .8rem; text-align: right }
figure { margin: 2rem 0 } img { max-width: 100% } figcaption { color: #555 }
.agrees { color: #0072b2 } .differs { color: #b34700; font-weight: bold } .new { color: #555 }
"""


def html(results: Results, out: Path) -> str:
    """The report in one page, with its pictures in it."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8"><title>The paper, reproduced</title>',
            f"<style>{STYLE}</style></head><body>",
            "<h1>The paper, reproduced</h1>",
            f"<p>{escape(introduction(results))}</p>",
            "<h2>What agrees, and what does not</h2>",
            *finding_lines(results),
            "<h2>Figures</h2>",
            *figure_lines(out),
            "<h2>The table of unchanged cases, beside the published one</h2>",
            html_table(*table(results)),
            "<h2>All results</h2>",
            html_table(*all_results(results)),
            "</body></html>\n",
        ]
    )


def finding_lines(results: Results) -> Iterator[str]:
    classes = {True: "agrees", False: "differs", None: "new"}
    for finding in findings(results):
        verdict = f'<span class="{classes[finding.agrees]}">{finding.verdict}</span>'
        yield f"<p><b>{escape(finding.about)}</b> ({verdict}). {escape(finding.sentence)}</p>"


def figure_lines(out: Path) -> Iterator[str]:
    for picture in PICTURES:
        path = out / f"{picture.name}.svg"
        if path.exists():
            image = base64.b64encode(path.read_bytes()).decode()
            label = f" Label <code>{picture.label}</code> in the paper." if picture.label else ""
            caption = f"{escape(picture.caption)}{label}"
            source = f'<img alt="{escape(picture.caption)}" src="data:image/svg+xml;base64,{image}">'
            yield f"<figure>{source}<figcaption>{caption}</figcaption></figure>"


def all_results(results: Results) -> tuple[list[str], list[list[str]]]:
    heads = [
        "case",
        "instance",
        "policy",
        "bounds",
        "mean pulls",
        "sd",
        "right",
        "runs",
        "H_VA",
        "pulls / H_VA ln(H_VA/δ)",
        "pulls / limit",
    ]
    cells = [
        [
            title(row.case),
            str(row.instance),
            row.policy,
            row.bounds,
            f"{row.pulls_mean:,.0f}",
            "" if row.pulls_sd is None else f"{row.pulls_sd:,.0f}",
            str(row.correct),
            str(row.trials),
            f"{row.H_VA:,.0f}",
            f"{row.pulls_mean / row.difficulty:.3g}",
            f"{row.pulls_mean / row.limit:.3g}",
        ]
        for row in results.rows
    ]
    return heads, cells


def html_table(heads: list[str], cells: list[list[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>\n" for line in cells)
    return f"<table><tr>{head}</tr>\n{body}</table>"
