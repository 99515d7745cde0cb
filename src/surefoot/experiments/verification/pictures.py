"""The findings as pictures: rates against delta, what the search climbed, bounds alone against their levels."""

import base64
import io
from typing import TYPE_CHECKING

import numpy as np

from surefoot.experiments.paper import style
from surefoot.experiments.verification.binomial import clopper_pearson
from surefoot.experiments.verification.findings import AloneFinding, Findings, RateFinding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.VERMILION, style.GREY)
ROW = 0.3  # inches
NEVER = 1e-3  # where a logarithmic axis puts what never happened


def rates(found: list[RateFinding]) -> "Figure":
    """The rate of wrong answers over delta, with its interval: on random instances, and on the worst found."""
    groups = list(dict.fromkeys(finding.combination[1:4] for finding in found))
    policies = list(dict.fromkeys(finding.combination.policy for finding in found))
    figure = style.figure(9.0, 1.8 + 2.0 * ROW * len(groups))
    left, right = figure.subplots(1, 2, sharey=True)
    for ax, which, title in ((left, "random", "random instances"), (right, "worst", "the worst that the search found")):
        for finding in found:
            measured = getattr(finding, which)
            index = policies.index(finding.combination.policy)
            row = groups.index(finding.combination[1:4]) + (index - (len(policies) - 1) / 2) * 0.8 / len(policies)
            low, high = (end / measured.delta for end in measured.count.interval)
            colour = COLOURS[index % len(COLOURS)]
            ax.plot([low, high], [row, row], color=colour, lw=1.5)
            ax.plot(measured.ratio, row, "o", color=colour, ms=4)
        ax.axvline(1.0, color=style.BLACK, lw=1.2)
        ax.set_title(title)
        ax.set_xlabel("rate of wrong answers / delta")
        ax.set_xlim(-0.03, max(1.1, ax.get_xlim()[1]))
        style.grid(ax, "x")
    left.set_yticks(range(len(groups)), [" · ".join(group) for group in groups])
    left.invert_yaxis()
    for index, policy in enumerate(policies):
        left.plot([], [], "o-", color=COLOURS[index % len(COLOURS)], ms=4, label=policy)
    figure.legend(loc="outside upper left", ncols=3)
    return figure


def searches(found: Findings) -> "Figure":
    """How far each search climbed, of programs as they are and of broken ones."""
    figure = style.figure(9.0, 3.4)
    ax = figure.subplots()
    for finding in found.rates:
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


def alone(found: list[AloneFinding]) -> "Figure":
    """How often each bound failed on each arm, over what is allowed: an interval that reaches below 1 is no objection."""
    kinds = list(dict.fromkeys(finding.combination.kind for finding in found))
    figure = style.figure(9.0, 1.0 + 2.9 * len(kinds))
    for ax, kind in zip(np.atleast_1d(figure.subplots(len(kinds), 1)), kinds, strict=True):
        members = [finding for finding in found if finding.combination.kind == kind]
        arms = list(dict.fromkeys(arm for finding in members for arm in finding.fails_by_arm))
        names = list(dict.fromkeys(finding.combination.bounds for finding in members))
        for finding in members:
            colour = COLOURS[names.index(finding.combination.bounds) % len(COLOURS)]
            for arm, fails in finding.fails_by_arm.items():
                for number, fail in enumerate(fails):
                    low, high = clopper_pearson(fail.failures, fail.paths)
                    place = arms.index(arm) + (number - len(fails) / 2) * 0.08
                    ends = [max(end / fail.level, NEVER) for end in (low, high)]
                    ax.plot([place, place], ends, color=colour, lw=1.0, alpha=0.6)
        for index, name in enumerate(names):
            ax.plot([], [], color=COLOURS[index % len(COLOURS)], label=name)
        ax.axhline(1.0, color=style.BLACK, lw=1.2)
        ax.set_yscale("log")
        ax.set_title(f"{kind} rewards")
        ax.set_ylabel("rate / allowed")
        ax.set_xticks(range(len(arms)), arms, rotation=25, ha="right")
        ax.legend(loc="lower right", ncols=len(names))
        style.grid(ax, "y")
    return figure


def embedded(figure: "Figure", caption: str) -> str:
    """A figure as an element of a page that needs nothing but itself."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    image = base64.b64encode(buffer.getvalue()).decode()
    source = f'<img alt="{caption}" src="data:image/svg+xml;base64,{image}">'
    return f"<figure>{source}<figcaption>{caption}</figcaption></figure>"
