"""The runs that are finished, in a file."""

from collections import defaultdict
from pathlib import Path
from typing import Any

from surefoot import sources
from surefoot.paper import instances
from surefoot.paper.lines import Lines
from surefoot.paper.reproduction_plan import Entry
from surefoot.simulation.sweep_results import Run
from surefoot.simulation.versions import versions

FILE = "runs.jsonl"


class Store(Lines):
    """The runs of one seed in a folder."""

    NAME = "run"

    def __init__(self, folder: Path, seed: int) -> None:
        self.runs: dict[Entry, dict[int, Run]] = defaultdict(dict)
        made_by = {"seed": str(seed), "instances": sources.digest(instances.__name__)} | versions()
        super().__init__(folder / FILE, made_by)

    def take(self, record: Any) -> None:
        entry, run = Entry(*record[:4]), Run(*map(int, record[4:]))
        self.runs[entry][run.trial] = run

    def add(self, entry: Entry, run: Run) -> None:
        self.runs[entry][run.trial] = run
        self.write([*entry, *run[:4]])  # no run is cut short for its recommendation
