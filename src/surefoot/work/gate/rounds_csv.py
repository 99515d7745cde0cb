"""The results of each round as CSV: a log that `surefoot gate` and `surefoot analyze` read."""

import csv
from types import TracebackType
from typing import IO, Any

from surefoot.work.gate.gate_sources import BASELINE, CANDIDATE, Source
from surefoot.work.gate.rounds import FAILED, Outcome, Round


class RoundsFile:
    """Written round by round, so that what was measured is there whatever happens; nothing without a path."""

    def __init__(self, path: str | None, source: Source) -> None:
        self.path, self.metrics = path, [metric.name for metric in source.question.metrics]
        self.file: IO[str] | None = None
        self.writer: Any = None

    def __enter__(self) -> "RoundsFile":
        if self.path is not None:
            self.file = open(self.path, "w", encoding="utf-8", newline="")
            self.writer = csv.writer(self.file, lineterminator="\n")
            columns = [f"{name}:{metric}" for name in (BASELINE, CANDIDATE) for metric in self.metrics]
            self.writer.writerow([*columns, "first"])
        return self

    def write(self, one: Round) -> None:
        if self.file:
            cells = [cell for outcome in (one.baseline, one.candidate) for cell in self.cells(outcome)]
            self.writer.writerow([*cells, CANDIDATE if one.candidate_first else BASELINE])
            self.file.flush()

    def cells(self, outcome: Outcome) -> list[float | str]:
        values = outcome.values or {FAILED: 1.0}
        return [values.get(name, "") for name in self.metrics]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.file:
            self.file.close()
