"""The goal and a limit: arms as dots with their intervals as crossbars, the limit as a line, the feasible side shaded."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from surefoot.problem import Problem
from surefoot.problem.risks import Risk
from surefoot.problem.risks.against import AgainstBaseline
from surefoot.study.views.arm_report import ArmReport
from surefoot.study.views.axes import Axis, Chosen, axes
from surefoot.study.views.decision import Decision, leading
from surefoot.study.views.notices import Notice
from surefoot.study.views.phrases import claimed, counted, the_limits, within_limits
from surefoot.study.views.table import Table

CHOSEN, OPEN, OUT, LIMIT = "#0072b2", "#222222", "#999999", "#d55e00"  # apart for every eye, and in print
PLAIN: dict[str, Any] = {"parse_math": False}  # a $ in an arm's name is a $
MANY = 40  # arms, beyond which only those still in play have intervals, if these are not as many; the others are faint
PLACES = ((8.0, 6.0), (8.0, -14.0), (8.0, 18.0), (8.0, -26.0))  # of labels, to the right of dots, in points
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


class Column(NamedTuple):
    """The place of an arm where nothing is across."""

    value: float
    lower: float
    upper: float


class Ends(NamedTuple):
    """Of an interval."""

    low: float | None
    high: float | None


class Dot(NamedTuple):
    """An arm as a place in the picture."""

    row: ArmReport
    x: float  # what is across; or where nothing is, the arm's number
    y: float
    across: Ends
    up: Ends
    colour: str

    @property
    def place(self) -> tuple[float, float]:
        return self.x, self.y

    @property
    def order(self) -> int:
        """What is drawn over what."""
        return {CHOSEN: 7, OPEN: 5, OUT: 3}[self.colour]


def plot(study: Shown, ax: Any = None, x: Chosen = None, y: Chosen = None) -> Any:
    """Draw a study into a matplotlib axes, one of a new figure by default, and return it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("drawing needs matplotlib: pip install 'surefoot[plot]'") from error
    rows, decision = study.table(), study.decision
    chosen = decision.arm
    across, up = axes(study.problem, rows, leading(decision), x, y)
    ax = ax or plt.figure().gca()
    dots = list(dots_of(rows, across, up, chosen))
    whole = in_full(rows, chosen)
    crossed = [dot for dot in dots if dot.row.name in whole]
    for dot in crossed:
        draw_crossbars(ax, dot)
    draw_faint(ax, [dot for dot in dots if dot.row.name not in whole])
    if across is None:
        name_columns(ax, rows)
    elif across.limit:
        ax.set_xlim(room_for(across.limit.risk, [dot.x for dot in dots]))
        draw_limit(ax, across)
    if up.limit:
        ax.set_ylim(room_for(up.limit.risk, [dot.y for dot in dots]))
        draw_limit_across(ax, up)
    all_named = len(rows) <= MANY or len(whole) <= NAMED
    draw_labels(ax, dots, [dot for dot in crossed if all_named or dot.colour == CHOSEN])
    ax.set_xlabel("arm" if across is None else across.label, **PLAIN)
    ax.set_ylabel(up.label, **PLAIN)
    ax.set_title(title(study), loc="left", fontsize="medium", **PLAIN)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def dots_of(rows: Table, across: Axis | None, up: Axis, chosen: str | None) -> Iterator[Dot]:
    for index, row in enumerate(rows):
        y = up.report(row)
        x = across.report(row) if across else Column(*3 * [float(index)])
        if y.value is not None and x.value is not None:
            colour = CHOSEN if row.name == chosen else OUT if row.ruled_out else OPEN
            yield Dot(row, x.value, y.value, Ends(x.lower, x.upper), Ends(y.lower, y.upper), colour)


def draw_crossbars(ax: Any, dot: Dot) -> None:
    """An arm with its intervals; the chosen one is a star."""
    style = {"color": dot.colour, "lw": 1.2, "zorder": dot.order}
    if None not in dot.across:
        ax.plot(dot.across, [dot.y, dot.y], **style)
    if None not in dot.up:
        ax.plot([dot.x, dot.x], dot.up, **style)
    shape, size = ("*", 15) if dot.colour == CHOSEN else ("o", 6)
    ax.plot([dot.x], [dot.y], shape, color=dot.colour, ms=size, mec="white", zorder=dot.order + 1)


def draw_faint(ax: Any, dots: list[Dot]) -> None:
    """Arms that are too many to be told apart."""
    for colour in (OUT, OPEN):
        alike = [dot for dot in dots if dot.colour == colour]
        xs, ys = [dot.x for dot in alike], [dot.y for dot in alike]
        ax.plot(xs, ys, "o", color=colour, ms=3, mew=0, alpha=0.5)


