"""The report: one page that needs nothing but itself."""

import re
from collections.abc import Iterator
from html import escape

from surefoot.paper import style
from verification.search import pictures, tables
from verification.search.findings import Findings, RateFinding
from verification.search.tables import Table

STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
body { color: #222; background: #fff }
h2 { margin-top: 2.5rem; border-bottom: 2px solid #eee; padding-bottom: .2rem }
.verdict { padding: .8rem 1.2rem; border-left: .5rem solid; border-radius: .3rem; font-size: 1.1rem }
.holds { border-color: #0072b2; background: #eaf4fa } .fails { border-color: #d55e00; background: #fdf0e6 }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .82rem; font-variant-numeric: tabular-nums }
th { text-align: left; vertical-align: bottom; color: #555 }
td, th { border-bottom: 1px solid #e4e4e4; padding: .2rem .6rem }
tr:hover td { background: #f6f8fa } td { white-space: nowrap }
figure { margin: 1.5rem 0; background: #fff } img { max-width: 100% } figcaption { color: #555; font-size: .9rem }
details { margin: .3rem 0 } summary { cursor: pointer }
pre { background: #f6f8fa; padding: .6rem; overflow-x: auto; font-size: .8rem }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #16181b } th, figcaption { color: #aaa } td, th, h2 { border-color: #333 }
  pre, tr:hover td { background: #22262b } .holds { background: #10293a } .fails { background: #3a2010 }
}
"""

READING = """
<p><b>How to read this.</b> A run is <i>wrong</i> if it decides and the decision is not right; one that its budget of pulls
ends undecided is neither right nor wrong, but it is a run. Intervals are exact (Clopper and Pearson), at 99&nbsp;%.
A guarantee <i>fails</i> if the lower end of an interval is above delta. The worst instance of a combination is chosen by a
search, and then measured by runs that the search has not seen, so that the choice does not flatter or condemn it. Rates
far below delta are what proofs for all distributions and all times at once lead one to expect.</p>
"""


def html(findings: Findings, left_out: list[str], made_by: dict[str, str]) -> str:
    """The page."""
    sound, broken = findings.sound(), findings.controls()
    lines = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f"<title>Surefoot, verified</title><style>{STYLE}</style></head><body>",
        "<h1>Surefoot, verified</h1>",
        verdict(findings),
        *(f"<p>{escape(sentence)}</p>" for sentence in tables.in_short(findings)),
        READING,
    ]
    if left_out:
        lines += ["<h2>What this report leaves out</h2>", listed(left_out)]
    with style.drawing():
        if sound.rates:
            lines += ["<h2>How often each combination is wrong</h2>"]
            lines += [pictures.embedded(pictures.rates(sound.rates), "Rates of wrong answers, with 99 % intervals.")]
            lines += [table(tables.rates(sound.rates)), "<h3>The worst instances</h3>", *map(details, sound.rates)]
        if findings.rates:
            caption = "The best score so far, over all restarts of each search."
            lines += ["<h2>How far the search came</h2>", pictures.embedded(pictures.searches(findings), caption)]
        if broken.rates:
            lines += [
                "<h2>Negative controls</h2>",
                "<p>The same search, on programs with one part broken on purpose.</p>",
            ]
            lines += [table(tables.controls(broken)), *map(details, broken.rates)]
        if sound.single_bounds:
            lines += ["<h2>Each bound alone</h2>"]
            caption = (
                "How often bounds failed / what is allowed: on the worst arm, with a 99 % interval, and (|) on all."
            )
            lines += [
                pictures.embedded(pictures.single_bounds(sound.single_bounds), caption),
                table(tables.single_bounds(sound.single_bounds)),
            ]
        if broken.single_bounds:
            lines += ["<h3>Negative controls</h3>", table(tables.single_bounds(broken.single_bounds))]
    lines += ["<h2>What made it</h2>", table(Table(["what", "value"], [[*pair] for pair in made_by.items()]))]
    return "\n".join([*lines, "</body></html>\n"])


def verdict(findings: Findings) -> str:
    objections = findings.objections()
    if not objections:
        return (
            '<p class="verdict holds">Nothing was found against any guarantee, and whatever was broken was noticed.</p>'
        )
    return f'<div class="verdict fails">Not all is as it should be.{listed(objections)}</div>'


def listed(sentences: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences)}</ul>"


def table(shown: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in shown.heads)
    body = "".join(f"<tr>{''.join(cells(row))}</tr>\n" for row in shown.rows)
    return f'<div class="wide"><table><tr>{head}</tr>\n{body}</table></div>'


def cells(row: list[str]) -> Iterator[str]:
    for cell in row:
        yield "<td>" + re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(cell)) + "</td>"


def details(finding: RateFinding) -> str:
    """The worst instance, and what does its runs again."""
    command = "" if finding.combination.broken else f"<pre>{escape(finding.command)}</pre>"
    short = f"{finding.combination}: {finding.worst.ratio:.2f} times delta"
    return f"<details><summary>{escape(short)}</summary>{command}<pre>{escape(finding.instance)}</pre></details>"
