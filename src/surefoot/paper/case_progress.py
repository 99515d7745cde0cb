"""The progress of a reproduction: a bar for each case, or a line now and then where none can be drawn."""

import time
from collections.abc import Mapping, Sequence
from types import TracebackType

from surefoot import display
from surefoot.display import Bars
from surefoot.paper.reproduction_plan import Entry, title
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
        self.started = time.monotonic()
        self.display = display.Display(shown and bool(self.expected), SELDOM)
        self.bars: Bars | None = None

    def __enter__(self) -> "Display":
        self.display.__enter__()
        if self.display.drawing:
            self.bars = Bars()
            self.of_case = {case: self.bars.add(title(case), self.all[case], self.done[case]) for case in self.all}
            self.overall = self.bars.add("[bold]runs in all", sum(self.all.values()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.display.__exit__(kind, error, trace)

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
        if self.bars:
            self.bars.update(self.of_case[entry.case], done=self.done[entry.case])
            self.bars.update(self.overall, done=sum(self.done.values()), words=self.pace())
        self.display(self.drawn, self.line)

    def drawn(self, width: int) -> object:
        return self.bars and self.bars.drawn(width)

    def line(self) -> str:
        cases = ", ".join(f"{case} {self.done[case]}/{self.all[case]}" for case in self.all)
        runs = f"{sum(self.done.values()):,} of {sum(self.all.values()):,} runs"
        return f"surefoot: {runs}, {self.pace()} ({cases})"

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
