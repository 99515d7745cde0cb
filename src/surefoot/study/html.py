"""A study as a notebook shows it: the sentence and the table."""

from html import escape
from typing import TYPE_CHECKING

from surefoot.study.report import show

if TYPE_CHECKING:
    from surefoot.study.study import Study

FEW = 50  # rows


def page(study: "Study") -> str:
    rows = study.table()
    heads = ["arm", "pulls", "mean", "between", study.problem.risk.name, "between", "verdict"]
    body = "".join(
        "<tr>"
        + "".join(
            f"<td>{escape(cell)}</td>"
            for cell in (
                row.name,
                f"{row.pulls:,}",
                show(row.mean),
                f"{show(row.mean_lower)} … {show(row.mean_upper)}",
                show(row.risk),
                "" if row.risk_lower is None else f"{show(row.risk_lower)} … {show(row.risk_upper)}",
                row.words,
            )
        )
        + "</tr>"
        for row in rows[:FEW]
    )
    more = f"<p>and {len(rows) - FEW:,} more arms</p>" if len(rows) > FEW else ""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    return f"<p>{escape(str(study.decision))}</p><table><tr>{head}</tr>{body}</table>{more}"
