"""Finished tasks in a file of lines, so that a verification that was interrupted goes on where it was."""

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any

from surefoot.errors import InvalidValue
from surefoot.experiments.verification.effort import Effort
from surefoot.simulation.versions import differences, digest, versions

FILE = "results.jsonl"
OURS = ("alone", "adversaries", "arms", "combinations", "demands", "limits", "measure", "one_arm", "points", "rates")


class Ledger:
    """What tasks of one seed and effort found: a line that says what made them, then a line for each task.

    A line is written at once and whole; one that was cut off is not there. Leaving puts the lines in order, so that the
    file does not depend on who finished first.
    """

    def __init__(self, folder: Path, effort: Effort, seed: int) -> None:
        here = Path(__file__).parent
        self.path = folder / FILE
        self.made_by = versions() | {
            "seed": str(seed),
            "effort": str(effort),
            "verification": digest(here / f"{name}.py" for name in (*OURS, "search", "shrunk")),
        }
        self.results: dict[str, dict[str, Any]] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            text = self.path.read_bytes() if self.path.exists() else b""
            whole = text[: text.rfind(b"\n") + 1]
            self.read(whole.decode("utf-8", errors="replace").splitlines())
            self.file = open(self.path, "ab", buffering=0)  # noqa: SIM115
            self.file.truncate(len(whole))
            if not whole:
                self.write(self.made_by)
        except OSError as error:
            raise InvalidValue(f"cannot write {self.path}: {error.strerror}") from error

    def read(self, lines: list[str]) -> None:
        for number, line in enumerate(lines, start=1):
            try:
                found = json.loads(line)
                if number > 1:
                    self.results[found["task"]] = found["result"]
            except (ValueError, TypeError, KeyError) as error:
                raise InvalidValue(
                    f"line {number} of {self.path} is no result; delete the file to begin anew"
                ) from error
            if number == 1 and (differ := differences(self.made_by, found)):
                kept = f"{self.path} holds results that were made otherwise ({differ})"
                raise InvalidValue(f"{kept}; give another folder, or delete the file to begin anew")

    def add(self, task: str, result: dict[str, Any]) -> None:
        self.results[task] = result
        self.write({"task": task, "result": result})

    def write(self, line: object) -> None:
        self.file.write(json.dumps(line).encode() + b"\n")

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()
        lines = [{"task": task, "result": self.results[task]} for task in sorted(self.results)]
        beside = self.path.with_suffix(".new")
        beside.write_text("".join(json.dumps(line) + "\n" for line in [self.made_by, *lines]), encoding="utf-8")
        os.replace(beside, self.path)
