"""A study as it goes on, in the terminal: a table that is redrawn, or a line now and then when it is no terminal."""

import sys
import time
from types import TracebackType
from typing import Any

from surefoot.study import Study


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
            open_arms = [row.name for row in study.table() if not row.ruled_out]
            print(f"{study.pulls:,} pulls, still in play: {', '.join(open_arms[:8])}", file=sys.stderr)

    def drawn(self, study: Study) -> Any:
        from rich.table import Table
        from rich.text import Text

        seconds = time.monotonic() - self.started
        rows = study.table()
        table = Table(
            title=f"{study.pulls:,} pulls, {study.pulls / max(seconds, 1e-9):,.0f} per second", title_justify="left"
        )
        for head in rows.heads:
            table.add_column(head, justify="right" if head in ("pulls", "mean") else "left", overflow="fold")
        shown = sorted(zip(rows, rows.cells(), strict=True), key=lambda pair: (pair[0].ruled_out, -pair[0].pulls))
        for row, cells in shown[:20]:
            table.add_row(*map(Text, cells), style="dim" if row.ruled_out else "")
        return table