def room_for(risk: Risk, values: list[float]) -> tuple[float, float]:
    """Room for the limit and every number; from zero, unless the numbers are differences, or on the scale of results: those
    may be anything.
    """
    values, may_be_any = [risk.bound, *values], risk.is_reward or isinstance(risk, AgainstBaseline)
    most, least = max(values), min(values) if may_be_any else 0.0
    room = 0.25 * (most - least or 1.0)
    end = min(most + room, 1.05) if risk.test == "probability" else most + room
    return least - room if may_be_any else -0.08 * room, end


def name_columns(ax: Any, rows: Table) -> None:
    """Without a limit each arm has a column, with its name below unless there are too many."""
    if len(rows) > MANY:
        ax.set_xticks([])
    else:
        ax.set_xticks(range(len(rows)), [labelled(row) for row in rows], **PLAIN)


def draw_labels(ax: Any, dots: list[Dot], named: list[Dot]) -> None:
    """Names beside dots, clear of all the others."""
    from matplotlib.patheffects import withStroke

    named = sorted(named, key=lambda dot: (-dot.order, -dot.y))  # the chosen arm first, then from the top
    for dot, offset in zip(named, offsets(ax, dots, named), strict=True):
        look = {"color": dot.colour, "zorder": 9, **PLAIN}
        label = ax.annotate(labelled(dot.row), dot.place, offset, textcoords="offset points", **look)
        label.set_path_effects([withStroke(linewidth=3, foreground="white", alpha=0.8)])


def labelled(row: ArmReport) -> str:
    """An arm's name, and how many of its pulls failed."""
    return f"{row.name} ({row.failures:,} failed)" if row.failures else row.name


def in_full(rows: Table, chosen: str | None) -> set[str]:
    """The arms that are drawn with their intervals: as many as can be told apart."""
    if len(rows) <= MANY:
        return {row.name for row in rows}
    playing = {row.name for row in rows if not row.ruled_out}
    return playing if len(playing) <= MANY else {row.name for row in rows if row.name == chosen}


def offsets(ax: Any, dots: list[Dot], named: list[Dot]) -> list[tuple[float, float]]:
    """For each label, the offset in points, of some around its dot, where it meets the fewest dots and other labels."""
    ax.autoscale_view()
    points = 72.0 / ax.figure.dpi
    edge = points * ax.bbox.x0
    centres = [tuple(points * ax.transData.transform(dot.place)) for dot in dots]
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in centres]
    chosen = []
    for dot in named:
        x, y = points * ax.transData.transform(dot.place)
        width = 5.6 * len(labelled(dot.row))  # about, in points
        best = None
        for offset in (*PLACES, (-width - 8.0, 6.0), (-width - 8.0, -14.0)):
            left, low = x + offset[0], y + offset[1]
            box = (left, low, left + width, low + 10.0)
            met = sum(a < box[2] and box[0] < c and b < box[3] and box[1] < d for a, b, c, d in taken)
            met += len(taken) * (left < edge)  # outside of the picture nothing is to be read
            if best is None or met < best[0]:
                best = met, offset, box
        assert best is not None
        chosen.append(best[1])
        taken.append(best[2])
    return chosen


def draw_limit(ax: Any, across: Axis) -> None:
    """The limit as a line, the side of it where arms are feasible shaded; once the width of the picture is settled."""
    assert across.limit
    bound, sides = across.limit.risk.bound, ax.get_xlim()
    ax.axvspan(bound, sides[1] if across.limit.risk.is_floor else sides[0], color=CHOSEN, alpha=0.07, lw=0)
    ax.axvline(bound, color=LIMIT, lw=1.4, ls="--")
    corner = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "va": "top"}
    ax.annotate(f" {across.text}", (bound, 1.0), (2, -4), color=LIMIT, fontsize="small", **corner, **PLAIN)


def draw_limit_across(ax: Any, up: Axis) -> None:
    """The same, of a limit on what is up."""
    assert up.limit
    bound, sides = up.limit.risk.bound, ax.get_ylim()
    ax.axhspan(bound, sides[1] if up.limit.risk.is_floor else sides[0], color=CHOSEN, alpha=0.07, lw=0)
    ax.axhline(bound, color=LIMIT, lw=1.4, ls="--")
    corner = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "bottom", "ha": "right"}
    ax.annotate(up.text, (1.0, bound), (-4, 2), color=LIMIT, fontsize="small", **corner, **PLAIN)


def title(study: Shown) -> str:
    decision = study.decision
    after = f"after {counted(decision.pulls)}" + (" (see the warnings)" if study.warnings else "")
    if decision.status == "best":
        within = within_limits(study.problem)
        tolerance = f", up to the tolerance of {study.problem.tolerance:g}" if study.problem.tolerance else ""
        return f"{decision.arm} is best{within}{tolerance}, {after}"
    if decision.status == "infeasible":
        return f"No arm keeps {the_limits(study.problem)}, {after}"
    if not decision.recommended:
        return f"Undecided {after}"
    guess, sure = decision.recommended[0], claimed(decision.recommended_confidence)
    return f"{guess} is the best guess ({sure}), undecided {after}"
