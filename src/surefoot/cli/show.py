"""A study as people and programs read it: the sentence and the table, or one JSON object."""

import math
import sys
from dataclasses import asdict
from typing import Any

from surefoot.study import Study
from surefoot.study.report import Table

FEW = 30  # rows of a table


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
        "arms": [{key: plain(value) for key, value in asdict(row).items()} for row in study.table()],
        "aside": study.aside,
    }


def plain(value: Any) -> Any:
    """JSON has no infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_study(study: Study) -> None:
    """The table, in a terminal fitted to its width, and the sentence."""
    rows = study.table(FEW)
    if sys.stdout.isatty():
        from rich.console import Console

        Console().print(rich_table(rows))
    else:
        print(rows)
    if more := len(study.problem.arms) - len(rows):
        print(f"and {more:,} more arms, that matter less")
    print(f"\n{study.decision}")


def rich_table(rows: Table, marks: dict[str, str] | None = None, title: str | None = None) -> Any:
    """A table for a terminal; arms that are ruled out are dim, and some have a mark beside their name."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(title=title, title_justify="left", title_style="", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for head in rows.heads:
        number = head in ("pulls", "mean")
        table.add_column(head, justify="right" if number else "left", no_wrap=number, overflow="fold")
    for row, cells in zip(rows, rows.cells(), strict=True):
        name = f"{cells[0]} {mark}" if (mark := (marks or {}).get(row.name)) else cells[0]
        table.add_row(*map(Text, (name, *cells[1:])), style="dim" if row.ruled_out else "")
    return table
