"""A study while it goes on: how far it is, about how far it has to go, and a table of its arms."""

import time
from types import TracebackType
from typing import Any

from surefoot import display
from surefoot.display import Column
from surefoot.study.study import Study
from surefoot.study.views.phrases import counted
from surefoot.study.views.table import Table

ROWS = 14  # with a heading, what 24 lines have room for
WIDE = 110  # columns of a terminal, from which on nothing is left out
LONG, SHORT, WORDY = 20, 12, 40  # widest name, narrowest words, and where a sentence fits
HEAD = 14  # columns of a heading that may take several lines


class StudyDisplay:
    """Shows a study; call it after each result. `shown`: as a `display.Display` takes it; `begun`: pulls made before."""

    def __init__(self, shown: bool | None = None, begun: int = 0) -> None:
        self.display, self.begun, self.started = display.Display(shown), begun, time.monotonic()

    def __enter__(self) -> "StudyDisplay":
        self.display.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.display.__exit__(kind, error, trace)

    def __call__(self, study: Study) -> None:
        self.display(lambda width: self.drawn(study, width), lambda: self.heading(study))

    def note(self, text: str) -> None:
        """A line that stays, above the table."""
        self.display.note(f"surefoot: {text}")

    def heading(self, study: Study) -> str:
        rate = (study.pulls - self.begun) / max(time.monotonic() - self.started, 1e-9)
        leader, challenger = study.contest
        parts = [f"{counted(study.pulls)}, {rate:,.{0 if rate >= 100 else 1}f} per second"]
        items = study.problem.items
        parts += [f"{study._engine.items_done:,} of {items.count:,} items"] if items and items.count else []
        parts += [f"about {left:,} more to a decision"] if (left := study.pulls_left) else []
        parts += [f"leader {leader}"] if leader else []
        parts += [f"challenger {challenger}"] if challenger else []
        return ", ".join(parts)

    def drawn(self, study: Study, width: int) -> Any:
        rows = study.table(ROWS)
        leader, challenger = study.contest
        marks = {name: mark for name, mark in ((leader, "▶"), (challenger, "▷")) if name}
        more = len(study.problem.arms) - len(rows)
        tail = [more_arms(more)] if more else []
        return display.under_each_other(self.heading(study), arm_grid(rows, width, marks), *tail)


def more_arms(count: int) -> str:
    """Which arms a table leaves out."""
    return f"and {count:,} more arm{'' if count == 1 else 's'}, ruled out or pulled less often"


def arm_grid(rows: Table, width: int, marks: dict[str, str] | None = None) -> Any:
    """A table for a terminal of so many columns; arms that are ruled out are dim.

    With marks, which stand before names, it is one that is redrawn: each arm has one line, so that nothing jumps. What a
    narrow terminal has no room for are the intervals of limited numbers: their ends that matter are in the words. If there
    are several limits, it leaves out the last of them too.
    """
    several = len(rows.intervals) > 1
    heads = rows.heads if width >= WIDE and not several else rows.short_heads
    lines = [heads, *rows.shown_cells()]
    last, redrawn = len(heads) - 1, marks is not None
    widths = {column: max(len(cells[column]) for cells in lines) for column in range(last)}
    widths[0] = min(widths[0] + 2 * redrawn, LONG)
    if several:  # heads may take several lines
        for column in range(2, last):
            cells = max(len(line[column]) for line in lines[1:])
            widths[column] = max(cells, min(len(heads[column]), HEAD))

    def fits(words: int) -> bool:
        return sum(widths.values()) + 2 * len(widths) + words < width if several else width >= WIDE

    for column in reversed(rows.intervals):
        if not fits(WORDY):
            del widths[column]
    for column in (3, *range(last - 2, 3, -2)) if several else ():
        if not fits(SHORT):
            del widths[column]
    kept = [*widths, last]
    widths[last] = max(width - sum(widths.values()) - 2 * len(widths) - 1, SHORT)  # two spaces between columns
    columns = [
        Column(
            heads[index],
            widths[index],
            right=index in (1, 2),
            cut=redrawn,
            wrapped=(several and index > 1) or (not redrawn and index in (0, last)),
        )
        for index in kept
    ]

    def shown(row: Any, cells: tuple[str, ...]) -> list[str]:
        name = cells[0] if marks is None else f"{marks.get(row.name, ' ')} {cells[0]}"
        words = row.brief if redrawn and widths[last] < WORDY else cells[-1]
        texts = (name, *cells[1:-1], words)
        return [texts[index] for index in kept]

    return display.grid(
        columns, [(shown(row, cells), row.ruled_out) for row, cells in zip(rows, lines[1:], strict=True)]
    )
