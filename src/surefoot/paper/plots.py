"""The plots of the paper's experiments, and one of our own: each from the results, None where they have no row for it."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from surefoot.paper import published
from surefoot.paper.reproduction_plan import COMPARED, DEFAULT, title
from surefoot.paper.results_table import Results, Row
from surefoot.paper.style import BLACK, BLUE, GREEN, GREY, ORANGE, VERMILION, figure, grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAIN_CASES = ("1a", "1c", "1d", "2", "3")  # of the figure labelled `example`
MORE_CASES = ("4b", "4c")  # of the one labelled `addtionalplots`
UNIT = 1e5
NAMES = {"va-lucb": "VA-LUCB", "risk-averse-ucb": "RiskAverse-UCB-BAI", "va-uniform": "VA-Uniform"}


def spread(rows: Sequence[Row]) -> list[float]:
    """Standard deviations for error bars; none of a single trial."""
    return [row.pulls_sd or 0.0 for row in rows]


def linear_fit(rows: Sequence[Row]) -> tuple[float, float, float]:
    """Slope, intercept and R² of the mean pulls against H_VA ln(H_VA / delta)."""
    x, y = [row.difficulty for row in rows], [row.pulls_mean for row in rows]
    slope, intercept = np.polyfit(x, y, 1)
    misses = np.var(y - (slope * np.array(x) + intercept))
    return float(slope), float(intercept), float(1.0 - misses / np.var(y))


def time_complexity(results: Results, cases: Sequence[str]) -> "Figure | None":
    """Pulls against H_VA ln(H_VA / delta), a panel for each case."""
    cases = [case for case in cases if results.of(case)]
    if not cases:
        return None
    columns = min(len(cases), 3)
    rows = math.ceil(len(cases) / columns)
    picture = figure(3.3 * columns, 2.9 * rows + 0.5)
    panels = picture.subplots(rows, columns, squeeze=False).ravel()
    for ax, case in zip(panels, cases, strict=False):
        draw_time_complexity(ax, results.of(case))
        ax.set_title(title(case))
    for ax in panels[len(cases) :]:
        ax.set_axis_off()
    picture.supxlabel(r"$H_{\mathrm{VA}}\,\ln(H_{\mathrm{VA}}/\delta)$ in units of $10^5$", fontsize="medium")
    picture.supylabel(r"pulls in units of $10^5$", fontsize="medium")
    handles, labels = panels[0].get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside upper center", ncols=4)
    return picture


def draw_time_complexity(ax: "Axes", rows: Sequence[Row]) -> None:
    x, y = [row.difficulty / UNIT for row in rows], [row.pulls_mean / UNIT for row in rows]
    ends = np.array([0.0, 1.1 * max(x)])
    low, high = published.BETWEEN
    ax.errorbar(x, y, [sd / UNIT for sd in spread(rows)], fmt="o", ms=4, color=BLUE, capsize=2.5, label="mean ± 1 sd")
    if len(rows) > 2:
        slope, intercept, _ = linear_fit(rows)
        ax.plot(ends, slope * ends + intercept / UNIT, color=VERMILION, lw=1.2, label="linear fit")
    ax.plot(ends, low * ends, color=GREY, lw=1.1, ls="--", label=f"{low:g} ×")
    ax.plot(ends, high * ends, color=GREY, lw=1.1, ls=":", label=f"{high:g} ×")
    ax.set_xlim(0.0, ends[1])
    ax.set_ylim(0.0, None)
    grid(ax)


def unchanged(results: Results) -> "Figure | None":
    """The table labelled `3unchangedcases`, drawn: published and our means with their standard errors."""
    cases = [case for case in published.TABLE if results.of(case)]
    if not cases:
        return None
    picture = figure(3.3 * len(cases), 3.3)
    panels = picture.subplots(1, len(cases), squeeze=False).ravel()
    for ax, case in zip(panels, cases, strict=True):
        rows = results.of(case)
        errors = [0.0 if math.isnan(row.standard_error) else row.standard_error / UNIT for row in rows]
        theirs = np.array(published.TABLE[case]) / UNIT
        points = {
            "published ± 1 se": (np.arange(11) - 0.14, theirs[:, 0], theirs[:, 1] / math.sqrt(published.TRIALS)),
            "ours ± 1 se": ([row.instance + 0.14 for row in rows], [row.pulls_mean / UNIT for row in rows], errors),
        }
        for (label, (x, y, error)), marker, colour in zip(points.items(), "so", (BLACK, BLUE), strict=True):
            ax.errorbar(x, y, error, fmt=marker, ms=4, color=colour, capsize=2.5, label=label)
        ax.set_title(title(case))
        ax.set_xlabel("instance")
        ax.set_xticks(range(0, 11, 2))
        grid(ax)
    panels[0].set_ylabel(r"pulls in units of $10^5$")
    handles, labels = panels[0].get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside upper center", ncols=2)
    return picture


def comparison(results: Results) -> "Figure | None":
    """The bars labelled `Comparisonbar`: pulls of the three algorithms on a log scale."""
    if not results.of("cmp"):
        return None
    picture = figure(7.6, 4.2)
    ax = picture.subplots()
    colours = {"va-lucb": BLUE, "risk-averse-ucb": ORANGE, "va-uniform": GREEN}
    hatches = {"va-lucb": "", "risk-averse-ucb": "///", "va-uniform": "..."}
    places = {row.instance: place for place, row in enumerate(results.of("cmp"))}
    for offset, policy in enumerate(COMPARED):
        rows = results.of("cmp", policy)
        at = [places[row.instance] + 0.27 * (offset - 1) for row in rows]
        error = {"capsize": 2, "lw": 1, "ecolor": BLACK}
        ax.bar(
            at,
            [row.pulls_mean for row in rows],
            0.25,
            yerr=spread(rows),
            color=colours[policy],
            hatch=hatches[policy],
            edgecolor="white",
            linewidth=0,
            error_kw=error,
            label=NAMES[policy],
        )
    ax.set_yscale("log")
    ax.set_xticks(range(len(places)), [str(instance) for instance in places])
    ax.set_xlabel("instance (riskier to the right)")
    ax.set_ylabel("pulls (mean ± 1 sd)")
    ax.legend(loc="upper left")
    grid(ax, "y")
    return picture


def paper_against_default(results: Results) -> "Figure | None":
    """Pulls of VA-LUCB under the paper's bounds and of our default, and the limit, of every instance, on a log scale."""
    default = results.of(None, *DEFAULT)
    series = {
        "VA-LUCB with the paper's bounds": ([(row, row.pulls_mean) for row in results.of(bounds="paper")], ORANGE, "s"),
        f"our default: {' with '.join(DEFAULT)} bounds": ([(row, row.pulls_mean) for row in default], BLUE, "o"),
        "the limit, for anyone": ([(row, row.limit) for row in default], GREY, "_"),
    }
    cases = [*results.cases(), *(["cmp"] if results.of("cmp") else [])]
    if not cases:
        return None
    picture = figure(9.0, 4.4)
    ax = picture.subplots()
    places = {case: place for place, case in enumerate(cases)}
    for label, (values, colour, marker) in series.items():
        at = [places[row.case] + 0.075 * (row.instance - 5) for row, _ in values]
        ax.plot(at, [value for _, value in values], marker, ms=4, color=colour, label=label)
    for place in range(1, len(cases)):
        ax.axvline(place - 0.5, color="#dddddd", lw=0.8)
    ax.set_yscale("log")
    ax.set_xlim(-0.5, len(cases) - 0.5)
    ax.set_xticks(range(len(cases)), [title(case).removeprefix("Case ") for case in cases])
    ax.tick_params(axis="x", length=0)
    ax.set_xlabel("case; within it, the instances from first to last")
    ax.set_ylabel("mean pulls")
    grid(ax, "y")
    picture.legend(loc="outside upper center", ncols=len(series))
    return picture
