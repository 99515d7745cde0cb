"""One progress bar on standard error, when it is a terminal."""

import sys
from types import TracebackType
from typing import Any

from surefoot.simulation.job import Report


class Bar:
    """Runs done of all, pulls made, rate and time left. `shown` None means: if standard error is a terminal."""

    def __init__(self, runs: int, shown: bool | None = None) -> None:
        self.runs, self.done, self.pulls = runs, 0, 0
        self.display: Any = None
        if shown if shown is not None else sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            self.display = Progress(
                TextColumn("runs"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[pulls]:,} pulls"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self.task = self.display.add_task("runs", total=runs, pulls=0)

    def __enter__(self) -> "Bar":
        if self.display:
            self.display.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.display:
            self.display.stop()

    def show(self, report: Report) -> None:
        self.done += report.run is not None
        self.pulls += report.pulls
        if self.display:
            self.display.update(self.task, completed=self.done, pulls=self.pulls)

    def add(self, runs: int) -> None:
        """More runs to do than was known."""
        self.runs += runs
        if self.display:
            self.display.update(self.task, total=self.runs)
