"""A study as it goes on, in the terminal: a table that is redrawn, or a line now and then when it is no terminal."""

import sys
import time
from types import TracebackType
from typing import Any

from surefoot.study import Study
from surefoot.study.report import ruled_out, show


class Display:
    """Shows a study on standard error; call it after each reward."""

    def __init__(self, wanted: bool = True) -> None:
        self.wanted, self.last, self.started = wanted, 0.0, time.monotonic()
        self.live: Any = None
        if wanted and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self.live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)

    def __enter__(self) -> "Display":
        if self.live:
            self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live:
            self.live.stop()

    def __call__(self, study: Study) -> None:
        now = time.monotonic()
        if not self.wanted or now - self.last < (0.1 if self.live else 2.0):
            return
        self.last = now
        if self.live:
            self.live.update(self.drawn(study), refresh=True)
        else:
            open_arms = [row.name for row in study.table() if not ruled_out(row)]
            print(f"{study.pulls:,} pulls, still in play: {', '.join(open_arms[:8])}", file=sys.stderr)

    def drawn(self, study: Study) -> Any:
        from rich.table import Table
        from rich.text import Text

        seconds = time.monotonic() - self.started
        table = Table(
            title=f"{study.pulls:,} pulls, {study.pulls / max(seconds, 1e-9):,.0f} per second", title_justify="left"
        )
        for head in ("arm", "pulls", "mean", "between", study.problem.risk.name, ""):
            table.add_column(head, justify="right" if head in ("pulls", "mean") else "left", overflow="fold")
        rows = study.table()
        for row in sorted(rows, key=lambda row: (ruled_out(row), -row.pulls))[:20]:
            cells = (row.name, f"{row.pulls:,}", show(row.mean), f"{show(row.mean_lower)} … {show(row.mean_upper)}")
            table.add_row(*map(Text, (*cells, show(row.risk), row.words)), style="dim" if ruled_out(row) else "")
        return table
