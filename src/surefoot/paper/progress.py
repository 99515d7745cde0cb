"""The progress of a reproduction on standard error: bars in a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from surefoot.paper.plan import Entry, title
from surefoot.simulation.job import Report

SELDOM = 10.0  # seconds between two lines


class Display:
    """Runs done by case and in all, pulls per second, time left."""

    def __init__(
        self, entries: Sequence[Entry], missing: Mapping[Entry, Sequence[int]], trials: int, shown: bool
    ) -> None:
        self.all = dict.fromkeys((entry.case for entry in entries), 0)
        self.done = dict(self.all)
        self.expected = {entry: entry.expected_pulls for entry in entries if missing[entry]}
        self.work = sum(self.expected[entry] * len(missing[entry]) for entry in self.expected)
        self.credited: dict[tuple[Entry, int], float] = {}
        self.credit, self.pulls = 0.0, 0
        for entry in entries:
            self.all[entry.case] += trials
            self.done[entry.case] += trials - len(missing[entry])
        self.started = self.last = time.monotonic()
        self.shown = shown and bool(self.expected)
        self.bars: Any = None
        if self.shown and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[more]}"),
            )
            self.bars = Progress(*columns, console=Console(stderr=True), transient=True)
            self.tasks = {
                case: self.bars.add_task(title(case), total=self.all[case], completed=self.done[case], more="")
                for case in self.all
            }
            self.overall = self.bars.add_task("[bold]runs in all", total=sum(self.all.values()), more="")

    def __enter__(self) -> "Display":
        if self.bars:
            self.bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bars:
            self.bars.stop()

    def show(self, entry: Entry, report: Report) -> None:
        """Count a report. For the time left, a run counts as much as was expected of it, no more and in the end no less."""
        self.pulls += report.pulls
        key = entry, report.trial
        before = self.credited.pop(key, 0.0)
        now = self.expected[entry] if report.run else min(before + report.pulls, self.expected[entry])
        self.credit += now - before
        if report.run:
            self.done[entry.case] += 1
        else:
            self.credited[key] = now
        if not self.shown:
            return
        if self.bars:
            self.bars.update(self.tasks[entry.case], completed=self.done[entry.case])
            self.bars.update(self.overall, completed=sum(self.done.values()), more=self.pace())
        elif time.monotonic() - self.last >= SELDOM:
            self.last = time.monotonic()
            cases = ", ".join(f"{case} {self.done[case]}/{self.all[case]}" for case in self.all)
            runs = f"{sum(self.done.values()):,} of {sum(self.all.values()):,} runs"
            print(f"surefoot: {runs}, {self.pace()} ({cases})", file=sys.stderr, flush=True)

    def pace(self) -> str:
        """The rate and the time left.

        Time left supposes that what was expected is as wrong from here on as it was until now.
        """
        seconds = time.monotonic() - self.started
        rate = f"{self.pulls / max(seconds, 1e-9) / 1e6:.1f} million pulls/s"
        if self.credit < 0.01 * self.work:
            return rate  # too early to tell
        minutes, rest = divmod(round(seconds * (self.work - self.credit) / self.credit), 60)
        return f"{rate}, {minutes}:{rest:02} left"
