"""A study as a notebook shows it: the sentence, the table and the picture."""

from base64 import b64encode
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

from surefoot import display
from surefoot.study.views.notices import NAMED

if TYPE_CHECKING:
    from surefoot.study.any_study import AnyStudy
    from surefoot.study.views.decision import Decision
    from surefoot.study.views.table import Table

FEW = 50  # rows
DRAWN = 500  # arms, beyond which a picture takes long and shows little


def page(decision: "Decision") -> str:
    """A decision with the table and the picture it rests on; alone, if its study is not at hand, or has gone on since."""
    sentence, study = f"<p>{escape(str(decision))}</p>", decision.study
    if study is None or decision != study.decision:
        return sentence
    others = [notice for notice in study.warnings if notice.kind not in NAMED][1:FEW]  # the sentence has the first
    sentence += "".join(f"<p><strong>Warning:</strong> {escape(str(notice))}</p>" for notice in others)
    rows = study.table()
    tried = any(row.pulls for row in rows)
    drawn = picture(study) if tried and len(rows) <= DRAWN else ""
    return f"{sentence}{table(rows)}{drawn}"


def table(rows: "Table") -> str:
    """The first arms, and how many more there are."""
    more = f"<p>and {len(rows) - FEW:,} more arms</p>" if len(rows) > FEW else ""
    return display.html_table(rows.heads, rows.cells()[:FEW]) + more


def picture(study: "AnyStudy") -> str:
    """The mean-risk plane as an image inside the page; nothing where there is no matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    figure = Figure(figsize=(7.2, 4.6), layout="constrained")
    study.plot(figure.add_subplot())
    file = BytesIO()
    figure.savefig(file, format="png", dpi=130, metadata={"Software": None})
    content = b64encode(file.getvalue()).decode()
    return f'<img width="720" alt="{escape(str(study.decision))}" src="data:image/png;base64,{content}">'
