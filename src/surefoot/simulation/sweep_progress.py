"""The progress of a sweep: runs done of all, pulls made, time left."""

from types import TracebackType

from surefoot.display import Bars, Display
from surefoot.simulation.job import Report


class Bar:
    """One bar. `shown` None means: if standard error is a terminal, or in a notebook."""

    def __init__(self, runs: int, shown: bool | None = None) -> None:
        self.runs, self.done, self.pulls = runs, 0, 0
        self.display = Display(shown)
        self.bars: Bars | None = None

    def __enter__(self) -> "Bar":
        self.display.__enter__()
        if self.display.drawing:
            self.bars = Bars(time_left=True)
            self.bar = self.bars.add("runs", self.runs)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.display.__exit__(kind, error, trace)

    def show(self, report: Report) -> None:
        self.done += report.run is not None
        self.pulls += report.pulls
        if self.bars:
            self.bars.update(self.bar, done=self.done, total=self.runs, words=f"{self.pulls:,} pulls")
        self.display(self.drawn, lambda: f"{self.done:,} of {self.runs:,} runs, {self.pulls:,} pulls")

    def drawn(self, width: int) -> object:
        return self.bars and self.bars.drawn(width)

    def add(self, runs: int) -> None:
        """More runs to do than was known."""
        self.runs += runs
