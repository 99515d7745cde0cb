"""A study as it goes on, in the terminal: a table that is redrawn, or a line now and then when it is no terminal."""

import sys
import time
from types import TracebackType
from typing import Any

from surefoot.cli.show import rich_table
from surefoot.study import Study
from surefoot.study.asides import counted

ROWS = 14  # with a heading, what 24 lines have room for


class Display:
    """Shows a study on standard error; call it after each reward. `begun`: pulls made before."""

    def __init__(self, wanted: bool = True, begun: int = 0) -> None:
        self.wanted, self.begun, self.started = wanted, begun, time.monotonic()
        self.live: Any = None
        if wanted and sys.stderr.isatty():
            import rich.table  # noqa: F401 (takes a while: not while drawing)
            from rich.console import Console
            from rich.live import Live

            self.live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
        self.due = 0.0 if self.live else self.started + 2.0

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
        if not self.wanted or now < self.due:
            return
        if self.live:
            self.live.update(self.drawn(study), refresh=True)
        else:
            print(self.heading(study), file=sys.stderr, flush=True)
        took = time.monotonic() - now
        self.due = now + max(0.1 if self.live else 2.0, 5.0 * took)  # with very many arms, never most of the time

    def note(self, text: str) -> None:
        """A line that stays, above the table."""
        if not self.wanted or not self.live:
            print(f"surefoot: {text}", file=sys.stderr, flush=True)
        else:
            self.live.console.print(f"surefoot: {text}", markup=False, highlight=False)

    def heading(self, study: Study) -> str:
        """How far it is, and about how far it has to go."""
        rate = (study.pulls - self.begun) / max(time.monotonic() - self.started, 1e-9)
        leader, challenger = study.contest
        parts = [f"{counted(study.pulls)}, {rate:,.3g} per second"]
        parts += [f"about {left:,} left"] if (left := study.pulls_left) else []
        parts += [f"leader {leader}"] if leader else []
        parts += [f"challenger {challenger}"] if challenger else []
        return ", ".join(parts)

    def drawn(self, study: Study) -> Any:
        from rich.console import Group
        from rich.text import Text

        rows = study.table(ROWS)
        leader, challenger = study.contest
        marks = {name: mark for name, mark in ((leader, "▶"), (challenger, "▷")) if name}
        more = len(study.problem.arms) - len(rows)
        tail = [Text(f"and {more:,} more arms, that matter less")] if more else []
        return Group(Text(self.heading(study)), rich_table(rows, self.live.console.width, marks), *tail)
