"""The mean-risk plane: arms as dots with their intervals as crossbars, the limit as a line, the feasible side shaded."""

from typing import Any, Protocol

from surefoot.problem import Problem
from surefoot.problem.risks import Risk
from surefoot.study.views.arm_report import ArmReport
from surefoot.study.views.decision import Decision
from surefoot.study.views.notices import Notice
from surefoot.study.views.phrases import counted, up_to_tolerance
from surefoot.study.views.table import Table

CHOSEN, OPEN, OUT, LIMIT = "#0072b2", "#222222", "#999999", "#d55e00"  # apart for every eye, and in print
PLAIN: dict[str, Any] = {"parse_math": False}  # a $ in an arm's name is a $
MANY = 40  # arms, beyond which only those still in play have intervals, if these are not as many; the others are faint
NAMED = 20  # of them, beyond which only the chosen one is labelled


class Shown(Protocol):
    """What is drawn: a study, or a log that was analyzed."""

    @property
    def problem(self) -> Problem: ...
    @property
    def decision(self) -> Decision: ...
    @property
    def warnings(self) -> list[Notice]: ...
    def table(self) -> Table: ...


def plot(study: Shown, ax: Any = None) -> Any:
    """Draw a study into a matplotlib axes, one of a new figure by default, and return it."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.patheffects import withStroke
    except ImportError as error:
        raise ImportError("drawing needs matplotlib: pip install 'surefoot[plot]'") from error
    ax = ax or plt.figure().gca()
    rows, problem, chosen = study.table(), study.problem, study.decision.arm
    risky = bool(problem.limits)
    risks = [problem.risk.bound]
    whole = in_full(rows, chosen)
    faint: dict[str, list[tuple[float, float]]] = {OUT: [], OPEN: []}
    dots: list[tuple[float, float]] = []
    labels: list[tuple[int, str, tuple[float, float], str]] = []
    for index, row in enumerate(rows):
        risk, low, high = (row.risk, row.risk_lower, row.risk_upper) if risky else (float(index),) * 3
        if row.mean is None or risk is None:
            continue
        risks.append(risk)
        dots.append((risk, row.mean))
        colour = CHOSEN if row.name == chosen else OUT if row.ruled_out else OPEN
        if row.name not in whole:
            faint[colour].append(dots[-1])
            continue
        order = {CHOSEN: 7, OPEN: 5, OUT: 3}[colour]
        if low is not None and high is not None:
            ax.plot([low, high], [row.mean, row.mean], color=colour, lw=1.2, zorder=order)
        ax.plot([risk, risk], [row.mean_lower, row.mean_upper], color=colour, lw=1.2, zorder=order)
        star = row.name == chosen
        ax.plot(
            [risk], [row.mean], "*" if star else "o", color=colour, ms=15 if star else 6, mec="white", zorder=order + 1
        )
        if len(rows) <= MANY or len(whole) <= NAMED or star:
            labels.append((order, labelled(row), dots[-1], colour))
    for colour, found in faint.items():
        ax.plot([x for x, _ in found], [y for _, y in found], "o", color=colour, ms=3, mew=0, alpha=0.5)
    if risky:
        most, least = max(risks), min(risks) if problem.risk.is_reward else 0.0
        room = 0.25 * (most - least or 1.0)
        ax.set_xlim(least - room if problem.risk.is_reward else -0.08 * room, most + room)
        draw_limit(ax, problem.risk)
    elif len(rows) > MANY:
        ax.set_xticks([])
    else:
        ax.set_xticks(range(len(rows)), [labelled(row) for row in rows], **PLAIN)
    labels.sort(key=lambda label: (-label[0], -label[2][1]))  # the chosen arm first, then from the top
    for (_, name, dot, colour), offset in zip(labels, places(ax, dots, labels), strict=True):
        label = ax.annotate(name, dot, offset, textcoords="offset points", color=colour, zorder=9, **PLAIN)
        label.set_path_effects([withStroke(linewidth=3, foreground="white", alpha=0.8)])
    ax.set_xlabel(problem.risk.name if risky else "arm")
    ax.set_ylabel(f"mean reward ({'higher' if problem.goal == 'max' else 'lower'} is better)")
    ax.set_title(title(study), loc="left", fontsize="medium", **PLAIN)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def labelled(row: ArmReport) -> str:
    """An arm's name, and how many of its pulls failed."""
    return f"{row.name} ({row.failures:,} failed)" if row.failures else row.name


def in_full(rows: Table, chosen: str | None) -> set[str]:
    """The arms that are drawn with their intervals: as many as can be told apart."""
    if len(rows) <= MANY:
        return {row.name for row in rows}
    playing = {row.name for row in rows if not row.ruled_out}
    return playing if len(playing) <= MANY else {row.name for row in rows if row.name == chosen}


def places(
    ax: Any, dots: list[tuple[float, float]], labels: list[tuple[int, str, tuple[float, float], str]]
) -> list[tuple[float, float]]:
    """For each label, the offset in points, of four around its dot, where it meets the fewest dots and other labels."""
    ax.autoscale_view()
    points = 72.0 / ax.figure.dpi
    corners = [tuple(points * ax.transData.transform(dot)) for dot in dots]
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in corners]
    found = []
    for _, name, dot, _ in labels:
        x, y = points * ax.transData.transform(dot)
        width = 5.6 * len(name)  # about, in points
        best = None
        for offset in ((8.0, 6.0), (8.0, -14.0), (-width - 8.0, 6.0), (-width - 8.0, -14.0)):
            left, low = x + offset[0], y + offset[1]
            box = (left, low, left + width, low + 10.0)
            met = sum(a < box[2] and box[0] < c and b < box[3] and box[1] < d for a, b, c, d in taken)
            if best is None or met < best[0]:
                best = met, offset, box
        assert best is not None
        found.append(best[1])
        taken.append(best[2])
    return found


def draw_limit(ax: Any, risk: Risk) -> None:
    """The limit as a line, the side of it where arms qualify shaded; once the width of the picture is settled."""
    limit, sides = risk.bound, ax.get_xlim()
    ax.axvspan(limit, sides[1] if risk.is_floor else sides[0], color=CHOSEN, alpha=0.07, lw=0)
    ax.axvline(limit, color=LIMIT, lw=1.4, ls="--")
    corner = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "va": "top"}
    ax.annotate(f" {risk}", (limit, 1.0), (2, -4), color=LIMIT, fontsize="small", **corner)


def title(study: Shown) -> str:
    decision = study.decision
    after = f"after {counted(decision.pulls)}" + (" (see the warnings)" if study.warnings else "")
    if decision.status == "best":
        within = " within the limit" if study.problem.limits else ""
        return f"{decision.arm} is best{within}{up_to_tolerance(study.problem, ',')}, {after}"
    return f"No arm qualifies, {after}" if decision.status == "infeasible" else f"Undecided {after}"
