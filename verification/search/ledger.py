"""The tasks that are finished, in a file."""

from pathlib import Path
from typing import Any

from surefoot import sources
from surefoot.paper.lines import Lines
from surefoot.simulation.versions import versions
from verification.search import rates, recheck, single_bound
from verification.search.effort import Effort

FILE = "results.jsonl"


class Ledger(Lines):
    """What tasks of one seed and effort found, in a folder."""

    NAME = "result"

    def __init__(self, folder: Path, effort: Effort, seed: int) -> None:
        self.results: dict[str, dict[str, Any]] = {}
        tasks = sources.digest(*(task.__name__ for task in (rates, recheck, single_bound)))
        made_by = versions() | {"seed": str(seed), "effort": str(effort), "verification": tasks}
        super().__init__(folder / FILE, made_by)

    def take(self, record: Any) -> None:
        self.results[record["task"]] = record["result"]

    def add(self, task: str, result: dict[str, Any]) -> None:
        self.results[task] = result
        self.write({"task": task, "result": result})
