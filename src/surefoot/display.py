"""What people see while work goes on, and tables: the only module that draws with rich, which it imports when it must.

In a terminal, standard error has a few lines that are drawn anew; in a notebook, the cell's output has them; elsewhere a
line is printed now and then. Tables that are printed once are laid out by `columns`, because rich takes 600 times as
long (a second for 1,000 arms). Notebooks get real tables by `html_table`, because rich makes preformatted text of them.
"""

import sys
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from io import StringIO
from types import TracebackType
from typing import Any, NamedTuple, Protocol

OFTEN = 0.1  # seconds between two drawings
SELDOM = 2.0  # seconds between two lines, where nothing can be drawn
REST = 5.0  # from one drawing to the next, times what it took: drawing many arms must not slow down the work
WIDTH = 100  # columns of a notebook
PREFORMATTED = '<pre style="white-space: pre; line-height: normal">{code}</pre>'


class Surface(Protocol):
    """Where something is drawn again and again."""

    @property
    def width(self) -> int: ...
    def draw(self, content: Any) -> None: ...
    def note(self, text: str) -> None: ...
    def clear(self) -> None: ...


class Display:
    """Shows how far some work is. `shown` None: if standard error is a terminal, or in a notebook; True: also as lines.

    Call it as often as you like, with what draws the picture for a width and what says it in a line.
    """

    def __init__(self, shown: bool | None = None, seldom: float | None = None) -> None:
        self.shown, self.pause = shown, SELDOM if seldom is None else seldom
        self.surface: Surface | None = None
        self.due = time.monotonic() + self.pause

    @property
    def drawing(self) -> bool:
        return self.surface is not None

    def __enter__(self) -> "Display":
        if self.shown is not False:
            self.surface = Terminal() if sys.stderr.isatty() else Notebook() if in_notebook() else None
        if self.surface:
            self.due, self.pause = 0.0, OFTEN
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.surface:
            self.surface.clear()

    def __call__(self, picture: Callable[[int], Any], line: Callable[[], str]) -> None:
        now = time.monotonic()
        if now < self.due or not (self.surface or self.shown):
            return
        if self.surface:
            self.surface.draw(picture(self.surface.width))
        else:
            print(line(), file=sys.stderr, flush=True)
        took = time.monotonic() - now
        self.due = now + max(self.pause, REST * took)

    def note(self, text: str) -> None:
        """A line that stays; where nothing was said about showing it, only if there is something to see already."""
        if self.surface:
            self.surface.note(text)
        elif self.shown is not None:
            print(text, file=sys.stderr, flush=True)


class Terminal:
    def __init__(self) -> None:
        import rich.table  # noqa: F401 (takes a while: not while drawing)
        from rich.console import Console
        from rich.live import Live

        self.live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
        self.live.start()

    @property
    def width(self) -> int:
        return self.live.console.width

    def draw(self, content: Any) -> None:
        self.live.update(content, refresh=True)

    def note(self, text: str) -> None:
        self.live.console.print(text, markup=False, highlight=False)

    def clear(self) -> None:
        self.live.stop()


class Notebook:
    """An output that is replaced; by IPython itself, because rich needs ipywidgets for it."""

    width = WIDTH

    def __init__(self) -> None:
        from IPython.display import display

        self.output: Any = display({"text/plain": ""}, raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def draw(self, content: Any) -> None:
        from rich.console import Console

        console = Console(file=StringIO(), width=self.width, record=True, force_jupyter=False)
        console.print(content)
        text = console.export_text(clear=False)
        html = console.export_html(inline_styles=True, code_format=PREFORMATTED)
        self.output.update({"text/plain": text, "text/html": html}, raw=True)

    def note(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def clear(self) -> None:
        self.output.update({"text/plain": "", "text/html": ""}, raw=True)


def in_notebook() -> bool:
    """Is this the kernel of a notebook?"""
    if "IPython" not in sys.modules:
        return False
    from rich.console import Console

    return Console(stderr=True).is_jupyter


class Bars:
    """Progress bars for a display to draw: what for, the bar, how many of all, and a few words."""

    def __init__(self, time_left: bool = False) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = [
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[words]}"),
        ]
        self.bars = Progress(*columns, *([TimeRemainingColumn()] if time_left else []), auto_refresh=False)

    def add(self, name: str, total: int, done: int = 0) -> int:
        return self.bars.add_task(name, total=total, completed=done, words="")

    def update(self, bar: int, *, done: int | None = None, total: int | None = None, words: str | None = None) -> None:
        changed = {} if words is None else {"words": words}
        self.bars.update(bar, completed=done, total=total, **changed)  # type: ignore[arg-type]

    def drawn(self, width: int) -> Any:
        return self.bars.get_renderable()


class Column(NamedTuple):
    """Of a table that is fitted to a terminal. Text that is too long for it is cut, or goes on in the next line."""

    head: str
    width: int
    right: bool = False
    cut: bool = True
    wrapped: bool = False


def grid(columns: Sequence[Column], rows: Iterable[tuple[Sequence[str], bool]]) -> Any:
    """A table in a terminal, from rows of text, each of them dim or not."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for column in columns:
        table.add_column(
            column.head,
            justify="right" if column.right else "left",
            no_wrap=not column.wrapped,
            overflow="ellipsis" if column.cut else "fold",
            width=column.width,
        )
    for cells, dim in rows:
        table.add_row(*map(Text, cells), style="dim" if dim else "")
    return table


def under_each_other(*contents: Any) -> Any:
    """Lines of text, and what else can be drawn."""
    from rich.console import Group
    from rich.text import Text

    return Group(*(Text(content) if isinstance(content, str) else content for content in contents))


def print_grid(draw: Callable[[int], Any]) -> None:
    """On standard output, what is drawn for the width of its terminal."""
    from rich.console import Console

    console = Console()
    console.print(draw(console.width))


def columns(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Cells under each other, those of some columns to the right; the last ones as long as they are.

    >>> print(*columns([("arm", "pulls", ""), ("A", "1,000", "the best")], right=[1]), sep="\\n")
    arm  pulls
    A    1,000  the best
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    return [
        "  ".join(
            [
                cell.rjust(width) if index in right else cell.ljust(width)
                for index, (cell, width) in enumerate(zip(row, widths, strict=False))
            ]
            + [row[-1]]
        ).rstrip()
        for row in rows
    ]


def html_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as a notebook shows it."""
    from html import escape

    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"
