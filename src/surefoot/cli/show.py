"""A study as people and programs read it: the sentence and the table, or one JSON object."""

import math
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from surefoot.study import Study
from surefoot.study.notices import Notice
from surefoot.study.report import Table

FEW = 30  # rows of a table
PLAIN = 80  # columns where there is no terminal to ask
WIDE = 110  # columns of a terminal, from which on nothing is left out
LONG, SHORT, WORDY = 20, 12, 40  # widest name, narrowest words, and where a sentence fits


def exit_code(study: Study) -> int:
    return 3 if study.decision.status == "undecided" else 0


def as_object(study: Study, name: str) -> dict[str, Any]:
    decision = study.decision
    return {
        "study": name,
        "status": decision.status,
        "arm": decision.arm,
        "pulls": decision.pulls,
        "confidence": decision.confidence,
        "sentence": decision.sentence,
        "recommended": decision.recommended and list(decision.recommended),
        "arms": [{key: plain(value) for key, value in asdict(row).items()} for row in study.table()],
        "aside": study.aside,
        "warnings": [notice._asdict() for notice in study.warnings],
    }


def plain(value: Any) -> Any:
    """JSON has no infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def warn(warnings: Sequence[Notice]) -> None:
    """Say on standard error what speaks against an assumption; of the problem itself it was said when it was read."""
    warnings = [notice for notice in warnings if notice.kind != "problem"]
    for notice in warnings[:FEW]:
        print(f"surefoot: {notice}", file=sys.stderr)
    if len(warnings) > FEW:
        print(f"surefoot: {len(warnings) - FEW:,} more warnings (all of them with --json)", file=sys.stderr)


def print_study(study: Study) -> None:
    """The table, in a terminal fitted to its width, the sentence, and why arms were excluded."""
    rows = study.table(FEW)
    print_table(rows)
    if more := len(study.problem.arms) - len(rows):
        print(f"and {more:,} more arms, that matter less")
    print(f"\n{study.decision}")
    aside = list(study.aside.items())
    for name, why in aside[:FEW]:
        print(f"{name} was excluded: {why}")
    if len(aside) > FEW:
        print(f"and {len(aside) - FEW:,} more arms (all of them with --json)")


def print_table(rows: Table) -> None:
    if sys.stdout.isatty():
        from rich.console import Console

        console = Console()
        console.print(rich_table(rows, console.width))
    else:
        print(rows.fitted(PLAIN))


def rich_table(rows: Table, width: int, marks: dict[str, str] | None = None) -> Any:
    """A table for a terminal of so many columns; arms that are ruled out are dim.

    With marks, which stand before names, it is one that is redrawn: each arm has one line, so that nothing jumps. What a
    narrow terminal has no room for is the interval of the risk: its end that matters is in the words.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    heads = rows.heads if width >= WIDE else rows.short_heads
    kept = [column for column in range(len(heads)) if column != 5 or width >= WIDE]
    last = kept[-1]
    lines = [heads, *rows.shown_cells()]
    widths = {column: max(len(cells[column]) for cells in lines) for column in kept[:-1]}
    widths[0] = min(widths[0] + 2 * (marks is not None), LONG)
    widths[last] = max(width - sum(widths.values()) - 2 * len(widths) - 1, SHORT)  # two spaces between columns
    table = RichTable(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for column in kept:
        table.add_column(
            heads[column],
            justify="right" if column in (1, 2) else "left",
            no_wrap=marks is not None or column not in (0, last),
            overflow="fold" if marks is None else "ellipsis",
            width=widths[column],
        )
    for row, cells in zip(rows, lines[1:], strict=True):
        name = cells[0] if marks is None else f"{marks.get(row.name, ' ')} {cells[0]}"
        words = row.brief if marks is not None and widths[last] < WORDY else cells[-1]
        shown = (name, *cells[1:-1], words)
        table.add_row(*(Text(shown[column]) for column in kept), style="dim" if row.ruled_out else "")
    return table
