"""A study as a notebook shows it: the sentence and the table."""

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.study.study import Study

FEW = 50  # rows


def page(study: "Study") -> str:
    table = study.table()
    head = "".join(f"<th>{escape(name)}</th>" for name in table.heads)
    rows = ["".join(f"<td>{escape(cell)}</td>" for cell in cells) for cells in table.cells()[:FEW]]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    more = f"<p>and {len(table) - FEW:,} more arms</p>" if len(table) > FEW else ""
    return f"<p>{escape(str(study.decision))}</p><table><tr>{head}</tr>{body}</table>{more}"
