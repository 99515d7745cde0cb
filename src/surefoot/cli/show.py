"""A study as people and programs read it: the sentence and the table, or one JSON object."""

import sys
from collections.abc import Sequence
from typing import Any

from surefoot import display
from surefoot.study import Study
from surefoot.study.views.notices import Notice
from surefoot.study.views.study_progress import arm_grid, more_arms
from surefoot.study.views.table import Table

FEW = 30  # rows of a table
PLAIN = 80  # columns where there is no terminal to ask


def exit_code(study: Study) -> int:
    return 3 if study.decision.status == "undecided" else 0


def as_object(study: Study, name: str) -> dict[str, Any]:
    return {
        "study": name,
        **study.decision.as_object(),
        "spent": study.spent,
        "arms": [row.as_object() for row in study.table()],
        "aside": study.aside,
        "warnings": [notice._asdict() for notice in study.warnings],
    }


def warn(warnings: Sequence[Notice]) -> None:
    """Print the warnings on standard error; those about the problem itself were printed when it was read."""
    warnings = [notice for notice in warnings if notice.kind != "problem"]
    for notice in warnings[:FEW]:
        print(f"surefoot: {notice}", file=sys.stderr)
    if len(warnings) > FEW:
        print(f"surefoot: {len(warnings) - FEW:,} more warnings (--json shows all)", file=sys.stderr)


def print_study(study: Study) -> None:
    """The table, in a terminal fitted to its width, the sentence, and why arms were excluded."""
    rows = study.table(FEW)
    print_table(rows)
    if more := len(study.problem.arms) - len(rows):
        print(more_arms(more))
    print(f"\n{study.decision}")
    aside = list(study.aside.items())
    for name, why in aside[:FEW]:
        print(f"{name} is excluded: {why}")
    if len(aside) > FEW:
        print(f"{len(aside) - FEW:,} more arms were excluded (--json shows all)")


def print_table(rows: Table) -> None:
    if sys.stdout.isatty():
        display.print_grid(lambda width: arm_grid(rows, width))
    else:
        print(rows.fitted(PLAIN))
