"""A table of arms: its columns, and how it fits into a terminal."""

from collections.abc import Iterable, Sequence
from typing import Any

from surefoot import display
from surefoot.errors import Unsupported
from surefoot.problem import Problem
from surefoot.problem.limits import Limit
from surefoot.study.engine import Engine
from surefoot.study.views.arm_report import ArmReport, LimitReport, arm_report, limit_form
from surefoot.study.views.in_play import incumbent_of
from surefoot.study.views.numbers import digits, form_of, show
from surefoot.study.views.phrases import goal_name

SHORT = len("variance")  # the longest name of a limited number that can stand over a column


class Table(list[ArmReport]):
    """One row per arm; prints as a table."""

    def __init__(self, problem: Problem, rows: Sequence[ArmReport]) -> None:
        super().__init__(rows)
        self.problem, self.means = problem, digits(problem)
        goal = goal_name(problem)
        self.heads: tuple[str, ...] = (
            "arm",
            "pulls",
            goal,
            f"interval of the {goal}",
            *limit_heads(problem),
            "verdict",
        )
        self.intervals = tuple(range(5, len(self.heads) - 1, 2))  # the columns that a narrow table leaves out

    @property
    def short_heads(self) -> tuple[str, ...]:
        """For where there is little room."""
        short = {self.heads[3]: "its interval"}
        names = [limit.shown_name for limit in self.problem.limits]
        if len(names) == 1 and len(names[0]) > SHORT:
            short[names[0]] = brief(self.problem.limits[0])
        elif len(names) > 1:
            short |= dict(zip(self.heads[4:-1:2], names, strict=True))
        return tuple(short.get(head, head) for head in self.heads)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        try:
            import pandas
        except ImportError as error:
            raise Unsupported("a DataFrame needs pandas: pip install pandas") from error
        return pandas.DataFrame([row.flat() for row in self])

    def cells(self) -> list[tuple[str, ...]]:
        return [self.row_cells(row) for row in self]

    def row_cells(self, row: ArmReport) -> tuple[str, ...]:
        """A row as text: name, with a star if it is the best guess; pulls, the goal, each limit, words."""
        goal, limits = row.goal, zip(self.problem.limits, row.limits, strict=True)
        form = form_of(goal.value, goal.lower, goal.upper, self.means)
        return (
            f"{row.name} *" if row.recommended and not row.is_best else row.name,
            f"{row.pulls:,}",
            show(goal.value, form),
            f"{show(goal.lower, form)} … {show(goal.upper, form)}",
            *(cell for limit, report in limits for cell in limit_cells(limit, report)),
            row.words,
        )

    def shown_cells(self) -> list[tuple[str, ...]]:
        """Without the errors of arms that were excluded, which would leave the others no room."""
        cells = zip(self, self.cells(), strict=True)
        return [(*line[:-1], row.brief) if row.verdict == "excluded" else line for row, line in cells]

    def __str__(self) -> str:
        return "\n".join(display.columns([self.heads, *self.cells()]))

    def _repr_html_(self) -> str:
        from surefoot.study.views.html import table

        return table(self)

    def fitted(self, width: int) -> str:
        """With all there is to say, or with as much of it as fits into so many columns; not why arms were excluded."""
        full, heads = self.shown_cells(), self.short_heads
        short = [(*cells[:-1], self.shortened(cells[-1])) for cells in full]
        brief = [(*cells[:-1], row.brief) for cells, row in zip(full, self, strict=True)]
        narrow, narrowest = self.narrow([heads, *short]), self.narrow([heads, *brief])
        for lines in ([self.heads, *full], [heads, *short], narrow, narrowest):
            text = display.columns(lines)
            if max(map(len, text)) <= width:
                break
        return "\n".join(text)

    def shortened(self, words: str) -> str:
        """Words that say "risk" for the only limited number."""
        words = words.replace(" of the way to showing that its ", " of the way: its ")
        if len(self.problem.limits) != 1:
            return words
        name = self.problem.limits[0].name
        return words.replace(f" of the way: its {name} is ", " of the way: ").replace(name, "risk")

    def narrow(self, lines: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Without the intervals of limited numbers: the end that matters is in the words."""
        return [tuple(cell for place, cell in enumerate(line) if place not in self.intervals) for line in lines]


def table(problem: Problem, engine: Engine, indices: Iterable[int] | None = None) -> Table:
    """One row per arm, in the problem's order; or for some arms, in theirs."""
    incumbent, clock = incumbent_of(engine), engine.clock()
    indices = range(len(problem.arms)) if indices is None else indices
    return Table(problem, [arm_report(problem, engine, index, incumbent, clock) for index in indices])


def limit_heads(problem: Problem) -> list[str]:
    """Two columns for each limit: the number and its interval."""
    if len(problem.limits) == 1:
        name = problem.limits[0].shown_name
        return [name, f"interval of the {name if len(name) <= SHORT else brief(problem.limits[0])}"]
    return [head for limit in problem.limits for head in (column(limit), "its interval")]


def column(limit: Limit) -> str:
    """The limit; or, if it is against the baseline, the difference that the column has."""
    return limit.shown_name if limit.is_against_baseline else str(limit)


def brief(limit: Limit) -> str:
    return "difference" if limit.is_against_baseline else "risk"


def limit_cells(limit: Limit, report: LimitReport) -> tuple[str, str]:
    form = limit_form(limit, report)
    ends = show(report.lower, form) or "-∞", show(report.upper, form) or "∞"
    interval = "" if report.lower is None and report.upper is None else " … ".join(ends)
    return show(report.value, form), interval
