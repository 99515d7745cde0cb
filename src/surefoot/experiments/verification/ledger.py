"""The tasks that are finished, in a file."""

from pathlib import Path
from typing import Any

from surefoot.experiments.lines import Lines
from surefoot.experiments.verification.effort import Effort
from surefoot.simulation.versions import digest, versions

FILE = "results.jsonl"
OURS = (  # the modules that results depend on
    *("alone", "adversaries", "arms", "combinations", "demands", "limits", "measure", "one_arm", "points", "rates"),
    *("binomial", "search", "shrunk"),
)


class Ledger(Lines):
    """What tasks of one seed and effort found, in a folder."""

    NAME = "result"

    def __init__(self, folder: Path, effort: Effort, seed: int) -> None:
        self.results: dict[str, dict[str, Any]] = {}
        here = Path(__file__).parent
        sources = digest(here / f"{name}.py" for name in OURS)
        made_by = versions() | {"seed": str(seed), "effort": str(effort), "verification": sources}
        super().__init__(folder / FILE, made_by)

    def take(self, found: Any) -> None:
        self.results[found["task"]] = found["result"]

    def add(self, task: str, result: dict[str, Any]) -> None:
        self.results[task] = result
        self.write({"task": task, "result": result})
