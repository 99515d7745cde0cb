"""The findings as pictures: rates against delta, what the search climbed, bounds alone against their levels."""

import base64
import io
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from surefoot.paper import style
from verification.search.findings import Findings, RateFinding, SingleBoundFinding

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.VERMILION, style.GREY, style.SKY)
ROW = 0.3  # inches
NEVER, OFTEN = 1e-3, 1e2  # where a logarithmic axis ends: what never happened is at the left


def rates(findings: list[RateFinding]) -> "Figure":
    """The rate of wrong answers over delta, with its interval: on random instances, and on the worst found."""
    groups = list(dict.fromkeys(finding.combination[1:4] for finding in findings))
    policies = list(dict.fromkeys(finding.combination.policy for finding in findings))
    figure, panels = rows(groups, policies, ["random instances", "the worst that the search found"])
    for ax, which in zip(panels, ("random", "worst"), strict=True):
        for finding in findings:
            measured = getattr(finding, which)
            row, colour = place(
                groups.index(finding.combination[1:4]), policies.index(finding.combination.policy), policies
            )
            low, high = (end / measured.delta for end in measured.count.interval)
            ax.plot([low, high], [row, row], color=colour, lw=1.5)
            ax.plot(measured.ratio, row, "o", color=colour, ms=4)
        ax.set_xlabel("rate of wrong answers / delta")
        ax.set_xlim(-0.03, max(1.1, ax.get_xlim()[1]))
    return figure


def searches(findings: Findings) -> "Figure":
    """How far each search climbed, of programs as they are and of broken ones."""
    figure = style.figure(9.0, 3.4)
    ax = figure.subplots()
    for finding in findings.rates:
        best = np.maximum.accumulate(np.max(np.array(finding.ways), axis=0))
        colour = style.VERMILION if finding.combination.broken else style.BLUE
        ax.plot(np.maximum(best, NEVER), color=colour, lw=1.0, alpha=0.6)
    ax.plot([], [], color=style.BLUE, label="as they are")
    ax.plot([], [], color=style.VERMILION, label="broken on purpose")
    ax.axhline(1.0, color=style.BLACK, lw=1.2)
    ax.set_yscale("log")
    ax.set_xlabel("moves of the search")
    ax.set_ylabel("lower end of the rate / delta")
    ax.legend()
    style.grid(ax)
    return figure


def single_bounds(findings: list[SingleBoundFinding]) -> "Figure":
    """How often each bound failed over what is allowed, with its interval, on the arm where that is most."""
    groups = [(finding.bounds, *finding.combination[2:4]) for finding in findings]
    statements = ["L", "U", "FEASIBLE", "INFEASIBLE"]
    lengths = max((finding.lengths for finding in findings), key=len)
    figure, panels = rows(groups, statements, [f"up to {pulls:,} pulls" for pulls in lengths])
    for group, finding in enumerate(findings):
        for (ax, pulls), (member, what) in product(zip(panels, finding.lengths, strict=False), enumerate(statements)):
            if worst := finding.worst(what, pulls):
                fail = worst[1]
                row, colour = place(group, member, statements)
                low, high = (min(max(end / fail.level, NEVER), OFTEN) for end in fail.count.interval)
                ax.plot([low, high], [row, row], color=colour, lw=1.0, alpha=0.6)
                if fail.failures:
                    ax.plot(fail.count.rate / fail.level, row, "o", color=colour, ms=3.5)
                    ax.plot(finding.on_all(what, pulls).rate / fail.level, row, "|", color=colour, ms=7.0, mew=1.5)
    for ax in panels:
        ax.set_xscale("log")
        ax.set_xlim(NEVER, OFTEN)
        ax.set_xlabel("rate / allowed")
    return figure


def rows(groups: Sequence[Sequence[str]], members: list[str], titles: list[str]) -> tuple["Figure", list["Axes"]]:
    """Panels with a row for each group, in it a colour for each member, and a line where a rate is all that it may be."""
    figure = style.figure(9.0, 1.2 + 2.0 * ROW * len(groups))
    panels = list(figure.subplots(1, len(titles), sharey=True, squeeze=False)[0])
    for ax, title in zip(panels, titles, strict=True):
        ax.axvline(1.0, color=style.BLACK, lw=1.2)
        ax.set_title(title)
        style.grid(ax, "x")
    panels[0].set_yticks(range(len(groups)), [" · ".join(group) for group in groups])
    panels[0].set_ylim(len(groups) - 0.4, -0.6)
    for index, name in enumerate(members):
        panels[0].plot([], [], "o-", color=COLOURS[index], ms=4, label=name)
    figure.legend(loc="outside upper left", ncols=4)
    return figure, panels


def place(group: int, member: int, members: list[str]) -> tuple[float, str]:
    """Where in its group's row a member is drawn, and in what colour."""
    return group + (member - (len(members) - 1) / 2) * 0.8 / len(members), COLOURS[member]


def embedded(figure: "Figure", caption: str) -> str:
    """A figure as an element of a page that needs nothing but itself."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    image = base64.b64encode(buffer.getvalue()).decode()
    source = f'<img alt="{caption}" src="data:image/svg+xml;base64,{image}">'
    return f"<figure>{source}<figcaption>{caption}</figcaption></figure>"
