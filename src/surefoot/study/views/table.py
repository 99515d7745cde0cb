"""A table of arms: its columns, and how it fits into a terminal."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from surefoot import display
from surefoot.errors import Unsupported
from surefoot.problem import Problem
from surefoot.study.engine import Engine
from surefoot.study.views.arm_report import ArmReport, arm_report
from surefoot.study.views.in_play import incumbent_of
from surefoot.study.views.numbers import digits

SHORT = len("variance")  # the longest name of a risk that can stand over a column of numbers


class Table(list[ArmReport]):
    """One row per arm; prints as a table."""

    def __init__(self, problem: Problem, rows: Sequence[ArmReport]) -> None:
        super().__init__(rows)
        self.risk = problem.risk.name
        self.risky = bool(problem.limits)
        of_risk = f"interval of the {self.risk if len(self.risk) <= SHORT else 'risk'}"
        self.heads: tuple[str, ...] = ("arm", "pulls", "mean", "interval of the mean", self.risk, of_risk, "verdict")
        if not self.risky:
            self.heads = riskless(self.heads)
        self.means, self.limit = digits(problem), problem.risk.bound

    @property
    def short_heads(self) -> tuple[str, ...]:
        """For where there is little room."""
        short = {"interval of the mean": "its interval"} | ({self.risk: "risk"} if len(self.risk) > SHORT else {})
        return tuple(short.get(head, head) for head in self.heads)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        try:
            import pandas
        except ImportError as error:
            raise Unsupported("a DataFrame needs pandas: pip install pandas") from error
        return pandas.DataFrame([asdict(row) for row in self])

    def cells(self) -> list[tuple[str, ...]]:
        cells = [row.cells(self.means, self.limit) for row in self]
        return cells if self.risky else [riskless(line) for line in cells]

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
        lead = f" of the way to showing that its {self.risk} is "
        short = [(*cells[:-1], cells[-1].replace(lead, " of the way: ").replace(self.risk, "risk")) for cells in full]
        brief = [(*cells[:-1], row.brief) for cells, row in zip(full, self, strict=True)]
        for lines in ([self.heads, *full], [heads, *short], narrow([heads, *short]), narrow([heads, *brief])):
            text = display.columns(lines)
            if max(map(len, text)) <= width:
                break
        return "\n".join(text)


def table(problem: Problem, engine: Engine, indices: Iterable[int] | None = None) -> Table:
    """One row per arm, in the problem's order; or for some arms, in theirs."""
    incumbent, clock = incumbent_of(engine), engine.clock()
    indices = range(len(problem.arms)) if indices is None else indices
    return Table(problem, [arm_report(problem, engine, index, incumbent, clock) for index in indices])


def riskless(line: tuple[str, ...]) -> tuple[str, ...]:
    """Without the risk and its interval."""
    return (*line[:4], *line[6:])


def narrow(lines: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Without the interval of the risk: its end that matters is in the words."""
    return [(*line[:5], *line[6:]) for line in lines]
